#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "base/smp_native.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Ring = PtrRing<smp::Native>;

// Allocations that still succeed before the failing allocator runs dry.
int allocations_left = 0;

std::unique_ptr<Ring::Slot[]> failing_allocate(std::size_t size) {
  return allocations_left-- > 0 ? Ring::allocate_array(size) : nullptr;
}

class PtrRingResizeTest : public testing::Test {
 protected:
  PtrRingResizeTest() { std::iota(numbers_.begin(), numbers_.end(), 0); }

  void fill(Ring& ring, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) ASSERT_TRUE(ring.produce(&numbers_.at(i)));
  }
  static std::vector<int> drain(Ring& ring) {
    std::vector<int> values;
    ring.cleanup([&](void* entry) { values.push_back(*static_cast<int*>(entry)); });
    return values;
  }
  auto destroy() {
    return [this](void* entry) { destroyed_.push_back(*static_cast<int*>(entry)); };
  }

  std::array<int, 128> numbers_{};
  std::vector<int> destroyed_;
};

TEST_F(PtrRingResizeTest, Spec14_ShrinkingKeepsTheOldestInOrderAndDestroysTheNewest) {
  Ring ring{8};
  fill(ring, 0, 8);
  EXPECT_TRUE(ring.resize(4, destroy()));
  EXPECT_THAT(destroyed_, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_TRUE(ring.full());
  EXPECT_THAT(drain(ring), ElementsAre(0, 1, 2, 3));
}

TEST_F(PtrRingResizeTest, GrowingKeepsEverythingAndGivesRoom) {
  Ring ring{3};
  fill(ring, 0, 3);
  EXPECT_TRUE(ring.resize(5, destroy()));
  EXPECT_THAT(destroyed_, IsEmpty());
  fill(ring, 3, 2);
  EXPECT_TRUE(ring.full());
  EXPECT_THAT(drain(ring), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(PtrRingResizeTest, ToZeroDestroysAllAndThenRefusesAll) {
  Ring ring{4};
  fill(ring, 0, 2);
  EXPECT_TRUE(ring.resize(0, destroy()));
  EXPECT_THAT(destroyed_, ElementsAre(0, 1));
  EXPECT_FALSE(ring.produce(numbers_.data()));
  EXPECT_TRUE(ring.resize(1, destroy()));
  EXPECT_TRUE(ring.produce(numbers_.data()));
  EXPECT_THAT(drain(ring), ElementsAre(0));
}

TEST_F(PtrRingResizeTest, ForgetsSlotsThatWereNotYetCleared) {
  Ring ring{64};
  fill(ring, 0, 64);
  for (int i = 0; i < 3; ++i) ring.consume();
  ASSERT_TRUE(ring.full());
  EXPECT_TRUE(ring.resize(64, destroy()));
  fill(ring, 64, 3);
  EXPECT_TRUE(ring.full());
}

TEST_F(PtrRingResizeTest, WithoutMemoryNothingChanges) {
  Ring ring{4};
  fill(ring, 0, 3);
  allocations_left = 0;
  EXPECT_FALSE(ring.resize(8, destroy(), &failing_allocate));
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_THAT(destroyed_, IsEmpty());
  EXPECT_THAT(drain(ring), ElementsAre(0, 1, 2));
}

TEST_F(PtrRingResizeTest, SeveralRingsChangeTogether) {
  Ring first{4};
  Ring second{4};
  fill(first, 0, 4);
  fill(second, 10, 1);
  const std::array<Ring*, 2> rings{&first, &second};
  EXPECT_TRUE(Ring::resize_multiple(rings, 2, destroy()));
  EXPECT_THAT(destroyed_, ElementsAre(2, 3));
  EXPECT_THAT(drain(first), ElementsAre(0, 1));
  EXPECT_THAT(drain(second), ElementsAre(10));
  EXPECT_EQ(second.size(), 2U);
}

TEST_F(PtrRingResizeTest, Spec15_AFailureAtTheLastOfThreeRingsLeavesAllAsTheyWere) {
  for (int succeed = 0; succeed < 3; ++succeed) {
    Ring first{4};
    Ring second{4};
    Ring third{4};
    fill(first, 0, 4);
    fill(second, 10, 2);
    fill(third, 20, 3);
    const std::array<Ring*, 3> rings{&first, &second, &third};
    allocations_left = succeed;
    EXPECT_FALSE(Ring::resize_multiple(rings, 1, destroy(), &failing_allocate));
    EXPECT_THAT(destroyed_, IsEmpty());
    EXPECT_THAT(drain(first), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(drain(second), ElementsAre(10, 11));
    EXPECT_THAT(drain(third), ElementsAre(20, 21, 22));
    for (Ring* ring : rings) EXPECT_EQ(ring->size(), 4U);
  }
}

TEST_F(PtrRingResizeTest, OfNoRingsSucceeds) {
  EXPECT_TRUE(Ring::resize_multiple({}, 8, destroy()));
}

}  // namespace
}  // namespace qdiscsim
