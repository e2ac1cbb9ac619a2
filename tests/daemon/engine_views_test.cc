// What the engine puts into a snapshot for the views of tc and sysfs.
#include <gtest/gtest.h>

#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

DeviceSnapshot device_of(config::Device device) {
  config::Config config;
  device.name = "eth0";
  config.devices = {device};
  config.generators = {test::a_group("gen", "eth0", 1, 1)};
  const Engine engine{test::with_memory(config, 64)};
  return engine.snapshot().devices[0];
}

TEST(EngineViews, ShowTheLimitsOfAWire) {
  config::Device wanted = test::a_device("eth0", config::LinkKind::kWire);
  wanted.queues = 2;
  wanted.bql.enabled = true;
  wanted.bql.limit_min_bytes = 3000;
  wanted.bql.limit_max_bytes = 90'000;
  const DeviceSnapshot device = device_of(wanted);
  EXPECT_TRUE(device.has_bql);
  EXPECT_EQ(device.tx_queues, 2U);
  ASSERT_EQ(device.queues.size(), 2U);
  EXPECT_EQ(device.queues[1].bql_limit_bytes, 3000U) << "it starts at the minimum";
  EXPECT_EQ(device.queues[1].bql_limit_min_bytes, 3000U);
  EXPECT_EQ(device.queues[1].bql_limit_max_bytes, 90'000U);
  EXPECT_EQ(device.queues[1].bql_hold_time, kSecond);
}

TEST(EngineViews, ShowTheStartingLimitsOfAWireThatUsesNone) {
  config::Device wanted = test::a_device("eth0", config::LinkKind::kWire);
  wanted.bql.enabled = false;
  const DeviceSnapshot device = device_of(wanted);
  EXPECT_TRUE(device.has_bql);
  EXPECT_EQ(device.queues[0].bql_limit_bytes, 0U);
  EXPECT_EQ(device.queues[0].bql_limit_max_bytes, 1'879'048'192U);
}

TEST(EngineViews, KnowThatADummyHasNoLimits) {
  EXPECT_FALSE(device_of(test::a_device("eth0", config::LinkKind::kDummy)).has_bql);
}

}  // namespace
}  // namespace qdiscsim
