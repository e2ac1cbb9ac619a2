#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock::set(1000);
  EXPECT_EQ(ManualClock::now(), 1000U);
  EXPECT_EQ(ManualClock::now(), 1000U);
  ManualClock::advance(5);
  EXPECT_EQ(ManualClock::now(), 1005U);
}

TEST(ManualClock, IsWhatTheManualPolicyReads) {
  ManualClock::set(77);
  EXPECT_EQ(smp::NativeManual::now(), 77U);
}

TEST(TscClock, NeverGoesBackWithinAThread) {
  TscClock::calibrate();
  Nanoseconds last = TscClock::now();
  for (int i = 0; i < 1'000'000; ++i) {
    const Nanoseconds now = TscClock::now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(TscClock, ASecondCalibrationChangesNothing) {
  const bool in_use = TscClock::calibrate();
  const double frequency = TscClock::frequency_hz();
  EXPECT_EQ(TscClock::calibrate(), in_use);
  EXPECT_EQ(TscClock::frequency_hz(), frequency);
}

// No bound on how long anything takes: each reading lies between two of CLOCK_MONOTONIC, whenever
// the thread was interrupted. The slack covers the scale's error over the life of this process.
TEST(TscClock, ReadsTheSameTimeAsTheMonotonicClock) {
  TscClock::calibrate();
  constexpr Nanoseconds kSlack = 10 * kMillisecond;
  const Nanoseconds end = monotonic_ns() + 50 * kMillisecond;
  Nanoseconds after = 0;
  while (after < end) {
    const Nanoseconds before = monotonic_ns();
    const Nanoseconds now = TscClock::now();
    after = monotonic_ns();
    ASSERT_GE(now + kSlack, before);
    ASSERT_LE(now, after + kSlack);
  }
}

TEST(TscClock, TicksAtAPlausibleRateWhenInUse) {
  if (!TscClock::calibrate()) {
    EXPECT_EQ(TscClock::frequency_hz(), 0);
    GTEST_SKIP() << "no invariant time stamp counter on this machine";
  }
  EXPECT_GT(TscClock::frequency_hz(), 1e8);
  EXPECT_LT(TscClock::frequency_hz(), 1e11);
}

}  // namespace
}  // namespace qdiscsim
