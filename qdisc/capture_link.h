// CaptureLink: a link around a link, which keeps copies of what the inner one took. Made only for
// devices with a capture: the others pay nothing.
//
// Everything else is the inner link's: its verdicts, locks, interrupts and counters, so a capture
// changes no account. A packet is copied before the inner link has it, who may send it home at
// once, and published after the answer: refused and dropped packets leave no trace.
// Threads: those of Link.
#pragma once

#include <memory>
#include <utility>

#include "qdisc/capture_buffer.h"
#include "qdisc/link.h"

namespace qdiscsim {

template <class Smp>
class CaptureLink final : public Link<Smp> {
 public:
  // The buffer outlives the last transmit.
  CaptureLink(std::unique_ptr<Link<Smp>> link, CaptureBuffer<Smp>& buffer) noexcept
      : link_{std::move(link)}, buffer_{buffer} {}

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb, bool more) noexcept override {
    if (!buffer_.wanted()) return link_->transmit(cpu, queue, skb, more);
    CaptureRecord* const record = buffer_.claim(cpu.id(), *skb, queue.index(), Smp::now());
    const Verdict verdict = link_->transmit(cpu, queue, skb, more);
    if (verdict != Verdict::kOk) return verdict;
    if (record != nullptr) {
      buffer_.publish(record);
    } else {
      buffer_.miss(cpu.id(), queue.index());
    }
    return verdict;
  }

  bool lockless_transmit() const noexcept override { return link_->lockless_transmit(); }
  bool complete(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Nanoseconds now) noexcept override {
    return link_->complete(cpu, queue, now);
  }
  Nanoseconds interrupt_at(std::uint16_t queue) const noexcept override {
    return link_->interrupt_at(queue);
  }
  std::uint64_t posted(std::uint16_t queue) const noexcept override { return link_->posted(queue); }
  Nanoseconds catch_up_ns() const noexcept override { return link_->catch_up_ns(); }
  Nanoseconds busy_until() const noexcept override { return link_->busy_until(); }
  void tx_timeout(std::uint16_t queue) noexcept override { link_->tx_timeout(queue); }
  std::uint64_t rate() const noexcept override { return link_->rate(); }
  void set_rate(std::uint64_t bits_per_second) noexcept override {
    link_->set_rate(bits_per_second);
  }

 private:
  std::unique_ptr<Link<Smp>> link_;
  CaptureBuffer<Smp>& buffer_;
};

// The link itself when there is no capture (null).
template <class Smp>
std::unique_ptr<Link<Smp>> captured(std::unique_ptr<Link<Smp>> link, CaptureBuffer<Smp>* capture) {
  if (capture == nullptr) return link;
  return std::make_unique<CaptureLink<Smp>>(std::move(link), *capture);
}

}  // namespace qdiscsim
