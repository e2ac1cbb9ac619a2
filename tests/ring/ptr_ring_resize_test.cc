#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Allocations that still succeed before the failing allocator runs dry.
int allocations_left = 0;

template <class Clear>
class PtrRingResizeTest : public testing::Test {
 protected:
  using RingType = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

  PtrRingResizeTest() { std::iota(numbers_.begin(), numbers_.end(), 0); }

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
TYPED_TEST_SUITE(PtrRingResizeTest, test::Generations, test::NameOfGeneration);

TYPED_TEST(PtrRingResizeTest, Spec14_ShrinkingKeepsTheOldestInOrderAndDestroysTheNewest) {
  using Ring = typename TestFixture::RingType;
  Ring ring{8};
  this->fill(ring, 0, 8);
  EXPECT_TRUE(ring.resize(4, this->destroy()));
  EXPECT_THAT(this->destroyed_, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_TRUE(ring.full());
  EXPECT_THAT(TestFixture::drain(ring), ElementsAre(0, 1, 2, 3));
}

TYPED_TEST(PtrRingResizeTest, GrowingKeepsEverythingAndGivesRoom) {
  using Ring = typename TestFixture::RingType;
  Ring ring{3};
  this->fill(ring, 0, 3);
  EXPECT_TRUE(ring.resize(5, this->destroy()));
  EXPECT_THAT(this->destroyed_, IsEmpty());
  this->fill(ring, 3, 2);
  EXPECT_TRUE(ring.full());
  EXPECT_THAT(TestFixture::drain(ring), ElementsAre(0, 1, 2, 3, 4));
}

TYPED_TEST(PtrRingResizeTest, ToZeroDestroysAllAndThenRefusesAll) {
  using Ring = typename TestFixture::RingType;
  Ring ring{4};
  this->fill(ring, 0, 2);
  EXPECT_TRUE(ring.resize(0, this->destroy()));
  EXPECT_THAT(this->destroyed_, ElementsAre(0, 1));
  EXPECT_FALSE(ring.produce(this->numbers_.data()));
  EXPECT_TRUE(ring.resize(1, this->destroy()));
  EXPECT_TRUE(ring.produce(this->numbers_.data()));
  EXPECT_THAT(TestFixture::drain(ring), ElementsAre(0));
}

TYPED_TEST(PtrRingResizeTest, ForgetsSlotsThatWereNotYetCleared) {
  using Ring = typename TestFixture::RingType;
  Ring ring{64};
  this->fill(ring, 0, 64);
  for (int i = 0; i < 3; ++i) ring.consume();
  ASSERT_EQ(ring.full(), ring.batch() > 1);
  EXPECT_TRUE(ring.resize(64, this->destroy()));
  this->fill(ring, 64, 3);
  EXPECT_TRUE(ring.full());
}

TYPED_TEST(PtrRingResizeTest, WithoutMemoryNothingChanges) {
  using Ring = typename TestFixture::RingType;
  Ring ring{4};
  this->fill(ring, 0, 3);
  allocations_left = 0;
  EXPECT_FALSE(ring.resize(8, this->destroy(), &TestFixture::failing_allocate));
  EXPECT_EQ(ring.size(), 4U);
  EXPECT_THAT(this->destroyed_, IsEmpty());
  EXPECT_THAT(TestFixture::drain(ring), ElementsAre(0, 1, 2));
}

TYPED_TEST(PtrRingResizeTest, SeveralRingsChangeTogether) {
  using Ring = typename TestFixture::RingType;
  Ring first{4};
  Ring second{4};
  this->fill(first, 0, 4);
  this->fill(second, 10, 1);
  const std::array<Ring*, 2> rings{&first, &second};
  EXPECT_TRUE(Ring::resize_multiple(rings, 2, this->destroy()));
  EXPECT_THAT(this->destroyed_, ElementsAre(2, 3));
  EXPECT_THAT(TestFixture::drain(first), ElementsAre(0, 1));
  EXPECT_THAT(TestFixture::drain(second), ElementsAre(10));
  EXPECT_EQ(second.size(), 2U);
}

TYPED_TEST(PtrRingResizeTest, Spec15_AFailureAtTheLastOfThreeRingsLeavesAllAsTheyWere) {
  using Ring = typename TestFixture::RingType;
  for (int succeed = 0; succeed < 3; ++succeed) {
    Ring first{4};
    Ring second{4};
    Ring third{4};
    this->fill(first, 0, 4);
    this->fill(second, 10, 2);
    this->fill(third, 20, 3);
    const std::array<Ring*, 3> rings{&first, &second, &third};
    allocations_left = succeed;
    EXPECT_FALSE(Ring::resize_multiple(rings, 1, this->destroy(), &TestFixture::failing_allocate));
    EXPECT_THAT(this->destroyed_, IsEmpty());
    EXPECT_THAT(TestFixture::drain(first), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(TestFixture::drain(second), ElementsAre(10, 11));
    EXPECT_THAT(TestFixture::drain(third), ElementsAre(20, 21, 22));
    for (Ring* ring : rings) EXPECT_EQ(ring->size(), 4U);
  }
}

TYPED_TEST(PtrRingResizeTest, OfNoRingsSucceeds) {
  using Ring = typename TestFixture::RingType;
  EXPECT_TRUE(Ring::resize_multiple({}, 8, this->destroy()));
}

}  // namespace
}  // namespace qdiscsim
