// Recorded durations as people read them: count, mean, percentiles and maximum, in seconds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/recording.h"

namespace qdiscsim {

struct LatencySummary {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

// None when nothing was recorded.
std::optional<LatencySummary> summarise(const Recording& recording);

// An object with the fields above; null for none.
nlohmann::ordered_json latency_json(const std::optional<LatencySummary>& latency);

}  // namespace qdiscsim
