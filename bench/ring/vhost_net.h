// vhost_net: packets on their way from pktgen into a guest, three threads and two rings:
//
//   pktgen ── start_xmit ──▶ tun's ptr_ring ──▶ vhost worker ──▶ vring ──▶ guest
//   builds each packet       full: dropped      one by one,       256       checks it,
//                                               or 64 at once     buffers   gives the buffer back
//
// With fewer than three CPUs the guest has no thread of its own: its interrupt is work for the
// worker's thread, which goes on with the next packets when the guest has emptied its ring. Else
// the two would take turns at the scheduler's pace, and tun's ring would overflow meanwhile.
//
// pktgen never waits for the worker, so whatever the worker cannot carry is dropped at tun's ring.
// Checked at the end, to the packet: sent = accepted + dropped at tun; accepted = received by the
// guest (nothing is left in a ring); the guest sees the numbers that pktgen wrote never fall.
// Source of the scenario: the kernel's series on batch zeroing in ptr_ring, 2017.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/smp_native.h"
#include "bench/ring/params.h"
#include "bench/ring/threads.h"
#include "bench/ring/vhost_guest.h"
#include "pktgen/generator.h"
#include "qdisc/tun_link.h"
#include "qdisc/vhost_worker.h"
#include "ring/ptr_ring.h"
#include "ring/vring_host.h"

namespace qdiscsim::ring_bench {

struct VhostNetOptions {
  std::size_t batch = 1;  // packets that the worker takes at once
  Pacer::Period period;   // of pktgen
};

// Ring: the PtrRing of tun.
template <class Ring>
Outcome run_vhost_net(const Params& params, const VhostNetOptions& scenario) {
  using Smp = smp::Native;
  using Tun = TunLink<Smp, Ring>;
  using Host = VringHost<Smp>;
  using Worker = VhostWorker<Smp, Tun, Host>;
  using Memory = PacketMemory<Smp>;
  // pktgen sends each packet this many times, or it could not keep the worker busy.
  constexpr std::uint32_t kBurst = 16;
  constexpr CpuId kGeneratorCpu = 1;
  constexpr CpuId kWorkerCpu = 2;
  constexpr CpuId kCpus = 3;
  // Beyond what the rings hold: the pool's own ring and cache, and a refill.
  constexpr std::size_t kPages = 1536;

  PageArena<Smp> arena{params.size + kPages, HugePages::kTry};
  typename Memory::Pool::Allocator allocator{arena};
  Memory memory{arena};
  DeviceOptions options;
  options.qdisc.cpus = kCpus;
  auto link = std::make_unique<Tun>(memory, std::uint16_t{1}, params.size, kCpus);
  Tun& tun = *link;
  Device<Smp, PtrRing<Smp>> device{options, std::move(link), memory};
  // Stands in for the device's own queue: the worker counts on its CPU number.
  TxQueue<Smp>& tx_queue = device.tx_queue(0);

  VhostGuest guest{params.event_index, Worker::kHeader};
  Host host{guest.ring(), guest.memory(), VhostGuest::kRingAt};
  QDISCSIM_CHECK(host.attach());
  Worker worker{tun,          tx_queue,   host,
                guest.call(), kWorkerCpu, {.queue = 0, .batch = scenario.batch, .busy_poll = true}};

  QuiescentEpoch<Smp> epoch;
  Cpu<Smp> cpu{kGeneratorCpu};
  PagePoolParams pool_params;
  pool_params.owner_cpu = kGeneratorCpu;
  pool_params.cpus = kCpus;
  typename Memory::Pool pool{allocator, pool_params};
  GeneratorSettings settings;
  settings.mode = TransmitMode::kStartXmit;
  settings.period = scenario.period;
  settings.burst = kBurst;
  Generator<Smp> generator{cpu, device, pool, memory, epoch, settings};

  const bool shared = std::thread::hardware_concurrency() < 3;
  if (shared) guest.share(worker.work_list(), worker.kick());
  RunControl control{params};
  Outcome outcome;
  Nanoseconds sent_at = 0;
  outcome.error = run_together(params, shared ? 2 : 3, control, [&](unsigned who) noexcept {
    if (who == 0) {
      worker.run();
    } else if (who == 2) {
      guest.run(worker.kick(), control);
    } else {
      constexpr std::uint64_t kStepsPerLook = 1024;
      std::uint64_t steps = 0;
      generator.start();
      while (generator.counters().offered.read() < params.count) {
        generator.step();
        if (++steps % kStepsPerLook == 0 && control.expired()) break;
      }
      generator.finish();
      sent_at = RunControl::Clock::now();
      Wait wait{control};
      while (guest.received() < tun.accepted(0) && !worker.broken() && wait.pause()) {
      }
      control.stop();
      worker.stop();
    }
  });
  if (!outcome.error.empty()) return outcome;

  const std::uint64_t sent = generator.counters().offered.read();
  const std::uint64_t accepted = tun.accepted(0);
  const std::uint64_t dropped = tx_queue.totals().dropped;
  outcome.items = guest.received();
  outcome.seconds = static_cast<double>(sent_at - control.started()) / 1e9;
  const auto mega = [&](std::uint64_t n) { return static_cast<double>(n) / outcome.seconds / 1e6; };
  const auto share =
      static_cast<double>(dropped) / static_cast<double>(std::max<std::uint64_t>(sent, 1));
  outcome.figures = {{"xmit Mpps", mega(accepted)},
                     {"dropped Mpps", mega(dropped)},
                     {"total Mpps", mega(sent)},
                     {"drop share %", 100 * share}};
  if (worker.broken()) {
    outcome.error = "the worker found the vring broken";
  } else if (sent < params.count || guest.received() < accepted) {
    outcome.error = control.time_limit_text();
  } else if (sent != accepted + dropped) {
    outcome.error = "sent " + std::to_string(sent) + " packets, accepted " +
                    std::to_string(accepted) + ", dropped " + std::to_string(dropped);
  } else if (accepted != guest.received() || worker.in_hand() != 0 || tun.posted(0) != 0) {
    outcome.error = "tun accepted " + std::to_string(accepted) + " packets, the guest received " +
                    std::to_string(guest.received());
  } else if (guest.wrong() != 0) {
    outcome.error = std::to_string(guest.wrong()) + " packets wrong or out of order";
  }
  return outcome;
}

}  // namespace qdiscsim::ring_bench
