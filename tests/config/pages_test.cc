#include "config/pages.h"

#include <gtest/gtest.h>

namespace qdiscsim::config {
namespace {

Config one_device_one_group() {
  Config config;
  config.devices.emplace_back();
  config.generators.emplace_back();
  return config;
}

TEST(RequiredPages, CoverCachesBandsAndMotion) {
  EXPECT_EQ(required_pages(one_device_one_group()), 192U + 3'000U + 64U);
  EXPECT_EQ(required_mib(one_device_one_group()), 13U);
}

TEST(RequiredPages, GrowWithThreadsQueuesAndTheDriverRing) {
  Config config = one_device_one_group();
  config.generators[0].threads = 16;
  config.devices[0].queues = 4;
  config.devices[0].link = {LinkKind::kWire, 1'000'000'000, 256};
  EXPECT_EQ(required_pages(config), 16U * 192U + 4U * (3'000U + 256U + 64U));
}

TEST(RequiredPages, CoverTunsRingAndWhatTheWorkerTakesAtOnce) {
  Config config = one_device_one_group();
  config.devices[0].queues = 2;
  config.devices[0].link = {.kind = LinkKind::kVhostNet, .tun_ring = 300};
  EXPECT_EQ(required_pages(config), 192U + 2U * (3'000U + 300U + 64U + 64U));
  config.devices[0].link.consume = Consume::kOne;
  EXPECT_EQ(required_pages(config), 192U + 2U * (3'000U + 300U + 1U + 64U));
}

TEST(RequiredPages, CoverEveryDeviceWhenTheControlFilesMaySendToIt) {
  Config config = one_device_one_group();
  config.devices.emplace_back().name = "eth1";
  config.generators[0].xmit_mode = XmitMode::kNetifReceive;
  EXPECT_EQ(required_pages(config), 192U);
  config.pktgen.control_fs = "/run/pktgen";
  EXPECT_EQ(required_pages(config), 192U + 192U + 2U * (3'000U + 64U));
  config.pktgen.threads = 4;
  EXPECT_EQ(required_pages(config), 192U + 4U * 192U + 2U * (3'000U + 64U));
}

TEST(RequiredPages, LeaveOutTheBandsWhenEverybodyPassesTheQdisc) {
  Config config = one_device_one_group();
  config.generators[0].xmit_mode = XmitMode::kStartXmit;
  EXPECT_EQ(required_pages(config), 192U + 64U);
  config.generators[0].xmit_mode = XmitMode::kNetifReceive;
  EXPECT_EQ(required_pages(config), 192U);
}

TEST(RequiredPages, LeaveOutDevicesThatNobodySendsTo) {
  Config config = one_device_one_group();
  config.devices.emplace_back().name = "idle";
  EXPECT_EQ(required_pages(config), 192U + 3'000U + 64U);
  config.generators.clear();
  EXPECT_EQ(required_pages(config), 0U);
}

}  // namespace
}  // namespace qdiscsim::config
