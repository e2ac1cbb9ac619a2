// Qdisc: pfifo_fast with all that the kernel's core wraps around it: the run protocol, the requeue
// list, the bad-txq list, bulk dequeue and direct transmit.
//
// A packet's way: xmit() bypasses the rings when they look empty, else enqueues and runs. run()
// takes batches and hands them to the driver; what the driver refuses goes to the tail of the
// requeue list, which leaves before everything else, whatever its priority. Whoever fails to run
// leaves MISSED behind.
//
// Threads: xmit() from any CPU between quiescent points (base/quiescence.h); reset() from the
// control thread after a grace period. The lists belong to the holder of the run state. Source:
// linux net/sched/sch_generic.c and __dev_xmit_skb() in net/core/dev.c, as of 6.18.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "qdisc/link.h"
#include "qdisc/pfifo_fast.h"
#include "qdisc/run_state.h"
#include "qdisc/skb_list.h"

namespace qdiscsim {

// What one CPU did to a queue outside its bands.
template <class Smp>
struct alignas(kCacheLine) QueueCounters {
  Counter<Smp> offered;
  Counter<Smp> direct;
  Counter<Smp> requeued;
  Counter<Smp> requeued_bytes;
  Counter<Smp> set_aside;
  Counter<Smp> unrequeued;
  Counter<Smp> unrequeued_bytes;
  Counter<Smp> requeue_purged;
};

// Who looks after a queue; see queue_watch.h.
struct QueueAttention {
  std::uint64_t waiting = 0;  // packets in rings and lists
  std::uint64_t left = 0;     // packets that ever left them
  bool attended = false;      // runs, is scheduled, is down, or a tx queue of its is stopped
};

struct QdiscOptions {
  std::uint32_t limit = 1000;  // packets per band
  std::uint32_t cpus = 1;
  std::uint32_t sojourn_sample = 64;  // one in so many packets of a band is timed; 0 = none
  bool can_bypass = true;
  bool nolock = true;  // TCQ_F_NOLOCK; false: a root lock, as below tbf or prio, and before 4.16
  KernelBugs bugs{};
  bool drain_inline =
      true;           // false: a dedicated thread calls run_dedicated(), senders only enqueue
  RingChoice ring{};  // of the bands, when the Ring of the Qdisc leaves it open
};

template <class Smp, class Ring>
class Qdisc final : public Schedulable<Smp> {
 public:
  using Packet = Skb<Smp>;
  using Queues = std::span<TxQueue<Smp>* const>;

  static constexpr int kQuota = 64;  // dev_weight x tx_bias: packets a run may send
  // A sender that waits for a preempted drainer leaves it the core for this long.
  static constexpr Nanoseconds kStallNap = 1000 * kMicrosecond;
  static constexpr int kSlowBulk =
      8;  // extra packets of a batch when the qdisc serves several queues

  // queues: what this qdisc sends to, at least one; exactly one makes it ONETXQUEUE. All outlive
  // it.
  Qdisc(const QdiscOptions& options, Queues queues, Link<Smp>& link, SkbSink<Smp>& sink)
      : state_{{}, !options.nolock},
        fifo_{options.limit, options.cpus, options.sojourn_sample, options.ring},
        queues_{queues},
        link_{link},
        sink_{sink},
        counters_{std::make_unique<QueueCounters<Smp>[]>(options.cpus)},
        cpus_{options.cpus},
        can_bypass_{options.can_bypass && options.drain_inline},
        drain_inline_{options.drain_inline},
        first_queue_{*queues[0]},
        one_queue_{queues.size() == 1},
        lockless_{link.lockless_transmit()} {
    set_bugs(options.bugs);
  }

  PfifoFast<Smp, Ring>& fifo() noexcept { return fifo_; }
  const PfifoFast<Smp, Ring>& fifo() const noexcept { return fifo_; }
  RunState<Smp>& state() noexcept { return state_; }
  QueueCounters<Smp>& counters(CpuId cpu) noexcept { return counters_[cpu]; }

  // dev_queue_xmit(): takes the skb in every case. kOk, kDrop (band full) or kCongested (queue
  // down).
  Verdict xmit(Cpu<Smp>& cpu, Packet* skb) noexcept {
    counters_[cpu.id()].offered.add(1);
    const std::uint32_t hint = state_.admit();
    if ((hint & kNotHere) != 0) [[unlikely]]
      return (hint & RunState<Smp>::kRootLock) != 0 ? xmit_locked(cpu, skb) : refuse(cpu, skb);
    if (can_bypass_ && (hint & kNonEmpty) == 0 && state_.run_begin(hint)) {
      if (state_.looks_empty()) return bypass(cpu, skb);
      const Verdict verdict = enqueue(cpu, skb, true);
      run(cpu);
      end_run(cpu);
      return verdict;
    }
    // A packet that was dropped still kicks the queue.
    const Verdict verdict = enqueue(cpu, skb, false);
    if (drain_inline_) try_run(cpu, hint);
    return verdict;
  }

