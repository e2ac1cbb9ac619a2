// Mode `pfifo_fast`: pktgen threads (-p) send -N packets in all through one pfifo_fast with bands
// of -s packets onto a dummy link, in the kernel's way: whoever finds the queue free drains it. The
// variants are the rings that the bands are made of.
//
//   page_pool -> skb -> queue_xmit -> band -> dummy link -> page home
//
// No packet passes the queue by (TCQ_F_CAN_BYPASS off), so that all go through the ring. With a
// burst above 1 that many enter the band under one reservation, at most 64. All accounting is on,
// and the law of the accounts is checked at the end.
#include <algorithm>
#include <memory>

#include "base/smp_native.h"
#include "bench/ring/workloads.h"
#include "pktgen/generator.h"
#include "qdisc/dummy_link.h"
#include "ring/clear_policy.h"
#include "ring/lane_ring.h"
#include "ring/mcs_lock.h"
#include "ring/mpsc_ring.h"
#include "ring/ptr_ring.h"
#include "ring/rte_band_ring.h"

namespace qdiscsim::ring_bench {
namespace {

using Smp = smp::Native;
using Memory = PacketMemory<Smp>;

constexpr CpuId kFirstCpu = 1;  // 0 is the control thread's, as in the daemon
// For each pktgen thread, beyond what waits in the bands: its pool's ring and cache, and a refill.
constexpr std::size_t kPagesPerThread = 1536;
constexpr std::uint64_t kPacketsPerLook = 1024;

PagePoolParams pool_params(CpuId owner, CpuId cpus) {
  PagePoolParams params;
  params.owner_cpu = owner;
  params.cpus = cpus;
  return params;
}

// One pktgen thread: its CPU number, its page_pool, its generator.
struct Sender {
  Sender(CpuId number, CpuId cpus, NetDevice<Smp>& device, Memory::Pool::Allocator& allocator,
         Memory& memory, const QuiescentEpoch<Smp>& epoch, const GeneratorSettings& settings)
      : cpu{number}, pool{allocator, pool_params(number, cpus)}, generator{cpu,   device,
                                                                           pool,  memory,
                                                                           epoch, settings} {}

  // On its own thread.
  void send(std::uint64_t share, RunControl& control) noexcept {
    generator.start();
    std::uint64_t steps = 0;
    while (generator.counters().sent.read() < share) {
      generator.step();
      if (++steps % kPacketsPerLook == 0 && control.expired()) break;
    }
    generator.finish();
    ended = RunControl::Clock::now();
  }

  Cpu<Smp> cpu;
  Memory::Pool pool;
  Generator<Smp> generator;
  Nanoseconds ended = 0;
};

GeneratorSettings settings_for(const Params& params, unsigned thread) {
  constexpr std::size_t kMostAtOnce = 64;
  GeneratorSettings settings;
  settings.count = share_of(params.count, params.producers, thread);
  settings.enqueue_burst = static_cast<std::uint32_t>(std::min(params.burst, kMostAtOnce));
  return settings;
}

std::string verdict(const NetDevice<Smp>& device, const RunControl& control, std::uint64_t sent,
                    std::uint64_t wanted) {
  if (sent < wanted) {
    return control.time_limit_text() + ": " + std::to_string(wanted - sent) + " of " +
           std::to_string(wanted) + " packets missing";
  }
  const QueueAccount account = device.account(0, true);
  std::string broken = broken_law(account);
  if (!broken.empty()) return "broken law: " + broken;
  if (account.tx_packets == sent) return {};
  return "expected " + std::to_string(sent) + " packets at the link, found " +
         std::to_string(account.tx_packets);
}

template <class Ring>
Outcome run_pfifo_fast(const Params& params) {
  const CpuId cpus = kFirstCpu + params.producers;
  PageArena<Smp> arena{kBandCount * params.size + kPagesPerThread * params.producers,
                       HugePages::kTry};
  Memory::Pool::Allocator allocator{arena};
  Memory memory{arena};
  DeviceOptions options;
  options.qdisc.limit = static_cast<std::uint32_t>(params.size);
  options.qdisc.cpus = cpus;
  options.qdisc.can_bypass = false;
  Device<Smp, Ring> device{options, std::make_unique<DummyLink<Smp>>(memory), memory};
  QuiescentEpoch<Smp> epoch;
  std::vector<std::unique_ptr<Sender>> senders;
  for (unsigned i = 0; i < params.producers; ++i) {
    senders.push_back(std::make_unique<Sender>(kFirstCpu + i, cpus, device, allocator, memory,
                                               epoch, settings_for(params, i)));
  }

  RunControl control{params};
  Outcome outcome;
  outcome.error = run_together(params, params.producers, control, [&](unsigned who) noexcept {
    senders[who]->send(share_of(params.count, params.producers, who), control);
  });
  if (!outcome.error.empty()) return outcome;
  Nanoseconds ended = 0;
  std::uint64_t dropped = 0;
  for (const auto& sender : senders) {
    ended = std::max(ended, sender->ended);
    outcome.items += sender->generator.counters().sent.read();
    dropped += sender->generator.counters().errors.read();
  }
  outcome.seconds = static_cast<double>(ended - control.started()) / 1e9;
  outcome.figures = {{"dropped Mpps", static_cast<double>(dropped) / outcome.seconds / 1e6}};
  outcome.error = verdict(device, control, outcome.items, params.count);
  return outcome;
}

template <class Ring>
void add_band(Registry& registry, const char* name, const char* about) {
  add_variant(registry, "pfifo_fast", name, about, &run_pfifo_fast<Ring>);
}

}  // namespace

void add_pfifo_fast(Registry& registry) {
  using Lock = TestAndSetLock<Smp>;
  add_band<PtrRing<Smp>>(registry, "locked", "ptr_ring behind a test-and-set lock, as mainline");
  add_band<PtrRing<Smp>>(registry, "zero_batch", "the same, by the name of its generation");
  add_band<PtrRing<Smp, Lock, ZeroEach>>(registry, "zero_each", "the same, a slot at a time");
  add_band<PtrRing<Smp, Lock, ClearAfterHead>>(registry, "clear_after_head",
                                               "the same, head before clearing");
  add_band<PtrRing<Smp, Lock, ClearAfterHeadBarriers>>(
      registry, "clear_after_head_barriers", "the same, with a test for empty that holds");
  add_band<PtrRing<Smp, Lock, FlushOnEmpty<ZeroBatch>>>(registry, "flush_on_empty",
                                                        "mainline, clears the rest when empty");
  add_band<PtrRing<Smp, TicketLock<Smp>>>(registry, "locked_ticket", "behind a ticket lock");
  add_band<PtrRing<Smp, McsLock<Smp>>>(registry, "locked_mcs", "behind an MCS lock");
  add_band<PtrRing<Smp, YieldingLock<Smp>>>(registry, "locked_yield",
                                            "behind a lock that yields at once");
  add_band<MpscRing<Smp>>(registry, "cas", "mpsc ring, one compare-and-swap for a burst");
  add_band<LaneRing<Smp>>(registry, "lanes", "a lane for each CPU, FIFO per CPU only");
  add_band<RteBandRing<Smp, MultiThread>>(registry, "rte_mt", "rte_ring, MT producers");
  add_band<RteBandRing<Smp, RelaxedTailSync>>(registry, "rte_rts", "rte_ring, RTS producers");
  add_band<RteBandRing<Smp, HeadTailSync>>(registry, "rte_hts", "rte_ring, HTS producers");
}

}  // namespace qdiscsim::ring_bench
