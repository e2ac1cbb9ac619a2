#include "daemon/accounts.h"

namespace qdiscsim {
namespace {

class Findings {
 public:
  void equal(const std::string& what, std::uint64_t left, std::uint64_t right) {
    if (left == right) return;
    texts_.push_back(what + ": " + std::to_string(left) + " against " + std::to_string(right));
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

void check_guest(const std::string& device, const QueueSnapshot& queue, Findings& findings) {
  const std::string where = device + " queue " + std::to_string(queue.index) + ": ";
  findings.equal(where + "packets sent against received by the guest", queue.tx_packets,
                 queue.vhost->guest_packets);
  findings.equal(where + "bytes sent against received by the guest", queue.tx_bytes,
                 queue.vhost->guest_bytes);
  findings.equal(where + "packets that the guest found wrong", queue.vhost->guest_wrong, 0);
}

}  // namespace

std::vector<std::string> broken_totals(const Snapshot& snapshot) {
  Findings findings;
  std::uint64_t waiting = 0;
  for (const DeviceSnapshot& device : snapshot.devices) {
    std::uint64_t arrived = device.received_packets;
    for (const QueueSnapshot& queue : device.queues) {
      arrived += queue.offered_packets + queue.direct_packets;
      waiting += queue.requeue_backlog_packets + queue.driver_ring_packets;
      for (const BandSnapshot& band : queue.bands) waiting += band.backlog_packets;
      if (queue.vhost) check_guest(device.name, queue, findings);
    }
    std::uint64_t offered = 0;
    for (const GeneratorSnapshot& generator : snapshot.generators) {
      if (generator.device == device.name) offered += generator.offered_packets;
    }
    findings.equal(device.name + ": offered by its generators against arrived", offered, arrived);
  }

  std::uint64_t held = 0;
  std::uint64_t out = 0;
  std::uint64_t leaked = 0;
  for (const PoolSnapshot& pool : snapshot.pools) {
    const std::uint64_t idle = pool.cache_pages + pool.ring_pages;
    findings.equal("pool " + pool.name + ": hold against release + in flight", pool.hold,
                   pool.release + pool.inflight_pages);
    held += pool.inflight_pages;
    out += pool.inflight_pages - idle;
    leaked += pool.leaked_alone_pages;
  }
  // Copies of one skb (clone_skb, burst) wait several times in one page.
  if (waiting == 0 || out > waiting + leaked) {
    findings.equal("pages out of all pools against packets that wait + pages that leaks keep", out,
                   waiting + leaked);
  }
  findings.equal("arena pages against free + held by pools", snapshot.arena_pages,
                 snapshot.arena_free_pages + held);
  return findings.take();
}

}  // namespace qdiscsim
