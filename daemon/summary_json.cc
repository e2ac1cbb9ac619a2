// Summary as JSON: the shape that the page, qdiscsimctl and scripts read (docs/http.md).
#include <nlohmann/json.hpp>

#include "daemon/summary.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

// 0 stands for "no such limit" in the structs, null in JSON.
template <class T>
Json or_null(T value) {
  return value == T{} ? Json{} : Json(value);
}

Json band_json(std::size_t index, const BandSummary& band, const DeviceRates& rates) {
  return {
      {"band", index},
      {"offered_pps", rates.band_offered_pps[index]},
      {"sent_pps", rates.band_sent_pps[index]},
      {"dropped_pps", rates.band_dropped_pps[index]},
      {"drop_ratio", rates.band_drop_ratio[index]},
      {"sent_packets", band.sent_packets},
      {"dropped_packets", band.dropped_overlimit + band.dropped_deactivated},
      {"drops", {{"overlimit", band.dropped_overlimit}, {"deactivated", band.dropped_deactivated}}},
      {"backlog_packets", band.backlog_packets},
      {"limit_packets", band.limit_packets},
      {"sojourn_seconds", latency_json(band.sojourn)}};
}

Json device_json(const DeviceSummary& device) {
  Json bands = Json::array();
  for (std::size_t i = 0; i < kBands; ++i) {
    bands.push_back(band_json(i, device.bands[i], device.rates));
  }
  return {{"name", device.name},
          {"link", device.link},
          {"link_bits_per_second", or_null(device.link_bits_per_second)},
          {"up", device.up},
          {"queues", device.queues},
          {"stopped_queues", device.stopped_queues},
          {"stuck_seconds", device.stuck_seconds},
          {"offered_pps", device.rates.offered_pps},
          {"delivered_pps", device.rates.delivered_pps},
          {"dropped_pps", device.rates.dropped_pps},
          {"bits_per_second", device.rates.bits_per_second},
          {"drop_ratio", device.rates.drop_ratio},
          {"backlog_packets", device.backlog_packets},
          {"offered_packets", device.totals.offered},
          {"delivered_packets", device.totals.delivered},
          {"dropped_packets", device.totals.dropped},
          {"bands", std::move(bands)}};
}

Json generator_json(const GeneratorSummary& generator) {
  return {{"name", generator.name},
          {"group", generator.group},
          {"thread", generator.thread},
          {"device", generator.device},
          {"running", generator.running},
          {"rate_pps", generator.rate_pps},
          {"configured_pps", or_null(generator.configured_pps)},
          {"sent_packets", generator.sent_packets},
          {"errors", generator.errors},
          {"behind_seconds", generator.behind_seconds},
          {"latency_seconds", latency_json(generator.latency)}};
}

// The names of /metrics' `path` labels, in the order of kPagePoolStatNames.
constexpr std::array<std::string_view, kPoolStats> kPaths{
    "fast",       "slow", "slow_high_order", "empty",          "refill", "waive", "cached",
    "cache_full", "ring", "ring_full",       "released_refcnt"};
constexpr std::size_t kAllocPaths = 6;

Json pool_json(const PoolSummary& pool) {
  Json alloc = Json::object();
  Json recycle = Json::object();
  for (std::size_t i = 0; i < kPoolStats; ++i) {
    (i < kAllocPaths ? alloc : recycle)[std::string{kPaths[i]}] = pool.rates[i];
  }
  return {{"name", pool.name},
          {"inflight_pages", pool.inflight_pages},
          {"recycled_ratio", pool.recycled_ratio},
          {"alloc_pps", std::move(alloc)},
          {"recycle_pps", std::move(recycle)},
          {"cache_pages", pool.cache_pages},
          {"ring_pages", pool.ring_pages},
          {"ring_capacity", pool.ring_capacity}};
}

}  // namespace

std::string to_json(const Summary& summary, JsonLayout layout) {
  Json devices = Json::array();
  Json generators = Json::array();
  Json pools = Json::array();
  for (const auto& device : summary.devices) devices.push_back(device_json(device));
  for (const auto& generator : summary.generators) generators.push_back(generator_json(generator));
  for (const auto& pool : summary.pools) pools.push_back(pool_json(pool));
  const Json out{{"version", kVersion},
                 {"state", phase_name(summary.phase)},
                 {"time", summary.time},
                 {"uptime_seconds", summary.uptime_seconds},
                 {"account_violations", summary.account_violations},
                 {"config",
                  {{"reloads", summary.reloads},
                   {"last_reload_ok", summary.last_reload_ok},
                   {"changed_since_reload", summary.changed_since_reload}}},
                 {"devices", std::move(devices)},
                 {"generators", std::move(generators)},
                 {"page_pools", std::move(pools)}};
  return out.dump(layout == JsonLayout::kIndented ? 2 : -1) + "\n";
}

}  // namespace qdiscsim
