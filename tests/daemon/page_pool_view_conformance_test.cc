// The page_pools as netlink and ethtool show them.
#include <gtest/gtest.h>

#include "daemon/page_pool_view.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

// Two pools that send to eth0, one to eth1.
Snapshot three_pools() {
  Snapshot snapshot = sample_snapshot();
  snapshot.devices.push_back(snapshot.devices[0]);
  snapshot.devices[1].name = "eth1";
  snapshot.pools.push_back(snapshot.pools[0]);
  snapshot.pools.push_back(snapshot.pools[0]);
  snapshot.pools[1].device = "eth1";
  snapshot.pools[1].id = 2;
  snapshot.pools[2].id = 3;
  return snapshot;
}

TEST(PagePoolView, Check54_EthtoolSumsThePoolsOfADeviceInItsOrder) {
  const Snapshot snapshot = three_pools();
  EXPECT_EQ(page_pools_text(snapshot, std::span{snapshot.devices}.first(1)),
            "NIC statistics:\n"
            "     rx_pp_alloc_fast: 4600\n"
            "     rx_pp_alloc_slow: 140\n"
            "     rx_pp_alloc_slow_ho: 2\n"
            "     rx_pp_alloc_empty: 142\n"
            "     rx_pp_alloc_refill: 64\n"
            "     rx_pp_alloc_waive: 10\n"
            "     rx_pp_recycle_cached: 3800\n"
            "     rx_pp_recycle_cache_full: 22\n"
            "     rx_pp_recycle_ring: 800\n"
            "     rx_pp_recycle_ring_full: 26\n"
            "     rx_pp_recycle_released_ref: 12\n");
  const std::string both = page_pools_text(snapshot, snapshot.devices);
  EXPECT_EQ(both.find("eth0:\nNIC statistics:\n     rx_pp_alloc_fast: 4600\n"), 0U);
  EXPECT_NE(both.find("\neth1:\nNIC statistics:\n     rx_pp_alloc_fast: 2300\n"),
            std::string::npos);
}

constexpr const char* kStats =
    R"("alloc-fast":2300,"alloc-slow":70,"alloc-slow-high-order":1,"alloc-empty":71,)"
    R"("alloc-refill":32,"alloc-waive":5,"recycle-cached":1900,"recycle-cache-full":11,)"
    R"("recycle-ring":400,"recycle-ring-full":13,"recycle-released-refcnt":6})";

TEST(PagePoolView, Check55_DetachTimeIsAbsentBeforeTheEndAndTheDeviceAfterwards) {
  Snapshot snapshot = three_pools();
  const std::span eth1 = std::span{snapshot.devices}.subspan(1);
  EXPECT_EQ(page_pools_json(snapshot, eth1),
            std::string{R"({"page-pool-get":[{"id":2,"ifindex":3,"inflight":1096,)"
                        R"("inflight-mem":4489216}],)"
                        R"("page-pool-stats-get":[{"info":{"id":2,"ifindex":3},)"} +
                kStats + "]}\n");
  snapshot.pools[1].detached_at = 61 * kSecond;
  EXPECT_EQ(page_pools_json(snapshot, eth1),
            std::string{R"({"page-pool-get":[{"id":2,"inflight":1096,"inflight-mem":4489216,)"
                        R"("detach-time":61}],"page-pool-stats-get":[{"info":{"id":2},)"} +
                kStats + "]}\n");
}

TEST(PagePoolView, Check55_APoolThatWasFreedIsNotShownButItsCountersAre) {
  Snapshot snapshot = three_pools();
  const std::string before = page_pools_text(snapshot, snapshot.devices);
  snapshot.pools[1].detached_at = 61 * kSecond;
  snapshot.pools[1].freed = true;
  EXPECT_EQ(page_pools_json(snapshot, std::span{snapshot.devices}.subspan(1)),
            "{\"page-pool-get\":[],\"page-pool-stats-get\":[]}\n");
  EXPECT_EQ(page_pools_text(snapshot, snapshot.devices), before) << "as a driver's sums";
}

}  // namespace
}  // namespace qdiscsim
