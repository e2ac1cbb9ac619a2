// How a thread on one side of an RteRing waits for another one's progress.
//
//   YieldingWait  64 pauses, then the core goes to the operating system, and so on
//   BusyWait      pauses only and never gives the core away, as DPDK does: with more threads than
//                 cores a waiter burns its whole time slice
//   PatientWait   Smp::spin_until, which also sleeps
//
// until<Smp>(cell, satisfied, order) returns the value that satisfied(value) held for. The first
// look is inlined. Source of the behaviour: DPDK 22.11.11, lib/ring (BusyWait).
#pragma once

#include "base/smp.h"

namespace qdiscsim {

struct YieldingWait {
  template <class Smp, class T, class Predicate>
  static T until(const typename Smp::template atomic<T>& cell, Predicate satisfied,
                 smp::order o) noexcept {
    const T value = cell.load(o);
    if (satisfied(value)) [[likely]]
      return value;
    return wait<Smp, T>(cell, satisfied, o);
  }

 private:
  // Out of line: its calls would cost the usual case registers.
  template <class Smp, class T, class Predicate>
  [[gnu::noinline]] static T wait(const typename Smp::template atomic<T>& cell, Predicate satisfied,
                                  smp::order o) noexcept {
    typename Smp::Spinner spinner;
    for (;;) {
      spinner.pause();
      const T value = cell.load(o);
      if (satisfied(value)) return value;
    }
  }
};

struct BusyWait {
  template <class Smp, class T, class Predicate>
  static T until(const typename Smp::template atomic<T>& cell, Predicate satisfied,
                 smp::order o) noexcept {
    for (;;) {
      const T value = cell.load(o);
      if (satisfied(value)) [[likely]]
        return value;
      // A new one each time never comes to its yield.
      typename Smp::Spinner{}.pause();
    }
  }
};

struct PatientWait {
  template <class Smp, class T, class Predicate>
  static T until(const typename Smp::template atomic<T>& cell, Predicate satisfied,
                 smp::order o) noexcept {
    return Smp::spin_until(cell, satisfied, o);
  }
};

}  // namespace qdiscsim
