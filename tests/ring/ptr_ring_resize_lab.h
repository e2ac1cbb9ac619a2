// What the tests of ptr_ring's resize share: numbers as entries, and memory that can run out.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim::test {

// Allocations that still succeed before the failing allocator runs dry.
inline int allocations_left = 0;

template <class Clear>
class PtrRingResizeLab : public testing::Test {
 protected:
  using RingType = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

  PtrRingResizeLab() { std::iota(numbers_.begin(), numbers_.end(), 0); }

  void fill(RingType& ring, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) ASSERT_TRUE(ring.produce(&numbers_.at(i)));
  }
  static std::vector<int> drain(RingType& ring) {
    std::vector<int> values;
    ring.cleanup([&](void* entry) { values.push_back(*static_cast<int*>(entry)); });
    return values;
  }
  auto destroy() {
    return [this](void* entry) { destroyed_.push_back(*static_cast<int*>(entry)); };
  }

  static std::unique_ptr<typename RingType::Slot[]> failing_allocate(std::size_t size) {
    return allocations_left-- > 0 ? RingType::allocate_array(size) : nullptr;
  }

  std::array<int, 128> numbers_{};
  std::vector<int> destroyed_;
};

}  // namespace qdiscsim::test
