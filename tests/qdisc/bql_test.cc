#include "qdisc/bql.h"

#include <gtest/gtest.h>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using Limits = Bql<smp::NativeManual>;

// Queues until the stack would stop; returns the bytes.
std::uint32_t fill(Limits& bql, std::uint32_t packet) {
  std::uint32_t bytes = 0;
  while (bql.available() >= 0) {
    bql.queued(packet);
    bytes += packet;
  }
  return bytes;
}

TEST(Bql, StartsAtItsMinimumAndLetsOnePacketOver) {
  Limits bql{3000, Limits::kMaxLimit};
  EXPECT_TRUE(bql.enabled());
  EXPECT_EQ(bql.limit_bytes(), 3000U);
  EXPECT_EQ(bql.available(), 3000);
  EXPECT_EQ(fill(bql, 1400), 4200U);  // 2800 is within, the third packet is over
  EXPECT_EQ(bql.available(), -1200);
  EXPECT_EQ(bql.inflight_bytes(), 4200U);
}

TEST(Bql, GrowsWhenTheLinkRanDryWhileTheStackWasStopped) {
  Limits bql{0, Limits::kMaxLimit};
  EXPECT_EQ(fill(bql, 1500), 1500U);
  bql.completed(1500, kMillisecond);
  EXPECT_EQ(bql.limit_bytes(), 1500U);
  EXPECT_EQ(bql.inflight_bytes(), 0U);
  std::uint64_t last = bql.limit_bytes();
  for (Nanoseconds now = 2 * kMillisecond; now < 12 * kMillisecond; now += kMillisecond) {
    bql.completed(fill(bql, 1500), now);
    EXPECT_GT(bql.limit_bytes(), last);
    last = bql.limit_bytes();
  }
}

TEST(Bql, StaysWhenTheLinkIsNeverStarved) {
  Limits bql{6000, Limits::kMaxLimit};
  bql.queued(1500);
  bql.completed(1500, kMillisecond);  // ran dry, but nobody was held back
  EXPECT_EQ(bql.limit_bytes(), 6000U);
}

// The link is busy throughout and completes 1500 bytes at a time, so most of the limit is slack.
void run_with_slack(Limits& bql, Nanoseconds from, Nanoseconds until) {
  for (Nanoseconds now = from; now < until; now += 10 * kMillisecond) {
    while (bql.inflight_bytes() < 6000) bql.queued(1500);
    bql.completed(1500, now);
  }
}

TEST(Bql, ShrinksByTheLeastSlackOnceTheHoldTimeIsOver) {
  Limits bql{0, Limits::kMaxLimit};
  bql.queued(60'000);
  bql.completed(60'000, 0);  // starved behind one large burst: the limit becomes 60000
  ASSERT_EQ(bql.limit_bytes(), 60'000U);
  run_with_slack(bql, 10 * kMillisecond, Limits::kHoldTime);
  EXPECT_EQ(bql.limit_bytes(), 60'000U) << "before the hold time is over";
  run_with_slack(bql, Limits::kHoldTime, Limits::kHoldTime + 20 * kMillisecond);
  // Slack: the limit less twice what one completion took.
  EXPECT_EQ(bql.limit_bytes(), 3'000U);
}

TEST(Bql, NeverLeavesItsBounds) {
  Limits bql{2000, 10'000};
  for (int i = 1; i < 100; ++i) {
    bql.completed(fill(bql, 1500), static_cast<Nanoseconds>(i) * kMillisecond);
    ASSERT_LE(bql.limit_bytes(), 10'000U);
  }
  EXPECT_EQ(bql.limit_bytes(), 10'000U);
  run_with_slack(bql, kSecond, 10 * kSecond);
  EXPECT_GE(bql.limit_bytes(), 2000U);
  EXPECT_LT(bql.limit_bytes(), 10'000U);
}

TEST(Bql, IsOffWithAMaximumOfZero) {
  Limits bql{0, 0};
  EXPECT_FALSE(bql.enabled());
  EXPECT_EQ(bql.available(), 0);
  bql.queued(100'000);
  EXPECT_EQ(bql.available(), 0);
}

}  // namespace
}  // namespace qdiscsim
