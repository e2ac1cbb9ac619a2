#include "pktgen/weighted_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using Entries = std::vector<WeightedChoice::Entry>;

TEST(WeightedChoice, GivesTheLastEntryTheSlotsThatRoundingLeft) {
  const WeightedChoice thirds{Entries{{1, 1}, {2, 1}, {3, 1}}, 100};
  EXPECT_EQ(thirds.slots(0), 33U);
  EXPECT_EQ(thirds.slots(1), 33U);
  EXPECT_EQ(thirds.slots(2), 34U);
}

TEST(WeightedChoice, KeepsProportionsExactlyWithoutSlots) {
  const WeightedChoice choice{Entries{{6, 1}, {0, 999'999}}};
  EXPECT_EQ(choice.slots(0), 1U);
  EXPECT_EQ(choice.slots(1), 999'999U);
}

TEST(WeightedChoice, IsFixedWithASingleEntry) {
  const WeightedChoice one{Entries{{7, 3}}};
  EXPECT_TRUE(one.fixed());
  EXPECT_EQ(one.first(), 7U);
  Prng prng{1};
  EXPECT_EQ(one.draw(prng), 7U);
  EXPECT_FALSE((WeightedChoice{Entries{{7, 3}, {8, 1}}}.fixed()));
}

TEST(WeightedChoice, DrawsEachValueAsOftenAsItsWeightSays) {
  const Entries entries{{6, 1}, {0, 8}, {2, 1}};
  const WeightedChoice choice{entries};
  constexpr double kDraws = 100'000;
  for (const std::uint64_t seed : test::seeds(5)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    std::map<std::uint32_t, double> counts;
    for (int i = 0; i < static_cast<int>(kDraws); ++i) ++counts[choice.draw(prng)];
    EXPECT_EQ(counts.size(), entries.size());
    for (const auto& entry : entries) {
      const double share = entry.weight / 10.0;
      // Five standard deviations.
      EXPECT_NEAR(counts[entry.value], kDraws * share, 5 * std::sqrt(kDraws * share * (1 - share)));
    }
  }
}

}  // namespace
}  // namespace qdiscsim
