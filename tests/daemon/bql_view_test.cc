#include "daemon/bql_view.h"

#include <gtest/gtest.h>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

std::vector<DeviceSnapshot> a_wire_and_a_dummy() {
  DeviceSnapshot wire = sample_snapshot().devices[0];
  wire.has_bql = true;
  QueueSnapshot& queue = wire.queues[0];
  queue.bql_limit_min_bytes = 1500;
  queue.bql_limit_max_bytes = 1'879'048'192;
  queue.bql_hold_time = kSecond;
  DeviceSnapshot dummy = sample_snapshot().devices[0];
  dummy.name = "dummy0";
  return {wire, dummy};
}

TEST(BqlView, NamesTheFilesOfSysfsWithTheirContents) {
  EXPECT_EQ(bql_text(a_wire_and_a_dummy()),
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/hold_time:1000\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/inflight:3840\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit:9000\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit_max:1879048192\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit_min:1500\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/stall_cnt:0\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/stall_max:0\n"
            "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/stall_thrs:0\n"
            "/sys/class/net/eth0/queues/tx-0/tx_timeout:2\n"
            "/sys/class/net/dummy0/queues/tx-0/tx_timeout:2\n");
}

TEST(BqlView, SaysInJsonThatADeviceHasNone) {
  EXPECT_EQ(bql_json(a_wire_and_a_dummy()),
            R"([{"dev":"eth0","queue":"tx-0","byte_queue_limits":{"hold_time":1000,)"
            R"("inflight":3840,"limit":9000,"limit_max":1879048192,"limit_min":1500,)"
            R"("stall_cnt":0,"stall_max":0,"stall_thrs":0},)"
            R"("tx_timeout":2,"since_trans_start_seconds":5.25},)"
            R"({"dev":"dummy0","queue":"tx-0","byte_queue_limits":null,)"
            R"("tx_timeout":2,"since_trans_start_seconds":5.25}])"
            "\n");
}

}  // namespace
}  // namespace qdiscsim
