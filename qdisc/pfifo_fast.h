// PfifoFast: three bands, each a ring of tx_queue_len packets; band 0 leaves first.
//
// The limit is per band: three times tx_queue_len in all, and one full band never affects another.
// Threads: any CPU enqueues; only the holder of the run state (run_state.h) dequeues, peeks and
// resets. Every counter has one writer, the executing CPU; a single CPU's backlog may be below
// zero, only the sum over CPUs means something. Source: linux net/sched/sch_generic.c,
// pfifo_fast_*.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <stdexcept>

#include "base/cacheline.h"
#include "base/clock.h"
#include "base/counter.h"
#include "base/cpu_id.h"
#include "base/latency_recorder.h"
#include "base/sampler.h"
#include "qdisc/accounts.h"
#include "qdisc/priority.h"
#include "qdisc/skb.h"
#include "ring/typed_ring.h"

namespace qdiscsim {

// What one CPU did to one band.
template <class Smp>
struct alignas(kCacheLine) BandCounters {
  Counter<Smp> enqueued;
  Counter<Smp> enqueued_bytes;
  Counter<Smp> dequeued;
  Counter<Smp> dequeued_bytes;
  Counter<Smp> dropped_overlimit;
  Counter<Smp> bypassed;
  Counter<Smp> bypassed_bytes;
  Counter<Smp> requeues;
  Counter<Smp> dropped_deactivated;
  Counter<Smp> purged;
  Counter<Smp> purged_bytes;
  Sampler sampler;  // of what it enqueues
};

template <class Smp, class Ring>
class PfifoFast {
 public:
  using Packet = Skb<Smp>;
  using Band = TypedRing<Packet, Ring>;
  using CpuCounters = std::array<BandCounters<Smp>, kBandCount>;

  // limit: packets per band, 1 or more, else std::invalid_argument (the kernel's EINVAL).
  // cpus: how many CPU numbers exist. sojourn_sample: one in so many packets that enter a
  // band is timed, at random; 0 = none. ring: what the bands are made of, when Ring leaves it
  // open.
  PfifoFast(std::uint32_t limit, std::uint32_t cpus, std::uint32_t sojourn_sample,
            const RingChoice& ring = {})
      : bands_{Band{checked(limit), cpus, ring}, Band{limit, cpus, ring}, Band{limit, cpus, ring}},
        counters_{std::make_unique<CpuCounters[]>(cpus)},
        sojourn_{std::make_unique<std::array<LatencyRecorder<Smp>, kBandCount>>()},
        cpus_{cpus} {
    limit_.store(limit, smp::relaxed);
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
      for (std::size_t band = 0; band < kBandCount; ++band) {
        counters_[cpu][band].sampler.seed(cpu * kBandCount + band);
      }
    }
    set_sojourn_sample(sojourn_sample);
  }

  std::uint32_t limit() const noexcept { return limit_.load(smp::relaxed); }
  CpuCounters& counters(CpuId cpu) noexcept { return counters_[cpu]; }
  const CpuCounters& counters(CpuId cpu) const noexcept { return counters_[cpu]; }
  void set_sojourn_sample(std::uint32_t every) noexcept {
    sojourn_sample_.store(every, smp::relaxed);
  }

  // False: the band is full and the caller still owns the skb, to try again or to count_drops().
  [[gnu::always_inline]] bool enqueue(Packet* skb, CpuId cpu) noexcept {
    const std::size_t band = band_of(skb->priority);
    BandCounters<Smp>& counters = counters_[cpu][band];
    const std::uint32_t bytes = skb->pkt_len();  // once produced, the skb may be gone
    stamp(skb, counters);
    if (!bands_[band].produce(skb, cpu)) return false;
    counters.enqueued.add(1);
    counters.enqueued_bytes.add(bytes);
    return true;
  }

  void count_drops(std::size_t band, std::uint64_t packets, CpuId cpu) noexcept {
    counters_[cpu][band].dropped_overlimit.add(packets);
  }

  // An extension that the kernel lacks: skbs of one band under one reservation of its ring. Stores
  // the first ones that fit and returns how many; the rest stay the caller's, as with enqueue().
  std::size_t enqueue_list(std::span<Packet* const> skbs, std::size_t band, CpuId cpu) noexcept {
    BandCounters<Smp>& counters = counters_[cpu][band];
    std::uint64_t bytes = 0;
    std::array<std::uint32_t, kMaxList> lengths;
    for (std::size_t i = 0; i < skbs.size(); ++i) {
      stamp(skbs[i], counters);
      lengths[i] = skbs[i]->pkt_len();
    }
    const std::size_t stored = bands_[band].produce_batched(skbs, cpu);
    for (std::size_t i = 0; i < stored; ++i) bytes += lengths[i];
    counters.enqueued.add(stored);
    counters.enqueued_bytes.add(bytes);
    return stored;
  }
  static constexpr std::size_t kMaxList = 64;

