// When a PtrRing gives consumed slots back to its producers. A policy offers
//   batch(size)                       how many consumed slots are cleared at once
//   flush<Orders>(slots, from, to)    clears slots [from, to)
#pragma once

#include <cstddef>

#include "base/cacheline.h"

namespace qdiscsim {

// Today's mainline behaviour (since 2017): two cache lines at a time, newest slot first. The
// producer waits at the oldest slot, so it meets the consumer only when the whole batch is free,
// and each line changes hands once. In rings too small for two batches each slot is cleared at
// once.
struct ZeroBatch {
  static constexpr const char* kName = "zero_batch";

  static constexpr std::size_t batch(std::size_t size) noexcept {
    constexpr std::size_t kBatch = 2 * kCacheLine / sizeof(void*);
    return kBatch * 2 > size ? 1 : kBatch;
  }

  template <class Orders, class Slot>
  static void flush(Slot* slots, std::size_t from, std::size_t to) noexcept {
    while (to > from) slots[--to].store(nullptr, Orders::clear);
  }
};

}  // namespace qdiscsim
