#include "daemon/metrics_collector.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "daemon/metrics_catalogue.h"
#include "daemon/process_stats.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

using prometheus::ClientMetric;
using Labels = std::vector<ClientMetric::Label>;

// Fills one family for each row of the catalogue.
class Families {
 public:
  Families() {
    families_.reserve(kMetrics.size());
    for (const MetricInfo& metric : kMetrics) {
      auto& family = families_.emplace_back();
      family.name = metric.name;
      family.help = metric.help;
      family.type = metric.type;
    }
  }

  template <class Number>
  void add(MetricId id, const Labels& labels, Number value) {
    ClientMetric& metric = series(id, labels);
    if (kMetrics[id.index].type == prometheus::MetricType::Counter) {
      metric.counter.value = static_cast<double>(value);
    } else {
      metric.gauge.value = static_cast<double>(value);
    }
  }

  // The same with one label more.
  template <class Number>
  void add(MetricId id, Labels labels, const char* name, const char* label, Number value) {
    labels.push_back({name, label});
    add(id, labels, value);
  }

  // Bounds: the powers of two of nanoseconds from 1 us to 1 s, which are edges of the recorder's
  // buckets, so that the counts are exact.
  void add(MetricId id, const Labels& labels, const Recording& recording) {
    ClientMetric::Histogram& out = series(id, labels).histogram;
    for (unsigned power = 10; power <= 30; ++power) {
      const Nanoseconds bound = Nanoseconds{1} << power;
      out.bucket.push_back({recording.at_most(bound), static_cast<double>(bound) / kSecond});
    }
    // prometheus-cpp writes the +Inf bucket from sample_count.
    out.sample_count = recording.count;
    out.sample_sum = static_cast<double>(recording.sum) / kSecond;
  }

  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  ClientMetric& series(MetricId id, const Labels& labels) {
    ClientMetric& metric = families_[id.index].metric.emplace_back();
    metric.label = labels;
    return metric;
  }

  std::vector<prometheus::MetricFamily> families_;
};

void add_generator(Families& out, const GeneratorSnapshot& generator) {
  const Labels labels{
      {"generator", generator.group}, {"thread", generator.thread}, {"device", generator.device}};
  out.add("qdiscsim_generator_offered_packets_total"_metric, labels, generator.offered_packets);
  out.add("qdiscsim_generator_sent_packets_total"_metric, labels, generator.sent_packets);
  out.add("qdiscsim_generator_sent_bytes_total"_metric, labels, generator.sent_bytes);
  out.add("qdiscsim_generator_errors_total"_metric, labels, generator.errors);
  out.add("qdiscsim_generator_no_memory_total"_metric, labels, generator.no_memory);
  out.add("qdiscsim_generator_behind_seconds"_metric, labels, generator.behind_seconds);
  out.add("qdiscsim_generator_behind_max_seconds"_metric, labels, generator.behind_seconds_max);
  out.add("qdiscsim_generator_latency_seconds"_metric, labels, generator.latency);
  out.add("qdiscsim_generator_running"_metric, labels, generator.running ? 1 : 0);
  out.add("qdiscsim_generator_configured_packets_per_second"_metric, labels,
          generator.configured_pps);
}

void add_ring(Families& out, const std::string& name, std::uint64_t occupancy,
              std::uint64_t capacity) {
  const Labels labels{{"ring", name}};
  out.add("qdiscsim_ring_occupancy"_metric, labels, occupancy);
  out.add("qdiscsim_ring_capacity"_metric, labels, capacity);
}

void add_band(Families& out, Labels labels, const std::string& number, const BandSnapshot& band) {
  labels.push_back({"band", number});
  out.add("qdiscsim_qdisc_enqueue_attempts_total"_metric, labels, band.enqueue_attempts);
  out.add("qdiscsim_qdisc_enqueued_packets_total"_metric, labels, band.enqueued_packets);
  out.add("qdiscsim_qdisc_dequeued_packets_total"_metric, labels, band.dequeued_packets);
  out.add("qdiscsim_qdisc_purged_packets_total"_metric, labels, band.purged_packets);
  out.add("qdiscsim_qdisc_bypassed_packets_total"_metric, labels, band.bypassed_packets);
  out.add("qdiscsim_qdisc_packets_total"_metric, labels, band.packets);
  out.add("qdiscsim_qdisc_bytes_total"_metric, labels, band.bytes);
  out.add("qdiscsim_qdisc_drops_total"_metric, labels, "reason", "overlimit",
          band.dropped_overlimit);
  out.add("qdiscsim_qdisc_drops_total"_metric, labels, "reason", "deactivated",
          band.dropped_deactivated);
  out.add("qdiscsim_qdisc_requeues_total"_metric, labels, band.requeues);
  out.add("qdiscsim_qdisc_overlimits_total"_metric, labels, 0);
  out.add("qdiscsim_qdisc_backlog_packets"_metric, labels, band.backlog_packets);
  out.add("qdiscsim_qdisc_backlog_bytes"_metric, labels, band.backlog_bytes);
  out.add("qdiscsim_qdisc_limit_packets"_metric, labels, band.limit_packets);
  out.add("qdiscsim_qdisc_sojourn_seconds"_metric, labels, band.sojourn);
}

