// What netlink and `ethtool -S` would show of the page_pools.
//
// Source: linux Documentation/netlink/specs/netdev.yaml (page-pool-get, page-pool-stats-get) and
// net/core/page_pool_user.c; names and order of the statistics: page_pool_ethtool_stats_get_strings
// in net/core/page_pool.c. A pool without a device is invisible, as for the kernel's netlink.
#pragma once

#include <span>
#include <string>

#include "daemon/snapshot.h"

namespace qdiscsim {

// {"page-pool-get": [...], "page-pool-stats-get": [...]} of the pools of these devices. Numbers:
// inflight pages (those in cache and ring included), inflight-mem bytes, detach-time seconds.
// ifindex counts the simulated devices from 2 on, behind lo. Attributes that a pool does not have
// are absent: detach-time before its end began, ifindex from then on, since the generator stands
// for the pool's network device; napi-id always. A pool that was freed is not there.
std::string page_pools_json(const Snapshot& snapshot, std::span<const DeviceSnapshot> devices);

// As `ethtool -S DEV | grep _pp_` with its heading: the sums over the device's pools, each device
// under its name when there are several.
std::string page_pools_text(const Snapshot& snapshot, std::span<const DeviceSnapshot> devices);

}  // namespace qdiscsim