  // Runner only. The oldest packet of the first band that has one; null when all are empty.
  Packet* dequeue(CpuId cpu) noexcept {
    for (std::size_t band = 0; band < kBandCount; ++band) {
      Packet* skb = bands_[band].consume_unlocked();
      if (skb == nullptr) continue;
      BandCounters<Smp>& counters = counters_[cpu][band];
      counters.dequeued.add(1);
      counters.dequeued_bytes.add(skb->pkt_len());
      if (skb->moment != 0) [[unlikely]]
        record_sojourn(band, skb);
      return skb;
    }
    return nullptr;
  }

  // Runner only. What dequeue would take; nothing changes.
  Packet* peek() const noexcept {
    for (const Band& band : bands_) {
      if (Packet* skb = band.peek_unlocked()) return skb;
    }
    return nullptr;
  }

  // Any thread: a hint, as the rings' own.
  bool looks_empty() const noexcept {
    return bands_[0].looks_empty() && bands_[1].looks_empty() && bands_[2].looks_empty();
  }

  // Runner only, when dequeue found nothing: see TypedRing::pending().
  bool pending() const noexcept {
    return bands_[0].pending() || bands_[1].pending() || bands_[2].pending();
  }

  // Runner only. Discards everything into sink(skb): counted as dequeued and purged, not as
  // dropped.
  template <class Sink>
  void purge(CpuId cpu, Sink&& sink) noexcept {
    for (auto& band : bands_) {
      while (Packet* skb = band.consume_unlocked()) {
        count_purged(skb, cpu);
        sink(skb);
      }
    }
  }

  // No CPU inside. All three bands or none; false when memory is short. What no longer fits (the
  // rings are empty but for KernelBug::kResetBeforeGrace) is purged. allocate: the ring's hook for
  // tests.
  template <class Sink, class... Allocate>
  bool resize(std::uint32_t limit, CpuId cpu, Sink&& sink, Allocate... allocate) {
    std::array<Ring*, kBandCount> rings{};
    for (std::size_t band = 0; band < kBandCount; ++band)
      rings[band] = &bands_[band].untyped_ring();
    const auto lose = [&](void* entry) {
      auto* skb = static_cast<Packet*>(entry);
      count_purged(skb, cpu);
      sink(skb);
    };
    if (!Ring::resize_multiple(rings, limit, lose, allocate...)) return false;
    limit_.store(limit, smp::relaxed);
    return true;
  }

  // Packets in the band's ring; nobody inside.
  std::size_t count_ring(std::size_t band) const noexcept { return bands_[band].count_at_rest(); }

  // Sum over CPUs, without ring_packets.
  BandAccount account(std::size_t band) const noexcept;
  // Any thread: how long the timed packets of a band stayed in its ring, those that were purged
  // left out. Of one writer, the holder of the run state, which hands it on.
  Recording sojourn(std::size_t band) const { return (*sojourn_)[band].read(); }

 private:
  void count_purged(const Packet* skb, CpuId cpu) noexcept {
    BandCounters<Smp>& counters = counters_[cpu][band_of(skb->priority)];
    counters.dequeued.add(1);
    counters.dequeued_bytes.add(skb->pkt_len());
    counters.purged.add(1);
    counters.purged_bytes.add(skb->pkt_len());
  }

  static std::uint32_t checked(std::uint32_t limit) {
    if (limit == 0) throw std::invalid_argument("pfifo_fast: tx_queue_len must be 1 or more");
    return limit;
  }

  void stamp(Packet* skb, BandCounters<Smp>& counters) noexcept {
    skb->moment = 0;
    if (counters.sampler.tick() && counters.sampler.take(sojourn_sample_.load(smp::relaxed)))
        [[unlikely]]
      skb->moment = Smp::now();
  }

  [[gnu::noinline]] void record_sojourn(std::size_t band, Packet* skb) noexcept {
    const Nanoseconds now = Smp::now();
    (*sojourn_)[band].record(now > skb->moment ? now - skb->moment : 0);
    skb->moment = 0;
  }

  std::array<Band, kBandCount> bands_;
  std::unique_ptr<CpuCounters[]> counters_;
  std::unique_ptr<std::array<LatencyRecorder<Smp>, kBandCount>> sojourn_;
  std::uint32_t cpus_;
  typename Smp::template atomic<std::uint32_t> limit_{};
  typename Smp::template atomic<std::uint32_t> sojourn_sample_{};
};

template <class Smp, class Ring>
BandAccount PfifoFast<Smp, Ring>::account(std::size_t band) const noexcept {
  BandAccount sum;
  // What left is read before what came: a reading among running threads never shows a negative
  // backlog.
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    const BandCounters<Smp>& c = counters_[cpu][band];
    sum.purged += c.purged.read();
    sum.purged_bytes += c.purged_bytes.read();
    sum.dequeued += c.dequeued.read();
    sum.dequeued_bytes += c.dequeued_bytes.read();
    sum.bypassed += c.bypassed.read();
    sum.bypassed_bytes += c.bypassed_bytes.read();
    sum.dropped_overlimit += c.dropped_overlimit.read();
    sum.dropped_deactivated += c.dropped_deactivated.read();
    sum.requeues += c.requeues.read();
  }
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    const BandCounters<Smp>& c = counters_[cpu][band];
    sum.enqueued += c.enqueued.read();
    sum.enqueued_bytes += c.enqueued_bytes.read();
  }
  return sum;
}

}  // namespace qdiscsim
