// The mechanism of Qdisc (qdisc.h): how batches are built, handed to the driver and requeued.
// Include qdisc.h, not this file.
#pragma once

#include "qdisc/qdisc.h"

namespace qdiscsim {

template <class Smp, class Ring>
std::size_t Qdisc<Smp, Ring>::xmit_list(Cpu<Smp>& cpu, std::span<Packet* const> skbs) noexcept {
  counters_[cpu.id()].offered.add(skbs.size());
  const std::uint32_t hint = state_.admit();
  if ((hint & kNotHere) != 0) [[unlikely]] {
    const bool has_root = (hint & RunState<Smp>::kRootLock) != 0;
    std::size_t taken = 0;
    for (Packet* skb : skbs) {
      taken += (has_root ? xmit_locked(cpu, skb) : refuse(cpu, skb)) == Verdict::kOk ? 1U : 0U;
    }
    return taken;
  }
  std::array<std::array<Packet*, PfifoFast<Smp, Ring>::kMaxList>, kBandCount> sorted;
  std::array<std::size_t, kBandCount> counts{};
  for (Packet* skb : skbs) {
    const std::size_t band = band_of(skb->priority);
    sorted[band][counts[band]++] = skb;
  }
  std::size_t accepted = 0;
  for (std::size_t band = 0; band < kBandCount; ++band) {
    if (counts[band] == 0) continue;
    const std::span<Packet* const> list{sorted[band].data(), counts[band]};
    std::size_t stored = fifo_.enqueue_list(list, band, cpu.id());
    if (stored < list.size()) {
      retry_while_stalled([&] {
        stored += fifo_.enqueue_list(list.subspan(stored), band, cpu.id());
        return stored == list.size();
      });
      fifo_.count_drops(band, list.size() - stored, cpu.id());
    }
    accepted += stored;
    for (Packet* skb : list.subspan(stored)) sink_.drop(skb, cpu.id());
  }
  if (drain_inline_) try_run(cpu, hint);
  return accepted;
}

// A full band is a drop only when whoever drains had its chance. A drainer that was preempted, as
// threads of a simulator on shared cores are, gets as many batches as the band is long to make
// room: in the kernel it would have made them meanwhile. With a live drainer, or none, there is no
// wait.
template <class Smp, class Ring>
template <class Retry>
bool Qdisc<Smp, Ring>::retry_while_stalled(Retry&& retry) noexcept {
  const bool manned = !drain_inline_;
  const std::uint32_t before = state_.beats();
  if (!state_.runner_stalled(manned)) return false;
  while (!retry()) {
    if (!manned && !state_.running()) return retry();
    if (state_.beats() - before > fifo_.limit()) return false;
    Smp::sleep(kStallNap);
  }
  return true;
}

template <class Smp, class Ring>
Verdict Qdisc<Smp, Ring>::enqueue_or_drop(Cpu<Smp>& cpu, Packet* skb, bool is_runner) noexcept {
  const auto retry = [&] { return fifo_.enqueue(skb, cpu.id()); };
  if (!is_runner && retry_while_stalled(retry)) return Verdict::kOk;
  fifo_.count_drops(band_of(skb->priority), 1, cpu.id());
  sink_.drop(skb, cpu.id());
  return Verdict::kDrop;
}

template <class Smp, class Ring>
auto Qdisc<Smp, Ring>::dequeue_or_retry(CpuId cpu) noexcept -> Packet* {
  Packet* skb = fifo_.dequeue(cpu);
  if (skb == nullptr && state_.has_signs()) {
    state_.clear_non_empty();
    skb = fifo_.dequeue(cpu);
  }
  // A packet may stand behind a sender that is in the middle of its call. Nobody may bypass it;
  // that sender runs the queue when it is done.
  if (skb == nullptr && fifo_.pending()) [[unlikely]]
    state_.set_draining();
  return skb;
}

template <class Smp, class Ring>
auto Qdisc<Smp, Ring>::dequeue_batch(CpuId cpu, int quota) noexcept -> Batch {
  if (!requeue_.empty()) {
    // Head-of-line blocking: while the first requeued packet cannot go, nothing can.
    if (blocked(queue_of(requeue_.front()))) return {};
    Packet* skb = unlist(requeue_, cpu);
    skb->next = nullptr;
    return {skb, 1};
  }
  if (one_queue_ && blocked(first_queue_)) return {};

  Packet* head = nullptr;
  if (!bad_txq_.empty()) {
    if (blocked(queue_of(bad_txq_.front()))) return {};
    head = unlist(bad_txq_, cpu);
  } else {
    head = dequeue_or_retry(cpu);
  }
  if (head == nullptr) return {};

  Batch batch{head, 1};
  if (one_queue_) {
    bulk_one_queue(batch, head, cpu, quota);
  } else {
    bulk_same_queue(batch, head, cpu);
  }
  return batch;
}

// As many as the byte queue limit allows, one packet over at most, and no more than the run's
// quota.
template <class Smp, class Ring>
void Qdisc<Smp, Ring>::bulk_one_queue(Batch& batch, Packet* tail, CpuId cpu, int quota) noexcept {
  std::int64_t budget = first_queue_.bql.available() - tail->pkt_len();
  while (budget > 0 && batch.packets <= quota + bulk_beyond_quota_.load(smp::relaxed)) {
    Packet* skb = fifo_.dequeue(cpu);
    if (skb == nullptr) break;
    budget -= skb->pkt_len();
    tail->next = skb;
    tail = skb;
    ++batch.packets;
  }
  tail->next = nullptr;
}

// Several queues: a batch goes to one of them. The first packet for another is set aside and heads
// the next batch.
template <class Smp, class Ring>
void Qdisc<Smp, Ring>::bulk_same_queue(Batch& batch, Packet* tail, CpuId cpu) noexcept {
  const std::uint16_t mapping = batch.head->queue_mapping;
  for (int extra = 0; extra < kSlowBulk; ++extra) {
    Packet* skb = fifo_.dequeue(cpu);
    if (skb == nullptr) break;
    if (skb->queue_mapping != mapping) {
      put_on_list(bad_txq_, skb, cpu);
      counters_[cpu].set_aside.add(1);
      break;
    }
    tail->next = skb;
    tail = skb;
    ++batch.packets;
  }
  tail->next = nullptr;
}

template <class Smp, class Ring>
auto Qdisc<Smp, Ring>::offer(Cpu<Smp>& cpu, Packet* head, TxQueue<Smp>& queue) noexcept -> Packet* {
  if (lockless_) return queue.stopped() ? head : hand_over(cpu, head, queue);
  Held guard{queue.lock};
  return queue.stopped() ? head : hand_over(cpu, head, queue);
}

template <class Smp, class Ring>
bool Qdisc<Smp, Ring>::transmit(Cpu<Smp>& cpu, Packet* head, TxQueue<Smp>& queue) noexcept {
  Packet* const rest = offer(cpu, head, queue);
  if (rest == nullptr) [[likely]]
    return true;

  requeue(cpu.id(), rest, rest == head, queue);
  return false;
}

template <class Smp, class Ring>
void Qdisc<Smp, Ring>::put_back(CpuId cpu, Packet* list) noexcept {
  while (list != nullptr) {
    Packet* const next = list->next;
    fifo_.counters(cpu)[band_of(list->priority)].requeues.add(1);
    put_on_list(requeue_, list, cpu);
    list = next;
  }
}

template <class Smp, class Ring>
void Qdisc<Smp, Ring>::requeue(CpuId cpu, Packet* list, bool untouched,
                               TxQueue<Smp>& queue) noexcept {
  if (untouched) blocked(queue);
  put_back(cpu, list);
  // Something waits now, outside the rings: make sure that a run follows.
  state_.set_missed();
}

// The driver's list loop. Returns what the driver did not take, null when it took everything.
template <class Smp, class Ring>
auto Qdisc<Smp, Ring>::hand_over(Cpu<Smp>& cpu, Packet* head, TxQueue<Smp>& queue) noexcept
    -> Packet* {
  while (head != nullptr) {
    Packet* const next = head->next;
    head->next = nullptr;
    const Verdict verdict = link_.transmit(cpu, queue, head, next != nullptr);
    if (!is_consumed(verdict)) {
      head->next = next;
      return head;
    }
    head = next;
    if (head != nullptr && queue.stopped()) return head;
  }
  return nullptr;
}

template <class Smp, class Ring>
QueueAccount Qdisc<Smp, Ring>::account(bool quiescent) const noexcept {
  QueueAccount sum;
  for (std::size_t band = 0; band < kBandCount; ++band) {
    sum.bands[band] = fifo_.account(band);
    BandAccount& b = sum.bands[band];
    b.ring_packets =
        quiescent ? fifo_.count_ring(band) : b.enqueued - std::min(b.enqueued, b.dequeued);
  }
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    const QueueCounters<Smp>& c = counters_[cpu];
    sum.unrequeued += c.unrequeued.read();
    sum.unrequeued_bytes += c.unrequeued_bytes.read();
    sum.requeue_purged += c.requeue_purged.read();
    sum.requeued += c.requeued.read();
    sum.requeued_bytes += c.requeued_bytes.read();
    sum.set_aside += c.set_aside.read();
    sum.direct += c.direct.read();
    sum.offered += c.offered.read();
  }
  sum.requeue_packets = quiescent ? requeue_.size() + bad_txq_.size()
                                  : sum.requeued - std::min(sum.requeued, sum.unrequeued);
  return sum;
}

}  // namespace qdiscsim