  // The enqueue_burst extension: up to PfifoFast::kMaxList skbs, band by band, one reservation of
  // the ring for each band that occurs, then one run. Takes all skbs; returns how many were
  // accepted.
  std::size_t xmit_list(Cpu<Smp>& cpu, std::span<Packet* const> skbs) noexcept;

  // Holder of nothing: drains as the softirq does. For dedicated drain threads and wakes.
  void try_run(Cpu<Smp>& cpu) noexcept {
    if (locked()) [[unlikely]]
      return try_run_locked(cpu);
    try_run(cpu, 0);
  }

  // netif_schedule(): the softirq of this CPU will run the qdisc.
  void schedule(Cpu<Smp>& cpu) noexcept {
    if (state_.mark_scheduled()) cpu.raise(*this);
  }

  void run_from_softirq(Cpu<Smp>& cpu) noexcept override {
    // SCHED goes first: whoever schedules from here on gets a run of its own.
    state_.clear_scheduled();
    if (!state_.deactivated()) return try_run(cpu);
    if (state_.bugs().has(KernelBug::kDeactivatedReschedules) && state_.run_begin()) end_run(cpu);
  }

  // A hint for a drain thread. The lists belong to the runner; while something is on them without
  // one, MISSED or DRAINING is set.
  // Under a root lock the plain counters say it.
  bool has_work() const noexcept {
    return !fifo_.looks_empty() || (locked() ? plain_qlen() != 0 : state_.has_signs());
  }

  // Control thread, deactivated, after a grace period: discards all that waits, as a runner, and
  // forgets MISSED and DRAINING. Statistics survive.
  void reset(CpuId cpu) noexcept;

  // Control thread, after a reset, nobody inside. False when memory is short: nothing changes.
  bool resize(CpuId cpu, std::uint32_t limit) {
    return fifo_.resize(limit, locked() ? kPlain : cpu, [&](Packet* skb) { sink_.drop(skb, cpu); });
  }

  // Control thread, at any time.
  void set_bugs(KernelBugs bugs) noexcept {
    state_.set_bugs(bugs);
    bulk_beyond_quota_.store(bugs.has(KernelBug::kUnlimitedBulk) ? kEndlessBulk : 0, smp::relaxed);
  }

  // Any thread, a reading among running threads.
  QueueAttention attention() const noexcept;

  // quiescent: nobody is inside; then the rings and lists themselves are counted.
  QueueAccount account(bool quiescent) const noexcept;

 private:
  static constexpr int kEndlessBulk = 1 << 30;
  // Under a root lock there is one set of counters, that of this number, as the kernel's plain
  // ones.
  static constexpr CpuId kPlain = 0;
  // Not on the lockless way: the queue is down, or it has a root lock.
  static constexpr std::uint32_t kNotHere = RunState<Smp>::kDeactivated | RunState<Smp>::kRootLock;
  static constexpr std::uint32_t kNonEmpty = RunState<Smp>::kMissed | RunState<Smp>::kDraining;

  struct Batch {
    Packet* head = nullptr;  // through Skb::next
    int packets = 0;
  };

  TxQueue<Smp>& queue_of(const Packet* skb) const noexcept {
    return one_queue_ ? first_queue_ : *queues_[skb->queue_mapping];
  }

  Verdict enqueue(Cpu<Smp>& cpu, Packet* skb, bool is_runner) noexcept {
    if (fifo_.enqueue(skb, cpu.id())) [[likely]]
      return Verdict::kOk;
    return enqueue_or_drop(cpu, skb, is_runner);
  }
  Verdict enqueue_or_drop(Cpu<Smp>& cpu, Packet* skb, bool is_runner) noexcept;
  template <class Retry>
  bool retry_while_stalled(Retry&& retry) noexcept;

  void try_run(Cpu<Smp>& cpu, std::uint32_t before) noexcept {
    if (state_.run_begin(before)) {
      run(cpu);
      end_run(cpu);
    }
  }

  // qdisc_locked.h. The root lock is held where the name says locked, but not while a driver works.
  bool locked() const noexcept { return (state_.hint() & RunState<Smp>::kRootLock) != 0; }
  [[gnu::noinline, gnu::cold]] Verdict xmit_locked(Cpu<Smp>& cpu, Packet* skb) noexcept;
  [[gnu::noinline, gnu::cold]] void try_run_locked(Cpu<Smp>& cpu) noexcept;
  [[gnu::noinline, gnu::cold]] void run_locked(Cpu<Smp>& cpu) noexcept;
  [[gnu::noinline, gnu::cold]] bool transmit_locked(Cpu<Smp>& cpu, Packet* head) noexcept;
  std::uint64_t plain_qlen() const noexcept;
  bool looks_empty_locked() const noexcept;
  bool may_run_locked() noexcept;

