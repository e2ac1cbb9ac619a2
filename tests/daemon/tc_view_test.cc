#include "daemon/tc_view.h"

#include <gtest/gtest.h>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

TEST(TcSize, IsInKilobytesWithinSixteenBytesOfAWholeNumber) {
  EXPECT_EQ(tc_size(0), "0b");
  EXPECT_EQ(tc_size(1023), "1023b") << "less than one is never rounded up";
  EXPECT_EQ(tc_size(1024), "1Kb");
  EXPECT_EQ(tc_size(1039), "1Kb");
  EXPECT_EQ(tc_size(1040), "1040b");
  EXPECT_EQ(tc_size(2032), "2032b");
  EXPECT_EQ(tc_size(2033), "2Kb");
}

TEST(TcSize, IsInMegabytesWithinAKilobyteOfAWholeNumber) {
  EXPECT_EQ(tc_size(1'048'575), "1024Kb");
  EXPECT_EQ(tc_size(1'048'576), "1Mb");
  EXPECT_EQ(tc_size(1'049'599), "1Mb");
  EXPECT_EQ(tc_size(1'049'600), "1025Kb");
}

TEST(TcSize, HasSixDigitsAtMost) {
  EXPECT_EQ(tc_size(1'024'000'000), "1e+06Kb");
  EXPECT_EQ(tc_size(1'234'567'168), "1.20563e+06Kb");
  EXPECT_EQ(tc_size(4'294'967'295), "4096Mb");
}

TEST(TcQdiscs, CountTheRequeueListAndWhatTheDriverRefused) {
  Snapshot snapshot = sample_snapshot();
  QueueSnapshot& queue = snapshot.devices[0].queues[0];
  queue.requeue_backlog_bytes = 120;
  const std::vector<TcQdisc> qdiscs = tc_qdiscs(snapshot.devices[0]);
  ASSERT_EQ(qdiscs.size(), 1U);
  EXPECT_EQ(qdiscs[0].qlen, 302U);
  EXPECT_EQ(qdiscs[0].backlog, 300U * 60 + 120);
  EXPECT_EQ(qdiscs[0].packets, 2103U);
  EXPECT_EQ(qdiscs[0].bytes, 60U * 2103);
  EXPECT_EQ(qdiscs[0].requeues, 24U);
}

TEST(TcQdiscs, DoNotCountWhatCameWhileTheQueueWasDown) {
  // The sample has 50 + 100 overlimit and 5 + 10 deactivated drops: those are noop's.
  EXPECT_EQ(tc_qdiscs(sample_snapshot().devices[0])[0].drops, 150U);
}

TEST(TcQdiscs, NumberQueuesInHexadecimal) {
  DeviceSnapshot device;
  device.qdisc_handle = 0x8001;
  for (std::uint32_t i = 0; i < 16; ++i) device.queues.emplace_back().index = i;
  const std::vector<TcQdisc> qdiscs = tc_qdiscs(device);
  EXPECT_EQ(qdiscs[0].handle, "8001:");
  EXPECT_EQ(qdiscs[1].parent, "8001:10") << "the last queue comes first";
  EXPECT_EQ(qdiscs[16].parent, "8001:1");
}

TEST(TcQdiscs, AreHeldByEveryTxQueueThatSendsThroughThem) {
  DeviceSnapshot device;
  device.queues.resize(1);
  device.tx_queues = 4;
  EXPECT_EQ(tc_qdiscs(device)[0].refcnt, 5U);
}

TEST(TcQdiscs, OfNoDeviceAreAnEmptyList) {
  EXPECT_EQ(tc_qdisc_json({}, true), "[]\n");
  EXPECT_EQ(tc_qdisc_text({}, true), "");
}

}  // namespace
}  // namespace qdiscsim
