#include "ring/ptr_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "ring/typed_ring.h"
#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

// One fact each, the same for all generations. What differs between them: ptr_ring_clear_test.cc.
template <class Clear>
class PtrRingTest : public testing::Test {
 protected:
  using Ring = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

  PtrRingTest() { std::iota(numbers_.begin(), numbers_.end(), 0); }

  int* entry(std::size_t i) { return &numbers_.at(i); }
  void fill(Ring& ring, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) ASSERT_TRUE(ring.produce(entry(i))) << i;
  }
  static int value(void* taken) { return taken == nullptr ? -1 : *static_cast<int*>(taken); }

 private:
  std::array<int, 512> numbers_{};
};
TYPED_TEST_SUITE(PtrRingTest, test::Generations, test::NameOfGeneration);

TYPED_TEST(PtrRingTest, GivesBackEntriesInTheOrderTheyCame) {
  typename TestFixture::Ring ring{8};
  this->fill(ring, 0, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(TestFixture::value(ring.consume()), i);
  EXPECT_EQ(ring.consume(), nullptr);
}

TYPED_TEST(PtrRingTest, HoldsExactlyItsSizeAlsoWhenThatIsNoPowerOfTwo) {
  for (const std::size_t size : {1U, 2U, 3U, 31U, 32U, 33U, 1'000'000U}) {
    typename TestFixture::Ring ring{size};
    // Twice, so that the second turn begins where the first one ended.
    for (int turn = 0; turn < 2; ++turn) {
      std::size_t stored = 0;
      while (ring.produce(this->entry(stored % 512))) ++stored;
      EXPECT_EQ(stored, size);
      EXPECT_TRUE(ring.full());
      EXPECT_EQ(ring.count_at_rest(), size);
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(ring.consume(), this->entry(i % 512));
      EXPECT_EQ(ring.consume(), nullptr);
      EXPECT_TRUE(ring.looks_empty());
      EXPECT_EQ(ring.count_at_rest(), 0U);
    }
  }
}

TYPED_TEST(PtrRingTest, OfSizeZeroRefusesEverythingAndIsEmpty) {
  typename TestFixture::Ring ring{0};
  EXPECT_FALSE(ring.produce(this->entry(0)));
  EXPECT_TRUE(ring.full());
  EXPECT_EQ(ring.size(), 0U);
  EXPECT_EQ(ring.consume(), nullptr);
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  EXPECT_TRUE(ring.looks_empty());
}

TYPED_TEST(PtrRingTest, PeekTwiceSeesTheSameOldestEntryAndTakesNothing) {
  typename TestFixture::Ring ring{4};
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  this->fill(ring, 3, 2);
  EXPECT_EQ(TestFixture::value(ring.peek_unlocked()), 3);
  EXPECT_EQ(ring.peek([](void* head) { return TestFixture::value(head); }), 3);
  EXPECT_EQ(TestFixture::value(ring.consume()), 3);
  EXPECT_EQ(TestFixture::value(ring.consume()), 4);
}

TYPED_TEST(PtrRingTest, BatchedFormsMoveAsMuchAsFits) {
  typename TestFixture::Ring ring{4};
  const std::array<int*, 6> in{this->entry(0), this->entry(1), this->entry(2),
                               this->entry(3), this->entry(4), this->entry(5)};
  EXPECT_EQ(ring.produce_batched(std::span<int* const>{in}), 4U);
  std::array<int*, 3> out{};
  EXPECT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  EXPECT_THAT(out, ElementsAre(this->entry(0), this->entry(1), this->entry(2)));
  EXPECT_EQ(ring.consume_batched(std::span<int*>{out}), 1U);
  EXPECT_EQ(out[0], this->entry(3));
}

TYPED_TEST(PtrRingTest, UnconsumePutsEntriesBackInFront) {
  typename TestFixture::Ring ring{8};
  this->fill(ring, 0, 5);
  std::array<int*, 3> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  ring.unconsume(std::span<int* const>{out}, [](int*) { FAIL() << "all fit"; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(TestFixture::value(ring.consume()), i);
}

TYPED_TEST(PtrRingTest, UnconsumeDestroysTheOldestThatFindNoRoom) {
  typename TestFixture::Ring ring{4};
  this->fill(ring, 0, 4);
  std::array<int*, 3> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 3U);
  this->fill(ring, 4, 2);
  std::vector<int> destroyed;
  ring.unconsume(std::span<int* const>{out}, [&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(0, 1));
  for (const int expected : {2, 3, 4, 5}) EXPECT_EQ(TestFixture::value(ring.consume()), expected);
}

TYPED_TEST(PtrRingTest, UnconsumeIntoSizeZeroDestroysAll) {
  typename TestFixture::Ring ring{0};
  const std::array<int*, 2> in{this->entry(0), this->entry(1)};
  std::vector<int> destroyed;
  ring.unconsume(std::span<int* const>{in}, [&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(0, 1));
}

TYPED_TEST(PtrRingTest, UnconsumeUsesSlotsThatWereNotYetCleared) {
  typename TestFixture::Ring ring{64};
  this->fill(ring, 0, 64);
  std::array<int*, 10> out{};
  ASSERT_EQ(ring.consume_batched(std::span<int*>{out}), 10U);
  ring.unconsume(std::span<int* const>{out}, [](int*) { FAIL() << "all fit"; });
  EXPECT_TRUE(ring.full());
  for (int i = 0; i < 64; ++i) ASSERT_EQ(TestFixture::value(ring.consume()), i);
}

TYPED_TEST(PtrRingTest, CleanupHandsOutEverythingOldestFirst) {
  typename TestFixture::Ring ring{64};
  this->fill(ring, 0, 20);
  std::vector<int> destroyed;
  ring.cleanup([&](void* entry) { destroyed.push_back(TestFixture::value(entry)); });
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(destroyed, expected);
  EXPECT_TRUE(ring.looks_empty());
}

TYPED_TEST(PtrRingTest, TypedRingGivesEntriesTheirType) {
  TypedRing<int, typename TestFixture::Ring> ring{2};
  EXPECT_TRUE(ring.looks_empty());
  EXPECT_TRUE(ring.produce(this->entry(7)));
  EXPECT_EQ(*ring.peek_unlocked(), 7);
  EXPECT_EQ(*ring.consume(), 7);
  EXPECT_TRUE(ring.produce_unlocked(this->entry(8)));
  std::vector<int> destroyed;
  ring.cleanup([&](int* lost) { destroyed.push_back(*lost); });
  EXPECT_THAT(destroyed, ElementsAre(8));
}

}  // namespace
}  // namespace qdiscsim
