// A hand-made snapshot with a different number in every place, so that a mix-up shows.
#pragma once

#include "daemon/source.h"

namespace qdiscsim {

// One device eth0 with one queue, one generator gen/0 with its pool. The accounts add up.
inline Snapshot sample_snapshot() {
  Snapshot s;
  s.taken_at = 10 * kSecond;
  s.arena_pages = 4096;
  s.arena_free_pages = 3000;
  s.arena_backing = "normal pages";

  DeviceSnapshot& device = s.devices.emplace_back();
  device.name = "eth0";
  device.link = "wire";
  device.link_bits_per_second = 1'000'000'000;
  device.received_packets = 17;
  device.link_catch_up_seconds = 0.25;
  device.capture = CaptureSnapshot{.file = "/tmp/eth0.pcapng",
                                   .packets = 1'750,
                                   .bytes = 200'000,
                                   .missed = 41,
                                   .running = true,
                                   .error = ""};
  QueueSnapshot& queue = device.queues.emplace_back();
  queue.direct_packets = 31;
  queue.tx_packets = 1800;
  queue.tx_bytes = 108'000;
  queue.tx_dropped_packets = 3;
  queue.driver_ring_packets = 64;
  queue.requeue_backlog_packets = 2;
  queue.bql_limit_bytes = 9000;
  queue.bql_inflight_bytes = 3840;
  queue.stopped_seconds = 1.5;
  queue.stopped = true;
  queue.watchdog = {.trans_timeout = 2, .since_trans_start_seconds = 5.25};
  queue.stuck_seconds = 2.5;
  queue.stalls = 6;
  queue.stalled_seconds = 7.5;
  queue.vhost = VhostSnapshot{.ring_capacity = 500,
                              .guest_packets = 1790,
                              .guest_bytes = 107'400,
                              .signals = 21,
                              .no_packet = 22,
                              .no_buffer = 23};
  for (std::size_t i = 0; i < kBands; ++i) {
    BandSnapshot& band = queue.bands[i];
    band.bypassed_packets = 100 + i;
    band.enqueued_packets = 700 + i;
    band.dequeued_packets = 600 + i;
    band.purged_packets = i;
    band.backlog_packets = band.enqueued_packets - band.dequeued_packets;
    band.backlog_bytes = 60 * band.backlog_packets;
    band.dropped_overlimit = 50 * i;
    band.dropped_deactivated = 5 * i;
    band.enqueue_attempts =
        band.enqueued_packets + band.dropped_overlimit + band.dropped_deactivated;
    band.packets = band.dequeued_packets - band.purged_packets + band.bypassed_packets;
    band.bytes = 60 * band.packets;
    band.requeues = 7 + i;
    band.limit_packets = 1000;
    band.sojourn.add(LatencyBuckets::index(1'000), 4);
    band.sojourn.add(LatencyBuckets::index(10'000), 2);
    band.sojourn.add(LatencyBuckets::index(2 * kSecond), 1);
    band.sojourn.sum = 2 * kSecond + 24'000;
    band.sojourn.max = 2 * kSecond;
    queue.offered_packets += band.enqueue_attempts + band.bypassed_packets;
  }

  GeneratorSnapshot& generator = s.generators.emplace_back();
  generator.group = "gen";
  generator.device = "eth0";
  generator.cpu = 3;
  generator.running = true;
  generator.offered_packets = queue.offered_packets;
  generator.sent_packets = 2403;
  generator.sent_bytes = 144'180;
  generator.errors = 165;
  generator.no_memory = 9;
  generator.behind_seconds = 0.001;
  generator.behind_seconds_max = 0.02;
  generator.configured_pps = 1'000'000;
  generator.latency.add(LatencyBuckets::index(5'000), 3);
  generator.latency.sum = 15'000;
  generator.latency.max = 5'000;
  generator.result =
      "OK: 2000(c1990+d10) usec, 2403 (60byte,0frags)\n  1201500pps 576Mb/sec (576720000bps) "
      "errors: 165";

  PoolSnapshot& pool = s.pools.emplace_back();
  pool.device = "eth0";
  pool.name = "gen/0";
  pool.id = 1;
  pool.stats.alloc_fast = 2300;
  pool.stats.alloc_slow = 70;
  pool.stats.alloc_slow_high_order = 1;
  pool.stats.alloc_empty = 71;
  pool.stats.alloc_refill = 32;
  pool.stats.alloc_waive = 5;
  pool.stats.recycle_cached = 1900;
  pool.stats.recycle_cache_full = 11;
  pool.stats.recycle_ring = 400;
  pool.stats.recycle_ring_full = 13;
  pool.stats.recycle_released_refcnt = 6;
  pool.hold = 1120;
  pool.release = 24;
  pool.inflight_pages = 1096;
  pool.cache_pages = 64;
  pool.ring_pages = 300;
  pool.ring_capacity = 1024;
  return s;
}

class FakeSource : public SnapshotSource {
 public:
  Snapshot snapshot() const override { return value; }
  Snapshot value = sample_snapshot();
};

}  // namespace qdiscsim
