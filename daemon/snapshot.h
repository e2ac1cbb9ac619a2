// One consistent-enough reading of every counter, as plain values: what the metrics collector, the
// progress line, the final report and the page at `/` show. The engine fills it (engine.h,
// Engine::snapshot); nobody else touches live counters.
//
// While threads run the values were read one after another, so sums may differ by packets in
// motion. At a quiescent point (threads joined) the law of accounts holds exactly: see
// daemon/accounts.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/kernel_version.h"
#include "base/recording.h"
#include "pagepool/page_pool_stats.h"
#include "qdisc/priority.h"

namespace qdiscsim {

inline constexpr std::size_t kBands = kBandCount;

struct BandSnapshot {
  std::uint64_t enqueue_attempts = 0;  // enqueued + every kind of drop at the band
  std::uint64_t enqueued_packets = 0;
  std::uint64_t dequeued_packets = 0;  // taken out of the band's ring: sent on, or purged
  std::uint64_t purged_packets = 0;    // part of dequeued: discarded by a reset
  std::uint64_t bypassed_packets = 0;
  std::uint64_t dropped_overlimit = 0;    // the band's ring was full
  std::uint64_t dropped_deactivated = 0;  // the queue was down
  std::uint64_t packets = 0;  // the kernel's "Sent": dequeued for transmission + bypassed
  std::uint64_t bytes = 0;
  std::uint64_t requeues = 0;
  std::uint64_t backlog_packets = 0;  // in the ring (requeued packets are in QueueSnapshot)
  std::uint64_t backlog_bytes = 0;
  std::uint64_t limit_packets = 0;
  Recording sojourn;  // of the timed packets that left the ring to be sent
};

// What stands behind a queue of a vhost_net link (daemon/vhost_net.h). Packets in tun's ring and in
// the worker's hands are the queue's driver_ring_packets.
struct VhostSnapshot {
  std::uint64_t ring_capacity = 0;  // of tun's ring
  std::uint64_t guest_packets = 0;  // received by the guest; at rest all of tx_packets
  std::uint64_t guest_bytes = 0;
  std::uint64_t guest_wrong = 0;  // not as they were sent; any is a bug
  std::uint64_t signals = 0;      // from the worker to the guest
  std::uint64_t no_packet = 0;    // times that the worker waited for a packet
  std::uint64_t no_buffer = 0;    // times that the worker waited for a buffer of the guest
};

// What the transmit watchdog knows of a queue (the kernel's dev_watchdog()).
struct WatchdogSnapshot {
  std::uint64_t trans_timeout = 0;       // times that it found the queue stopped for too long
  double since_trans_start_seconds = 0;  // since the driver last took a packet or was started
};

struct QueueSnapshot {
  std::uint32_t index = 0;
  std::array<BandSnapshot, kBands> bands;
  std::uint64_t offered_packets =
      0;  // packets handed to queue_xmit for this queue, counted by the caller
  std::uint64_t requeue_backlog_packets = 0;  // in the requeue list and the bad-txq list
  std::uint64_t requeue_backlog_bytes = 0;
  std::uint64_t requeue_purged_packets = 0;  // discarded from those lists by a reset
  std::uint64_t direct_packets = 0;          // start_xmit: handed to the driver past the qdisc
  std::uint64_t tx_packets = 0;              // completed by the link
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_dropped_packets = 0;   // consumed by the driver without sending
  std::uint64_t driver_ring_packets = 0;  // posted, not yet completed
  std::uint64_t bql_limit_bytes = 0;
  std::uint64_t bql_inflight_bytes = 0;
  std::uint64_t bql_limit_min_bytes = 0;
  std::uint64_t bql_limit_max_bytes = 0;
  Nanoseconds bql_hold_time = 0;  // how long slack is watched before the limit shrinks
  double stopped_seconds = 0;
  bool stopped = false;
  WatchdogSnapshot watchdog;
  // Packets wait, nobody is going to send them, or the queue is stalled; 0 = not stuck.
  double stuck_seconds = 0;
  std::uint64_t stalls = 0;            // that were asked for, on any of the qdisc's tx queues
  double stalled_seconds = 0;          // the time that they took, the running one included
  std::optional<VhostSnapshot> vhost;  // of a vhost_net link only
};

// A device's capture (daemon/capture.h).
struct CaptureSnapshot {
  std::string file;
  std::uint64_t packets = 0;  // in the file, as far as it was flushed
  std::uint64_t bytes = 0;    // of the file
  std::uint64_t missed = 0;   // packets that left while the writer had no room for them
  bool running = false;       // false: at its limit, failed, or stopped
  std::string error;          // why the file could not be written; empty = it could
};

struct DeviceSnapshot {
  std::string name;
  std::string link;                        // "dummy", "wire", "vhost_net" or "tap"
  bool up = true;                          // false: taken down (`ip link set down`)
  std::uint64_t link_bits_per_second = 0;  // 0 = no limit
  // The kernel shows byte_queue_limits of it: not when it transmits without the queue's lock.
  bool has_bql = false;
  std::uint32_t tx_queues = 1;
  std::uint32_t qdisc_handle = 0;      // major number of the root qdisc; the kernel's default has 0
  std::uint64_t received_packets = 0;  // netif_receive: delivered to the stack's sink
  double link_catch_up_seconds = 0;    // wire: transmit time made up for because the host ran late
  std::vector<QueueSnapshot> queues;   // one for each qdisc that holds packets
  std::optional<CaptureSnapshot> capture = std::nullopt;  // of a device that has one
};

struct PoolSnapshot {
  std::string name;                                       // the generator thread that owns it
  std::string device;                                     // that the thread sends to
  std::uint32_t id = 0;                                   // as netlink's; 1 or more
  std::optional<Nanoseconds> detached_at = std::nullopt;  // monotonic; none: its end has not begun
  bool freed = false;                                     // its end has come
  PagePoolStats stats;
  std::uint64_t hold = 0;
  std::uint64_t release = 0;
  std::uint64_t inflight_pages = 0;  // hold - release: cache, ring and pages in use
  // Part of them: kept for ever by a consumer (generators[].leak), and, at a quiescent point only,
  // those of these whose packet does not wait anywhere.
  std::uint64_t leaked_pages = 0;
  std::uint64_t leaked_alone_pages = 0;
  std::uint64_t cache_pages = 0;
  std::uint64_t ring_pages = 0;
  std::uint64_t ring_capacity = 0;
};

struct GeneratorSnapshot {
  std::string group;
  std::string thread = "0";  // number within the group; of pktgen's control files: "eth0@0"
  std::string device;
  int cpu = -1;  // that the thread is bound to; -1 = several, any, or it has not run
  bool running = false;
  std::uint64_t offered_packets = 0;  // calls into the device, copies counted
  std::uint64_t sent_packets = 0;     // pktgen's sofar
  std::uint64_t sent_bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t no_memory = 0;  // page_pool had no page: tried again
  std::uint64_t waits = 0;      // turns that came to nothing, those without memory included
  double behind_seconds = 0;    // how late the next packet is against its schedule, now
  double behind_seconds_max = 0;
  double configured_pps = 0;  // 0 = no rate configured
  bool keeps_gaps = false;    // those of a capture, where a pause may be of any length
  Recording latency;          // of the timed packets that left, from when each was due
  std::string result;         // the kernel's Result line; empty while it has not run
};

struct Snapshot {
  Nanoseconds taken_at = 0;  // monotonic
  std::vector<DeviceSnapshot> devices;
  std::vector<GeneratorSnapshot> generators;
  std::vector<PoolSnapshot> pools;
  std::uint64_t arena_pages = 0;
  std::uint64_t arena_free_pages = 0;
  std::uint64_t arena_page_bytes = 4096;
  std::string arena_backing;  // "hugetlb", "transparent huge pages" or "normal pages"
  int arena_node = -1;        // NUMA node of the first page, -1 unknown
  KernelVersion kernel = KernelVersion::k6_18;  // that is modelled
  std::string full_band_drop_reason;            // as the modelled kernel calls drops overlimit
  bool quiescent = false;                       // no thread runs: the law must hold to the packet
  // What breaks the law of accounts in this reading, a sentence each (daemon/accounts.h). Among
  // running threads only what packets in motion cannot explain.
  std::vector<std::string> broken_laws;
  std::uint64_t account_violations = 0;  // broken laws found in all snapshots so far
};

}  // namespace qdiscsim
