// The dumps of tc, byte for byte, and mq's sums.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/tc_view.h"
#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kOptions =
    R"("options":{"bands":3,"priomap":[1,2,2,2,1,2,0,0,1,1,1,1,1,1,1,1],"multiqueue":false},)";

// A queue of 8 packets a band, before a driver that took 256 and answers BUSY since: 257 sent, of
// which one is back on the requeue list; 3 of band 0, 8 of band 1, 3 of band 2 wait; 60 bytes each.
QueueSnapshot blocked_queue(std::uint32_t index = 0) {
  QueueSnapshot queue;
  queue.index = index;
  queue.bands[1].packets = 257;
  queue.bands[1].bytes = 15'420;
  queue.bands[1].requeues = 1;
  queue.bands[1].dropped_overlimit = 4;
  for (const auto& [band, packets] : {std::pair{0U, 3U}, {1U, 8U}, {2U, 3U}}) {
    queue.bands[band].backlog_packets = packets;
    queue.bands[band].backlog_bytes = 60 * packets;
  }
  queue.requeue_backlog_packets = 1;
  queue.requeue_backlog_bytes = 60;
  return queue;
}

std::vector<DeviceSnapshot> one_queue() {
  DeviceSnapshot device;
  device.name = "eth0";
  device.queues = {blocked_queue()};
  return {device};
}

std::vector<DeviceSnapshot> mq(std::uint32_t handle) {
  DeviceSnapshot device;
  device.name = "eth0";
  device.qdisc_handle = handle;
  device.tx_queues = 2;
  device.queues = {blocked_queue(0), blocked_queue(1)};
  device.queues[1].bands[0].bytes = 1'081'344 - 2 * 15'420;
  device.queues[1].bands[2].dropped_overlimit = 7;
  device.queues[1].bands[2].backlog_packets = 1000;
  device.queues[1].bands[2].backlog_bytes = 1'081'344 - 12 * 60;
  return {device};
}

TEST(TcConformance, Check33_TextOfADeviceThatIsNamedBecauseAllAreShown) {
  EXPECT_EQ(tc_qdisc_text(one_queue(), true),
            "qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap "
            "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
            " Sent 15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1) \n"
            " backlog 900b 15p requeues 1\n");
}

TEST(TcConformance, Check33_TextLeavesOutTheDeviceThatWasAskedFor) {
  EXPECT_EQ(tc_qdisc_text(one_queue(), false),
            "qdisc pfifo_fast 0: root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
            " Sent 15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1) \n"
            " backlog 900b 15p requeues 1\n");
}

TEST(TcConformance, Check33_TextOfMqNamesTheParentAndLeavesOutARefcntOfOne) {
  EXPECT_EQ(tc_qdisc_text(mq(0x100), true),
            "qdisc mq 100: dev eth0 root \n"
            " Sent 1081344 bytes 514 pkt (dropped 15, overlimits 0 requeues 2) \n"
            " backlog 1082244b 1027p requeues 2\n"
            "qdisc pfifo_fast 0: dev eth0 parent 100:2 bands 3 priomap "
            "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
            " Sent 1065924 bytes 257 pkt (dropped 11, overlimits 0 requeues 1) \n"
            " backlog 1056Kb 1012p requeues 1\n"
            "qdisc pfifo_fast 0: dev eth0 parent 100:1 bands 3 priomap "
            "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
            " Sent 15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1) \n"
            " backlog 900b 15p requeues 1\n");
}

TEST(TcConformance, Check33_AParentWithHandleZeroHasNoMajorNumber) {
  const std::string text = tc_qdisc_text(mq(0), true);
  EXPECT_NE(text.find("qdisc mq 0: dev eth0 root \n"), std::string::npos) << text;
  EXPECT_NE(text.find("qdisc pfifo_fast 0: dev eth0 parent :2 bands 3"), std::string::npos) << text;
  const Json json = Json::parse(tc_qdisc_json(mq(0), true));
  EXPECT_EQ(json[2]["parent"], ":1");
}

