#include "daemon/queue_snapshot.h"

#include <algorithm>

namespace qdiscsim {
namespace {

// Of two counters read one after another, among running threads.
std::uint64_t difference(std::uint64_t more, std::uint64_t less) noexcept {
  return more - std::min(more, less);
}

void show_band(const BandAccount& account, BandSnapshot& out) noexcept {
  out.enqueue_attempts = account.enqueued + account.dropped();
  out.enqueued_packets = account.enqueued;
  out.dequeued_packets = account.dequeued;
  out.purged_packets = account.purged;
  out.bypassed_packets = account.bypassed;
  out.dropped_overlimit = account.dropped_overlimit;
  out.dropped_deactivated = account.dropped_deactivated;
  out.packets = account.sent();
  out.bytes = account.sent_bytes();
  out.requeues = account.requeues;
  out.backlog_packets = account.ring_packets;
  out.backlog_bytes = difference(account.enqueued_bytes, account.dequeued_bytes);
}

}  // namespace

void show_account(const QueueAccount& account, QueueSnapshot& out) noexcept {
  for (std::size_t band = 0; band < kBandCount; ++band) {
    show_band(account.bands[band], out.bands[band]);
  }
  out.offered_packets = account.offered;
  out.requeue_backlog_packets = account.requeue_packets;
  out.requeue_backlog_bytes = difference(account.requeued_bytes, account.unrequeued_bytes);
  out.requeue_purged_packets = account.requeue_purged;
  out.direct_packets = account.direct;
  out.tx_packets = account.tx_packets;
  out.tx_bytes = account.tx_bytes;
  out.tx_dropped_packets = account.tx_dropped;
  out.driver_ring_packets = account.posted;
}

}  // namespace qdiscsim
