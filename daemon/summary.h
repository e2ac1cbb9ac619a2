// Summary: the key figures of a running daemon, as the page at / and /api/v1/summary show them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/daemon_state.h"
#include "daemon/rates.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

struct BandSummary {
  double offered_pps = 0;  // over the last second, as every figure in ..._pps and ..._ratio
  double drop_ratio = 0;
  std::uint64_t sent_packets = 0;  // since the start, over all queues, as the rest
  std::uint64_t dropped_packets = 0;
  std::uint64_t backlog_packets = 0;
  std::uint64_t limit_packets = 0;
};

struct DeviceSummary {
  std::string name;
  std::string link;
  std::uint64_t link_bits_per_second = 0;  // 0 = no limit
  std::size_t queues = 0;
  DeviceRates rates;
  std::array<BandSummary, kBands> bands;
};

struct GeneratorSummary {
  std::string name;  // GROUP/THREAD
  std::string device;
  bool running = false;
  std::uint64_t sent_packets = 0;
  std::uint64_t errors = 0;
  double behind_seconds = 0;
};

struct PoolSummary {
  std::string name;
  std::uint64_t inflight_pages = 0;
  double recycled_ratio = 0;  // requests served by recycled pages, since the start; 0 .. 1
};

struct Summary {
  Phase phase = Phase::kStarting;
  std::uint64_t account_violations = 0;
  std::vector<DeviceSummary> devices;
  std::vector<GeneratorSummary> generators;
  std::vector<PoolSummary> pools;
};

// "starting", "ready" or "stopping".
std::string_view phase_name(Phase phase) noexcept;

Summary summarise(const Snapshot& snapshot, const RateWindow& rates, Phase phase);

// One JSON object: {"version", "state", "account_violations", "devices": [...], "generators":
// [...], "page_pools": [...]}. Keys are the members' names.
std::string to_json(const Summary& summary);

}  // namespace qdiscsim