  Verdict refuse(Cpu<Smp>& cpu, Packet* skb) noexcept {
    fifo_.counters(cpu.id())[band_of(skb->priority)].dropped_deactivated.add(1);
    sink_.drop(skb, cpu.id());
    return Verdict::kCongested;
  }

  // Runner. SUCCESS even when the driver refuses: the packet then waits on the requeue list, though
  // "Sent" has counted it already.
  Verdict bypass(Cpu<Smp>& cpu, Packet* skb) noexcept {
    BandCounters<Smp>& counters = fifo_.counters(cpu.id())[band_of(skb->priority)];
    counters.bypassed.add(1);
    counters.bypassed_bytes.add(skb->pkt_len());
    skb->next = nullptr;
    if (transmit(cpu, skb, queue_of(skb)) && !state_.looks_empty()) run(cpu);
    end_run(cpu);
    return Verdict::kOk;
  }

  void end_run(Cpu<Smp>& cpu) noexcept {
    if (state_.run_end()) schedule(cpu);
  }

  // Runner.
  void run(Cpu<Smp>& cpu) noexcept {
    int quota = kQuota;
    for (;;) {
      state_.beat();
      const Batch batch = dequeue_batch(cpu.id(), quota);
      if (batch.head == nullptr) return;
      if (!transmit(cpu, batch.head, queue_of(batch.head))) return;
      quota -= batch.packets;
      if (quota <= 0) {
        state_.set_missed();
        return;
      }
    }
  }

  // Inlined by order, as offer() and PfifoFast::enqueue() are: left to itself the compiler stops
  // when the packet's way gets long, and the calls cost a tenth of it.
  [[gnu::always_inline]] inline Batch dequeue_batch(CpuId cpu, int quota) noexcept;
  Packet* dequeue_or_retry(CpuId cpu) noexcept;
  [[gnu::always_inline]] inline void bulk_one_queue(Batch& batch, Packet* tail, CpuId cpu,
                                                    int quota) noexcept;
  void bulk_same_queue(Batch& batch, Packet* tail, CpuId cpu) noexcept;

  bool blocked(TxQueue<Smp>& queue) noexcept {
    if (!queue.stopped()) return false;
    if (!locked()) state_.clear_missed_while_blocked([&] { return queue.stopped(); });
    return true;
  }

  // Runner. Direct transmit of a list. True: go on. False: something was requeued.
  bool transmit(Cpu<Smp>& cpu, Packet* head, TxQueue<Smp>& queue) noexcept;
  // The same without the requeue: what the driver did not take.
  [[gnu::always_inline]] inline Packet* offer(Cpu<Smp>& cpu, Packet* head,
                                              TxQueue<Smp>& queue) noexcept;
  void put_back(CpuId cpu, Packet* list) noexcept;
  // The same, and somebody looks after them. untouched: the driver took none, perhaps because the
  // queue is stopped.
  [[gnu::noinline]] void requeue(CpuId cpu, Packet* list, bool untouched,
                                 TxQueue<Smp>& queue) noexcept;
  Packet* hand_over(Cpu<Smp>& cpu, Packet* head, TxQueue<Smp>& queue) noexcept;

  void put_on_list(SkbList<Smp>& list, Packet* skb, CpuId cpu) noexcept {
    list.push_back(skb);
    counters_[cpu].requeued.add(1);
    counters_[cpu].requeued_bytes.add(skb->pkt_len());
  }
  Packet* unlist(SkbList<Smp>& list, CpuId cpu) noexcept {
    Packet* skb = list.pop_front();
    if (skb == nullptr) return nullptr;
    counters_[cpu].unrequeued.add(1);
    counters_[cpu].unrequeued_bytes.add(skb->pkt_len());
    return skb;
  }

  RunState<Smp> state_;
  PfifoFast<Smp, Ring> fifo_;
  SkbList<Smp> requeue_;
  SkbList<Smp> bad_txq_;
  Queues queues_;
  Link<Smp>& link_;
  SkbSink<Smp>& sink_;
  std::unique_ptr<QueueCounters<Smp>[]> counters_;
  std::uint32_t cpus_;
  bool can_bypass_;
  bool drain_inline_;
  TxQueue<Smp>& first_queue_;
  bool one_queue_;  // the kernel's ONETXQUEUE
  bool lockless_;
  TestAndSetLock<Smp> root_;
  typename Smp::template atomic<int> bulk_beyond_quota_{};
};

}  // namespace qdiscsim

#include "qdisc/qdisc_locked.h"
#include "qdisc/qdisc_run.h"
