// A counter with one writer and any number of readers: adding is a plain load, add and store, never
// a locked instruction. Give each writer its own cache line. Only grows; wraps after 2^64.
#pragma once

#include <cstdint>

#include "base/smp.h"

namespace qdiscsim {

template <class Smp>
class Counter {
 public:
  // Only the owning thread. Relaxed: readers need the value, not what happened before it; exact
  // sums are taken after the writers were joined or are known to rest.
  void add(std::uint64_t n) noexcept { cell_.store(cell_.load(smp::relaxed) + n, smp::relaxed); }
  std::uint64_t read() const noexcept { return cell_.load(smp::relaxed); }

 private:
  typename Smp::template atomic<std::uint64_t> cell_{};
};

}  // namespace qdiscsim
