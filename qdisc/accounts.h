// The accounts of a queue as plain sums, and the law that they obey at every quiescent point.
//
//   offered  = bypassed + enqueued + dropped
//   enqueued = dequeued + backlog                     (in packets and in bytes, band by band)
//   bypassed + dequeued - purged + direct
//            = sent + dropped by the driver + posted + requeue backlog + requeue purged
//   requeued = requeues of all bands + set aside for another queue = unrequeued + requeue backlog
//   bytes bypassed + dequeued - purged = bytes sent, when nothing waits or went another way
//
// `offered` is counted where a packet enters the device, the right-hand sides where its fate is
// decided, so the law is a check and not a definition. Quiescent: no thread is inside the device.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "qdisc/priority.h"

namespace qdiscsim {

struct BandAccount {
  std::uint64_t enqueued = 0;
  std::uint64_t enqueued_bytes = 0;
  std::uint64_t dequeued = 0;  // left the band's ring, purged ones included
  std::uint64_t dequeued_bytes = 0;
  std::uint64_t purged =
      0;  // discarded by a reset: dequeued, never sent, not a drop (as in the kernel)
  std::uint64_t purged_bytes = 0;
  std::uint64_t bypassed = 0;
  std::uint64_t bypassed_bytes = 0;
  std::uint64_t dropped_overlimit = 0;
  std::uint64_t dropped_deactivated = 0;
  std::uint64_t requeues = 0;
  std::uint64_t ring_packets =
      0;  // counted in the ring itself, when quiescent; else enqueued - dequeued

  std::uint64_t dropped() const noexcept { return dropped_overlimit + dropped_deactivated; }
  // The kernel's "Sent": counted when dequeued for transmission, or at bypass.
  std::uint64_t sent() const noexcept { return bypassed + dequeued - purged; }
  std::uint64_t sent_bytes() const noexcept {
    return bypassed_bytes + dequeued_bytes - purged_bytes;
  }
};

struct QueueAccount {
  std::array<BandAccount, kBandCount> bands;
  std::uint64_t offered = 0;
  std::uint64_t direct = 0;    // start_xmit: handed to the driver past the qdisc
  std::uint64_t requeued = 0;  // put on the requeue or bad-txq list
  std::uint64_t requeued_bytes = 0;
  std::uint64_t set_aside = 0;   // part of requeued: to the bad-txq list
  std::uint64_t unrequeued = 0;  // taken off those lists, purged ones included
  std::uint64_t unrequeued_bytes = 0;
  std::uint64_t requeue_purged = 0;
  std::uint64_t requeue_packets = 0;  // counted on the lists themselves
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_dropped = 0;
  std::uint64_t posted = 0;
};

// Empty when the law holds; else one sentence with the names and both numbers. Quiescent accounts
// only.
std::string broken_law(const QueueAccount& account);

// For an account read among running threads: what cannot be, even with in_motion packets between
// two counters. Empty when there is nothing.
std::string impossible_account(const QueueAccount& account, std::uint64_t in_motion);

}  // namespace qdiscsim
