#include "ring/rte_band_ring.h"

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

template <class Sync>
class RteBandRingTest : public testing::Test {
 protected:
  using Ring = RteBandRing<smp::Native, Sync>;
  using Typed = TypedRing<int, Ring>;

  RteBandRingTest() { std::iota(numbers_.begin(), numbers_.end(), 0); }
  int* entry(std::size_t i) { return &numbers_.at(i); }
  std::size_t offer(Typed& ring, std::size_t from, std::size_t count) {
    std::size_t taken = 0;
    for (std::size_t i = from; i < from + count; ++i) taken += ring.produce(entry(i)) ? 1 : 0;
    return taken;
  }
  static std::vector<int> drain(Typed& ring) {
    std::vector<int> values;
    ring.cleanup([&](int* value) { values.push_back(*value); });
    return values;
  }

 private:
  std::array<int, 128> numbers_{};
};
using Syncs = testing::Types<SingleThread, MultiThread, RelaxedTailSync, HeadTailSync>;
TYPED_TEST_SUITE(RteBandRingTest, Syncs);

TYPED_TEST(RteBandRingTest, HoldsExactlyItsSizeAndFreesASlotAtOnce) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 31U, 32U, 33U}) {
    typename TestFixture::Typed ring{size};
    EXPECT_EQ(ring.size(), size);
    EXPECT_EQ(this->offer(ring, 0, 40), size);
    EXPECT_EQ(ring.count_at_rest(), size);
    EXPECT_EQ(ring.looks_empty(), size == 0);
    if (size == 0) continue;
    EXPECT_EQ(*ring.consume(), 0);
    EXPECT_EQ(this->offer(ring, 50, 2), 1U);
  }
}

TYPED_TEST(RteBandRingTest, HasTheFormsOfAPtrRing) {
  typename TestFixture::Typed ring{4};
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  EXPECT_EQ(ring.consume(), nullptr);
  const std::array<int*, 5> in{this->entry(0), this->entry(1), this->entry(2), this->entry(3),
                               this->entry(4)};
  EXPECT_EQ(ring.produce_batched(std::span<int* const>{in}), 4U);
  EXPECT_EQ(*ring.peek_unlocked(), 0);
  EXPECT_EQ(*ring.consume_unlocked(), 0);
  std::array<int*, 2> out{};
  EXPECT_EQ(ring.consume_batched_unlocked(std::span<int*>{out}), 2U);
  EXPECT_THAT(out, ElementsAre(this->entry(1), this->entry(2)));
  EXPECT_TRUE(ring.produce_unlocked(this->entry(9)));
  EXPECT_THAT(this->drain(ring), ElementsAre(3, 9));
  EXPECT_TRUE(ring.looks_empty());
}

TYPED_TEST(RteBandRingTest, KeepsTheOldestWhenItIsResized) {
  typename TestFixture::Typed ring{8};
  this->offer(ring, 0, 6);
  ASSERT_NE(ring.consume(), nullptr);
  std::vector<int> destroyed;
  const auto destroy = [&](void* lost) { destroyed.push_back(*static_cast<int*>(lost)); };
  ASSERT_TRUE(ring.untyped_ring().resize(3, destroy));
  EXPECT_THAT(destroyed, ElementsAre(4, 5));
  EXPECT_EQ(ring.size(), 3U);
  EXPECT_EQ(this->offer(ring, 10, 1), 0U);
  ASSERT_TRUE(ring.untyped_ring().resize(33, destroy));
  EXPECT_EQ(this->offer(ring, 20, 40), 30U);
  EXPECT_EQ(ring.count_at_rest(), 33U);
  ASSERT_TRUE(ring.untyped_ring().resize(0, destroy));
  EXPECT_EQ(destroyed.size(), 35U);
  EXPECT_TRUE(ring.looks_empty());
  EXPECT_EQ(this->offer(ring, 0, 1), 0U);
}

TYPED_TEST(RteBandRingTest, ResizesAllRingsOrNone) {
  using Band = typename TestFixture::Ring;
  Band first{4};
  Band second{4};
  ASSERT_TRUE(second.produce(this->entry(1)));
  const std::array<Band*, 2> both{&first, &second};
  static int allocations;
  allocations = 0;
  const auto fail_second =
      +[](std::size_t count) { return ++allocations == 2 ? nullptr : Band::allocate_array(count); };
  const auto destroy = [](void*) { FAIL() << "all fit"; };
  EXPECT_FALSE(Band::resize_multiple(both, 9, destroy, fail_second));
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(second.size(), 4U);
  EXPECT_FALSE(Band::resize_multiple(both, Band::kMaxSize + 1, destroy));
  EXPECT_TRUE(Band::resize_multiple(both, 9, destroy));
  EXPECT_EQ(first.size(), 9U);
  EXPECT_EQ(second.consume(), this->entry(1));
}

}  // namespace
}  // namespace qdiscsim
