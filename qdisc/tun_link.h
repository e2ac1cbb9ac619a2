// TunLink: a tun device's transmit side. A packet goes into a ptr_ring, from which the reader of
// that queue (vhost, qdisc/vhost_worker.h) takes it; a full ring drops it. No wire, no byte queue
// limit; never stops, never busy. Transmit takes only the ring's own producer lock (lltx).
//
// What left the qdisc = packets that the reader is done with + dropped + posted (in the ring, or in
// the reader's hands).
//
// Threads. transmit: any CPU, with its own number. take, peek, doze and done: one reader a queue.
// Source of the behaviour: linux drivers/net/tun.c, tun_net_xmit() and the ring's reader side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/cacheline.h"
#include "base/counter.h"
#include "qdisc/link.h"
#include "ring/notifier.h"

namespace qdiscsim {

struct TunOrders {
  // No packet waits for a reader that sleeps. The reader marks itself and then looks into the ring;
  // a sender puts its packet there and then reads the mark. Both touch the mark by an exchange-like
  // operation, so one comes first: the reader's, and the sender sees the mark; or the sender's, and
  // the reader sees the packet. (A store before a load: ThreadSanitizer cannot tell a weaker one.)
  static constexpr smp::order doze = smp::acq_rel;  // partner: check
  static constexpr smp::order check = smp::acq_rel;
};

// Ring: a PtrRing, with the generation of clearing that is wanted.
template <class Smp, class Ring, class Orders = TunOrders>
class TunLink final : public Link<Smp> {
 public:
  using Packet = Skb<Smp>;

  // length: tx_queue_len, packets in each ring (500 by default in Linux). cpus: how many CPU
  // numbers exist. Throws std::bad_alloc.
  TunLink(SkbSink<Smp>& sink, std::uint16_t queues, std::size_t length, CpuId cpus) : sink_{sink} {
    for (std::uint16_t i = 0; i < queues; ++i) {
      queues_.push_back(std::make_unique<Queue>(length, cpus));
    }
  }

  bool lockless_transmit() const noexcept override { return true; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& tx_queue, Packet* skb,
                   bool /*more*/) noexcept override {
    Queue& queue = *queues_[tx_queue.index()];
    if (!queue.ring.produce(skb)) {
      tx_queue.counters(cpu.id()).dropped.add(1);
      sink_.drop(skb, cpu.id());
      return Verdict::kDrop;
    }
    queue.accepted[cpu.id()].count.add(1);
    if (queue.dozing.fetch_and(1, Orders::check) != 0 &&
        queue.dozing.exchange(0, Orders::check) != 0) {
      queue.readable.signal();
    }
    return Verdict::kOk;
  }

  // ---- the reader ----

  // Up to out.size() packets, oldest first. Returns how many.
  std::size_t take(std::uint16_t queue, std::span<Packet*> out) noexcept {
    return queues_[queue]->ring.template consume_batched<Packet>(out);
  }
  Packet* take(std::uint16_t queue) noexcept {
    return static_cast<Packet*>(queues_[queue]->ring.consume());
  }

  // Length in bytes of the oldest packet, which stays; 0 when there is none.
  std::uint32_t peek_length(std::uint16_t queue) noexcept {
    return queues_[queue]->ring.peek(
        [](void* head) { return head == nullptr ? 0 : static_cast<Packet*>(head)->len; });
  }

  // Asks for a signal of readable() with the next packet. False: there is a packet already, and no
  // signal was asked for.
  [[nodiscard]] bool doze(std::uint16_t queue) noexcept {
    Queue& own = *queues_[queue];
    own.dozing.exchange(1, Orders::doze);
    if (own.ring.looks_empty()) return true;
    // A sender that was quicker signals; that only costs a look for nothing.
    own.dozing.exchange(0, Orders::doze);
    return false;
  }
  EventCounter<Smp>& readable(std::uint16_t queue) noexcept { return queues_[queue]->readable; }

  // The packet has left: counts it and takes it home.
  void done(CpuId cpu, TxQueue<Smp>& tx_queue, Packet* skb) noexcept {
    TxCounters<Smp>& counters = tx_queue.counters(cpu);
    counters.packets.add(1);
    counters.bytes.add(skb->len);
    queues_[tx_queue.index()]->finished.count.add(1);
    sink_.consume(skb, cpu);
  }
  // Taken, but of no use to the reader.
  void discard(CpuId cpu, TxQueue<Smp>& tx_queue, Packet* skb) noexcept {
    tx_queue.counters(cpu).dropped.add(1);
    queues_[tx_queue.index()]->finished.count.add(1);
    sink_.drop(skb, cpu);
  }

  bool complete(Cpu<Smp>& /*cpu*/, TxQueue<Smp>& /*queue*/, Nanoseconds /*now*/) noexcept override {
    return false;
  }
  Nanoseconds interrupt_at(std::uint16_t /*queue*/) const noexcept override {
    return Link<Smp>::kNever;
  }
  std::uint64_t posted(std::uint16_t queue) const noexcept override {
    const Queue& own = *queues_[queue];
    // What is finished was accepted before: read it first.
    const std::uint64_t finished = own.finished.count.read();
    const std::uint64_t all = accepted(queue);
    return all > finished ? all - finished : 0;
  }
  // Packets that went into the ring so far.
  std::uint64_t accepted(std::uint16_t queue) const noexcept {
    const Queue& own = *queues_[queue];
    std::uint64_t all = 0;
    for (CpuId cpu = 0; cpu < own.cpus; ++cpu) all += own.accepted[cpu].count.read();
    return all;
  }
  Nanoseconds catch_up_ns() const noexcept override { return 0; }
  std::uint64_t rate() const noexcept override { return 0; }
  void set_rate(std::uint64_t /*bits_per_second*/) noexcept override {}

 private:
  struct alignas(kCacheLine) Own {
    Counter<Smp> count;
  };
  struct Queue {
    Queue(std::size_t length, CpuId numbers)
        : ring{length}, accepted{std::make_unique<Own[]>(numbers)}, cpus{numbers} {}

    Ring ring;
    alignas(kCacheLine) typename Smp::template atomic<std::uint32_t> dozing{};
    EventCounter<Smp> readable;
    Own finished;  // by the reader
    std::unique_ptr<Own[]> accepted;
    CpuId cpus;
  };

  SkbSink<Smp>& sink_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace qdiscsim
