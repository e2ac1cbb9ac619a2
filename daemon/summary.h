// Summary: the key figures of a running daemon, as the page at /, /api/v1/summary and
// qdiscsimctl show them. Rates and ratios are over the last second, counts since the start.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/daemon_state.h"
#include "daemon/latency_view.h"
#include "daemon/rates.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

// One band over all queues of its device. Its rates are in DeviceSummary::rates.
struct BandSummary {
  std::uint64_t sent_packets = 0;
  std::uint64_t dropped_overlimit = 0;
  std::uint64_t dropped_deactivated = 0;
  std::uint64_t backlog_packets = 0;
  std::uint64_t limit_packets = 0;
  std::optional<LatencySummary> sojourn = std::nullopt;  // none: nothing is recorded
};

struct DeviceSummary {
  std::string name;
  std::string link;
  std::uint64_t link_bits_per_second = 0;  // 0 = no limit
  bool up = true;
  std::size_t queues = 0;
  std::size_t stopped_queues = 0;
  double stuck_seconds = 0;           // the longest of a queue that waits for nobody; 0 = none
  std::uint64_t backlog_packets = 0;  // in the bands and on the requeue lists
  DeviceTotals totals;
  DeviceRates rates;
  std::array<BandSummary, kBands> bands;
};

struct GeneratorSummary {
  std::string name;  // GROUP/THREAD
  std::string group;
  std::string thread;
  std::string device;
  bool running = false;
  double rate_pps = 0;
  double configured_pps = 0;  // 0 = no rate configured
  std::uint64_t sent_packets = 0;
  std::uint64_t errors = 0;
  double behind_seconds = 0;
  std::optional<LatencySummary> latency = std::nullopt;  // none: nothing is recorded
};

struct PoolSummary {
  std::string name;
  std::uint64_t inflight_pages = 0;
  double recycled_ratio = 0;  // requests served by recycled pages, since the start; 0 .. 1
  std::array<double, kPoolStats> rates{};  // in the order of kPagePoolStatNames
  std::uint64_t cache_pages = 0;
  std::uint64_t ring_pages = 0;
  std::uint64_t ring_capacity = 0;
};

struct Summary {
  Phase phase = Phase::kStarting;
  double time = 0;  // seconds since 1970
  double uptime_seconds = 0;
  std::uint64_t account_violations = 0;
  std::uint64_t reloads = 0;  // that succeeded
  bool last_reload_ok = true;
  std::uint64_t changed_since_reload = 0;  // changes over the UNIX socket
  std::vector<DeviceSummary> devices;
  std::vector<GeneratorSummary> generators;
  std::vector<PoolSummary> pools;
};

// "starting", "ready" or "stopping".
std::string_view phase_name(Phase phase) noexcept;

Summary summarise(const Snapshot& snapshot, const RateWindow& rates, const DaemonState& state);

// One JSON object, as docs/http.md describes it, with a line break at the end; indented for people,
// or on one line.
enum class JsonLayout : std::uint8_t { kIndented, kOneLine };
std::string to_json(const Summary& summary, JsonLayout layout = JsonLayout::kIndented);

}  // namespace qdiscsim
