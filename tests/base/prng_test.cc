#include "base/prng.h"

#include <gtest/gtest.h>

#include <array>

namespace qdiscsim {
namespace {

TEST(Prng, IsXoshiro256StarStarSeededThroughSplitMix64) {
  Prng zero{0};
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(zero.next(), 0x6aa594f1262d2d2cU);
  Prng other{42};
  EXPECT_EQ(other.next(), 0x15780b2e0c2ec716U);
}

TEST(Prng, OneSeedRepeatsTheWholeSequence) {
  Prng first{7};
  Prng second{7};
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(first.next(), second.next());
}

TEST(Prng, BelowReachesEveryValueUnderTheBoundAndNoOther) {
  Prng prng{1};
  std::array<int, 7> seen{};
  for (int i = 0; i < 70'000; ++i) ++seen.at(prng.below(7));
  for (const int count : seen) {
    EXPECT_GT(count, 9'000);
    EXPECT_LT(count, 11'000);
  }
}

TEST(Prng, BelowOneIsZero) {
  Prng prng{1};
  for (int i = 0; i < 100; ++i) ASSERT_EQ(prng.below(1), 0U);
}

TEST(Prng, BetweenIncludesBothEnds) {
  Prng prng{1};
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t value = prng.between(10, 13);
    ASSERT_GE(value, 10U);
    ASSERT_LE(value, 13U);
    low = low || value == 10;
    high = high || value == 13;
  }
  EXPECT_TRUE(low && high);
}

TEST(Prng, BetweenCoversTheWholeRangeOf32Bits) {
  Prng prng{1};
  std::uint32_t seen_bits = 0;
  for (int i = 0; i < 1000; ++i) seen_bits |= prng.between(0, UINT32_MAX);
  EXPECT_EQ(seen_bits, UINT32_MAX);
}

}  // namespace
}  // namespace qdiscsim
