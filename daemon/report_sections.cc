#include "daemon/report_sections.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "daemon/latency_view.h"
#include "daemon/report.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> row(std::initializer_list<std::string> names,
                             std::initializer_list<std::uint64_t> numbers) {
  std::vector<std::string> cells{names};
  for (const std::uint64_t number : numbers) cells.push_back(format_count(number));
  return cells;
}

TextTable band_table(const Snapshot& snapshot) {
  TextTable table{{"device", "queue", "band", "offered", "bypassed", "enqueued", "dequeued",
                   "dropped overlimit", "dropped deactivated", "purged", "requeues", "backlog"},
                  1};
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      for (std::size_t i = 0; i < kBands; ++i) {
        const BandSnapshot& band = queue.bands[i];
        table.add(row(
            {device.name, std::to_string(queue.index), std::to_string(i)},
            {band.enqueue_attempts + band.bypassed_packets, band.bypassed_packets,
             band.enqueued_packets, band.dequeued_packets, band.dropped_overlimit,
             band.dropped_deactivated, band.purged_packets, band.requeues, band.backlog_packets}));
      }
    }
  }
  return table;
}

TextTable queue_table(const Snapshot& snapshot, double seconds) {
  TextTable table{{"device", "queue", "sent", "bytes", "mean rate", "direct", "driver drops",
                   "requeue backlog", "stopped"},
                  1};
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      const double mean = seconds > 0 ? static_cast<double>(queue.tx_packets) / seconds : 0;
      table.add({device.name, std::to_string(queue.index), format_count(queue.tx_packets),
                 format_count(queue.tx_bytes), format_packet_rate(mean),
                 format_count(queue.direct_packets), format_count(queue.tx_dropped_packets),
                 format_count(queue.requeue_backlog_packets),
                 format_duration(queue.stopped_seconds)});
    }
  }
  return table;
}

// In the terms of the measurements of 2017: what reached the guest, what tun's ring had no room
// for, and both together.
std::string guest_line(const DeviceSnapshot& device, double seconds) {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;
  bool guest = false;
  for (const QueueSnapshot& queue : device.queues) {
    if (!queue.vhost) continue;
    guest = true;
    sent += queue.vhost->guest_packets;
    dropped += queue.tx_dropped_packets;
  }
  if (!guest || seconds <= 0) return {};
  const auto mpps = [&](std::uint64_t packets) {
    return static_cast<double>(packets) / seconds / 1e6;
  };
  return fmt::format("{}: to the guest: xmit {:.3f} Mpps, dropped {:.3f} Mpps, total {:.3f} Mpps",
                     device.name, mpps(sent), mpps(dropped), mpps(sent + dropped));
}

std::string capture_line(const std::string& device, const CaptureSnapshot& capture) {
  return fmt::format("{}: captured {} packets in {}, missed {}{}", device,
                     format_count(capture.packets), capture.file, format_count(capture.missed),
                     capture.error.empty() ? "" : "; ended by an error: " + capture.error);
}

Lines device_lines(const Snapshot& snapshot, double seconds) {
  Lines out;
  std::uint64_t overlimit = 0;
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      for (const BandSnapshot& band : queue.bands) overlimit += band.dropped_overlimit;
    }
  }
  if (overlimit > 0 && !snapshot.full_band_drop_reason.empty()) {
    out.push_back(fmt::format("dropped overlimit: {} in the kernel's drop reasons",
                              snapshot.full_band_drop_reason));
  }
  for (const DeviceSnapshot& device : snapshot.devices) {
    if (!device.up) out.push_back(fmt::format("{}: the device is down", device.name));
    if (std::string line = guest_line(device, seconds); !line.empty()) {
      out.push_back(std::move(line));
    }
    if (device.capture) out.push_back(capture_line(device.name, *device.capture));
    if (device.received_packets > 0) {
      out.push_back(fmt::format("{}: {} packets received by the stack", device.name,
                                format_count(device.received_packets)));
    }
    if (device.link_catch_up_seconds > 0) {
      out.push_back(fmt::format("{}: the link made up for {} that the host ran it late",
                                device.name, format_duration(device.link_catch_up_seconds)));
    }
  }
  return out;
}

