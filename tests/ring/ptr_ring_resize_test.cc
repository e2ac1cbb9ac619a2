#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/ring/ptr_ring_resize_lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Clear>
class PtrRingResizeTest : public test::PtrRingResizeLab<Clear> {};
TYPED_TEST_SUITE(PtrRingResizeTest, test::Generations, test::NameOfGeneration);

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
  test::allocations_left = 0;
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

TYPED_TEST(PtrRingResizeTest, OfNoRingsSucceeds) {
  using Ring = typename TestFixture::RingType;
  EXPECT_TRUE(Ring::resize_multiple({}, 8, this->destroy()));
}

}  // namespace
}  // namespace qdiscsim
