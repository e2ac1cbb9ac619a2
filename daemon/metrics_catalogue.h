// Every metric that /metrics can show: the one list from which docs/metrics.md is written, which
// the collector fills, and against which dashboards and rules are tested.
//
// A name that is not in the table does not compile: the collector asks for families by
// "name"_metric, which is evaluated by the compiler. Names end in their unit; counters in _total.
#pragma once

#include <prometheus/metric_type.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace qdiscsim {

// What one series of a metric describes; it decides the first labels.
enum class MetricScope : std::uint8_t {
  kGenerator,  // generator, thread, device
  kBand,       // device, queue, band
  kQueue,      // device, queue
  kDevice,     // device
  kPool,       // pool
  kRing,       // ring
  kDaemon,     // none
};

struct MetricInfo {
  std::string_view name;
  prometheus::MetricType type;
  std::string_view unit;
  MetricScope scope;
  std::string_view help;          // one sentence, without a full stop: it becomes # HELP
  std::string_view extra_labels;  // "reason: overlimit, deactivated"; empty for most
};

inline constexpr auto kMetrics = [] {
  using enum prometheus::MetricType;
  using enum MetricScope;
  return std::to_array<MetricInfo>({
      // ---- generators ----
      {"qdiscsim_generator_offered_packets_total", Counter, "packets", kGenerator,
       "Packets that the generator handed to its device, copies counted", ""},
      {"qdiscsim_generator_sent_packets_total", Counter, "packets", kGenerator,
       "Packets that the device accepted (sofar in pktgen)", ""},
      {"qdiscsim_generator_sent_bytes_total", Counter, "bytes", kGenerator,
       "Bytes of the accepted packets, without frame check sequence", ""},
      {"qdiscsim_generator_errors_total", Counter, "packets", kGenerator,
       "Packets that the device refused or dropped at once (errors in pktgen)", ""},
      {"qdiscsim_generator_no_memory_total", Counter, "attempts", kGenerator,
       "Attempts to build a packet that found no page in the page_pool", ""},
      {"qdiscsim_generator_behind_seconds", Gauge, "seconds", kGenerator,
       "How late the next packet is against its schedule; 0 without a rate", ""},
      {"qdiscsim_generator_behind_max_seconds", Gauge, "seconds", kGenerator,
       "Largest lateness against the schedule since the generator started", ""},
      {"qdiscsim_generator_latency_seconds", Histogram, "seconds", kGenerator,
       "Time of sampled packets from when each was due until it was on the wire (latency_sample "
       "sets how many)",
       ""},
      {"qdiscsim_generator_running", Gauge, "0 or 1", kGenerator,
       "1 while the generator sends, 0 before its start and after its last packet", ""},
      {"qdiscsim_generator_configured_packets_per_second", Gauge, "packets per second", kGenerator,
       "The thread's share of the configured rate; 0 without a rate", ""},

      // ---- pfifo_fast, per band ----
      {"qdiscsim_qdisc_enqueue_attempts_total", Counter, "packets", kBand,
       "Packets that the band was asked to queue: enqueued and dropped ones", ""},
      {"qdiscsim_qdisc_enqueued_packets_total", Counter, "packets", kBand,
       "Packets that entered the band's ring", ""},
      {"qdiscsim_qdisc_dequeued_packets_total", Counter, "packets", kBand,
       "Packets that left the band's ring, to be sent or purged", ""},
      {"qdiscsim_qdisc_purged_packets_total", Counter, "packets", kBand,
       "Dequeued packets that a reset discarded", ""},
      {"qdiscsim_qdisc_bypassed_packets_total", Counter, "packets", kBand,
       "Packets that went straight to the device because the qdisc was empty", ""},
      {"qdiscsim_qdisc_packets_total", Counter, "packets", kBand,
       "Packets sent through the band, queued or bypassed (Sent in tc -s qdisc)", ""},
      {"qdiscsim_qdisc_bytes_total", Counter, "bytes", kBand,
       "Bytes sent through the band, queued or bypassed (Sent in tc -s qdisc)", ""},
      {"qdiscsim_qdisc_drops_total", Counter, "packets", kBand,
       "Packets that the band dropped: its ring was full, or its queue was down",
       "reason: overlimit, deactivated"},
      {"qdiscsim_qdisc_requeues_total", Counter, "packets", kBand,
       "Packets that the device did not take and that were put back to be sent first", ""},
      {"qdiscsim_qdisc_overlimits_total", Counter, "packets", kBand,
       "Always 0: pfifo_fast does not shape; kept because tc -s qdisc shows it", ""},
      {"qdiscsim_qdisc_backlog_packets", Gauge, "packets", kBand, "Packets in the band's ring now",
       ""},
      {"qdiscsim_qdisc_backlog_bytes", Gauge, "bytes", kBand, "Bytes in the band's ring now", ""},
      {"qdiscsim_qdisc_limit_packets", Gauge, "packets", kBand,
       "Size of the band's ring (tx_queue_len)", ""},
      {"qdiscsim_qdisc_sojourn_seconds", Histogram, "seconds", kBand,
       "Time that sampled packets spent in the band's ring (sojourn_sample sets how many)", ""},

      // ---- tx queues ----
      {"qdiscsim_queue_offered_packets_total", Counter, "packets", kQueue,
       "Packets that callers handed to the queue's qdisc: bypassed, enqueued or dropped", ""},
      {"qdiscsim_queue_requeue_backlog_packets", Gauge, "packets", kQueue,
       "Packets in the requeue list and the bad-txq list now", ""},
      {"qdiscsim_queue_stuck_seconds", Gauge, "seconds", kQueue,
       "How long packets have waited with nobody to send them, though the tx queue runs, or the "
       "consumer has been stalled on purpose; 0 when the queue is served, or for less than 1 s",
       ""},
      {"qdiscsim_queue_stalls_total", Counter, "stalls", kQueue,
       "Times that a stall of the consumer was asked for (docs/control.md)", ""},
      {"qdiscsim_queue_stalled_seconds_total", Counter, "seconds", kQueue,
       "Time that the queue was stalled on purpose", ""},
      {"qdiscsim_queue_direct_packets_total", Counter, "packets", kQueue,
       "Packets handed to the driver past the qdisc (start_xmit)", ""},

      // ---- devices ----
      {"qdiscsim_device_tx_packets_total", Counter, "packets", kQueue,
       "Packets that the link has sent and completed", ""},
      {"qdiscsim_device_tx_bytes_total", Counter, "bytes", kQueue,
       "Bytes that the link has sent and completed, without frame check sequence", ""},
      {"qdiscsim_device_tx_dropped_packets_total", Counter, "packets", kQueue,
       "Packets that the driver consumed without sending", ""},
      {"qdiscsim_device_stopped_seconds_total", Counter, "seconds", kQueue,
       "Time that the tx queue was stopped (driver ring full, byte limit reached, stalled, or "
       "down)",
       ""},
      {"qdiscsim_device_stopped", Gauge, "0 or 1", kQueue, "1 while the tx queue is stopped", ""},
      {"qdiscsim_device_trans_timeout_total", Counter, "timeouts", kQueue,
       "Times that the watchdog found the tx queue stopped for over 5 s (trans_timeout)", ""},
      {"qdiscsim_device_driver_ring_packets", Gauge, "packets", kQueue,
       "Packets posted to the driver ring and not yet completed", ""},
      {"qdiscsim_device_bql_limit_bytes", Gauge, "bytes", kQueue,
       "Current byte queue limit; 0 when it is off", ""},
      {"qdiscsim_device_bql_inflight_bytes", Gauge, "bytes", kQueue,
       "Bytes posted to the driver and not yet completed, as the byte queue limit counts them", ""},
      {"qdiscsim_device_guest_packets_total", Counter, "packets", kQueue,
       "Packets that the guest has received; vhost_net links only", ""},
      {"qdiscsim_device_guest_signals_total", Counter, "signals", kQueue,
       "Times that the vhost worker woke the guest; vhost_net links only", ""},
      {"qdiscsim_device_vhost_waits_total", Counter, "times", kQueue,
       "Times that the vhost worker found no packet or no buffer; vhost_net links only",
       "reason: no_packet, no_buffer"},
      {"qdiscsim_device_up", Gauge, "0 or 1", kDevice,
       "0 while the device is down, as by ip link set down; packets offered then are dropped with "
       "reason deactivated",
       ""},
      {"qdiscsim_device_link_bits_per_second", Gauge, "bits per second", kDevice,
       "Rate of the link; 0 for a link without a limit", ""},
      {"qdiscsim_device_link_catch_up_seconds_total", Counter, "seconds", kDevice,
       "Transmit time that the link made up for because the host ran it late", ""},
      {"qdiscsim_device_received_packets_total", Counter, "packets", kDevice,
       "Packets delivered to the receiving stack (netif_receive)", ""},
      {"qdiscsim_capture_packets_total", Counter, "packets", kDevice,
       "Packets in the capture file; devices with a capture only, as the next ones", ""},
      {"qdiscsim_capture_bytes_total", Counter, "bytes", kDevice, "Bytes in the capture file", ""},
      {"qdiscsim_capture_missed_packets_total", Counter, "packets", kDevice,
       "Packets that the link took while the capture's writer had no room for them", ""},
      {"qdiscsim_capture_running", Gauge, "0 or 1", kDevice,
       "1 while packets are captured, 0 after the capture's limit or an error", ""},
      {"qdiscsim_capture_failed", Gauge, "0 or 1", kDevice,
       "1 when the capture has ended because its file could not be written", ""},
      {"qdiscsim_throughput_mpps", Gauge, "million packets per second", kDevice,
       "Packets sent and received over the last second, for human eyes: rules use the counters",
       ""},
      {"qdiscsim_drop_ratio", Gauge, "0 to 1", kDevice,
       "Dropped by offered packets over the last second, for human eyes: rules use the counters",
       ""},

      // ---- page_pool and its memory ----
      {"qdiscsim_page_pool_alloc_total", Counter, "pages", kPool,
       "Page requests by the path that served them (names as in ethtool's page_pool statistics)",
       "path: fast, slow, slow_high_order, empty, refill, waive"},
      {"qdiscsim_page_pool_recycle_total", Counter, "pages", kPool,
       "Returned pages by where they went (names as in ethtool's page_pool statistics)",
       "path: cached, cache_full, ring, ring_full, released_refcnt"},
      {"qdiscsim_page_pool_inflight_pages", Gauge, "pages", kPool,
       "Pages that the pool holds: in its cache, in its ring and in use", ""},
      {"qdiscsim_page_pool_leaked_pages", Gauge, "pages", kPool,
       "Part of the pages in flight: kept for ever by a faulty consumer (generators[].leak)", ""},
      {"qdiscsim_page_pool_teardown_seconds", Gauge, "seconds", kPool,
       "How long the end of the pool of a generator that went has waited for its pages; else 0",
       ""},
      {"qdiscsim_page_pool_cache_pages", Gauge, "pages", kPool, "Pages in the pool's cache now",
       ""},
      {"qdiscsim_page_pool_hold_pages_total", Counter, "pages", kPool,
       "Pages that the pool took from the allocator", ""},
      {"qdiscsim_page_pool_release_pages_total", Counter, "pages", kPool,
       "Pages that the pool gave back to the allocator", ""},
      {"qdiscsim_ring_occupancy", Gauge, "entries", kRing, "Entries in the ring now", ""},
      {"qdiscsim_ring_capacity", Gauge, "entries", kRing, "Entries that the ring can hold", ""},
      {"qdiscsim_arena_pages", Gauge, "pages", kDaemon,
       "Pages of the arena from which every page_pool allocates (memory.limit)", ""},
      {"qdiscsim_arena_free_pages", Gauge, "pages", kDaemon, "Pages of the arena in no page_pool",
       ""},

      // ---- the daemon ----
      {"qdiscsim_build_info", Gauge, "always 1", kDaemon,
       "Version and compiler of this qdiscsimd, as labels", "version, compiler"},
      {"qdiscsim_config_last_reload_successful", Gauge, "0 or 1", kDaemon,
       "1 when the configuration in the file is the one that runs, as of the last reload", ""},
      {"qdiscsim_config_last_reload_success_timestamp_seconds", Gauge, "seconds since 1970",
       kDaemon, "When a configuration was last applied; the start counts", ""},
      {"qdiscsim_config_reloads_total", Counter, "reloads", kDaemon,
       "Attempts to reload the configuration", "result: success, failure"},
      {"qdiscsim_account_violations_total", Counter, "checks", kDaemon,
       "Checks of the law of accounts that failed; any value above 0 is a bug in qdiscsim", ""},
      {"qdiscsim_scrape_duration_seconds", Gauge, "seconds", kDaemon,
       "Time that collecting and writing the previous /metrics answer took", ""},
      {"qdiscsim_scrapes_total", Counter, "scrapes", kDaemon, "Answers of /metrics, this included",
       ""},
      {"process_cpu_seconds_total", Counter, "seconds", kDaemon,
       "User and system CPU time of the process", ""},
      {"process_resident_memory_bytes", Gauge, "bytes", kDaemon, "Resident memory", ""},
      {"process_virtual_memory_bytes", Gauge, "bytes", kDaemon, "Virtual memory", ""},
      {"process_open_fds", Gauge, "descriptors", kDaemon, "Open file descriptors", ""},
      {"process_max_fds", Gauge, "descriptors", kDaemon, "Limit of open file descriptors", ""},
      {"process_start_time_seconds", Gauge, "seconds since 1970", kDaemon,
       "When the process started", ""},
  });
}();

// A metric's position in kMetrics.
struct MetricId {
  std::size_t index;
};

consteval MetricId operator""_metric(const char* text, std::size_t size) {
  const std::string_view name{text, size};
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (kMetrics[i].name == name) return {i};
  }
  throw "no such metric in the catalogue";  // reached by the compiler only
}

// "generator, thread, device": the labels that a scope brings, without the extra ones.
std::string_view scope_labels(MetricScope scope) noexcept;

// "counter", "gauge" or "histogram".
std::string_view type_name(prometheus::MetricType type) noexcept;

// docs/metrics.md, whole.
std::string metrics_reference_markdown();

}  // namespace qdiscsim
