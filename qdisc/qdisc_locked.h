// Qdisc without NOLOCK (qdisc.h): every enqueue, dequeue and requeue under one root lock, with one
// set of plain counters, as a pfifo_fast below tbf or prio works, and every one did before 4.16.
// The lock is free while the driver has the packets, so that senders can enqueue; who runs is one
// flag. Also what the control thread does to a queue. Include qdisc.h, not this file.
#pragma once

#include "qdisc/qdisc.h"

namespace qdiscsim {

template <class Smp, class Ring>
std::uint64_t Qdisc<Smp, Ring>::plain_qlen() const noexcept {
  const QueueCounters<Smp>& lists = counters_[kPlain];
  std::uint64_t in = lists.requeued.read();
  std::uint64_t out = lists.unrequeued.read();
  for (std::size_t band = 0; band < kBandCount; ++band) {
    const BandCounters<Smp>& counters = fifo_.counters(kPlain)[band];
    in += counters.enqueued.read();
    out += counters.dequeued.read();
  }
  return in - std::min(in, out);
}

template <class Smp, class Ring>
bool Qdisc<Smp, Ring>::looks_empty_locked() const noexcept {
  return plain_qlen() == 0 || state_.bugs().has(KernelBug::kKeptCpustats);
}

template <class Smp, class Ring>
bool Qdisc<Smp, Ring>::may_run_locked() noexcept {
  return state_.try_run() || state_.bugs().has(KernelBug::kParallelRuns);
}

template <class Smp, class Ring>
Verdict Qdisc<Smp, Ring>::xmit_locked(Cpu<Smp>& cpu, Packet* skb) noexcept {
  const std::size_t band = band_of(skb->priority);
  Verdict verdict = Verdict::kOk;
  root_.lock();
  BandCounters<Smp>& counters = fifo_.counters(kPlain)[band];
  if (state_.deactivated()) {
    counters.dropped_deactivated.add(1);
    verdict = Verdict::kCongested;
  } else if (can_bypass_ && looks_empty_locked() && may_run_locked()) {
    counters.bypassed.add(1);
    counters.bypassed_bytes.add(skb->pkt_len());
    skb->next = nullptr;
    if (transmit_locked(cpu, skb)) run_locked(cpu);
    static_cast<void>(state_.run_end());
  } else {
    if (!fifo_.enqueue(skb, kPlain)) {
      fifo_.count_drops(band, 1, kPlain);
      verdict = Verdict::kDrop;
    }
    if (drain_inline_ && may_run_locked()) {
      run_locked(cpu);
      static_cast<void>(state_.run_end());
    }
  }
  root_.unlock();
  if (verdict != Verdict::kOk) sink_.drop(skb, cpu.id());
  return verdict;
}

template <class Smp, class Ring>
void Qdisc<Smp, Ring>::try_run_locked(Cpu<Smp>& cpu) noexcept {
  Held guard{root_};
  if (!may_run_locked()) return;
  run_locked(cpu);
  static_cast<void>(state_.run_end());
}

template <class Smp, class Ring>
void Qdisc<Smp, Ring>::run_locked(Cpu<Smp>& cpu) noexcept {
  int quota = kQuota;
  for (;;) {
    state_.beat();
    const Batch batch = dequeue_batch(kPlain, quota);
    if (batch.head == nullptr || !transmit_locked(cpu, batch.head)) return;
    quota -= batch.packets;
    if (quota <= 0) return schedule(cpu);
  }
}

// False: something was requeued, and the softirq will look at it again.
template <class Smp, class Ring>
bool Qdisc<Smp, Ring>::transmit_locked(Cpu<Smp>& cpu, Packet* head) noexcept {
  TxQueue<Smp>& queue = queue_of(head);
  root_.unlock();
  Packet* const rest = offer(cpu, head, queue);
  root_.lock();
  if (rest == nullptr) return true;
  put_back(kPlain, rest);
  schedule(cpu);
  return false;
}

template <class Smp, class Ring>
void Qdisc<Smp, Ring>::reset(CpuId cpu) noexcept {
  Held guard{root_};
  typename Smp::Spinner spinner;
  while (!state_.try_run()) spinner.stand_aside();
  const CpuId counted = locked() ? kPlain : cpu;
  fifo_.purge(counted, [&](Packet* skb) { sink_.drop(skb, cpu); });
  for (SkbList<Smp>* list : {&requeue_, &bad_txq_}) {
    while (Packet* skb = unlist(*list, counted)) {
      counters_[counted].requeue_purged.add(1);
      sink_.drop(skb, cpu);
    }
  }
  state_.clear_non_empty();
  static_cast<void>(state_.run_end());
}

template <class Smp, class Ring>
QueueAttention Qdisc<Smp, Ring>::attention() const noexcept {
  QueueAttention out;
  // Before the counters: a runner that came meanwhile shows in what has left.
  const std::uint32_t bits = state_.hint();
  out.attended = state_.running() ||
                 (bits & (RunState<Smp>::kSched | RunState<Smp>::kDeactivated)) != 0 ||
                 std::any_of(queues_.begin(), queues_.end(),
                             [](const TxQueue<Smp>* queue) { return queue->stopped(); });
  const QueueAccount sum = account(false);
  out.waiting = sum.requeue_packets;
  out.left = sum.unrequeued;
  for (const BandAccount& band : sum.bands) {
    out.waiting += band.ring_packets;
    out.left += band.dequeued;
  }
  return out;
}

}  // namespace qdiscsim
