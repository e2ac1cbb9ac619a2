#include "daemon/page_pool_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

// The order of PagePoolStats::values().
constexpr std::array<const char*, 11> kAttributes{
    "alloc-fast",   "alloc-slow",        "alloc-slow-high-order",  "alloc-empty",
    "alloc-refill", "alloc-waive",       "recycle-cached",         "recycle-cache-full",
    "recycle-ring", "recycle-ring-full", "recycle-released-refcnt"};

bool is_shown(const PoolSnapshot& pool, std::span<const DeviceSnapshot> devices) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const DeviceSnapshot& device) { return device.name == pool.device; });
}

// Of one of the snapshot's devices. lo has 1.
std::size_t ifindex_of(const std::string& device, const Snapshot& snapshot) {
  const auto found = std::find_if(snapshot.devices.begin(), snapshot.devices.end(),
                                  [&](const DeviceSnapshot& one) { return one.name == device; });
  return static_cast<std::size_t>(found - snapshot.devices.begin()) + 2;
}

}  // namespace

std::string page_pools_json(const Snapshot& snapshot, std::span<const DeviceSnapshot> devices) {
  Json pools = Json::array();
  Json stats = Json::array();
  for (const PoolSnapshot& pool : snapshot.pools) {
    if (pool.freed || !is_shown(pool, devices)) continue;
    Json info{{"id", pool.id}};
    if (!pool.detached_at) info["ifindex"] = ifindex_of(pool.device, snapshot);
    Json shown = info;
    shown["inflight"] = pool.inflight_pages;
    shown["inflight-mem"] = pool.inflight_pages * snapshot.arena_page_bytes;
    if (pool.detached_at) shown["detach-time"] = *pool.detached_at / kSecond;
    pools.push_back(std::move(shown));

    Json counted{{"info", std::move(info)}};
    const auto values = pool.stats.values();
    for (std::size_t i = 0; i < values.size(); ++i) counted[kAttributes[i]] = values[i];
    stats.push_back(std::move(counted));
  }
  return Json{{"page-pool-get", std::move(pools)}, {"page-pool-stats-get", std::move(stats)}}
             .dump() +
         "\n";
}

std::string page_pools_text(const Snapshot& snapshot, std::span<const DeviceSnapshot> devices) {
  std::string out;
  for (const DeviceSnapshot& device : devices) {
    std::array<std::uint64_t, kPagePoolStatNames.size()> sums{};
    for (const PoolSnapshot& pool : snapshot.pools) {
      if (pool.device != device.name) continue;
      const auto values = pool.stats.values();
      for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
    }
    if (devices.size() > 1) out += device.name + ":\n";
    out += "NIC statistics:\n";
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out += fmt::format("     {}: {}\n", kPagePoolStatNames[i], sums[i]);
    }
  }
  return out;
}

}  // namespace qdiscsim
