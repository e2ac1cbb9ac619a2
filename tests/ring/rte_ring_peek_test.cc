// The peek API of RteRing: reserve, look, commit a part; also in place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "base/smp_native.h"
#include "ring/rte_ring.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

void* number(std::uintptr_t value) {
  return reinterpret_cast<void*>(value);
}

template <class Sync>
class RteRingPeek : public testing::Test {
 protected:
  using Ring = RteRing<smp::Native, Sync, Sync>;

  void fill(std::uintptr_t from, std::uintptr_t count) {
    for (std::uintptr_t i = from; i < from + count; ++i) ASSERT_TRUE(ring_.enqueue(number(i)));
  }

  Ring ring_{6, {.exact = true}};  // 8 slots
  std::array<void*, 4> out_{};
};
using CanPeek = testing::Types<SingleThread, HeadTailSync>;
TYPED_TEST_SUITE(RteRingPeek, CanPeek);

TYPED_TEST(RteRingPeek, TakesOnlyWhatIsCommitted) {
  this->fill(1, 5);
  const RteMoved seen = this->ring_.dequeue_start(std::span<void*>{this->out_});
  EXPECT_EQ(seen.count, 4U);
  EXPECT_EQ(seen.left, 1U);
  EXPECT_THAT(this->out_, ElementsAre(number(1), number(2), number(3), number(4)));
  this->ring_.dequeue_finish(2);
  EXPECT_EQ(this->ring_.count(), 3U);
  EXPECT_EQ(this->ring_.dequeue(), number(3));
}

TYPED_TEST(RteRingPeek, GivesAllBackForACommitOfNothing) {
  this->fill(1, 2);
  EXPECT_EQ(this->ring_.dequeue_start(std::span<void*>{this->out_}.first(2)).count, 2U);
  this->ring_.dequeue_finish(0);
  EXPECT_EQ(this->ring_.enqueue_start(4).count, 4U);
  this->ring_.enqueue_finish(std::span<void* const>{});
  EXPECT_EQ(this->ring_.count(), 2U);
  EXPECT_EQ(this->ring_.free_count(), 4U);
  EXPECT_EQ(this->ring_.dequeue(), number(1));
}

TYPED_TEST(RteRingPeek, GivesAllBackForACommitOfMoreThanWasReserved) {
  this->fill(1, 3);
  EXPECT_EQ(this->ring_.dequeue_start(std::span<void*>{this->out_}.first(2)).count, 2U);
  this->ring_.dequeue_finish(3);
  EXPECT_EQ(this->ring_.count(), 3U);
  EXPECT_EQ(this->ring_.enqueue_start(2).count, 2U);
  this->ring_.enqueue_finish(std::span<void* const>{this->out_});
  EXPECT_EQ(this->ring_.count(), 3U);
}

TYPED_TEST(RteRingPeek, HidesReservedEntriesUntilTheyAreCommitted) {
  EXPECT_EQ(this->ring_.enqueue_start(3).count, 3U);
  EXPECT_TRUE(this->ring_.empty());
  EXPECT_EQ(this->ring_.dequeue(), nullptr);
  const std::array<void*, 2> in{number(1), number(2)};
  this->ring_.enqueue_finish(std::span<void* const>{in});
  EXPECT_EQ(this->ring_.count(), 2U);
  EXPECT_EQ(this->ring_.dequeue(), number(1));
  EXPECT_EQ(this->ring_.dequeue(), number(2));
}

TYPED_TEST(RteRingPeek, ReservesAllOrNothingUnlessAnyIsEnough) {
  this->fill(1, 3);
  EXPECT_EQ(this->ring_.dequeue_start(std::span<void*>{this->out_}).count, 0U);
  EXPECT_EQ(this->ring_.enqueue_start(4).count, 0U);
  const RteMoved some =
      this->ring_.template dequeue_start<RteFit::kAny>(std::span<void*>{this->out_});
  EXPECT_EQ(some.count, 3U);
  EXPECT_EQ(some.left, 0U);
  this->ring_.dequeue_finish(3);
  EXPECT_EQ(this->ring_.template enqueue_start<RteFit::kAny>(9).count, 6U);
  this->ring_.enqueue_finish(std::span<void* const>{});
}

TYPED_TEST(RteRingPeek, LendsItsOwnSlotsInTwoSpansAroundTheEnd) {
  this->fill(1, 6);
  for (int i = 0; i < 6; ++i) ASSERT_NE(this->ring_.dequeue(), nullptr);
  auto room = this->ring_.enqueue_zc_start(5);
  ASSERT_EQ(room.first.size(), 2U);
  ASSERT_EQ(room.second.size(), 3U);
  EXPECT_EQ(room.left, 1U);
  room.first[0].set(number(11));
  room.first[1].set(number(12));
  room.second[0].set(number(13));
  this->ring_.enqueue_zc_finish(3);
  EXPECT_EQ(this->ring_.count(), 3U);
  auto got = this->ring_.dequeue_zc_start(3);
  ASSERT_EQ(got.first.size(), 2U);
  ASSERT_EQ(got.second.size(), 1U);
  EXPECT_EQ(got.first[0].get(), number(11));
  EXPECT_EQ(got.second[0].get(), number(13));
  this->ring_.dequeue_finish(1);
  EXPECT_EQ(this->ring_.dequeue(), number(12));
}

}  // namespace
}  // namespace qdiscsim
