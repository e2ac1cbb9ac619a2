// WireLink: a network card with a descriptor ring a queue and one wire of a given rate.
//
// transmit() posts a packet to the queue's ring and computes its departure; complete() takes out
// what has departed, frees it, and wakes the queue once a quarter of the ring is free. The queues
// of a device share the wire in the order of posting. Completion is by time alone: whoever passes
// by at interrupt_at() or later does the work, the completion thread at the latest (daemon/).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "qdisc/link.h"
#include "qdisc/wire_clock.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

template <class Smp>
class WireLink final : public Link<Smp> {
 public:
  // ring_size >= 8 descriptors for each of `queues` queues.
  WireLink(SkbSink<Smp>& sink, std::uint64_t bits_per_second, std::uint32_t ring_size,
           std::uint32_t queues)
      : sink_{sink}, ring_size_{ring_size}, clock_{bits_per_second}, rate_{bits_per_second} {
    rings_.reserve(queues);
    for (std::uint32_t i = 0; i < queues; ++i) rings_.push_back(std::make_unique<Ring>(ring_size));
  }

  bool lockless_transmit() const noexcept override { return false; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb,
                   bool /*more*/) noexcept override {
    Ring& ring = *rings_[queue.index()];
    const Nanoseconds now = Smp::now();
    // A driver reaps before it gives up: what has left by now is no reason to stop. A queue that is
    // stopped already is left to complete(), whose caller can wake it.
    const bool tight =
        ring.used() + 1 >= ring_size_ || (queue.bql.enabled() && queue.bql.available() < skb->len);
    if (tight && !queue.stopped()) complete(cpu, queue, now);
    if (ring.used() == ring_size_) return Verdict::kBusy;

    const Nanoseconds departure =
        reserve_wire(skb->len, skb->timestamp != 0 ? skb->timestamp : now, now);
    // The wire dates packets back so that a late host costs no rate; for the packet it was late.
    skb->moment = std::max(departure, now);
    ring.slots[ring.at(ring.head)] = {skb, departure, skb->len};
    ++ring.head;
    ring.posted.store(ring.used(), smp::relaxed);
    rearm(ring);

    if (queue.bql.enabled()) {
      queue.bql.queued(skb->len);
      if (queue.bql.available() < 0) queue.stop(TxQueue<Smp>::kStackOff, now);
    }
    if (ring.used() == ring_size_) queue.stop(TxQueue<Smp>::kDriverOff, now);
    return Verdict::kOk;
  }

  bool complete(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Nanoseconds now) noexcept override {
    Ring& ring = *rings_[queue.index()];
    std::uint64_t packets = 0;
    std::uint32_t bytes = 0;
    while (ring.used() > 0 && ring.slots[ring.at(ring.tail)].departure <= now) {
      const Descriptor& done = ring.slots[ring.at(ring.tail)];
      bytes += done.bytes;
      ++packets;
      sink_.consume(done.skb, cpu.id());
      ++ring.tail;
    }
    if (packets == 0) return false;
    queue.counters(cpu.id()).packets.add(packets);
    queue.counters(cpu.id()).bytes.add(bytes);
    ring.posted.store(ring.used(), smp::relaxed);
    rearm(ring);

    bool woken = false;
    if (queue.bql.enabled()) {
      queue.bql.completed(bytes, now);
      if (queue.bql.available() >= 0) woken = queue.wake(TxQueue<Smp>::kStackOff, now);
    }
    if (ring_size_ - ring.used() >= ring_size_ / 4) {
      woken = queue.wake(TxQueue<Smp>::kDriverOff, now) || woken;
    }
    return woken;
  }

  Nanoseconds interrupt_at(std::uint16_t queue) const noexcept override {
    return rings_[queue]->interrupt_at.load(smp::relaxed);
  }
  std::uint64_t posted(std::uint16_t queue) const noexcept override {
    return rings_[queue]->posted.load(smp::relaxed);
  }
  Nanoseconds catch_up_ns() const noexcept override { return catch_up_.load(smp::relaxed); }
  Nanoseconds busy_until() const noexcept override { return busy_until_.load(smp::relaxed); }
  std::uint64_t rate() const noexcept override { return rate_.load(smp::relaxed); }
  void set_rate(std::uint64_t bits_per_second) noexcept override {
    Held guard{wire_lock_};
    clock_.set_rate(bits_per_second);
    rate_.store(bits_per_second, smp::relaxed);
  }

 private:
  struct Descriptor {
    Skb<Smp>* skb;
    Nanoseconds departure;
    std::uint32_t bytes;
  };

  // Guarded by the tx queue's lock, but for the two atomics, which anyone reads.
  struct alignas(kCacheLine) Ring {
    explicit Ring(std::uint32_t ring_size) : slots(ring_size) {}
    std::uint64_t used() const noexcept { return head - tail; }
    std::size_t at(std::uint64_t index) const noexcept { return index % slots.size(); }

    std::vector<Descriptor> slots;
    std::uint64_t head = 0;  // free-running
    std::uint64_t tail = 0;
    typename Smp::template atomic<Nanoseconds> interrupt_at{Link<Smp>::kNever};
    typename Smp::template atomic<std::uint64_t> posted{};
  };

  Nanoseconds reserve_wire(std::uint32_t len, Nanoseconds ready, Nanoseconds now) noexcept {
    Held guard{wire_lock_};
    const Nanoseconds departure = clock_.schedule(len, ready, now);
    catch_up_.store(clock_.catch_up_ns(), smp::relaxed);
    busy_until_.store(departure, smp::relaxed);
    return departure;
  }

  // One interrupt for a quarter of the ring, or for all that is there when it is less.
  void rearm(Ring& ring) noexcept {
    const std::uint64_t used = ring.used();
    if (used == 0) {
      ring.interrupt_at.store(Link<Smp>::kNever, smp::relaxed);
      return;
    }
    const std::uint64_t quarter = ring_size_ / 4;
    const std::uint64_t last = ring.tail + (used < quarter ? used : quarter) - 1;
    ring.interrupt_at.store(ring.slots[ring.at(last)].departure, smp::relaxed);
  }

  SkbSink<Smp>& sink_;
  std::uint64_t ring_size_;
  std::vector<std::unique_ptr<Ring>> rings_;
  TestAndSetLock<Smp> wire_lock_;
  WireClock clock_;  // guarded by wire_lock_
  typename Smp::template atomic<std::uint64_t> rate_;
  typename Smp::template atomic<Nanoseconds> catch_up_{};
  typename Smp::template atomic<Nanoseconds> busy_until_{};
};

}  // namespace qdiscsim
