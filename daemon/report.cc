#include "daemon/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "daemon/report_sections.h"
#include "pagepool/page_pool_teardown.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

std::uint64_t dropped(const BandSnapshot& band) {
  return band.dropped_overlimit + band.dropped_deactivated;
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
  out = fmt::format("Final report after {}\n", format_duration(seconds));
  for (const ReportSection& section : report_sections(snapshot, seconds, false)) {
    out += fmt::format("\n{}\n", section.title);
    if (section.table) out += section.table->str();
    for (std::string line : section.lines) {
      for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at)) {
        line.insert(at + 1, "    ");
        at += 5;
      }
      out += fmt::format("  {}\n", line);
    }
  }
  const std::vector<AccountLine> lines = account_lines(snapshot);
  report.exact =
      snapshot.account_violations == 0 &&
      std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.exact; });
  out += report.exact ? "accounts: exact\n" : "accounts: WRONG: this is a bug in qdiscsim\n";
  return report;
}

}  // namespace qdiscsim
