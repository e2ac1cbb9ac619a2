// When a full ptr_ring has room again, and what a resize keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/ring/ptr_ring_resize_lab.h"
#include "tests/ring/ptr_ring_room_lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using test::an_entry;

template <class Clear>
class PtrRingRoomConformance : public test::PtrRingRoom<Clear> {};
TYPED_TEST_SUITE(PtrRingRoomConformance, test::Batching, test::NameOfGeneration);

TYPED_TEST(PtrRingRoomConformance, Check06_FullRingOf64StaysFullUntil16WereConsumed) {
  typename TestFixture::Ring ring{64};
  ASSERT_EQ(this->offer(ring), 64U);
  for (int i = 0; i < 15; ++i) {
    this->take(ring, 1);
    ASSERT_FALSE(ring.produce(&an_entry)) << "after " << i + 1;
  }
  this->take(ring, 1);
  EXPECT_EQ(this->offer(ring), 16U);
}

TYPED_TEST(PtrRingRoomConformance, Check07_RingOf16FreesEachSlotAtOnce) {
  typename TestFixture::Ring ring{16};
  this->offer(ring);
  this->take(ring, 1);
  EXPECT_EQ(this->offer(ring), 1U);
}

template <class Clear>
class PtrRingResizeConformance : public test::PtrRingResizeLab<Clear> {};
TYPED_TEST_SUITE(PtrRingResizeConformance, test::Generations, test::NameOfGeneration);

TYPED_TEST(PtrRingResizeConformance, Check14_ShrinkingKeepsTheOldestInOrderAndDestroysTheNewest) {
  using Ring = typename TestFixture::RingType;
  Ring ring{8};
  this->fill(ring, 0, 8);
  EXPECT_TRUE(ring.resize(4, this->destroy()));
  EXPECT_THAT(this->destroyed_, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_TRUE(ring.full());
  EXPECT_THAT(TestFixture::drain(ring), ElementsAre(0, 1, 2, 3));
}

TYPED_TEST(PtrRingResizeConformance, Check15_AFailureAtTheLastOfThreeRingsLeavesAllAsTheyWere) {
  using Ring = typename TestFixture::RingType;
  for (int succeed = 0; succeed < 3; ++succeed) {
    Ring first{4};
    Ring second{4};
    Ring third{4};
    this->fill(first, 0, 4);
    this->fill(second, 10, 2);
    this->fill(third, 20, 3);
    const std::array<Ring*, 3> rings{&first, &second, &third};
    test::allocations_left = succeed;
    EXPECT_FALSE(Ring::resize_multiple(rings, 1, this->destroy(), &TestFixture::failing_allocate));
    EXPECT_THAT(this->destroyed_, IsEmpty());
    EXPECT_THAT(TestFixture::drain(first), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(TestFixture::drain(second), ElementsAre(10, 11));
    EXPECT_THAT(TestFixture::drain(third), ElementsAre(20, 21, 22));
    for (Ring* ring : rings) EXPECT_EQ(ring->size(), 4U);
  }
}

}  // namespace
}  // namespace qdiscsim