TEST(TcConformance, Check33_SizesAreInUnitsWhenNearAWholeOne) {
  EXPECT_EQ(tc_size(1'081'344), "1056Kb");
  EXPECT_EQ(tc_size(781'164), "781164b");
}

TEST(TcConformance, Check33_JsonOfOneQueue) {
  const std::string figures =
      R"("bytes":15420,"packets":257,"drops":4,"overlimits":0,"requeues":1,"backlog":900,"qlen":15}])";
  EXPECT_EQ(tc_qdisc_json(one_queue(), true),
            R"([{"kind":"pfifo_fast","handle":"0:","dev":"eth0","root":true,"refcnt":2,)" +
                std::string{kOptions} + figures + "\n");
  EXPECT_EQ(tc_qdisc_json(one_queue(), false),
            R"([{"kind":"pfifo_fast","handle":"0:","root":true,"refcnt":2,)" +
                std::string{kOptions} + figures + "\n");
}

TEST(TcConformance, Check33_JsonOfMq) {
  EXPECT_EQ(
      tc_qdisc_json(mq(0x100), true),
      R"([{"kind":"mq","handle":"100:","dev":"eth0","root":true,"options":{},"bytes":1081344,)"
      R"("packets":514,"drops":15,"overlimits":0,"requeues":2,"backlog":1082244,"qlen":1027},)"
      R"({"kind":"pfifo_fast","handle":"0:","dev":"eth0","parent":"100:2",)" +
          std::string{kOptions} +
          R"("bytes":1065924,"packets":257,"drops":11,"overlimits":0,"requeues":1,)"
          R"("backlog":1081344,"qlen":1012},)"
          R"({"kind":"pfifo_fast","handle":"0:","dev":"eth0","parent":"100:1",)" +
          std::string{kOptions} +
          R"("bytes":15420,"packets":257,"drops":4,"overlimits":0,"requeues":1,)"
          R"("backlog":900,"qlen":15}])"
          "\n");
}

void expect_root_is_the_sum(const DeviceSnapshot& device) {
  const Json dump = Json::parse(tc_qdisc_json({&device, 1}, true));
  ASSERT_EQ(dump.size(), device.queues.size() + 1);
  EXPECT_EQ(dump[0]["kind"], "mq");
  EXPECT_EQ(dump[0]["options"].dump(), "{}");
  for (const char* figure :
       {"bytes", "packets", "drops", "overlimits", "requeues", "backlog", "qlen"}) {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < dump.size(); ++i) sum += dump[i][figure].get<std::uint64_t>();
    EXPECT_EQ(dump[0][figure], sum) << figure;
  }
}

TEST(TcConformance, Check34_TheMqRootTotalsAreTheSumOfItsChildren) {
  expect_root_is_the_sum(mq(0)[0]);
}

// On a wire too slow for what it gets: packets wait in rings, and bands overflow.
TEST(TcConformance, Check34_TheMqRootTotalsAreTheSumOfItsChildrenInARun) {
  config::Config config;
  config.devices = {test::a_device("eth0", config::LinkKind::kWire)};
  config.devices[0].queues = 3;
  config.devices[0].link.rate_bits_per_second = 10'000;
  config.generators = {test::a_group("gen", "eth0", 2, 0)};
  config.generators[0].queue_map_max = 2;
  Engine engine{test::with_memory(config, 256)};
  test::Watcher watcher{engine};
  engine.start();
  watcher.look_until([](const Snapshot& now) {
    return test::offered(now) > 3'000 && tc_qdiscs(now.devices[0]).front().drops > 0;
  });
  engine.stop();
  const Snapshot end = watcher.look();
  ASSERT_TRUE(end.quiescent);
  const DeviceSnapshot& device = end.devices[0];
  expect_root_is_the_sum(device);

  // And the dump is another way to write the account.
  const TcQdisc root = tc_qdiscs(device).front();
  std::uint64_t offered = 0;
  std::uint64_t beyond = 0;
  for (const QueueSnapshot& queue : device.queues) {
    offered += queue.offered_packets;
    beyond += queue.tx_packets + queue.tx_dropped_packets + queue.driver_ring_packets;
  }
  EXPECT_GT(root.qlen, 0U);
  EXPECT_EQ(beyond + root.qlen + root.drops, offered) << "sent on, waiting or dropped";
  std::uint64_t requeued = 0;
  for (const QueueSnapshot& queue : device.queues) requeued += queue.requeue_backlog_packets;
  EXPECT_EQ(root.packets, beyond + requeued) << "Sent counts what the driver refused, too";
}

}  // namespace
}  // namespace qdiscsim
