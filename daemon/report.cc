#include "daemon/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "daemon/text_table.h"
#include "daemon/units.h"
#include "pagepool/page_pool_teardown.h"

namespace qdiscsim {
namespace {

std::vector<std::string> row(std::initializer_list<std::string> names,
                             std::initializer_list<std::uint64_t> numbers) {
  std::vector<std::string> cells{names};
  for (const std::uint64_t number : numbers) cells.push_back(format_count(number));
  return cells;
}

std::uint64_t dropped(const BandSnapshot& band) {
  return band.dropped_overlimit + band.dropped_deactivated;
}

std::string band_table(const Snapshot& snapshot) {
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
  return table.str();
}

std::string queue_table(const Snapshot& snapshot, double seconds) {
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
  return table.str();
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
  return fmt::format(
      "  {}: to the guest: xmit {:.3f} Mpps, dropped {:.3f} Mpps, total {:.3f} Mpps\n", device.name,
      mpps(sent), mpps(dropped), mpps(sent + dropped));
}

std::string capture_line(const std::string& device, const CaptureSnapshot& capture) {
  return fmt::format("  {}: captured {} packets in {}, missed {}{}\n", device,
                     format_count(capture.packets), capture.file, format_count(capture.missed),
                     capture.error.empty() ? "" : "; ended by an error: " + capture.error);
}

std::string device_lines(const Snapshot& snapshot, double seconds) {
  std::string out;
  std::uint64_t overlimit = 0;
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      for (const BandSnapshot& band : queue.bands) overlimit += band.dropped_overlimit;
    }
  }
  if (overlimit > 0 && !snapshot.full_band_drop_reason.empty()) {
    out += fmt::format("  dropped overlimit: {} in the kernel's drop reasons\n",
                       snapshot.full_band_drop_reason);
  }
  for (const DeviceSnapshot& device : snapshot.devices) {
    out += guest_line(device, seconds);
    if (device.capture) out += capture_line(device.name, *device.capture);
    if (device.received_packets > 0) {
      out += fmt::format("  {}: {} packets received by the stack\n", device.name,
                         format_count(device.received_packets));
    }
    if (device.link_catch_up_seconds > 0) {
      out += fmt::format("  {}: the link made up for {} that the host ran it late\n", device.name,
                         format_duration(device.link_catch_up_seconds));
    }
  }
  return out;
}

// The kernel's Result has two lines; the second keeps its indent.
std::string generator_lines(const Snapshot& snapshot) {
  std::string out;
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    std::string result = generator.result.empty() ? "NA (has not run)" : generator.result;
    while (result.ends_with('\n')) result.pop_back();
    for (std::size_t at = result.find('\n'); at != std::string::npos; at = result.find('\n', at)) {
      result.insert(at + 1, "    ");
      at += 5;
    }
    out += fmt::format(
        "  {}/{} on {}: offered {}, sent {}, errors {}, no memory {}, at most {} "
        "behind\n    Result: {}\n",
        generator.group, generator.thread, generator.device,
        format_count(generator.offered_packets), format_count(generator.sent_packets),
        format_count(generator.errors), format_count(generator.no_memory),
        format_duration(generator.behind_seconds_max), result);
  }
  return out;
}

std::string pool_tables(const Snapshot& snapshot) {
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
  return fmt::format("Pages allocated, by path\n{}\nPages recycled, by path\n{}", alloc.str(),
                     recycle.str());
}

AccountLine sum_line(std::string where, std::string_view whole_name, std::uint64_t whole,
                     std::initializer_list<std::pair<std::string_view, std::uint64_t>> parts) {
  AccountLine line;
  line.where = std::move(where);
  line.equation = fmt::format("{} {}", whole_name, format_count(whole));
  std::uint64_t sum = 0;
  std::string_view sign = "=";
  for (const auto& [name, value] : parts) {
    line.equation += fmt::format(" {} {} {}", sign, name, format_count(value));
    sum += value;
    sign = "+";
  }
  line.exact = whole == sum;
  return line;
}

}  // namespace

std::vector<AccountLine> account_lines(const Snapshot& snapshot) {
  std::vector<AccountLine> lines;
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      const std::string where = fmt::format("{} queue {}", device.name, queue.index);
      std::uint64_t bypassed = 0;
      std::uint64_t enqueued = 0;
      std::uint64_t drops = 0;
      for (const BandSnapshot& band : queue.bands) {
        bypassed += band.bypassed_packets;
        enqueued += band.enqueued_packets;
        drops += dropped(band);
      }
      lines.push_back(
          sum_line(where, "offered", queue.offered_packets,
                   {{"bypassed", bypassed}, {"enqueued", enqueued}, {"dropped", drops}}));
      for (std::size_t i = 0; i < kBands; ++i) {
        const BandSnapshot& band = queue.bands[i];
        lines.push_back(
            sum_line(fmt::format("{} band {}", where, i), "enqueued", band.enqueued_packets,
                     {{"dequeued", band.dequeued_packets}, {"backlog", band.backlog_packets}}));
      }
    }
  }
  for (const PoolSnapshot& pool : snapshot.pools) {
    lines.push_back(sum_line(fmt::format("pool {}", pool.name), "hold", pool.hold,
                             {{"release", pool.release}, {"in flight", pool.inflight_pages}}));
  }
  return lines;
}

std::vector<std::string> pages_out(const Snapshot& snapshot) {
  std::vector<std::string> lines;
  for (const PoolSnapshot& pool : snapshot.pools) {
    const std::uint64_t idle = pool.cache_pages + pool.ring_pages;
    if (pool.inflight_pages <= idle) continue;
    const Nanoseconds since = pool.detached_at ? snapshot.taken_at - *pool.detached_at : 0;
    std::string line = pool.name + ": " +
                       stalled_text(snapshot.kernel, pool.id,
                                    static_cast<std::int64_t>(pool.inflight_pages - idle), since);
    if (pool.leaked_pages > 0) {
      line += fmt::format("; generators[].leak keeps {} of its pages", pool.leaked_pages);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Report make_report(const Snapshot& snapshot, Nanoseconds elapsed) {
  const double seconds = static_cast<double>(elapsed) / kSecond;
  Report report;
  std::string& out = report.text;
  out = fmt::format("Final report after {}\n\nPackets by band\n{}\nPackets by tx queue\n{}{}",
                    format_duration(seconds), band_table(snapshot), queue_table(snapshot, seconds),
                    device_lines(snapshot, seconds));
  if (!snapshot.generators.empty())
    out += fmt::format("\nGenerators\n{}", generator_lines(snapshot));
  if (!snapshot.pools.empty()) out += fmt::format("\n{}", pool_tables(snapshot));

  if (const auto missing = pages_out(snapshot); !missing.empty()) {
    out += "\nPages that did not come home\n";
    for (const std::string& line : missing) out += "  " + line + '\n';
  }

  out += "\nAccounts\n";
  report.exact = snapshot.account_violations == 0;
  TextTable table{{"where", "law", "holds"}, 3};
  for (const AccountLine& line : account_lines(snapshot)) {
    table.add({line.where, line.equation, line.exact ? "exact" : "WRONG"});
    report.exact = report.exact && line.exact;
  }
  out += table.str();
  for (const std::string& broken : snapshot.broken_laws)
    out += fmt::format("  WRONG: {}\n", broken);
  if (snapshot.account_violations > 0) {
    out += fmt::format("  {} failed in all\n", count_of(snapshot.account_violations, "check"));
  }
  out += report.exact ? "accounts: exact\n" : "accounts: WRONG: this is a bug in qdiscsim\n";
  return report;
}

}  // namespace qdiscsim
