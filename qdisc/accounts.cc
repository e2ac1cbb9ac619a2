#include "qdisc/accounts.h"

namespace qdiscsim {
namespace {

std::string compare(const std::string& left_name, std::uint64_t left, const std::string& right_name,
                    std::uint64_t right) {
  if (left == right) return {};
  return left_name + " is " + std::to_string(left) + " but " + right_name + " is " +
         std::to_string(right);
}

}  // namespace

std::string broken_law(const QueueAccount& account) {
  std::uint64_t decided = 0;
  std::uint64_t left_qdisc = account.direct;
  std::uint64_t bytes = 0;
  std::uint64_t requeues = account.set_aside;
  for (std::size_t band = 0; band < account.bands.size(); ++band) {
    const BandAccount& b = account.bands[band];
    const std::string name = "band " + std::to_string(band) + ": ";
    decided += b.bypassed + b.enqueued + b.dropped();
    left_qdisc += b.sent();
    bytes += b.sent_bytes();
    requeues += b.requeues;
    if (auto text = compare(name + "enqueued", b.enqueued, "dequeued + backlog",
                            b.dequeued + b.ring_packets);
        !text.empty()) {
      return text;
    }
    if (b.ring_packets == 0) {
      if (auto text = compare(name + "bytes enqueued", b.enqueued_bytes,
                              "bytes dequeued with nothing queued", b.dequeued_bytes);
          !text.empty()) {
        return text;
      }
    }
  }
  if (auto text = compare("offered", account.offered, "bypassed + enqueued + dropped", decided);
      !text.empty()) {
    return text;
  }
  if (auto text =
          compare("requeued", account.requeued, "taken off the requeue lists + those on them",
                  account.unrequeued + account.requeue_packets);
      !text.empty()) {
    return text;
  }
  if (auto text =
          compare("requeued", account.requeued, "requeues of all bands + set aside", requeues);
      !text.empty()) {
    return text;
  }
  if (account.requeue_packets == 0) {
    if (auto text = compare("bytes requeued", account.requeued_bytes,
                            "bytes taken off the empty requeue lists", account.unrequeued_bytes);
        !text.empty()) {
      return text;
    }
  }
  const std::uint64_t elsewhere = account.direct + account.tx_dropped + account.posted +
                                  account.requeue_packets + account.requeue_purged;
  if (auto text = compare("bypassed + dequeued - purged + direct", left_qdisc,
                          "sent + dropped by the driver + posted + requeued",
                          account.tx_packets + elsewhere - account.direct);
      !text.empty()) {
    return text;
  }
  if (elsewhere != 0) return {};
  return compare("bytes bypassed + dequeued - purged", bytes, "bytes sent", account.tx_bytes);
}

std::string impossible_account(const QueueAccount& account, std::uint64_t in_motion) {
  std::uint64_t decided = 0;
  for (std::size_t band = 0; band < account.bands.size(); ++band) {
    const BandAccount& b = account.bands[band];
    decided += b.bypassed + b.enqueued + b.dropped();
    if (b.dequeued > b.enqueued + in_motion) {
      return "band " + std::to_string(band) + ": dequeued " + std::to_string(b.dequeued) +
             " of only " + std::to_string(b.enqueued) + " enqueued";
    }
  }
  if (decided > account.offered + in_motion) {
    return "bypassed + enqueued + dropped is " + std::to_string(decided) + " of only " +
           std::to_string(account.offered) + " offered";
  }
  return {};
}

}  // namespace qdiscsim
