// MpscRing and LaneRing for tests that treat them alike: producers have numbers, which MpscRing
// does not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/smp_native.h"
#include "ring/lane_ring.h"
#include "ring/mpsc_ring.h"

namespace qdiscsim::test {

template <class Orders = MpscRingOrders>
class CasRing : public MpscRing<smp::Native, Orders> {
 public:
  using Base = MpscRing<smp::Native, Orders>;
  static constexpr bool kOneOrder = true;  // one FIFO over all producers

  CasRing(std::size_t size, std::uint32_t /*producers*/, std::uint64_t start = 0)
      : Base{size, start} {}
  bool put(void* entry, std::uint32_t /*producer*/) noexcept { return Base::produce(entry); }
  template <class T>
  std::size_t put(std::span<T* const> entries, std::uint32_t /*producer*/) noexcept {
    return Base::produce_batched(entries);
  }
};

template <class Orders = LaneRingOrders>
class Lanes : public LaneRing<smp::Native, Orders> {
 public:
  using Base = LaneRing<smp::Native, Orders>;
  static constexpr bool kOneOrder = false;

  using Base::Base;
  bool put(void* entry, std::uint32_t producer) noexcept { return Base::produce(entry, producer); }
  template <class T>
  std::size_t put(std::span<T* const> entries, std::uint32_t producer) noexcept {
    return Base::produce_batched(entries, producer);
  }
};

}  // namespace qdiscsim::test
