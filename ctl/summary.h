// GET /api/v1/summary as structs (docs/http.md). Packets, pages, seconds, and rates a second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qdiscsim::ctl {

struct Latency {  // seconds
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

struct Band {
  double offered_pps = 0;
  double sent_pps = 0;
  double dropped_pps = 0;
  double drop_ratio = 0;
  std::uint64_t sent = 0;
  std::uint64_t dropped_overlimit = 0;
  std::uint64_t dropped_deactivated = 0;
  std::uint64_t backlog = 0;
  std::uint64_t limit = 0;
  std::optional<Latency> sojourn;
};

struct Device {
  std::string name;
  std::string link;
  std::optional<double> link_bits_per_second;  // none = instant
  bool up = true;
  unsigned queues = 0;
  unsigned stopped_queues = 0;
  double stuck_seconds = 0;
  double offered_pps = 0;
  double delivered_pps = 0;
  double dropped_pps = 0;
  double bits_per_second = 0;
  double drop_ratio = 0;
  std::uint64_t backlog = 0;
  std::uint64_t offered = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;
  std::vector<Band> bands;
};

struct Generator {
  std::string name;
  std::string group;
  std::string device;
  bool running = false;
  double rate_pps = 0;
  std::optional<double> configured_pps;  // none = no limit
  std::uint64_t sent = 0;
  std::uint64_t errors = 0;
  double behind_seconds = 0;
  std::optional<Latency> latency;
};

struct PagePool {
  std::string name;
  std::int64_t inflight = 0;
  double recycled_ratio = 0;
  std::vector<std::pair<std::string, double>> alloc_pps;    // path and rate, as they came
  std::vector<std::pair<std::string, double>> recycle_pps;  // the same
  std::uint64_t cache = 0;
  std::uint64_t ring = 0;
  std::uint64_t ring_capacity = 0;
};

struct Summary {
  std::string version;
  std::string state;
  double time = 0;  // Unix time
  double uptime_seconds = 0;
  std::uint64_t account_violations = 0;
  std::uint64_t reloads = 0;
  bool last_reload_ok = true;
  std::uint64_t changed_since_reload = 0;
  std::vector<Device> devices;
  std::vector<Generator> generators;
  std::vector<PagePool> pools;
};

// What is missing keeps its default, so that daemons of other versions can be looked at. Throws
// Failure (kExitProtocol) when the text is no JSON object, or a figure is no figure.
Summary parse_summary(const std::string& json);

// A running generator that is late by more than this cannot keep its rate on its host.
inline constexpr double kLagSeconds = 0.2;
// A queue that has packets and moves none for longer than this is stuck.
inline constexpr double kStuckSeconds = 1.0;

// What is wrong, a line each; empty = healthy.
std::vector<std::string> ailments(const Summary& summary);

bool lags(const Generator& generator);

}  // namespace qdiscsim::ctl
