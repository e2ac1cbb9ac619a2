#include "daemon/summary.h"

#include <algorithm>

#include "daemon/process_stats.h"

namespace qdiscsim {
namespace {

DeviceSummary summarise_device(const DeviceSnapshot& device, const DeviceRates& rates) {
  DeviceSummary out;
  out.name = device.name;
  out.link = device.link;
  out.link_bits_per_second = device.link_bits_per_second;
  out.up = device.up;
  out.queues = device.queues.size();
  out.totals = totals_of(device);
  out.rates = rates;
  std::array<Recording, kBands> sojourn;
  for (const QueueSnapshot& queue : device.queues) {
    if (queue.stopped) ++out.stopped_queues;
    out.stuck_seconds = std::max(out.stuck_seconds, queue.stuck_seconds);
    out.backlog_packets += queue.requeue_backlog_packets;
    for (std::size_t i = 0; i < kBands; ++i) {
      const BandSnapshot& in = queue.bands[i];
      BandSummary& band = out.bands[i];
      band.sent_packets += in.packets;
      band.dropped_overlimit += in.dropped_overlimit;
      band.dropped_deactivated += in.dropped_deactivated;
      band.backlog_packets += in.backlog_packets;
      band.limit_packets += in.limit_packets;
      out.backlog_packets += in.backlog_packets;
      sojourn[i].merge(in.sojourn);
    }
  }
  for (std::size_t i = 0; i < kBands; ++i) out.bands[i].sojourn = summarise(sojourn[i]);
  return out;
}

GeneratorSummary summarise_generator(const GeneratorSnapshot& in, const RateWindow& rates) {
  GeneratorSummary out;
  out.name = in.group + "/" + in.thread;
  out.group = in.group;
  out.thread = in.thread;
  out.device = in.device;
  out.running = in.running;
  out.rate_pps = rates.generator(out.name);
  out.configured_pps = in.configured_pps;
  out.sent_packets = in.sent_packets;
  out.errors = in.errors;
  out.behind_seconds = in.behind_seconds;
  out.latency = summarise(in.latency);
  return out;
}

// A fast allocation took a page from the pool's cache, a refill one from its ring; the first page
// of each slow batch came fresh. Pages of a slow batch that went through the cache count as fast
// later, so "fresh" is what the pool took from the allocator at all.
PoolSummary summarise_pool(const PoolSnapshot& pool, const RateWindow& rates) {
  const std::uint64_t served = pool.stats.alloc_fast + pool.stats.alloc_refill +
                               pool.stats.alloc_slow + pool.stats.alloc_slow_high_order;
  PoolSummary out;
  out.name = pool.name;
  out.inflight_pages = pool.inflight_pages;
  if (served > pool.hold) {
    out.recycled_ratio = static_cast<double>(served - pool.hold) / static_cast<double>(served);
  }
  out.rates = rates.pool(pool.name);
  out.cache_pages = pool.cache_pages;
  out.ring_pages = pool.ring_pages;
  out.ring_capacity = pool.ring_capacity;
  return out;
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

Summary summarise(const Snapshot& snapshot, const RateWindow& rates, const DaemonState& state) {
  Summary out;
  out.phase = state.phase();
  out.time = unix_time();
  out.uptime_seconds = static_cast<double>(state.uptime(monotonic_ns())) / kSecond;
  out.account_violations = snapshot.account_violations;
  out.reloads = state.reload_successes();
  out.last_reload_ok = state.last_reload_ok();
  out.changed_since_reload = state.changes();
  for (const DeviceSnapshot& device : snapshot.devices) {
    out.devices.push_back(summarise_device(device, rates.device(device.name)));
  }
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    out.generators.push_back(summarise_generator(generator, rates));
  }
  for (const PoolSnapshot& pool : snapshot.pools) {
    out.pools.push_back(summarise_pool(pool, rates));
  }
  return out;
}

}  // namespace qdiscsim
