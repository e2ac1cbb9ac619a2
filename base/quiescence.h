// Grace periods for the control thread, as RCU gives them in the kernel: after synchronize() no
// data-plane thread is still inside a section that began before the call. Quiescent-state based
// (Desnoyers et al., "User-level implementations of read-copy update", 2012): a reader pays one
// load and one store a packet and announces the moments at which it holds nothing.
//
// Readers are offline from construction; go_online() before the first section, quiescent() between
// sections, go_offline() before sleeping or ending. One writer at a time calls synchronize(), and
// it must not itself be an online reader.
#pragma once

#include <cstdint>
#include <span>

#include "base/cacheline.h"
#include "base/smp.h"

namespace qdiscsim {

struct QuiescenceOrders {
  // A reader that has seen epoch n has seen all that the writer did before opening it.
  static constexpr smp::order open = smp::seq_cst;   // partner: adopt, and enter (see go_online)
  static constexpr smp::order adopt = smp::acquire;  // partner: open
  // What a reader did in its section is visible to the writer after the grace period.
  static constexpr smp::order announce = smp::release;  // partner: await
  static constexpr smp::order await = smp::seq_cst;     // partner: announce, and enter
  // Either the writer sees the reader online, or the reader sees the new epoch: one total order.
  static constexpr smp::order enter = smp::seq_cst;  // partner: open and await
};

template <class Smp, class Orders = QuiescenceOrders>
class QuiescentEpoch;

template <class Smp, class Orders = QuiescenceOrders>
class alignas(kCacheLine) QuiescentReader {
 public:
  using Epoch = QuiescentEpoch<Smp, Orders>;

  void go_online(const Epoch& epoch) noexcept {
    seen_.exchange(epoch.current_.load(Orders::enter), Orders::enter);
    seen_.store(epoch.current_.load(Orders::enter), Orders::announce);
  }
  void quiescent(const Epoch& epoch) noexcept {
    seen_.store(epoch.current_.load(Orders::adopt), Orders::announce);
  }
  void go_offline() noexcept { seen_.store(kOffline, Orders::announce); }

 private:
  friend class QuiescentEpoch<Smp, Orders>;
  static constexpr std::uint64_t kOffline = ~std::uint64_t{0};
  typename Smp::template atomic<std::uint64_t> seen_{kOffline};
};

template <class Smp, class Orders>
class alignas(kCacheLine) QuiescentEpoch {
 public:
  using Reader = QuiescentReader<Smp, Orders>;

  // Returns when every reader was offline or quiescent once since the call. Yields while it waits.
  void synchronize(std::span<Reader* const> readers) noexcept {
    const std::uint64_t target = current_.fetch_add(1, Orders::open) + 1;
    for (Reader* reader : readers) {
      Smp::spin_until(
          reader->seen_, [target](std::uint64_t seen) { return seen >= target; }, Orders::await);
    }
  }

 private:
  friend class QuiescentReader<Smp, Orders>;
  typename Smp::template atomic<std::uint64_t> current_{1};
};

}  // namespace qdiscsim
