// How rounds are run: order, number, limits, stops and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "bench/ring/compare.h"

namespace qdiscsim::ring_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Run at_rate(double mega_per_second) {
  Run run;
  run.outcome.items = 1'000'000;
  run.outcome.seconds = 1 / mega_per_second;
  return run;
}

// A machine of which a test decides everything: each run takes a second of its clock.
class Lab {
 public:
  Contender contender(const std::string& name, std::function<double(int)> rate_of_run) {
    return {name, [this, name, rate_of_run] {
              now_ += kSecond;
              log_.push_back(name);
              return at_rate(rate_of_run(runs_[name]++));
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
