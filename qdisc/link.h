// Link: what a device's driver and wire do with a packet. The kinds: dummy_link.h, wire_link.h,
// tun_link.h, tap_link.h.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "qdisc/skb.h"
#include "qdisc/softirq.h"
#include "qdisc/tx_queue.h"
#include "qdisc/verdict.h"

namespace qdiscsim {

template <class Smp>
class Link {
 public:
  static constexpr Nanoseconds kNever = ~Nanoseconds{0};

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  // True when transmit() needs no tx queue lock (the kernel's lltx, as dummy devices have).
  virtual bool lockless_transmit() const noexcept = 0;

  // The driver's transmit function; tx queue lock held unless lockless. `more`: another skb
  // follows. On kBusy the caller keeps the skb, else the link owns one of its references.
  virtual Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb,
                           bool more) noexcept = 0;

  // Completes what left the wire by `now`; tx queue lock held. True: the queue was woken, the
  // caller must schedule its qdisc.
  virtual bool complete(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Nanoseconds now) noexcept = 0;

  // When complete() has something worth doing on this queue; kNever while its ring is empty. A hint
  // for any thread, read without the lock.
  virtual Nanoseconds interrupt_at(std::uint16_t queue) const noexcept = 0;

  // Packets posted to the queue's ring and not yet completed. Any thread.
  virtual std::uint64_t posted(std::uint16_t queue) const noexcept = 0;

  // Sum of transmit time that lay in the past when its packet was posted, because the host ran
  // late.
  virtual Nanoseconds catch_up_ns() const noexcept = 0;

  // Until when the wire is taken by what was posted: how far its time has come. 0 without a wire.
  virtual Nanoseconds busy_until() const noexcept { return 0; }

  // The watchdog found this queue stopped for too long (the driver's ndo_tx_timeout). Control
  // thread.
  virtual void tx_timeout(std::uint16_t /*queue*/) noexcept {}

  // Bits per second on the wire; 0 = no limit.
  virtual std::uint64_t rate() const noexcept = 0;
  // Takes effect with the next packet. Only wires have a rate; others ignore it.
  virtual void set_rate(std::uint64_t bits_per_second) noexcept = 0;
};

}  // namespace qdiscsim
