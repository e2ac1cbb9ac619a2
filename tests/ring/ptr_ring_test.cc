#include "ring/ptr_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "base/smp_native.h"
#include "ring/typed_ring.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

using Ring = PtrRing<smp::Native>;

class PtrRingTest : public testing::Test {
 protected:
  PtrRingTest() { std::iota(numbers_.begin(), numbers_.end(), 0); }

  int* entry(std::size_t i) { return &numbers_.at(i); }
  void fill(Ring& ring, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) ASSERT_TRUE(ring.produce(entry(i))) << i;
  }
  // Produces until the ring refuses; returns how many it took.
  std::size_t offer(Ring& ring, std::size_t from, std::size_t count) {
    std::size_t taken = 0;
    for (std::size_t i = from; i < from + count; ++i) taken += ring.produce(entry(i)) ? 1 : 0;
    return taken;
  }
  static int value(void* taken) { return taken == nullptr ? -1 : *static_cast<int*>(taken); }

 private:
  std::array<int, 512> numbers_{};
};

TEST_F(PtrRingTest, GivesBackEntriesInTheOrderTheyCame) {
  Ring ring{8};
  fill(ring, 0, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(value(ring.consume()), i);
  EXPECT_EQ(ring.consume(), nullptr);
}

TEST_F(PtrRingTest, HoldsExactlyItsSizeAlsoWhenThatIsNoPowerOfTwo) {
  for (const std::size_t size : {1U, 2U, 3U, 31U, 32U, 33U, 100U}) {
    Ring ring{size};
    EXPECT_EQ(offer(ring, 0, 200), size);
    EXPECT_TRUE(ring.full());
    ring.cleanup([](void*) {});
  }
}

TEST_F(PtrRingTest, OfSizeZeroRefusesEverythingAndIsEmpty) {
  Ring ring{0};
  EXPECT_FALSE(ring.produce(entry(0)));
  EXPECT_TRUE(ring.full());
  EXPECT_EQ(ring.size(), 0U);
  EXPECT_EQ(ring.consume(), nullptr);
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  EXPECT_TRUE(ring.looks_empty());
}

TEST_F(PtrRingTest, Spec06_FullRingOf64StaysFullUntil16WereConsumed) {
  Ring ring{64};
  fill(ring, 0, 64);
  for (int i = 0; i < 15; ++i) {
    ASSERT_EQ(value(ring.consume()), i);
    ASSERT_FALSE(ring.produce(entry(100))) << "after " << i + 1;
  }
  EXPECT_EQ(value(ring.consume()), 15);
  EXPECT_EQ(offer(ring, 100, 50), 16U);
}

TEST_F(PtrRingTest, Spec07_RingOf16FreesEachSlotAtOnce) {
  Ring ring{16};
  fill(ring, 0, 16);
  ASSERT_EQ(value(ring.consume()), 0);
  EXPECT_EQ(offer(ring, 100, 2), 1U);
}

TEST_F(PtrRingTest, BatchesBeginAt32Entries) {
  EXPECT_EQ(Ring{31}.batch(), 1U);
  EXPECT_EQ(Ring{32}.batch(), 16U);
}

TEST_F(PtrRingTest, TheEndOfTheArrayEndsABatchEarly) {
  Ring ring{40};
  fill(ring, 0, 40);
  for (int i = 0; i < 32; ++i) ring.consume();
  EXPECT_EQ(offer(ring, 100, 32), 32U);
  for (int i = 32; i < 39; ++i) ASSERT_EQ(value(ring.consume()), i);
  EXPECT_FALSE(ring.produce(entry(200)));
  EXPECT_EQ(value(ring.consume()), 39);
  EXPECT_EQ(offer(ring, 200, 20), 8U);
}

TEST_F(PtrRingTest, PeekTwiceSeesTheSameOldestEntryAndTakesNothing) {
  Ring ring{4};
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  fill(ring, 3, 2);
  EXPECT_EQ(value(ring.peek_unlocked()), 3);
  EXPECT_EQ(ring.peek([](void* head) { return value(head); }), 3);
  EXPECT_EQ(value(ring.consume()), 3);
  EXPECT_EQ(value(ring.consume()), 4);
}

TEST_F(PtrRingTest, BatchedFormsMoveAsMuchAsFits) {
  Ring ring{4};
  const std::array<int*, 6> in{entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)};
  EXPECT_EQ(ring.produce_batched(std::span<int* const>{in}), 4U);
  std::array<int*, 3> out{};
  EXPECT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  EXPECT_THAT(out, ElementsAre(entry(0), entry(1), entry(2)));
  EXPECT_EQ(ring.consume_batched(std::span<int*>{out}), 1U);
  EXPECT_EQ(out[0], entry(3));
}

TEST_F(PtrRingTest, UnconsumePutsEntriesBackInFront) {
  Ring ring{8};
  fill(ring, 0, 5);
  std::array<int*, 3> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  ring.unconsume(std::span<int* const>{out}, [](int*) { FAIL() << "all fit"; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(value(ring.consume()), i);
}

TEST_F(PtrRingTest, UnconsumeDestroysTheOldestThatFindNoRoom) {
  Ring ring{4};
  fill(ring, 0, 4);
  std::array<int*, 3> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  fill(ring, 4, 2);
  std::vector<int> destroyed;
  ring.unconsume(std::span<int* const>{out}, [&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(0, 1));
  for (const int expected : {2, 3, 4, 5}) EXPECT_EQ(value(ring.consume()), expected);
}

TEST_F(PtrRingTest, UnconsumeIntoSizeZeroDestroysAll) {
  Ring ring{0};
  const std::array<int*, 2> in{entry(0), entry(1)};
  std::vector<int> destroyed;
  ring.unconsume(std::span<int* const>{in}, [&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(0, 1));
}

TEST_F(PtrRingTest, UnconsumeUsesSlotsThatWereNotYetCleared) {
  Ring ring{64};
  fill(ring, 0, 64);
  std::array<int*, 10> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 10U);
  ring.unconsume(std::span<int* const>{out}, [](int*) { FAIL() << "all fit"; });
  EXPECT_TRUE(ring.full());
  for (int i = 0; i < 64; ++i) ASSERT_EQ(value(ring.consume()), i);
}

TEST_F(PtrRingTest, CleanupHandsOutEverythingOldestFirst) {
  Ring ring{64};
  fill(ring, 0, 20);
  std::vector<int> destroyed;
  ring.cleanup([&](void* entry) { destroyed.push_back(value(entry)); });
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(destroyed, expected);
  EXPECT_TRUE(ring.looks_empty());
}

TEST_F(PtrRingTest, TypedRingGivesEntriesTheirType) {
  TypedRing<int, PtrRing<smp::Native, TicketLock<smp::Native>>> ring{2};
  EXPECT_TRUE(ring.looks_empty());
  EXPECT_TRUE(ring.produce(entry(7)));
  EXPECT_EQ(*ring.peek_unlocked(), 7);
  EXPECT_EQ(*ring.consume(), 7);
  EXPECT_TRUE(ring.produce_unlocked(entry(8)));
  std::vector<int> destroyed;
  ring.cleanup([&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(8));
}

}  // namespace
}  // namespace qdiscsim
