#include "daemon/summary.h"

#include <nlohmann/json.hpp>

#include "daemon/version.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

DeviceSummary summarise_device(const DeviceSnapshot& device, const DeviceRates& rates) {
  DeviceSummary out;
  out.name = device.name;
  out.link = device.link;
  out.link_bits_per_second = device.link_bits_per_second;
  out.queues = device.queues.size();
  out.rates = rates;
  for (std::size_t i = 0; i < kBands; ++i) {
    BandSummary& band = out.bands[i];
    band.offered_pps = rates.band_offered_pps[i];
    band.drop_ratio = rates.band_drop_ratio[i];
    for (const QueueSnapshot& queue : device.queues) {
      const BandSnapshot& in = queue.bands[i];
      band.sent_packets += in.packets;
      band.dropped_packets += in.dropped_overlimit + in.dropped_deactivated;
      band.backlog_packets += in.backlog_packets;
      band.limit_packets += in.limit_packets;
    }
  }
  return out;
}

// A fast allocation took a page from the pool's cache, a refill one from its ring; the first page
// of each slow batch came fresh. Pages of a slow batch that went through the cache count as fast
// later, so "fresh" is what the pool took from the allocator at all.
PoolSummary summarise_pool(const PoolSnapshot& pool) {
  const std::uint64_t served = pool.stats.alloc_fast + pool.stats.alloc_refill +
                               pool.stats.alloc_slow + pool.stats.alloc_slow_high_order;
  PoolSummary out;
  out.name = pool.name;
  out.inflight_pages = pool.inflight_pages;
  if (served > pool.hold) {
    out.recycled_ratio = static_cast<double>(served - pool.hold) / static_cast<double>(served);
  }
  return out;
}

Json device_json(const DeviceSummary& device) {
  Json bands = Json::array();
  for (std::size_t i = 0; i < kBands; ++i) {
    const BandSummary& band = device.bands[i];
    bands.push_back({{"band", i},
                     {"offered_pps", band.offered_pps},
                     {"drop_ratio", band.drop_ratio},
                     {"sent_packets", band.sent_packets},
                     {"dropped_packets", band.dropped_packets},
                     {"backlog_packets", band.backlog_packets},
                     {"limit_packets", band.limit_packets}});
  }
  return {{"name", device.name},
          {"link", device.link},
          {"link_bits_per_second", device.link_bits_per_second},
          {"queues", device.queues},
          {"offered_pps", device.rates.offered_pps},
          {"delivered_pps", device.rates.delivered_pps},
          {"dropped_pps", device.rates.dropped_pps},
          {"bits_per_second", device.rates.bits_per_second},
          {"drop_ratio", device.rates.drop_ratio},
          {"bands", std::move(bands)}};
}

}  // namespace

std::string_view phase_name(Phase phase) noexcept {
  switch (phase) {
    case Phase::kStarting:
      return "starting";
    case Phase::kReady:
      return "ready";
    case Phase::kStopping:
      return "stopping";
  }
  return {};
}

Summary summarise(const Snapshot& snapshot, const RateWindow& rates, Phase phase) {
  Summary out;
  out.phase = phase;
  out.account_violations = snapshot.account_violations;
  for (const DeviceSnapshot& device : snapshot.devices) {
    out.devices.push_back(summarise_device(device, rates.device(device.name)));
  }
  for (const GeneratorSnapshot& in : snapshot.generators) {
    GeneratorSummary& generator = out.generators.emplace_back();
    generator.name = in.group + "/" + in.thread;
    generator.device = in.device;
    generator.running = in.running;
    generator.sent_packets = in.sent_packets;
    generator.errors = in.errors;
    generator.behind_seconds = in.behind_seconds;
  }
  for (const PoolSnapshot& pool : snapshot.pools) out.pools.push_back(summarise_pool(pool));
  return out;
}

std::string to_json(const Summary& summary) {
  Json devices = Json::array();
  for (const DeviceSummary& device : summary.devices) devices.push_back(device_json(device));
  Json generators = Json::array();
  for (const GeneratorSummary& generator : summary.generators) {
    generators.push_back({{"name", generator.name},
                          {"device", generator.device},
                          {"running", generator.running},
                          {"sent_packets", generator.sent_packets},
                          {"errors", generator.errors},
                          {"behind_seconds", generator.behind_seconds}});
  }
  Json pools = Json::array();
  for (const PoolSummary& pool : summary.pools) {
    pools.push_back({{"name", pool.name},
                     {"inflight_pages", pool.inflight_pages},
                     {"recycled_ratio", pool.recycled_ratio}});
  }
  const Json out{{"version", kVersion},
                 {"state", phase_name(summary.phase)},
                 {"account_violations", summary.account_violations},
                 {"devices", std::move(devices)},
                 {"generators", std::move(generators)},
                 {"page_pools", std::move(pools)}};
  return out.dump(2) + "\n";
}

}  // namespace qdiscsim
