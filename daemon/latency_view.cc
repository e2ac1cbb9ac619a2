#include "daemon/latency_view.h"

#include <nlohmann/json.hpp>

namespace qdiscsim {

std::optional<LatencySummary> summarise(const Recording& recording) {
  if (recording.count == 0) return std::nullopt;
  const auto at = [&](double q) { return static_cast<double>(recording.quantile(q)) / kSecond; };
  return LatencySummary{.count = recording.count,
                        .mean = recording.mean() / kSecond,
                        .p50 = at(0.5),
                        .p90 = at(0.9),
                        .p99 = at(0.99),
                        .p999 = at(0.999),
                        .max = static_cast<double>(recording.max) / kSecond};
}

nlohmann::ordered_json latency_json(const std::optional<LatencySummary>& latency) {
  if (!latency) return {};
  return {{"count", latency->count}, {"mean", latency->mean}, {"p50", latency->p50},
          {"p90", latency->p90},     {"p99", latency->p99},   {"p999", latency->p999},
          {"max", latency->max}};
}

}  // namespace qdiscsim