// The kernel's Result has two lines.
Lines generator_lines(const Snapshot& snapshot) {
  Lines out;
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    std::string result = generator.result.empty() ? "NA (has not run)" : generator.result;
    while (result.ends_with('\n')) result.pop_back();
    out.push_back(
        fmt::format("{}/{} on {}: offered {}, sent {}, errors {}, no memory {}, at most {} "
                    "behind\nResult: {}",
                    generator.group, generator.thread, generator.device,
                    format_count(generator.offered_packets), format_count(generator.sent_packets),
                    format_count(generator.errors), format_count(generator.no_memory),
                    format_duration(generator.behind_seconds_max), result));
  }
  return out;
}

void add_latency(TextTable& table, std::string what, const Recording& recording) {
  const auto latency = summarise(recording);
  if (!latency) return;
  std::vector<std::string> cells{std::move(what), format_count(latency->count)};
  for (const double seconds :
       {latency->mean, latency->p50, latency->p90, latency->p99, latency->p999, latency->max}) {
    cells.push_back(format_duration(seconds));
  }
  table.add(std::move(cells));
}

TextTable latency_table(const Snapshot& snapshot) {
  TextTable table{{"what", "timed", "mean", "p50", "p90", "p99", "p99.9", "max"}, 1};
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (std::size_t i = 0; i < kBands; ++i) {
      Recording sum;
      for (const QueueSnapshot& queue : device.queues) sum.merge(queue.bands[i].sojourn);
      add_latency(table, fmt::format("{} band {}, in the queue", device.name, i), sum);
    }
  }
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    add_latency(table,
                fmt::format("{}/{}, due until on the wire", generator.group, generator.thread),
                generator.latency);
  }
  return table;
}

void add_pools(const Snapshot& snapshot, std::vector<ReportSection>& out) {
  TextTable alloc{{"pool", "fast", "slow", "slow high order", "empty", "refill", "waive"}, 1};
  TextTable recycle{{"pool", "cached", "cache full", "ring", "ring full", "released refcnt"}, 1};
  for (const PoolSnapshot& pool : snapshot.pools) {
    alloc.add(row({pool.name},
                  {pool.stats.alloc_fast, pool.stats.alloc_slow, pool.stats.alloc_slow_high_order,
                   pool.stats.alloc_empty, pool.stats.alloc_refill, pool.stats.alloc_waive}));
    recycle.add(row({pool.name}, {pool.stats.recycle_cached, pool.stats.recycle_cache_full,
                                  pool.stats.recycle_ring, pool.stats.recycle_ring_full,
                                  pool.stats.recycle_released_refcnt}));
  }
  out.push_back({"Pages allocated, by path", std::move(alloc), {}});
  out.push_back({"Pages recycled, by path", std::move(recycle), {}});
}

// At rest every line is exact or wrong; among running threads, exact or off by what is in motion.
ReportSection account_section(const Snapshot& snapshot, bool running) {
  TextTable table{{"where", "law", "holds"}, 3};
  for (const AccountLine& line : account_lines(snapshot)) {
    table.add({line.where, line.equation,
               line.exact ? "exact"
               : running  ? "packets in motion"
                          : "WRONG"});
  }
  Lines lines;
  for (const std::string& broken : snapshot.broken_laws) lines.push_back("WRONG: " + broken);
  if (snapshot.account_violations > 0) {
    lines.push_back(
        fmt::format("{} failed in all", count_of(snapshot.account_violations, "check")));
  }
  return {"Accounts", std::move(table), std::move(lines)};
}

}  // namespace

std::vector<ReportSection> report_sections(const Snapshot& snapshot, double seconds, bool running) {
  std::vector<ReportSection> out;
  out.push_back({"Packets by band", band_table(snapshot), {}});
  out.push_back(
      {"Packets by tx queue", queue_table(snapshot, seconds), device_lines(snapshot, seconds)});
  if (!snapshot.generators.empty()) {
    out.push_back({"Generators", std::nullopt, generator_lines(snapshot)});
  }
  if (TextTable table = latency_table(snapshot); table.rows() != 0) {
    out.push_back({"Latency of sampled packets", std::move(table), {}});
  }
  if (!snapshot.pools.empty()) add_pools(snapshot, out);
  // Among running threads pages that are out are pages at work.
  if (Lines missing = running ? Lines{} : pages_out(snapshot); !missing.empty()) {
    out.push_back({"Pages that did not come home", std::nullopt, std::move(missing)});
  }
  out.push_back(account_section(snapshot, running));
  return out;
}

}  // namespace qdiscsim
