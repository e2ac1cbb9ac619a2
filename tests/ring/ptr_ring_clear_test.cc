// When consumed slots are free again: what the generations differ in.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

#include "tests/ring/ptr_ring_room_lab.h"

namespace qdiscsim {
namespace {

using test::an_entry;

template <class Clear>
using PtrRingClear = test::PtrRingRoom<Clear>;

template <class Clear>
class PtrRingInBatches : public PtrRingClear<Clear> {};
TYPED_TEST_SUITE(PtrRingInBatches, test::Batching, test::NameOfGeneration);

TYPED_TEST(PtrRingInBatches, BatchesBeginAt32Entries) {
  EXPECT_EQ(typename TestFixture::Ring{31}.batch(), 1U);
  EXPECT_EQ(typename TestFixture::Ring{32}.batch(), 16U);
}

TYPED_TEST(PtrRingInBatches, TheEndOfTheArrayEndsABatchEarly) {
  typename TestFixture::Ring ring{40};
  this->offer(ring);
  this->take(ring, 32);
  EXPECT_EQ(this->offer(ring), 32U);
  this->take(ring, 7);
  EXPECT_FALSE(ring.produce(&an_entry));
  this->take(ring, 1);
  EXPECT_EQ(this->offer(ring), 8U);
}

TYPED_TEST(PtrRingInBatches, CountAtRestLeavesOutWhatWasReadButNotCleared) {
  typename TestFixture::Ring ring{32};
  this->offer(ring);
  this->take(ring, 20);
  EXPECT_EQ(ring.count_at_rest(), 12U);
  EXPECT_EQ(this->offer(ring), 16U);
  EXPECT_EQ(ring.count_at_rest(), 28U);
}

using PtrRingZeroEach = PtrRingClear<ZeroEach>;

TEST_F(PtrRingZeroEach, FreesEachSlotAtOnceHoweverLargeTheRing) {
  Ring ring{1000};
  EXPECT_EQ(ring.batch(), 1U);
  offer(ring);
  for (int i = 0; i < 2500; ++i) {
    take(ring, 1);
    ASSERT_EQ(offer(ring), 1U);
  }
}

// The ring has wrapped once, so that the slots ahead are not just free because they never were
// used.
template <class Clear>
std::size_t free_after_draining() {
  using Test = PtrRing<smp::Native, NoLock<smp::Native>, Clear>;
  Test ring{40};
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(ring.produce(&an_entry));
    EXPECT_NE(ring.consume(), nullptr);
  }
  EXPECT_EQ(ring.consume(), nullptr);
  std::size_t taken = 0;
  while (ring.produce(&an_entry)) ++taken;
  return taken;
}

TEST(PtrRingFlushOnEmpty, LeavesADrainedRingCompletelyFree) {
  EXPECT_EQ(free_after_draining<FlushOnEmpty<ZeroBatch>>(), 40U);
  EXPECT_EQ(free_after_draining<FlushOnEmpty<ClearAfterHead>>(), 40U);
  EXPECT_EQ(free_after_draining<FlushOnEmpty<ClearAfterHeadBarriers>>(), 40U);
  EXPECT_EQ(free_after_draining<FlushOnEmpty<ZeroEach>>(), 40U);
}

TEST(PtrRingFlushOnEmpty, IsNotTheDefault) {
  // 100 entries end at slot 20; 16 .. 19 wait for their batch.
  EXPECT_EQ(free_after_draining<ZeroBatch>(), 36U);
  EXPECT_EQ(free_after_draining<ClearAfterHead>(), 36U);
  EXPECT_EQ(free_after_draining<ClearAfterHeadBarriers>(), 36U);
}

using PtrRingFlushOnEmptyTest = PtrRingClear<FlushOnEmpty<ZeroBatch>>;

TEST_F(PtrRingFlushOnEmptyTest, ABatchThatAsksForMoreThanThereIsFlushes) {
  Ring ring{32};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(ring.produce(&an_entry));
  std::array<int*, 5> exactly{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{exactly}), 5U);
  // Nothing was found missing.
  EXPECT_EQ(offer(ring), 27U);
  std::array<int*, 40> more{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{more}), 27U);
  EXPECT_EQ(offer(ring), 32U);
}

TEST_F(PtrRingFlushOnEmptyTest, TheNextBatchBeginsWhereTheFlushEnded) {
  Ring ring{64};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(ring.produce(&an_entry));
  take(ring, 5);
  ASSERT_EQ(ring.consume(), nullptr);
  ASSERT_EQ(offer(ring), 64U);
  take(ring, 15);
  EXPECT_FALSE(ring.produce(&an_entry));
  take(ring, 1);
  EXPECT_EQ(offer(ring), 16U);
}

}  // namespace
}  // namespace qdiscsim
