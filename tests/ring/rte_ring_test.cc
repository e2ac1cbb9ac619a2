#include "ring/rte_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

using Native = smp::Native;
template <class ProducerSync, class ConsumerSync>
using RingOf = RteRing<Native, ProducerSync, ConsumerSync>;
using StRing = RingOf<SingleThread, SingleThread>;

constexpr std::uint64_t kGib = 1U << 30U;

// Entries are numbers, never followed.
void* entry(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);
}
std::vector<void*> entries(std::uintptr_t first, std::size_t count) {
  std::vector<void*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(entry(first + i));
  return all;
}
std::span<void* const> view(const std::vector<void*>& all) {
  return all;
}

template <class Ring>
class RteRingTest : public testing::Test {};
using Modes =
    testing::Types<StRing, RingOf<MultiThread, MultiThread>,
                   RingOf<RelaxedTailSync, RelaxedTailSync>, RingOf<HeadTailSync, HeadTailSync>>;
TYPED_TEST_SUITE(RteRingTest, Modes);

TYPED_TEST(RteRingTest, HoldsAllSlotsButOne) {
  TypeParam ring{8};
  EXPECT_EQ(ring.capacity(), 7U);
  for (std::uintptr_t i = 1; i <= 7; ++i) EXPECT_TRUE(ring.enqueue(entry(i)));
  EXPECT_FALSE(ring.enqueue(entry(8)));
  EXPECT_TRUE(ring.full());
  for (std::uintptr_t i = 1; i <= 7; ++i) EXPECT_EQ(ring.dequeue(), entry(i));
  EXPECT_EQ(ring.dequeue(), nullptr);
  EXPECT_TRUE(ring.empty());
}

TYPED_TEST(RteRingTest, HoldsExactlyItsSizeWhenThatIsAskedFor) {
  for (const std::uint32_t size : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 100U}) {
    TypeParam ring{size, {.exact = true}};
    EXPECT_EQ(ring.capacity(), size);
    EXPECT_EQ(ring.slot_count(), std::bit_ceil(size + 1U));
    const std::vector<void*> all = entries(1, size + 5U);
    EXPECT_EQ(ring.enqueue_burst(view(all)).count, size);
    EXPECT_EQ(ring.count(), size);
    EXPECT_EQ(ring.free_count(), 0U);
    EXPECT_TRUE(ring.full());
    EXPECT_EQ(ring.empty(), size == 0);
  }
}

TYPED_TEST(RteRingTest, OfOneSlotHoldsNothing) {
  TypeParam ring{1};
  EXPECT_EQ(ring.capacity(), 0U);
  EXPECT_FALSE(ring.enqueue(entry(1)));
  EXPECT_EQ(ring.dequeue(), nullptr);
}

TYPED_TEST(RteRingTest, MovesABulkAsAWholeOrNotAtAllAndSaysWhatIsLeft) {
  TypeParam ring{5, {.exact = true}};
  RteMoved moved = ring.enqueue_bulk(view(entries(1, 3)));
  EXPECT_EQ(moved.count, 3U);
  EXPECT_EQ(moved.left, 2U);
  moved = ring.enqueue_bulk(view(entries(4, 3)));
  EXPECT_EQ(moved.count, 0U);
  EXPECT_EQ(moved.left, 2U);
  std::array<void*, 4> out{};
  moved = ring.dequeue_bulk(std::span<void*>{out});
  EXPECT_EQ(moved.count, 0U);
  EXPECT_EQ(moved.left, 3U);
  moved = ring.dequeue_bulk(std::span<void*>{out}.first(2));
  EXPECT_EQ(moved.count, 2U);
  EXPECT_EQ(moved.left, 1U);
  EXPECT_THAT(out, ElementsAre(entry(1), entry(2), nullptr, nullptr));
}

TYPED_TEST(RteRingTest, MovesOfABurstAsManyAsFitAndSaysWhatIsLeft) {
  TypeParam ring{5, {.exact = true}};
  RteMoved moved = ring.enqueue_burst(view(entries(1, 9)));
  EXPECT_EQ(moved.count, 5U);
  EXPECT_EQ(moved.left, 0U);
  std::array<void*, 4> out{};
  moved = ring.dequeue_burst(std::span<void*>{out});
  EXPECT_EQ(moved.count, 4U);
  EXPECT_EQ(moved.left, 1U);
  moved = ring.dequeue_burst(std::span<void*>{out});
  EXPECT_EQ(moved.count, 1U);
  EXPECT_EQ(moved.left, 0U);
  EXPECT_EQ(out[0], entry(5));
}

