#include "bench/ring/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace qdiscsim::ring_bench {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1.0);  // the largest first: order must not matter
  return values;
}

TEST(Median, IsTheMiddleOrBetweenTheMiddleTwo) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Mad, IsTheMedianDistanceFromTheMedian) {
  EXPECT_EQ(mad({7}), 0);
  EXPECT_EQ(mad({1, 1, 2, 2, 4, 6, 9}), 1);
}

// The ranks that tables of the sign test give for 95 %.
TEST(MedianInterval, TakesTheRanksOfTheSignTest) {
  const std::vector<std::array<int, 3>> ranks = {
      {6, 1, 6},   {8, 1, 8},   {9, 2, 8},    {10, 2, 9},   {12, 3, 10},  {15, 4, 12},
      {20, 6, 15}, {25, 8, 18}, {50, 18, 33}, {70, 27, 44}, {100, 40, 61}};
  for (const auto& [n, low, high] : ranks) {
    const Interval interval = median_interval(one_to(n));
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
  }
}

TEST(MedianInterval, KnowsNothingFromFewerThanSixValues) {
  for (int n = 1; n < 6; ++n) {
    const Interval interval = median_interval(one_to(n));
    EXPECT_EQ(interval.low, -INFINITY) << n;
    EXPECT_EQ(interval.high, INFINITY) << n;
  }
}

TEST(MedianInterval, IsWiderWhenItMustBeSurer) {
  const Interval interval = median_interval(one_to(20), 0.99);
  EXPECT_EQ(interval.low, 4);
  EXPECT_EQ(interval.high, 17);
}

// Ages at diagnosis of men and women, an example of many handbooks; the asymptotic p with
// continuity correction as SciPy prints it.
TEST(MannWhitney, AgreesWithTheHandbook) {
  const std::vector<double> women = {20, 11, 17, 12};
  const std::vector<double> men = {19, 22, 16, 29, 24};
  const MannWhitney test = mann_whitney(women, men);
  EXPECT_EQ(test.u, 17);
  EXPECT_NEAR(test.p, 0.11134688653314041, 1e-12);
  EXPECT_NEAR(test.delta, 0.7, 1e-12);
  EXPECT_NEAR(mann_whitney(men, women).p, test.p, 1e-12);
  EXPECT_NEAR(mann_whitney(men, women).delta, -0.7, 1e-12);
}

// By hand: the ranks of b are 2.5, 4.5, 7.5 and 6; U = 20.5 - 10; three ties of two take 3 * 6 /
// (8 * 7) from the variance's factor 9.
TEST(MannWhitney, CountsTiesAsHalvesAndCorrectsTheVariance) {
  const std::vector<double> a = {1, 2, 3, 5};
  const std::vector<double> b = {2, 3, 5, 4};
  const MannWhitney test = mann_whitney(a, b);
  EXPECT_EQ(test.u, 10.5);
  const double z = (10.5 - 8 - 0.5) / std::sqrt(16.0 / 12 * (9 - 18.0 / 56));
  EXPECT_NEAR(test.p, std::erfc(z / std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(test.delta, 2 * 10.5 / 16 - 1, 1e-12);
}

TEST(MannWhitney, SaysNothingAboutEqualSamples) {
  const std::vector<double> same(9, 4.2);
  EXPECT_EQ(mann_whitney(same, same).p, 1);
  EXPECT_EQ(mann_whitney(same, same).delta, 0);
  const std::vector<double> a = one_to(9);
  EXPECT_EQ(mann_whitney(a, a).p, 1);
}

// Exactly: 2 / C(18, 9) = 0.0000411. The approximation must not be surer than that.
TEST(MannWhitney, IsLessSureThanTheExactTest) {
  const std::vector<double> a = one_to(9);
  std::vector<double> b = a;
  for (double& value : b) value += 100;
  const MannWhitney test = mann_whitney(a, b);
  EXPECT_EQ(test.u, 81);
  EXPECT_EQ(test.delta, 1);
  EXPECT_NEAR(test.p, 0.000412, 0.000001);
}

TEST(Holm, AgreesWithTheHandbook) {
  EXPECT_THAT(holm({0.01, 0.04, 0.03, 0.005}),
              Pointwise(DoubleNear(1e-12), std::vector<double>{0.03, 0.06, 0.06, 0.02}));
  EXPECT_THAT(holm({0.9, 0.7}), ElementsAre(1, 1));
  EXPECT_THAT(holm({0.02}), ElementsAre(0.02));
  EXPECT_THAT(holm({}), IsEmpty());
}

}  // namespace
}  // namespace qdiscsim::ring_bench
