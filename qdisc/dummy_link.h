// DummyLink: takes every packet and lets it go at once, as Linux's dummy device does. No lock, no
// ring, no byte queue limit; never stops, never busy.
#pragma once

#include "qdisc/link.h"

namespace qdiscsim {

template <class Smp>
class DummyLink final : public Link<Smp> {
 public:
  explicit DummyLink(SkbSink<Smp>& sink) noexcept : sink_{sink} {}

  bool lockless_transmit() const noexcept override { return true; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb,
                   bool /*more*/) noexcept override {
    TxCounters<Smp>& counters = queue.counters(cpu.id());
    counters.packets.add(1);
    counters.bytes.add(skb->len);
    sink_.consume(skb, cpu.id());
    return Verdict::kOk;
  }

  bool complete(Cpu<Smp>& /*cpu*/, TxQueue<Smp>& /*queue*/, Nanoseconds /*now*/) noexcept override {
    return false;
  }
  Nanoseconds interrupt_at(std::uint16_t /*queue*/) const noexcept override {
    return Link<Smp>::kNever;
  }
  std::uint64_t posted(std::uint16_t /*queue*/) const noexcept override { return 0; }
  Nanoseconds catch_up_ns() const noexcept override { return 0; }
  std::uint64_t rate() const noexcept override { return 0; }
  void set_rate(std::uint64_t /*bits_per_second*/) noexcept override {}

 private:
  SkbSink<Smp>& sink_;
};

}  // namespace qdiscsim
