// Recordings beside a sorted list of all values, which knows every quantile exactly.
#include "base/recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/latency_recorder.h"
#include "base/prng.h"
#include "base/sampler.h"
#include "base/smp_native.h"
#include "tests/base/seed.h"

namespace qdiscsim::test {
namespace {

using Recorder = LatencyRecorder<smp::Native>;

TEST(LatencyBuckets, CoverEveryDurationWithoutAGapOrAnOverlap) {
  EXPECT_EQ(LatencyBuckets::index(0), 0U);
  for (std::size_t i = 0; i < LatencyBuckets::kCount; ++i) {
    ASSERT_EQ(LatencyBuckets::index(LatencyBuckets::lower(i) + 1), i);
    ASSERT_EQ(LatencyBuckets::index(LatencyBuckets::upper(i)), i);
  }
  EXPECT_EQ(LatencyBuckets::upper(LatencyBuckets::kCount - 1), LatencyBuckets::kMost);
  EXPECT_EQ(LatencyBuckets::index(~Nanoseconds{0}), LatencyBuckets::kCount - 1);
}

TEST(LatencyBuckets, AreAtMostOne32ndOfTheirValuesWide) {
  for (std::size_t i = 1; i < LatencyBuckets::kCount; ++i) {
    const Nanoseconds width = LatencyBuckets::upper(i) - LatencyBuckets::lower(i);
    ASSERT_TRUE(width == 1 || width * 32 <= LatencyBuckets::lower(i)) << i;
  }
}

TEST(LatencyBuckets, HaveEveryPowerOfTwoAsAnEdge) {
  for (unsigned power = 0; power <= 36; ++power) {
    const Nanoseconds edge = Nanoseconds{1} << power;
    EXPECT_EQ(LatencyBuckets::upper(LatencyBuckets::index(edge)), edge);
  }
}

TEST(Recording, IsZeroWhileNothingWasRecorded) {
  const Recording empty = Recorder{}.read();
  EXPECT_EQ(empty.count, 0U);
  EXPECT_EQ(empty.mean(), 0);
  EXPECT_EQ(empty.quantile(0.99), 0U);
  EXPECT_EQ(empty.at_most(kSecond), 0U);
}

TEST(Recording, KeepsSumAndMaximumOfWhatIsBeyondTheBuckets) {
  Recorder recorder;
  recorder.record(100 * kSecond);
  recorder.record(200 * kSecond);
  const Recording recording = recorder.read();
  EXPECT_EQ(recording.count, 2U);
  EXPECT_EQ(recording.sum, 300 * kSecond);
  EXPECT_EQ(recording.max, 200 * kSecond);
  EXPECT_EQ(recording.quantile(1), 200 * kSecond);
}

// Some nanoseconds to a minute, every order of magnitude as likely as the other.
std::vector<Nanoseconds> random_durations(std::uint64_t seed, std::size_t count) {
  Prng random{seed};
  std::vector<Nanoseconds> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random.next() >> random.between(28, 63));
  return values;
}

TEST(RecordingModel, CountSumMaximumAndCountsUpToAnEdgeAreExact) {
  for (const std::uint64_t seed : seeds(50)) {
    SCOPED_TRACE(repeat_with(seed));
    const std::vector<Nanoseconds> values = random_durations(seed, 2'000);
    Recorder one;
    Recorder other;
    Nanoseconds sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      (i % 3 == 0 ? one : other).record(values[i]);
      sum += values[i];
    }
    Recording merged = one.read();
    merged.merge(other.read());
    EXPECT_EQ(merged.count, values.size());
    EXPECT_EQ(merged.sum, sum);
    EXPECT_EQ(merged.max, *std::max_element(values.begin(), values.end()));
    for (unsigned power = 0; power < 37; ++power) {
      const Nanoseconds edge = Nanoseconds{1} << power;
      const auto model =
          std::count_if(values.begin(), values.end(), [&](Nanoseconds v) { return v <= edge; });
      ASSERT_EQ(merged.at_most(edge), static_cast<std::uint64_t>(model)) << edge;
    }
  }
}

TEST(RecordingModel, QuantilesAreWithinOne64thOfTheSortedList) {
  for (const std::uint64_t seed : seeds(50)) {
    SCOPED_TRACE(repeat_with(seed));
    std::vector<Nanoseconds> values = random_durations(seed, 1 + seed * 37);
    Recorder recorder;
    for (const Nanoseconds value : values) recorder.record(value);
    std::sort(values.begin(), values.end());
    const Recording recording = recorder.read();
    for (const double q : {0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
      const auto exact = static_cast<double>(values[std::max<std::size_t>(rank, 1) - 1]);
      ASSERT_NEAR(static_cast<double>(recording.quantile(q)), exact, exact / 64 + 1) << q;
    }
  }
}

TEST(Sampler, TakesAllNoneOrAboutOneInN) {
  Sampler sampler;
  sampler.seed(7);
  const auto taken = [&](std::uint32_t every) {
    int count = 0;
    for (int i = 0; i < 64'000; ++i) count += sampler.tick() && sampler.take(every) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(taken(1), 64'000);
  EXPECT_EQ(taken(0), 0);
  EXPECT_NEAR(taken(16), 4'000, 300);
  EXPECT_NEAR(taken(64), 1'000, 150);
}

TEST(Sampler, NoticesAChangeWithinKLookEvents) {
  Sampler sampler;
  for (int i = 0; i < 1'000; ++i) ASSERT_FALSE(sampler.tick() && sampler.take(0));
  std::uint64_t until = 1;
  while (!(sampler.tick() && sampler.take(1))) ++until;
  EXPECT_LE(until, Sampler::kLook);
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(sampler.tick() && sampler.take(1));
}

TEST(Sampler, FallsIntoStepWithNoPeriod) {
  Sampler sampler;
  sampler.seed(1);
  std::vector<int> at(64);
  for (int i = 0; i < 64 * 64'000; ++i) {
    if (sampler.tick() && sampler.take(64)) ++at[static_cast<std::size_t>(i) % 64];
  }
  // 1000 are expected at each place; five standard deviations are 158.
  for (const int count : at) EXPECT_NEAR(count, 1'000, 160);
}

}  // namespace
}  // namespace qdiscsim::test
