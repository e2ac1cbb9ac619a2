// TapLink: a driver whose packets leave the process: each is given to a FrameWriter, whole and at
// once, as a TAP interface takes it (daemon/tap_interface.h). No wire, no driver ring, no byte
// queue limit; never stops, never busy.
//
// Transmit takes no tx queue lock (lltx), as Linux's tun: the kernel takes frames from several
// threads at once, and a lock would be held over a system call. Below a qdisc the frames of a queue
// keep their order, because one CPU at a time runs it; those of start_xmit on several CPUs mix.
//
// A frame that is not taken is dropped and counted (tx_dropped), as a driver does: what left the
// qdisc = sent + dropped by the driver. A tag in skb->vlan_tag is not written: nobody sets one.
//
// Threads. transmit: any CPU, with its own number. first_error: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "qdisc/link.h"

namespace qdiscsim {

class FrameWriter {
 public:
  FrameWriter() = default;
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;
  virtual ~FrameWriter() = default;

  // One Ethernet frame without FCS, out of tx queue `queue`. 0, or the error number (errno) of a
  // frame that was not taken. Is done with the bytes when it returns, and never waits. Any thread,
  // several at once.
  virtual int write(std::uint16_t queue, std::span<const std::byte> frame) noexcept = 0;
};

template <class Smp>
class TapLink final : public Link<Smp> {
 public:
  // The sink outlives the link.
  TapLink(SkbSink<Smp>& sink, std::unique_ptr<FrameWriter> writer) noexcept
      : sink_{sink}, writer_{std::move(writer)} {}

  bool lockless_transmit() const noexcept override { return true; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb,
                   bool /*more*/) noexcept override {
    TxCounters<Smp>& counters = queue.counters(cpu.id());
    const int error = writer_->write(queue.index(), {skb->data, skb->len});
    if (error == 0) [[likely]] {
      counters.packets.add(1);
      counters.bytes.add(skb->len);
    } else {
      counters.dropped.add(1);
      remember(error);
      sink_.drop(skb, cpu.id());
      return Verdict::kDrop;
    }
    sink_.consume(skb, cpu.id());
    return Verdict::kOk;
  }

  // The error number of the first frame that was not taken; 0: all were.
  int first_error() const noexcept { return first_error_.load(smp::relaxed); }

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
  // Read first: a link that refuses everything does not have its CPUs write one line in turn. The
  // value is all that is handed over, so the orders are relaxed.
  void remember(int error) noexcept {
    if (first_error() != 0) return;
    int none = 0;
    first_error_.compare_exchange(none, error, smp::relaxed, smp::relaxed);
  }

  SkbSink<Smp>& sink_;
  std::unique_ptr<FrameWriter> writer_;
  typename Smp::template atomic<int> first_error_{};
};

}  // namespace qdiscsim
