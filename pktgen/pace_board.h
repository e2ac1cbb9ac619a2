// PaceBoard: keeps the generators of one wire in step when the host cannot run them all at once.
//
// On shared cores a thread can stand still for milliseconds while the others go on. If the wire's
// time went on with them, the late one's packets would arrive in a burst that no real sender made,
// and overflow a queue that is far below the line rate. So nobody runs ahead of the slowest
// schedule by more than a window: the bounded lag of parallel simulation (Lubachevsky, 1989). With
// every thread on a CPU of its own nobody ever waits.
//
// Threads: add() from the control thread, slowest() from any. Entries are never taken back: a
// generator that does not run, or has no rate, shows due time 0 and is passed over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "base/smp.h"

namespace qdiscsim {

struct PaceBoardOrders {
  static constexpr smp::order publish = smp::release;  // an entry exists. Partner: observe
  static constexpr smp::order observe = smp::acquire;
};

template <class Smp, class Orders = PaceBoardOrders>
class PaceBoard {
 public:
  using Due = typename Smp::template atomic<Nanoseconds>;

  static constexpr Nanoseconds kNone = ~Nanoseconds{0};
  // How far one may be ahead of the slowest: a burst of this length is what a late thread can make.
  static constexpr Nanoseconds kWindow = 200 * kMicrosecond;
  // A generator this late cannot keep its rate on this host: the others go on without it, and its
  // behind_seconds says so.
  static constexpr Nanoseconds kPatience = 200 * kMillisecond;

  explicit PaceBoard(std::size_t capacity)
      : entries_{std::make_unique<const Due*[]>(capacity)}, capacity_{capacity} {}

  // due: of a generator's next packet; lives as long as the board.
  void add(const Due& due) noexcept {
    const std::size_t count = count_.load(smp::relaxed);
    if (count == capacity_) return;
    entries_[count] = &due;
    count_.store(count + 1, Orders::publish);
  }

  // Due time of the most overdue generator; kNone when none keeps a schedule.
  Nanoseconds slowest() const noexcept {
    Nanoseconds result = kNone;
    const std::size_t count = count_.load(Orders::observe);
    for (std::size_t i = 0; i < count; ++i) {
      const Nanoseconds due = entries_[i]->load(smp::relaxed);
      if (due != 0) result = std::min(result, due);
    }
    return result;
  }

  // Whether someone at `position` on the schedule has to wait, at time now.
  bool must_wait(Nanoseconds position, Nanoseconds now) const noexcept {
    const Nanoseconds behind = slowest();
    return behind != kNone && position > behind + kWindow && now < behind + kPatience;
  }

 private:
  std::unique_ptr<const Due*[]> entries_;
  std::size_t capacity_;
  typename Smp::template atomic<std::size_t> count_{};
};

}  // namespace qdiscsim