void add_queue(Families& out, const std::string& device, const QueueSnapshot& queue) {
  const std::string number = std::to_string(queue.index);
  const Labels labels{{"device", device}, {"queue", number}};
  for (std::size_t i = 0; i < kBands; ++i) {
    const std::string band = std::to_string(i);
    add_band(out, labels, band, queue.bands[i]);
    add_ring(out, device + "/" + number + "/band" + band, queue.bands[i].backlog_packets,
             queue.bands[i].limit_packets);
  }
  out.add("qdiscsim_queue_offered_packets_total"_metric, labels, queue.offered_packets);
  out.add("qdiscsim_queue_requeue_backlog_packets"_metric, labels, queue.requeue_backlog_packets);
  out.add("qdiscsim_queue_stuck_seconds"_metric, labels, queue.stuck_seconds);
  out.add("qdiscsim_queue_stalls_total"_metric, labels, queue.stalls);
  out.add("qdiscsim_queue_stalled_seconds_total"_metric, labels, queue.stalled_seconds);
  out.add("qdiscsim_queue_direct_packets_total"_metric, labels, queue.direct_packets);
  out.add("qdiscsim_device_tx_packets_total"_metric, labels, queue.tx_packets);
  out.add("qdiscsim_device_tx_bytes_total"_metric, labels, queue.tx_bytes);
  out.add("qdiscsim_device_tx_dropped_packets_total"_metric, labels, queue.tx_dropped_packets);
  out.add("qdiscsim_device_stopped_seconds_total"_metric, labels, queue.stopped_seconds);
  out.add("qdiscsim_device_stopped"_metric, labels, queue.stopped ? 1 : 0);
  out.add("qdiscsim_device_trans_timeout_total"_metric, labels, queue.watchdog.trans_timeout);
  out.add("qdiscsim_device_driver_ring_packets"_metric, labels, queue.driver_ring_packets);
  out.add("qdiscsim_device_bql_limit_bytes"_metric, labels, queue.bql_limit_bytes);
  out.add("qdiscsim_device_bql_inflight_bytes"_metric, labels, queue.bql_inflight_bytes);
}

// After the band's rings: tun's.
void add_vhost(Families& out, const std::string& device, const QueueSnapshot& queue) {
  const VhostSnapshot& vhost = *queue.vhost;
  const std::string number = std::to_string(queue.index);
  const Labels labels{{"device", device}, {"queue", number}};
  out.add("qdiscsim_device_guest_packets_total"_metric, labels, vhost.guest_packets);
  out.add("qdiscsim_device_guest_signals_total"_metric, labels, vhost.signals);
  constexpr MetricId kWaits = "qdiscsim_device_vhost_waits_total"_metric;
  out.add(kWaits, labels, "reason", "no_packet", vhost.no_packet);
  out.add(kWaits, labels, "reason", "no_buffer", vhost.no_buffer);
  // What is above the capacity is in the worker's hands.
  add_ring(out, device + "/" + number + "/tun",
           std::min(queue.driver_ring_packets, vhost.ring_capacity), vhost.ring_capacity);
}

void add_capture(Families& out, const Labels& labels, const CaptureSnapshot& capture) {
  out.add("qdiscsim_capture_packets_total"_metric, labels, capture.packets);
  out.add("qdiscsim_capture_bytes_total"_metric, labels, capture.bytes);
  out.add("qdiscsim_capture_missed_packets_total"_metric, labels, capture.missed);
  out.add("qdiscsim_capture_running"_metric, labels, capture.running ? 1 : 0);
  out.add("qdiscsim_capture_failed"_metric, labels, capture.error.empty() ? 0 : 1);
}

void add_device(Families& out, const DeviceSnapshot& device, const DeviceRates& rates) {
  const Labels labels{{"device", device.name}};
  for (const QueueSnapshot& queue : device.queues) {
    add_queue(out, device.name, queue);
    if (queue.vhost) add_vhost(out, device.name, queue);
  }
  out.add("qdiscsim_device_up"_metric, labels, device.up ? 1 : 0);
  out.add("qdiscsim_device_link_bits_per_second"_metric, labels, device.link_bits_per_second);
  out.add("qdiscsim_device_link_catch_up_seconds_total"_metric, labels,
          device.link_catch_up_seconds);
  out.add("qdiscsim_device_received_packets_total"_metric, labels, device.received_packets);
  if (device.capture) add_capture(out, labels, *device.capture);
  out.add("qdiscsim_throughput_mpps"_metric, labels, rates.delivered_pps / 1e6);
  out.add("qdiscsim_drop_ratio"_metric, labels, rates.drop_ratio);
}