TYPED_TEST(RteRingTest, MovesNothingWhenAskedForNothing) {
  TypeParam ring{4};
  EXPECT_TRUE(ring.enqueue(entry(1)));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ring.enqueue_bulk(std::span<void* const>{}).count, 0U);
    EXPECT_EQ(ring.enqueue_burst(std::span<void* const>{}).left, 2U);
    EXPECT_EQ(ring.dequeue_burst(std::span<void*>{}).left, 1U);
  }
  EXPECT_EQ(ring.dequeue(), entry(1));
}

TYPED_TEST(RteRingTest, CountsOnAcrossTheWrapOfThePositions) {
  for (std::uint32_t below = 0; below < 20; ++below) {
    TypeParam ring{5, {.exact = true, .start = std::uint32_t{0} - below}};
    std::uintptr_t in = 0;
    std::uintptr_t out = 0;
    for (int round = 0; round < 12; ++round) {
      in += ring.enqueue_burst(view(entries(in + 1, 4))).count;
      ASSERT_EQ(ring.count(), in - out);
      ASSERT_EQ(ring.free_count(), 5 - (in - out));
      for (int i = 0; i < 3; ++i) ASSERT_EQ(ring.dequeue(), entry(++out));
    }
    EXPECT_GT(in, 24U);
  }
}

TEST(RteRing, RefusesASizeThatIsNoPowerOfTwoUnlessItShallBeExact) {
  for (const std::uint64_t size : {0ULL, 3ULL, 33ULL, (1ULL << 31U) - 1}) {
    EXPECT_THROW(StRing{size}, std::invalid_argument) << size;
  }
  EXPECT_NO_THROW((StRing{33, {.exact = true}}));
}

TEST(RteRing, RefusesMoreThan2To31Slots) {
  const std::uint64_t most = 2 * kGib;
  EXPECT_EQ(rte_slot_count(most, false), most);
  EXPECT_EQ(rte_slot_count(most - 1, true), most);
  EXPECT_EQ(rte_slot_count(kGib, true), most);
  EXPECT_EQ(rte_slot_count(kGib - 1, true), kGib);
  for (const std::uint64_t size : {2 * most, std::numeric_limits<std::uint64_t>::max(), 3 * kGib}) {
    EXPECT_THROW(StRing{size}, std::length_error) << size;
    EXPECT_THROW((StRing{size, {.exact = true}}), std::length_error) << size;
  }
  EXPECT_THROW((StRing{most, {.exact = true}}), std::length_error);
}

TEST(RteRing, TellsTheOnlyConsumerWhatIsInFront) {
  StRing ring{4};
  EXPECT_EQ(ring.front(), nullptr);
  ring.enqueue(entry(7));
  ring.enqueue(entry(8));
  EXPECT_EQ(ring.front(), entry(7));
  EXPECT_EQ(ring.dequeue(), entry(7));
  EXPECT_EQ(ring.front(), entry(8));
}

TEST(RteRing, WithTheOrdersFromBefore2025IsTheSameForOneThread) {
  RteRing<Native, MultiThread, RelaxedTailSync, RteRingOrdersBefore2025> ring{4};
  EXPECT_TRUE(ring.enqueue(entry(1)));
  EXPECT_EQ(ring.dequeue(), entry(1));
}

TEST(RteRing, MovesBulksLargerThanTheDistanceThatRtsAllows) {
  for (const std::uint32_t htd_max : {0U, 1U, 15U, 1000U}) {
    RingOf<RelaxedTailSync, RelaxedTailSync> ring{
        16, {.producer_htd_max = htd_max, .consumer_htd_max = htd_max}};
    for (std::uintptr_t round = 0; round < 10; ++round) {
      EXPECT_EQ(ring.enqueue_bulk(view(entries(1, 15))).count, 15U);
      std::array<void*, 15> out{};
      EXPECT_EQ(ring.dequeue_bulk(std::span<void*>{out}).count, 15U);
      EXPECT_EQ(out[14], entry(15));
    }
  }
}

}  // namespace
}  // namespace qdiscsim
