#include "bench/ring/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace qdiscsim::ring_bench {
namespace {

Run run_at(double mega_per_second) {
  Run run;
  run.outcome.items = 1'000'000;
  run.outcome.seconds = 1 / mega_per_second;
  return run;
}

// Rates that wander around a median with so much noise (a standard deviation, relative).
class Noisy {
 public:
  Noisy(std::uint64_t seed, double noise) : engine_{seed}, noise_{0, noise} {}
  Contender contender(const std::string& name, double rate) {
    return {name, [this, rate] { return run_at(rate * std::exp(noise_(engine_))); }};
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> noise_;
};

Verdict verdict_of(std::uint64_t seed, double ratio, double noise, std::size_t rounds) {
  Noisy noisy{seed, noise};
  Rules rules;
  rules.least_rounds = rules.most_rounds = rounds;
  rules.seed = seed;
  return judge(measure({noisy.contender("a", 100), noisy.contender("b", 100 * ratio)}, rules))
      .variants[1]
      .verdict;
}

double share_of(Verdict verdict, double ratio, double noise, std::size_t rounds) {
  constexpr std::uint64_t kSeeds = 400;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    found += verdict_of(seed, ratio, noise, rounds) == verdict ? 1 : 0;
  }
  return static_cast<double>(found) / kSeeds;
}

TEST(Verdict, SeesNoDifferenceWhereThereIsNone) {
  for (const double noise : {0.001, 0.01, 0.3}) {
    for (const std::size_t rounds : {9U, 25U}) {
      EXPECT_GE(share_of(Verdict::kNone, 1, noise, rounds), 0.95) << noise << " " << rounds;
    }
  }
}

TEST(Verdict, SeesFivePercentThroughOnePercentOfNoise) {
  EXPECT_GE(share_of(Verdict::kFaster, 1.05, 0.01, 9), 0.99);
  EXPECT_GE(share_of(Verdict::kSlower, 1 / 1.05, 0.01, 9), 0.99);
}

TEST(Verdict, SeesNoHundredthThroughFiveOfNoise) {
  EXPECT_GE(share_of(Verdict::kNone, 1.01, 0.05, 9), 0.95);
}

TEST(Control, RarelyRaisesAnAlarmOnAQuietMachine) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Noisy noisy{seed, 0.02};
    Rules rules;
    rules.most_rounds = 9;
    const auto judged =
        judge(measure({noisy.contender("a", 100), noisy.contender("b", 100)}, rules));
    alarms += judged.noisy ? 1 : 0;
  }
  EXPECT_LE(alarms, 20);
}

// Series by hand: rates of each round; the last is the control.
Measured measured(const std::vector<std::vector<double>>& rates) {
  Measured result;
  result.rounds = rates[0].size();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    Series series{std::string(1, static_cast<char>('a' + static_cast<char>(i))), {}, {}};
    for (const double rate : rates[i]) series.runs.push_back(run_at(rate));
    result.series.push_back(series);
  }
  return result;
}

std::vector<double> nine(double center, double step) {
  std::vector<double> rates;
  for (int i = -4; i <= 4; ++i) rates.push_back(center + step * i);
  return rates;
}

std::vector<double> times(std::vector<double> rates, double factor) {
  for (double& rate : rates) rate *= factor;
  return rates;
}

TEST(Verdict, TakesTheMedianOfTheRatiosWithinRounds) {
  // Medians of the rates are alike; round by round b is always a tenth faster.
  const Judged judged = judge(measured({nine(100, 10), times(nine(100, 10), 1.1), nine(100, 10)}));
  EXPECT_NEAR(judged.variants[1].ratio, 1.1, 1e-9);
  EXPECT_NEAR(judged.variants[1].interval.low, 1.1, 1e-9);
  EXPECT_NEAR(judged.variants[1].interval.high, 1.1, 1e-9);
  // But the rates overlap so far that Mann-Whitney shows nothing: no verdict.
  EXPECT_GT(judged.variants[1].p, 0.05);
  EXPECT_EQ(judged.variants[1].verdict, Verdict::kNone);
}

TEST(Verdict, NeedsAnIntervalWithoutOne) {
  const std::vector<double> a = nine(100, 0.1);
  std::vector<double> b = times(a, 1.05);
  b[3] = a[3] * 0.999;
  EXPECT_EQ(judge(measured({a, b, a})).variants[1].verdict, Verdict::kFaster);
  b[6] = a[6] * 0.999;  // the second smallest ratio is the interval's end
  const Judged judged = judge(measured({a, b, a}));
  EXPECT_LT(judged.variants[1].p, 0.05);
  EXPECT_TRUE(judged.variants[1].interval.contains(1));
  EXPECT_EQ(judged.variants[1].verdict, Verdict::kNone);
}

TEST(Verdict, NeedsADifferenceBeyondWhatTheControlStrays) {
  const std::vector<double> a = nine(100, 0.1);
  const Judged calm = judge(measured({a, times(a, 1.05), a}));
  EXPECT_EQ(calm.variants[1].verdict, Verdict::kFaster);
  EXPECT_FALSE(calm.noisy);
  EXPECT_NEAR(calm.stray, 0, 1e-9);

  const Judged strayed = judge(measured({a, times(a, 1.05), times(a, 0.94)}));
  EXPECT_EQ(strayed.variants[1].verdict, Verdict::kNone);
  EXPECT_TRUE(strayed.noisy) << "the control itself shows a difference";
  EXPECT_EQ(strayed.control.verdict, Verdict::kSlower);
  EXPECT_NEAR(strayed.stray, 1 / 0.94 - 1, 1e-9);
  EXPECT_EQ(judge(measured({a, times(a, 1.08), times(a, 0.94)})).variants[1].verdict,
            Verdict::kFaster);
}

TEST(Verdict, CorrectsForTheNumberOfVariants) {
  const std::vector<double> a = nine(104, 1);
  const std::vector<double> b = nine(107.5, 1);
  const Judged alone = judge(measured({a, b, a}));
  EXPECT_EQ(alone.variants[1].verdict, Verdict::kFaster) << alone.variants[1].p;
  const Judged among = judge(measured({a, b, a, a, a, a}));
  EXPECT_NEAR(among.variants[1].p, 4 * alone.variants[1].p, 1e-9);
  EXPECT_EQ(among.variants[1].verdict, Verdict::kNone);
  EXPECT_EQ(among.control.p, among.control.test.p);
}

TEST(Verdict, IsNotGivenOnFewerThanNineRounds) {
  std::vector<double> a = nine(100, 0.1);
  a.pop_back();
  const Judged judged = judge(measured({a, times(a, 2), a}));
  EXPECT_TRUE(judged.few);
  EXPECT_EQ(judged.variants[1].verdict, Verdict::kNone);
  EXPECT_NEAR(judged.variants[1].ratio, 2, 1e-9);
}

}  // namespace
}  // namespace qdiscsim::ring_bench