void add_pool(Families& out, const PoolSnapshot& pool, Nanoseconds now) {
  const Labels labels{{"pool", pool.name}};
  constexpr MetricId kAlloc = "qdiscsim_page_pool_alloc_total"_metric;
  out.add(kAlloc, labels, "path", "fast", pool.stats.alloc_fast);
  out.add(kAlloc, labels, "path", "slow", pool.stats.alloc_slow);
  out.add(kAlloc, labels, "path", "slow_high_order", pool.stats.alloc_slow_high_order);
  out.add(kAlloc, labels, "path", "empty", pool.stats.alloc_empty);
  out.add(kAlloc, labels, "path", "refill", pool.stats.alloc_refill);
  out.add(kAlloc, labels, "path", "waive", pool.stats.alloc_waive);
  constexpr MetricId kRecycle = "qdiscsim_page_pool_recycle_total"_metric;
  out.add(kRecycle, labels, "path", "cached", pool.stats.recycle_cached);
  out.add(kRecycle, labels, "path", "cache_full", pool.stats.recycle_cache_full);
  out.add(kRecycle, labels, "path", "ring", pool.stats.recycle_ring);
  out.add(kRecycle, labels, "path", "ring_full", pool.stats.recycle_ring_full);
  out.add(kRecycle, labels, "path", "released_refcnt", pool.stats.recycle_released_refcnt);
  out.add("qdiscsim_page_pool_inflight_pages"_metric, labels, pool.inflight_pages);
  out.add("qdiscsim_page_pool_leaked_pages"_metric, labels, pool.leaked_pages);
  const Nanoseconds waits = pool.detached_at && !pool.freed ? now - *pool.detached_at : 0;
  out.add("qdiscsim_page_pool_teardown_seconds"_metric, labels, static_cast<double>(waits) / 1e9);
  out.add("qdiscsim_page_pool_cache_pages"_metric, labels, pool.cache_pages);
  out.add("qdiscsim_page_pool_hold_pages_total"_metric, labels, pool.hold);
  out.add("qdiscsim_page_pool_release_pages_total"_metric, labels, pool.release);
  add_ring(out, "pool " + pool.name, pool.ring_pages, pool.ring_capacity);
}

void add_state(Families& out, const DaemonState& state) {
  out.add("qdiscsim_build_info"_metric, {{"version", kVersion}, {"compiler", kCompiler}}, 1);
  out.add("qdiscsim_config_last_reload_successful"_metric, {}, state.last_reload_ok() ? 1 : 0);
  out.add("qdiscsim_config_last_reload_success_timestamp_seconds"_metric, {},
          state.last_success_at());
  out.add("qdiscsim_config_reloads_total"_metric, {}, "result", "success",
          state.reload_successes());
  out.add("qdiscsim_config_reloads_total"_metric, {}, "result", "failure", state.reload_failures());
}

void add_process(Families& out, const ProcessStats& process) {
  out.add("process_cpu_seconds_total"_metric, {}, process.cpu_seconds);
  out.add("process_resident_memory_bytes"_metric, {}, process.resident_bytes);
  out.add("process_virtual_memory_bytes"_metric, {}, process.virtual_bytes);
  out.add("process_open_fds"_metric, {}, process.open_fds);
  out.add("process_max_fds"_metric, {}, process.max_fds);
  out.add("process_start_time_seconds"_metric, {}, process.start_time);
}

}  // namespace

std::vector<prometheus::MetricFamily> MetricsCollector::Collect() const {
  const Snapshot snapshot = source_.snapshot();
  Families out;
  for (const GeneratorSnapshot& generator : snapshot.generators) add_generator(out, generator);
  for (const DeviceSnapshot& device : snapshot.devices) {
    add_device(out, device, rates_.device(device.name));
  }
  for (const PoolSnapshot& pool : snapshot.pools) add_pool(out, pool, snapshot.taken_at);
  out.add("qdiscsim_arena_pages"_metric, {}, snapshot.arena_pages);
  out.add("qdiscsim_arena_free_pages"_metric, {}, snapshot.arena_free_pages);
  add_state(out, state_);
  out.add("qdiscsim_account_violations_total"_metric, {}, snapshot.account_violations);
  out.add("qdiscsim_scrape_duration_seconds"_metric, {}, last_scrape_seconds_);
  out.add("qdiscsim_scrapes_total"_metric, {}, scrapes_);
  add_process(out, read_process_stats());
  return out.take();
}

std::string MetricsCollector::scrape() {
  const Nanoseconds begin = monotonic_ns();
  ++scrapes_;
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, Collect());
  std::string text = std::move(out).str();
  last_scrape_seconds_ = static_cast<double>(monotonic_ns() - begin) / kSecond;
  return text;
}

}  // namespace qdiscsim
