#include "bench/ring/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tests/base/seed.h"

namespace qdiscsim::ring_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

// A machine of which a test decides everything: each run takes a second of its clock.
class Lab {
 public:
  Contender contender(const std::string& name, std::function<double(int)> rate_of_run) {
    return {name, [this, name, rate_of_run] {
              now_ += kSecond;
              log_.push_back(name);
              return run_at(rate_of_run(runs_[name]++));
            }};
  }
  Contender steady(const std::string& name) {
    return contender(name, [](int) { return 100.0; });
  }
  // Never known to a percent.
  Contender wild(const std::string& name) {
    return contender(name, [](int run) { return run % 2 == 0 ? 50.0 : 100.0 + run; });
  }
  Hooks hooks() {
    Hooks hooks;
    hooks.now = [this] { return now_; };
    return hooks;
  }

  Nanoseconds now_ = 0;
  std::vector<std::string> log_;
  std::map<std::string, int> runs_;
};

TEST(Rounds, BeginWithAWarmUpThatDoesNotCount) {
  Lab lab;
  const auto result =
      measure({lab.contender("a", [](int run) { return run == 0 ? 1.0 : 100.0; }), lab.steady("b")},
              {}, lab.hooks());
  EXPECT_THAT(std::vector(lab.log_.begin(), lab.log_.begin() + 2), ElementsAre("a", "b"));
  for (const double rate : result.series[0].rates()) EXPECT_NEAR(rate, 100, 1e-9);
}

TEST(Rounds, RunTheBaseTwiceAndTheOthersOnce) {
  Lab lab;
  const auto result = measure({lab.steady("a"), lab.steady("b")}, {}, lab.hooks());
  ASSERT_EQ(result.series.size(), 3U);
  EXPECT_EQ(result.series[2].name, "a again");
  EXPECT_EQ(result.rounds, 9U) << "nothing varies: the least is enough";
  EXPECT_TRUE(result.precise);
  for (std::size_t round = 0; round < result.rounds; ++round) {
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < 3; ++i) ++seen[lab.log_[2 + 3 * round + i]];
    EXPECT_EQ(seen["a"], 2);
    EXPECT_EQ(seen["b"], 1);
  }
}

TEST(Rounds, AreShuffledByTheSeedAlone) {
  const auto order = [](std::uint64_t seed) {
    Lab lab;
    Rules rules;
    rules.seed = seed;
    measure({lab.steady("a"), lab.steady("b"), lab.steady("c")}, rules, lab.hooks());
    return lab.log_;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Rounds, GoOnUntilTheIntervalIsNarrow) {
  Lab lab;
  // Wild for the first ten runs, then steady: the median's interval closes in the end.
  const auto settles = [](int run) { return run <= 10 && run % 2 == 0 ? 50.0 : 100.0; };
  const auto result = measure({lab.steady("a"), lab.contender("b", settles)}, {}, lab.hooks());
  EXPECT_TRUE(result.precise);
  EXPECT_GT(result.rounds, 9U);
  EXPECT_LT(result.rounds, 100U);
}

TEST(Rounds, EndAtTheMostEvenWhenNothingIsPrecise) {
  Lab lab;
  Rules rules;
  rules.most_rounds = 13;
  const auto result = measure({lab.steady("a"), lab.wild("b")}, rules, lab.hooks());
  EXPECT_EQ(result.rounds, 13U);
  EXPECT_FALSE(result.precise);
}

TEST(Rounds, EndWhenTimeIsUpButNotBeforeTheLeast) {
  Rules rules;
  rules.most_time = 40 * kSecond;  // of 3 s a round
  Lab lab;
  EXPECT_EQ(measure({lab.steady("a"), lab.wild("b")}, rules, lab.hooks()).rounds, 14U);
  Lab other;
  rules.most_time = kSecond;
  EXPECT_EQ(measure({other.steady("a"), other.wild("b")}, rules, other.hooks()).rounds, 9U);
}

TEST(Rounds, KeepOnlyWholeOnesWhenSomebodyStopsThem) {
  Lab lab;
  Hooks hooks = lab.hooks();
  hooks.stop = [&] { return lab.log_.size() >= 2 + 3 * 4 + 1; };  // in the fifth round
  const auto result = measure({lab.steady("a"), lab.steady("b")}, {}, hooks);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.rounds, 4U);
  for (const Series& series : result.series) EXPECT_EQ(series.runs.size(), 4U);
}

TEST(Rounds, TellWhatComesNext) {
  Lab lab;
  Hooks hooks = lab.hooks();
  std::vector<std::size_t> rounds;
  hooks.before_run = [&](const Step& step) { rounds.push_back(step.round); };
  Rules rules;
  rules.least_rounds = rules.most_rounds = 2;
  measure({lab.steady("a"), lab.steady("b")}, rules, hooks);
  EXPECT_THAT(rounds, ElementsAre(0, 0, 1, 1, 1, 2, 2, 2));
}

Contender failing(Contender contender, int in_run) {
  auto count = std::make_shared<int>(0);
  return {contender.name, [run = contender.run, count, in_run] {
            Run result = run();
            if ((*count)++ == in_run) result.outcome.error = "an item was lost";
            return result;
          }};
}

TEST(Failure, LeavesOneVariantOutAndTheOthersIn) {
  Lab lab;
  const auto result =
      measure({lab.steady("a"), failing(lab.steady("b"), 3), lab.steady("c")}, {}, lab.hooks());
  EXPECT_EQ(result.rounds, 9U);
  EXPECT_EQ(result.series[1].runs.size(), 2U);
  EXPECT_EQ(result.series[2].runs.size(), 9U);
  EXPECT_EQ(lab.runs_["b"], 4);
  const Judged judged = judge(result);
  EXPECT_EQ(judged.variants[1].verdict, Verdict::kFailed);
  EXPECT_THAT(judged.variants[1].error, HasSubstr("lost"));
  EXPECT_EQ(judged.variants[2].verdict, Verdict::kNone);
}

TEST(Failure, OfTheBaseEndsIt) {
  for (const int in_run : {0, 1, 4}) {
    Lab lab;
    const auto result =
        measure({failing(lab.steady("a"), in_run), lab.steady("b")}, {}, lab.hooks());
    EXPECT_THAT(result.series[0].error, HasSubstr("lost")) << in_run;
    EXPECT_LT(result.rounds, 9U);
    EXPECT_EQ(result.series[1].runs.size(), result.rounds);
  }
}

TEST(Failure, IsARunThatMeasuredNothing) {
  Lab lab;
  Contender idle{"b", [] { return ring_bench::Run{}; }};
  const auto result = measure({lab.steady("a"), idle}, {}, lab.hooks());
  EXPECT_THAT(result.series[1].error, HasSubstr("nothing"));
}

}  // namespace
}  // namespace qdiscsim::ring_bench
