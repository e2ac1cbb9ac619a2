#include "daemon/rates.h"

#include <gtest/gtest.h>

namespace qdiscsim {
namespace {

// eth0 with so many packets offered, sent and dropped (in band 1) since the start.
Snapshot at(double seconds, std::uint64_t offered, std::uint64_t sent, std::uint64_t dropped) {
  Snapshot s;
  s.taken_at = static_cast<Nanoseconds>(seconds * 1e9);
  DeviceSnapshot& device = s.devices.emplace_back();
  device.name = "eth0";
  QueueSnapshot& queue = device.queues.emplace_back();
  queue.offered_packets = offered;
  queue.tx_packets = sent;
  queue.tx_bytes = 60 * sent;
  queue.bands[1].enqueue_attempts = offered;
  queue.bands[1].dropped_overlimit = dropped;
  return s;
}

TEST(RateWindow, IsZeroWithoutHistory) {
  RateWindow window;
  EXPECT_EQ(window.device("eth0").delivered_pps, 0);
  window.push(at(1, 10, 10, 0));
  EXPECT_EQ(window.device("eth0").seconds, 0);
  EXPECT_EQ(window.device("eth0").delivered_pps, 0);
}

TEST(RateWindow, TakesDifferencesPerSecond) {
  RateWindow window;
  window.push(at(1, 1000, 500, 100));
  window.push(at(1.5, 3000, 1500, 600));
  const DeviceRates rates = window.device("eth0");
  EXPECT_DOUBLE_EQ(rates.seconds, 0.5);
  EXPECT_DOUBLE_EQ(rates.offered_pps, 4000);
  EXPECT_DOUBLE_EQ(rates.delivered_pps, 2000);
  EXPECT_DOUBLE_EQ(rates.dropped_pps, 1000);
  EXPECT_DOUBLE_EQ(rates.bits_per_second, 2000 * 60 * 8);
  EXPECT_DOUBLE_EQ(rates.drop_ratio, 0.25);
  EXPECT_DOUBLE_EQ(rates.band_drop_ratio[1], 0.25);
  EXPECT_DOUBLE_EQ(rates.band_drop_ratio[0], 0);
}

TEST(RateWindow, ForgetsWhatIsOlderThanASecond) {
  RateWindow window;
  window.push(at(0, 0, 0, 0));
  // 1000 a second for five seconds, then nothing for one second.
  for (int i = 1; i <= 20; ++i) window.push(at(i * 0.25, 250U * static_cast<unsigned>(i), 0, 0));
  EXPECT_DOUBLE_EQ(window.device("eth0").offered_pps, 1000);
  EXPECT_DOUBLE_EQ(window.device("eth0").seconds, 1);
  for (int i = 21; i <= 24; ++i) window.push(at(i * 0.25, 5000, 0, 0));
  EXPECT_DOUBLE_EQ(window.device("eth0").offered_pps, 0);
}

TEST(RateWindow, StretchesOverALatePushInsteadOfInventingARate) {
  RateWindow window;
  window.push(at(0, 0, 0, 0));
  window.push(at(4, 4000, 0, 0));
  EXPECT_DOUBLE_EQ(window.device("eth0").offered_pps, 1000);
  EXPECT_DOUBLE_EQ(window.device("eth0").seconds, 4);
}

TEST(RateWindow, IgnoresASnapshotThatIsNotNewer) {
  RateWindow window;
  window.push(at(1, 0, 0, 0));
  window.push(at(1, 500, 0, 0));
  EXPECT_EQ(window.device("eth0").seconds, 0);
}

TEST(RateWindow, CountsACounterThatWentBackAsStandingStill) {
  RateWindow window;
  window.push(at(1, 1000, 1000, 0));
  window.push(at(2, 10, 10, 0));
  EXPECT_EQ(window.device("eth0").offered_pps, 0);
  EXPECT_EQ(window.device("eth0").drop_ratio, 0);
}

TEST(RateWindow, MeasuresADeviceFromWhereItFirstAppears) {
  RateWindow window;
  window.push(Snapshot{});
  Snapshot empty;
  empty.taken_at = kSecond / 2;
  window.push(empty);
  window.push(at(1, 100, 0, 0));
  EXPECT_EQ(window.device("eth0").offered_pps, 0);
  window.push(at(1.5, 200, 0, 0));
  EXPECT_DOUBLE_EQ(window.device("eth0").offered_pps, 200);
  EXPECT_EQ(window.device("eth1").offered_pps, 0);
}

TEST(RateWindow, NeverShowsADropRatioAboveOne) {
  RateWindow window;
  window.push(at(1, 0, 0, 0));
  window.push(at(2, 10, 0, 12));  // counters of one snapshot are read one after the other
  EXPECT_EQ(window.device("eth0").drop_ratio, 1);
}

TEST(RateWindow, KeepsABoundedHistoryHoweverOftenItIsFed) {
  RateWindow window;
  for (unsigned i = 1; i <= 10'000; ++i) window.push(at(i * 1e-4, i, 0, 0));
  EXPECT_NEAR(window.device("eth0").offered_pps, 10'000, 1);
}

TEST(RateWindow, HasRatesOfBandsGeneratorsAndPools) {
  RateWindow window;
  Snapshot s = at(1, 100, 50, 0);
  s.generators.emplace_back().group = "gen";
  s.generators[0].thread = "3";
  s.pools.emplace_back().name = "gen/3";
  window.push(s);
  s.taken_at += kSecond / 2;
  s.generators[0].sent_packets = 1000;
  s.pools[0].stats.alloc_slow = 5;
  s.pools[0].stats.recycle_released_refcnt = 7;
  s.devices[0].queues[0].bands[1].packets = 30;
  s.devices[0].queues[0].bands[1].dropped_overlimit = 20;
  window.push(s);
  EXPECT_DOUBLE_EQ(window.generator("gen/3"), 2000);
  EXPECT_EQ(window.generator("gen/4"), 0);
  EXPECT_DOUBLE_EQ(window.pool("gen/3")[1], 10);
  EXPECT_DOUBLE_EQ(window.pool("gen/3")[10], 14);
  EXPECT_DOUBLE_EQ(window.device("eth0").band_sent_pps[1], 60);
  EXPECT_DOUBLE_EQ(window.device("eth0").band_dropped_pps[1], 40);
}

}  // namespace
}  // namespace qdiscsim
