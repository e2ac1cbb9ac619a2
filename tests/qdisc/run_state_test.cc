#include "qdisc/run_state.h"

#include <gtest/gtest.h>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using State = RunState<smp::NativeManual>;

bool has(const State& state, State::Bit bit) {
  return (state.hint() & bit) != 0;
}

TEST(RunState, HasOneRunnerAtATime) {
  State state;
  EXPECT_FALSE(state.running());
  EXPECT_TRUE(state.run_begin());
  EXPECT_TRUE(state.running());
  EXPECT_FALSE(state.run_begin());
  static_cast<void>(state.run_end());
  EXPECT_FALSE(state.running());
  EXPECT_TRUE(state.run_begin());
}

TEST(RunState, LeavesNothingBehindWhenNobodyElseCame) {
  State state;
  ASSERT_TRUE(state.run_begin());
  EXPECT_FALSE(state.run_end());
  EXPECT_EQ(state.hint(), 0U);
  EXPECT_TRUE(state.looks_empty());
}

TEST(RunState, TellsTheRunnerThatSomebodyMissedIt) {
  State state;
  ASSERT_TRUE(state.run_begin());
  EXPECT_FALSE(state.run_begin());
  EXPECT_TRUE(has(state, State::kMissed));
  EXPECT_FALSE(state.looks_empty());
  EXPECT_TRUE(state.run_end());
  EXPECT_TRUE(has(state, State::kMissed)) << "only a scan of empty rings clears it";
}

TEST(RunState, GivesUpAtOnceWhenMissedIsSetAlready) {
  State state;
  ASSERT_TRUE(state.run_begin());
  EXPECT_FALSE(state.run_begin());
  EXPECT_FALSE(state.run_begin());
  EXPECT_TRUE(state.run_end());
  // Missed does not keep the next runner out.
  EXPECT_TRUE(state.run_begin());
}

TEST(RunState, ClearsBothSignsAfterAnEmptyScan) {
  State state;
  ASSERT_TRUE(state.run_begin());
  state.set_missed();
  state.clear_missed_while_blocked([] { return true; });
  state.set_missed();
  state.clear_non_empty();
  EXPECT_TRUE(state.looks_empty());
  EXPECT_FALSE(state.run_end());
}

TEST(RunState, TurnsMissedIntoDrainingWhileTheQueueIsStopped) {
  State state;
  state.set_missed();
  state.clear_missed_while_blocked([] { return true; });
  EXPECT_FALSE(has(state, State::kMissed));
  EXPECT_TRUE(has(state, State::kDraining));
  EXPECT_FALSE(state.looks_empty()) << "newcomers must not overtake";
}

TEST(RunState, KeepsMissedWhenTheQueueWokeMeanwhile) {
  State state;
  state.set_missed();
  bool cleared_before_the_look = false;
  state.clear_missed_while_blocked([&] {
    cleared_before_the_look = !has(state, State::kMissed);
    return false;
  });
  EXPECT_TRUE(cleared_before_the_look);
  EXPECT_TRUE(has(state, State::kMissed));
  EXPECT_FALSE(has(state, State::kDraining));
}

TEST(RunState, IsScheduledOnceUntilTheSoftirqRuns) {
  State state;
  EXPECT_TRUE(state.mark_scheduled());
  EXPECT_FALSE(state.mark_scheduled());
  EXPECT_FALSE(state.idle());
  state.clear_scheduled();
  EXPECT_TRUE(state.idle());
  EXPECT_TRUE(state.mark_scheduled());
}

TEST(RunState, IsIdleOnlyWithoutARunner) {
  State state;
  ASSERT_TRUE(state.run_begin());
  EXPECT_FALSE(state.idle());
  static_cast<void>(state.run_end());
  EXPECT_TRUE(state.idle());
}

TEST(RunState, StartsAfreshWhenActivatedAgain) {
  State state;
  state.set_missed();
  state.clear_missed_while_blocked([] { return true; });
  state.set_missed();
  state.deactivate();
  EXPECT_TRUE(state.deactivated());
  EXPECT_TRUE(has(state, State::kMissed));
  state.activate();
  EXPECT_EQ(state.hint(), 0U);
}

TEST(RunState, SeesARunnerThatDoesNotGetOnAsStalled) {
  State state;
  EXPECT_FALSE(state.runner_stalled(false)) << "nobody runs";
  EXPECT_TRUE(state.runner_stalled(true)) << "a dedicated thread should";
  ASSERT_TRUE(state.run_begin());
  EXPECT_TRUE(state.runner_stalled(false));
  const std::uint32_t before = state.beats();
  state.beat();
  EXPECT_EQ(state.beats(), before + 1);
}

}  // namespace
}  // namespace qdiscsim
