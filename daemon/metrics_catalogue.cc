#include "daemon/metrics_catalogue.h"

#include <fmt/format.h>

#include <iterator>

namespace qdiscsim {
namespace {

constexpr std::string_view kIntroduction = R"(# Metrics

<!-- Written by `./dev docs` (qdiscsimd --print-metrics-reference). Change
     daemon/metrics_catalogue.h instead. -->

Served at `/metrics` in the Prometheus text format. Every series exists from the first scrape on and
starts at zero, so `rate()` misses nothing. Values are read from per-thread counters at scrape time:
while packets move, two counters of one answer may differ by the packets between them. At rest, and
in the report at the end, they add up exactly:

- offered = bypassed + enqueued + dropped (per queue)
- enqueued = dequeued + backlog (per band)
- hold = release + in flight (per page_pool)

Labels: `queue`, `band` and `thread` are numbers from 0; band 0 is sent first. A device of pktgen's
control files has its thread as `generator`, as `kpktgend_0`, and its file as `thread`, as `eth0@0`.
`pool` is the generator thread that owns the pool, `NAME/THREAD`. `ring` is `DEVICE/QUEUE/bandBAND` or
`pool NAME/THREAD`.
)";

std::string_view scope_title(MetricScope scope) noexcept {
  switch (scope) {
    case MetricScope::kGenerator:
      return "Per generator thread";
    case MetricScope::kBand:
      return "Per band of a queue's pfifo_fast";
    case MetricScope::kQueue:
      return "Per tx queue";
    case MetricScope::kDevice:
      return "Per device";
    case MetricScope::kPool:
      return "Per page_pool";
    case MetricScope::kRing:
      return "Per ring";
    case MetricScope::kDaemon:
      return "The daemon and its process";
  }
  return {};
}

std::string code(std::string_view text) {
  return text.empty() ? std::string{} : fmt::format("`{}`", text);
}

}  // namespace

std::string_view scope_labels(MetricScope scope) noexcept {
  switch (scope) {
    case MetricScope::kGenerator:
      return "generator, thread, device";
    case MetricScope::kBand:
      return "device, queue, band";
    case MetricScope::kQueue:
      return "device, queue";
    case MetricScope::kDevice:
      return "device";
    case MetricScope::kPool:
      return "pool";
    case MetricScope::kRing:
      return "ring";
    case MetricScope::kDaemon:
      return "";
  }
  return {};
}

std::string_view type_name(prometheus::MetricType type) noexcept {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    default:
      return "untyped";
  }
}

std::string metrics_reference_markdown() {
  std::string out{kIntroduction};
  const auto to = std::back_inserter(out);
  for (const MetricScope scope :
       {MetricScope::kGenerator, MetricScope::kBand, MetricScope::kQueue, MetricScope::kDevice,
        MetricScope::kPool, MetricScope::kRing, MetricScope::kDaemon}) {
    fmt::format_to(to, "\n## {}\n\n", scope_title(scope));
    const std::string_view labels = scope_labels(scope);
    if (!labels.empty()) fmt::format_to(to, "Labels: {}.\n\n", code(labels));
    out += "| Name | Type | Unit | Further labels | Meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const MetricInfo& metric : kMetrics) {
      if (metric.scope != scope) continue;
      fmt::format_to(to, "| {} | {} | {} | {} | {} |\n", code(metric.name), type_name(metric.type),
                     metric.unit, code(metric.extra_labels), metric.help);
    }
  }
  return out;
}

}  // namespace qdiscsim
