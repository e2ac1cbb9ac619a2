// TxQueue: one transmit queue of a device: its stop bits, its byte queue limit, its lock, its
// counters.
//
// A queue is stopped by its driver (ring full), by the stack (BQL) or frozen, and while its device
// is down, when drivers stop their queues, too; it is woken by the completion that makes room,
// which then schedules the queue's qdisc on the completing CPU. Source: linux struct netdev_queue;
// the wake protocol's orders pair with run_state.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/cacheline.h"
#include "base/clock.h"
#include "base/counter.h"
#include "base/cpu_id.h"
#include "base/smp.h"
#include "qdisc/bql.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

struct TxQueueOrders {
  // change: set or clear a stop bit. inspect: is it stopped? Partners of RunStateOrders::mark.
  static constexpr smp::order change = smp::seq_cst;
  static constexpr smp::order inspect = smp::seq_cst;
};

// What one CPU did on one tx queue.
template <class Smp>
struct alignas(kCacheLine) TxCounters {
  Counter<Smp> packets;  // completed by the link
  Counter<Smp> bytes;
  Counter<Smp> dropped;  // consumed by the driver without being sent
};

template <class Smp, class Orders = TxQueueOrders>
class TxQueue {
 public:
  enum Bit : std::uint32_t { kDriverOff = 1, kStackOff = 2, kFrozen = 4, kDeviceOff = 8 };

  // cpus: how many CPU numbers exist. BQL limits in bytes, max 0 = no BQL.
  TxQueue(std::uint16_t index, std::uint32_t cpus, std::uint32_t bql_min, std::uint32_t bql_max)
      : bql{bql_min, bql_max},
        counters_{std::make_unique<TxCounters<Smp>[]>(cpus)},
        cpus_{cpus},
        index_{index} {}

  std::uint16_t index() const noexcept { return index_; }

  bool stopped() const noexcept { return bits_.load(Orders::inspect) != 0; }
  bool stopped_by_driver() const noexcept {
    return (bits_.load(Orders::inspect) & (kDriverOff | kFrozen | kDeviceOff)) != 0;
  }

  // Sets a stop bit; lock held. Time counts from the first bit that is set.
  void stop(Bit bit, Nanoseconds now) noexcept {
    transmitted(now);
    if (bits_.fetch_or(bit, Orders::change) == 0) {
      stopped_.store((now - (stopped_.load(smp::relaxed) >> 1U)) << 1U | 1U, smp::relaxed);
    }
  }

  // Clears a stop bit; lock held. True when it was set: the caller schedules the qdisc.
  [[nodiscard]] bool wake(Bit bit, Nanoseconds now) noexcept {
    if ((bits_.load(smp::relaxed) & bit) == 0) return false;
    const std::uint32_t before = bits_.fetch_and(~static_cast<std::uint32_t>(bit), Orders::change);
    if (before == bit) stopped_.store(stopped_ns(now) << 1U, smp::relaxed);
    return (before & bit) != 0;
  }

  // Nanoseconds stopped so far, the running stop included. Any thread.
  Nanoseconds stopped_ns(Nanoseconds now) const noexcept {
    const Nanoseconds word = stopped_.load(smp::relaxed);
    const Nanoseconds value = word >> 1U;
    if ((word & 1U) == 0) return value;
    return now > value ? now - value : 0;
  }

  // The watchdog's view (queue_watch.h). trans_start: when the driver last took a packet, as far as
  // a stopped queue can tell: the stop itself is the last moment, unless start_xmit goes on past
  // BQL.
  void transmitted(Nanoseconds now) noexcept { trans_start_.store(now, smp::relaxed); }
  Nanoseconds trans_start() const noexcept { return trans_start_.load(smp::relaxed); }
  // Stopped by driver or stack for want of room; a frozen queue is somebody's at work.
  bool waits_for_driver() const noexcept {
    return (bits_.load(Orders::inspect) & (kDriverOff | kStackOff)) != 0;
  }
  // Control thread.
  void count_timeout() noexcept { trans_timeout_.add(1); }
  std::uint64_t trans_timeout() const noexcept { return trans_timeout_.read(); }

  TxCounters<Smp>& counters(CpuId cpu) noexcept { return counters_[cpu]; }

  struct Totals {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t dropped = 0;
  };
  Totals totals() const noexcept {
    Totals sum;
    for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
      sum.packets += counters_[cpu].packets.read();
      sum.bytes += counters_[cpu].bytes.read();
      sum.dropped += counters_[cpu].dropped.read();
    }
    return sum;
  }

  // Serialises the driver's transmit and completion sides, unless the link needs no lock (lltx).
  TestAndSetLock<Smp> lock;
  Bql<Smp> bql;

 private:
  alignas(kCacheLine) typename Smp::template atomic<std::uint32_t> bits_{};
  // In one word, so that a reader never sees half a change: while running, twice the time that the
  // queue was stopped; while stopped, twice the moment from which that time counts, plus one.
  typename Smp::template atomic<Nanoseconds> stopped_{};
  typename Smp::template atomic<Nanoseconds> trans_start_{};
  Counter<Smp> trans_timeout_;
  std::unique_ptr<TxCounters<Smp>[]> counters_;
  std::uint32_t cpus_;
  std::uint16_t index_;
};

}  // namespace qdiscsim
