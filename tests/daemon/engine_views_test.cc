// What the engine puts into a snapshot for the views of tc, sysfs and netlink, and for the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/page_pool_view.h"
#include "daemon/report.h"
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

class EnginePoolViews : public testing::Test {
 protected:
  static config::Config a_leak() {
    config::Config config;
    config.devices = {test::a_device("eth0", config::LinkKind::kDummy)};
    config.generators = {test::a_group("gen", "eth0", 1, 0)};
    config.generators[0].leak = {2, 20};
    return test::with_memory(config);
  }
  static void let_leak(const Engine& engine) {
    test::Watcher watcher{engine};
    watcher.look_until([](const Snapshot& now) { return now.pools[0].leaked_pages == 20; });
  }
};

TEST_F(EnginePoolViews, TheReportNamesPagesThatALeakKeepsAndIsExact) {
  Engine engine{a_leak()};
  engine.start();
  let_leak(engine);
  engine.stop();
  const Report report = make_report(engine.snapshot(), kSecond);
  EXPECT_TRUE(report.exact) << report.text;
  EXPECT_THAT(report.text, testing::HasSubstr(
                               "\n  gen/0: page_pool_release_retry() stalled pool shutdown: id 1, "
                               "20 inflight 0 sec; generators[].leak keeps 20 of its pages\n"));
}

TEST_F(EnginePoolViews, Check55_APoolWhoseGeneratorWentHasADetachTimeAndNoDeviceUntilItIsFreed) {
  const config::Config config = a_leak();
  config::Config none = config;
  none.generators.clear();
  const auto shown = [](const Engine& engine) {
    const Snapshot now = engine.snapshot();
    return page_pools_json(now, now.devices);
  };
  for (const bool leaks : {true, false}) {
    config::Config wanted = config;
    if (!leaks) wanted.generators[0].leak = {};
    Engine engine{wanted};
    engine.start();
    EXPECT_THAT(shown(engine), testing::HasSubstr(R"({"id":1,"ifindex":2,"inflight":)"));
    if (leaks) let_leak(engine);
    EXPECT_TRUE(engine.reload(none).applied);
    // Nobody sends any more: what was on its way is at home at the next try.
    engine.retry_teardowns(smp::Native::now() + 10 * kSecond);
    if (leaks) {
      EXPECT_THAT(
          shown(engine),
          testing::HasSubstr(R"({"id":1,"inflight":20,"inflight-mem":81920,"detach-time":)"));
    } else {
      EXPECT_THAT(shown(engine), testing::Not(testing::HasSubstr("\"id\"")));
    }
    EXPECT_TRUE(engine.reload(wanted).applied);
    EXPECT_THAT(shown(engine), testing::HasSubstr(leaks ? R"({"id":1,"ifindex":2,"inflight":)"
                                                        : R"({"id":2,"ifindex":2,"inflight":)"));
  }
}

}  // namespace
}  // namespace qdiscsim
