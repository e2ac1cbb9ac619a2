// Reading: live counters into plain values.
#include <algorithm>

#include "daemon/accounts.h"
#include "daemon/engine.h"
#include "daemon/queue_snapshot.h"
#include "qdisc/drop_reason.h"

namespace qdiscsim {
namespace {

using Smp = Engine::Smp;

// Packets that one CPU can have between two counters: a list of its own, or a run's quota.
constexpr std::uint64_t kMaxInMotion = 64;

}  // namespace

void Engine::read_device(const DeviceEntry& entry, Snapshot& out) const {
  const NetDevice<Smp>& device = *entry.device;
  const bool quiescent = !started_ || stopped_;
  DeviceSnapshot result;
  result.name = entry.name;
  result.link = entry.vhost != nullptr ? "vhost_net"
                : entry.tap != nullptr ? "tap"
                : device.needs_poll()  ? "wire"
                                       : "dummy";
  result.up = device.up();
  result.link_bits_per_second = device.link().rate();
  result.has_bql = !device.link().lockless_transmit();
  result.tx_queues = device.queue_count();
  result.received_packets = device.received();
  result.link_catch_up_seconds = static_cast<double>(device.link().catch_up_ns()) / 1e9;
  for (std::uint32_t i = 0; i < device.qdisc_count(); ++i) {
    const TxQueue<Smp>& queue = device.tx_queue(static_cast<std::uint16_t>(i));
    const QueueAccount account = device.account(i, quiescent);
    const std::string broken =
        quiescent ? broken_law(account) : impossible_account(account, cpus_ * kMaxInMotion);
    if (!broken.empty()) {
      out.broken_laws.push_back(entry.name + " queue " + std::to_string(i) + ": " + broken);
    }
    QueueSnapshot q;
    q.index = i;
    show_account(account, q);
    for (std::size_t band = 0; band < kBandCount; ++band) {
      q.bands[band].limit_packets = device.tx_queue_len();
      q.bands[band].sojourn = device.sojourn(i, band);
    }
    q.bql_limit_bytes = queue.bql.limit_bytes();
    q.bql_inflight_bytes = queue.bql.inflight_bytes();
    q.bql_limit_min_bytes = queue.bql.min_limit_bytes();
    q.bql_limit_max_bytes = queue.bql.max_limit_bytes();
    q.bql_hold_time = queue.bql.kHoldTime;
    entry.stopped_shown.resize(device.qdisc_count());
    Nanoseconds& shown = entry.stopped_shown[i];
    shown = std::max(shown, queue.stopped_ns(Smp::now()));
    q.stopped_seconds = static_cast<double>(shown) / 1e9;
    q.stopped = queue.stopped();
    q.watchdog = {queue.trans_timeout(),
                  static_cast<double>(Smp::now() - queue.trans_start()) / 1e9};
    q.stuck_seconds = static_cast<double>(entry.watch->stuck_for(i, Smp::now())) / 1e9;
    read_stalls(entry, Smp::now(), q);
    if (entry.vhost != nullptr) q.vhost = entry.vhost->read(static_cast<std::uint16_t>(i));
    result.queues.push_back(q);
  }
  if (entry.capture != nullptr) result.capture = entry.capture->read();
  out.devices.push_back(std::move(result));
}

void Engine::read_generator(const GeneratorThread& thread, Snapshot& out) const {
  const GeneratorCounters<Smp>& counters = thread.generator().counters();
  GeneratorSnapshot g;
  g.group = thread.group();
  g.thread = thread.name();
  g.device = thread.device_name();
  g.cpu = thread.bound_cpu();
  g.running = counters.running.load(smp::relaxed);
  // Sent before offered: what is sent was offered first.
  g.sent_packets = counters.sent.read();
  g.sent_bytes = counters.sent_bytes.read();
  g.errors = counters.errors.read();
  g.offered_packets = counters.offered.read();
  g.no_memory = counters.no_memory.read();
  g.waits = counters.waits.read();
  const Nanoseconds due = counters.due.load(smp::relaxed);
  const Nanoseconds behind = due != 0 && out.taken_at > due ? out.taken_at - due : 0;
  g.behind_seconds = static_cast<double>(behind) / 1e9;
  g.behind_seconds_max =
      static_cast<double>(std::max(behind, counters.most_behind.load(smp::relaxed))) / 1e9;
  g.latency = thread.generator().latency();
  g.configured_pps = thread.configured_pps;
  g.keeps_gaps = thread.keeps_gaps;
  if (counters.started_at.load(smp::relaxed) != 0) {
    g.result = format_result(thread.generator().result());
  }
  out.generators.push_back(std::move(g));

  const auto& pool = thread.pool();
  PoolSnapshot p;
  p.name = thread.label();
  p.device = thread.device_name();
  p.stats = pool.stats();
  p.release = pool.release();
  p.hold = pool.hold();
  p.inflight_pages = p.hold - std::min(p.hold, p.release);
  p.cache_pages = pool.cache_pages();
  p.ring_pages = pool.ring_pages();
  p.ring_capacity = pool.ring_capacity();
  const PoolLife::Reading life = thread.pool_life().read();
  p.id = life.id;
  p.detached_at = life.detached_at;
  p.freed = life.freed;
  const auto& keeper = thread.generator().keeper();
  p.leaked_pages = keeper.kept();
  if (out.quiescent) p.leaked_alone_pages = keeper.kept_alone();
  out.pools.push_back(std::move(p));
}

Snapshot Engine::snapshot() const {
  const std::lock_guard guard{mutex_};
  Snapshot out;
  out.taken_at = Smp::now();
  out.kernel = config_.kernel;
  out.full_band_drop_reason = full_band_drop_reason(config_.kernel);
  out.quiescent = !started_ || stopped_;
  // Devices first: a generator counts a packet as offered before the device sees it.
  for (const DeviceEntry& entry : devices_) read_device(entry, out);
  for (const auto& thread : generators_) read_generator(*thread, out);
  for (const auto& thread : jobs_) read_generator(*thread, out);
  out.arena_pages = arena_.size();
  out.arena_free_pages = allocator_.free_pages();
  out.arena_page_bytes = kPageBytes;
  out.arena_backing = arena_.backing();
  out.arena_node = arena_.node();
  if (out.quiescent) {
    for (std::string& text : broken_totals(out)) out.broken_laws.push_back(std::move(text));
  }
  out.account_violations =
      account_violations_.fetch_add(out.broken_laws.size(), smp::relaxed) + out.broken_laws.size();
  return out;
}

}  // namespace qdiscsim
