#include "daemon/report_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/generator_view.h"
#include "daemon/latency_view.h"
#include "daemon/report.h"
#include "daemon/report_sections.h"
#include "daemon/version.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kInMotion =
    "a reading among running threads: sums may be off by the packets in motion";
constexpr std::string_view kAtRest = "at rest: every account is exact or wrong";

Json band_json(std::size_t index, const BandSnapshot& band) {
  return {
      {"band", index},
      {"offered_packets", band.enqueue_attempts + band.bypassed_packets},
      {"bypassed_packets", band.bypassed_packets},
      {"enqueued_packets", band.enqueued_packets},
      {"dequeued_packets", band.dequeued_packets},
      {"drops", {{"overlimit", band.dropped_overlimit}, {"deactivated", band.dropped_deactivated}}},
      {"purged_packets", band.purged_packets},
      {"requeues", band.requeues},
      {"backlog_packets", band.backlog_packets},
      {"sojourn_seconds", latency_json(summarise(band.sojourn))}};
}

Json queue_json(const QueueSnapshot& queue, double seconds) {
  Json bands = Json::array();
  for (std::size_t i = 0; i < kBands; ++i) bands.push_back(band_json(i, queue.bands[i]));
  const double mean = seconds > 0 ? static_cast<double>(queue.tx_packets) / seconds : 0;
  return {{"queue", queue.index},
          {"offered_packets", queue.offered_packets},
          {"sent_packets", queue.tx_packets},
          {"sent_bytes", queue.tx_bytes},
          {"mean_pps", mean},
          {"direct_packets", queue.direct_packets},
          {"driver_dropped_packets", queue.tx_dropped_packets},
          {"driver_ring_packets", queue.driver_ring_packets},
          {"requeue_backlog_packets", queue.requeue_backlog_packets},
          {"stopped_seconds", queue.stopped_seconds},
          {"guest_packets", queue.vhost ? Json(queue.vhost->guest_packets) : Json{}},
          {"bands", std::move(bands)}};
}

Json device_json(const DeviceSnapshot& device, double seconds) {
  Json queues = Json::array();
  for (const QueueSnapshot& queue : device.queues) queues.push_back(queue_json(queue, seconds));
  Json capture;
  if (device.capture) {
    capture = {{"file", device.capture->file},
               {"packets", device.capture->packets},
               {"missed_packets", device.capture->missed},
               {"error", device.capture->error.empty() ? Json{} : Json(device.capture->error)}};
  }
  return {{"name", device.name},
          {"link", device.link},
          {"link_bits_per_second", device.link_bits_per_second},
          {"up", device.up},
          {"received_packets", device.received_packets},
          {"link_catch_up_seconds", device.link_catch_up_seconds},
          {"capture", std::move(capture)},
          {"queues", std::move(queues)}};
}

Json pool_json(const PoolSnapshot& pool) {
  return {{"name", pool.name},
          {"alloc",
           {{"fast", pool.stats.alloc_fast},
            {"slow", pool.stats.alloc_slow},
            {"slow_high_order", pool.stats.alloc_slow_high_order},
            {"empty", pool.stats.alloc_empty},
            {"refill", pool.stats.alloc_refill},
            {"waive", pool.stats.alloc_waive}}},
          {"recycle",
           {{"cached", pool.stats.recycle_cached},
            {"cache_full", pool.stats.recycle_cache_full},
            {"ring", pool.stats.recycle_ring},
            {"ring_full", pool.stats.recycle_ring_full},
            {"released_refcnt", pool.stats.recycle_released_refcnt}}},
          {"hold_pages", pool.hold},
          {"release_pages", pool.release},
          {"inflight_pages", pool.inflight_pages},
          {"leaked_pages", pool.leaked_pages}};
}

Json accounts_json(const Snapshot& snapshot) {
  const std::vector<AccountLine> lines = account_lines(snapshot);
  Json out = Json::array();
  for (const AccountLine& line : lines) {
    out.push_back({{"where", line.where}, {"law", line.equation}, {"exact", line.exact}});
  }
  return {{"exact", std::all_of(lines.begin(), lines.end(),
                                [](const AccountLine& line) { return line.exact; })},
          {"failed_checks", snapshot.account_violations},
          {"broken_laws", snapshot.broken_laws},
          {"lines", std::move(out)}};
}

std::string verdict(const Snapshot& snapshot) {
  const std::vector<AccountLine> lines = account_lines(snapshot);
  const auto exact =
      std::count_if(lines.begin(), lines.end(), [](const AccountLine& line) { return line.exact; });
  return fmt::format("{} of {} are exact in this reading; {} failed since the start", exact,
                     count_of(lines.size(), "account"),
                     count_of(snapshot.account_violations, "check"));
}

}  // namespace

std::string report_json(const Snapshot& snapshot, Nanoseconds elapsed) {
  const double seconds = static_cast<double>(elapsed) / kSecond;
  Json devices = Json::array();
  for (const DeviceSnapshot& device : snapshot.devices) {
    devices.push_back(device_json(device, seconds));
  }
  Json pools = Json::array();
  for (const PoolSnapshot& pool : snapshot.pools) pools.push_back(pool_json(pool));
  const Json out{{"version", kVersion},
                 {"elapsed_seconds", seconds},
                 {"running", !snapshot.quiescent},
                 {"reading", snapshot.quiescent ? kAtRest : kInMotion},
                 {"devices", std::move(devices)},
                 {"generators", generators_as_json(snapshot)},
                 {"page_pools", std::move(pools)},
                 {"accounts", accounts_json(snapshot)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string report_markdown(const Snapshot& snapshot, Nanoseconds elapsed) {
  const double seconds = static_cast<double>(elapsed) / kSecond;
  std::string out = fmt::format("# Report after {}\n\nqdiscsim {}, {}.\n", format_duration(seconds),
                                kVersion, snapshot.quiescent ? kAtRest : kInMotion);
  for (const ReportSection& section : report_sections(snapshot, seconds, !snapshot.quiescent)) {
    out += fmt::format("\n## {}\n", section.title);
    if (section.table) out += '\n' + section.table->markdown();
    if (!section.lines.empty()) out += '\n';
    for (std::string line : section.lines) {
      // What continues a line is a line of the same entry.
      for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at)) {
        line.replace(at, line.find_first_not_of(' ', at + 1) - at, "  \n  ");
        at += 5;
      }
      out += fmt::format("- {}\n", line);
    }
  }
  return out + fmt::format("\n{}.\n", verdict(snapshot));
}

}  // namespace qdiscsim
