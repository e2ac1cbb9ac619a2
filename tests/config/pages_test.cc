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

TEST(RequiredPages, CoverWhatALeakKeeps) {
  Config config = one_device_one_group();
  config.generators[0].leak.at_most = 500;
  EXPECT_EQ(required_pages(config), 192U + 3'064U) << "there is no leak";
  config.generators[0].leak.every = 1'000;
  config.generators[0].threads = 2;
  EXPECT_EQ(required_pages(config), 2U * (192U + 500U) + 3'064U);
}

TEST(HeldPages, AddTheRingOfEachPool) {
  Config config = one_device_one_group();
  config.generators[0].threads = 16;
  EXPECT_EQ(held_pages(config), 16U * (192U + 1'024U) + 3'064U);
  config.generators[0].page_pool.size = 100;
  EXPECT_EQ(held_pages(config), 16U * (192U + 100U) + 3'064U);
}

TEST(HeldPages, AreNoMoreOfAPoolThanCanHaveWaited) {
  Config config = one_device_one_group();
  config.generators[0].page_pool.size = 32'768;
  EXPECT_EQ(held_pages(config), 192U + 3'064U + 3'064U);
  config.devices[0].tx_queue_len = 60'000;
  EXPECT_EQ(held_pages(config), 192U + 16'384U + 180'064U) << "a ring has no more entries";
  config.generators[0].xmit_mode = XmitMode::kStartXmit;
  EXPECT_EQ(held_pages(config), 192U + 64U + 64U);
  config.generators[0].xmit_mode = XmitMode::kNetifReceive;
  EXPECT_EQ(held_pages(config), 192U) << "the stack has them at once";
}

TEST(HeldPages, CoverTheJobsOfTheControlFiles) {
  Config config = one_device_one_group();
  config.generators.clear();
  config.pktgen = {"/run/pktgen", 4};
  EXPECT_EQ(held_pages(config), 4U * (192U + 1'024U) + 3'064U);
}

TEST(ArenaPages, AreThoseOfTheLimitOrElseWhatCanBeHeld) {
  Config config = one_device_one_group();
  EXPECT_EQ(arena_pages(config), (48U << 20U) / kPageBytes) << "no less, for reloads";
  config.generators[0].threads = 16;
  EXPECT_EQ(held_pages(config), 22'520U);
  EXPECT_EQ(arena_pages(config), (88U << 20U) / kPageBytes);
  EXPECT_EQ(scarce_memory(config, arena_pages(config)), "");
  config.generators[0].threads = 128;
  config.generators[0].page_pool.size = 16'384;
  config.devices[0].tx_queue_len = 10'000;
  EXPECT_EQ(arena_pages(config), (1U << 30U) / kPageBytes) << "no more by itself";
  config.memory.limit_bytes = 16U << 20U;
  EXPECT_EQ(arena_pages(config), (16U << 20U) / kPageBytes);
}

TEST(ScarceMemory, NamesWhatWouldBeEnough) {
  Config config = one_device_one_group();
  config.generators[0].threads = 16;
  config.memory.limit_bytes = 64U << 20U;
  ASSERT_LE(required_pages(config), arena_pages(config));
  EXPECT_EQ(scarce_memory(config, arena_pages(config)),
            "memory.limit: pages that rest in the rings of some page_pools can leave none for the "
            "other generators, which then count no_memory: 16384 pages of 22520 that can be held; "
            "set memory.limit to 88MiB or more, or lower generators[].page_pool.size");
  config.memory.limit_bytes = 88U << 20U;
  EXPECT_EQ(scarce_memory(config, arena_pages(config)), "");
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
