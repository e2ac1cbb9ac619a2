// Skb: the packet descriptor that travels from a generator to a link. One cache line.
//
// Ownership moves with the call: whoever accepts an skb (SUCCESS, DROP, CN) owns it and in the end
// gives it to the SkbSink, which takes its memory home. Only BUSY leaves it with the caller.
// `users` counts holders when one skb is sent several times (clone_skb, burst).
// Source: the roles of struct sk_buff, linux include/linux/skbuff.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "base/clock.h"
#include "base/cpu_id.h"
#include "base/smp.h"

namespace qdiscsim {

template <class Smp>
struct alignas(kCacheLine) Skb {
  Skb* next = nullptr;        // list of skbs: requeue, bulk, to-free. Its list's owner only
  std::byte* data = nullptr;  // first byte of the Ethernet header
  void* owner = nullptr;      // the sink's own: which page this is
  Nanoseconds timestamp = 0;  // since when the sender meant it to be there; 0 = now
  // In a band: since when, if this one is sampled. In a link that sends later than it takes: when
  // the packet leaves. Else 0.
  Nanoseconds moment = 0;
  std::uint32_t len = 0;       // bytes, without FCS
  std::uint32_t priority = 0;  // raw skb->priority
  // Holders; or 1 + kTimed: the one holder's sink wants to know when the packet left.
  typename Smp::template atomic<std::uint32_t> users{1};
  static constexpr std::uint32_t kTimed = 1U << 31U;
  std::uint16_t queue_mapping = 0;
  std::uint16_t gso_segs = 1;
  // A tag that is not among the packet's bytes yet: TPID << 16 | TCI; 0 = none.
  std::uint32_t vlan_tag = 0;
  // Bytes from `data` on that may be other than zero; set by whoever writes there, and clears.
  std::uint16_t written = kCacheLine;

  // The qdisc-visible length. Without GSO it is len.
  std::uint32_t pkt_len() const noexcept { return len; }
};

// Takes skbs home. Called by whatever CPU ended the packet's journey.
template <class Smp>
class SkbSink {
 public:
  SkbSink() = default;
  SkbSink(const SkbSink&) = delete;
  SkbSink& operator=(const SkbSink&) = delete;
  virtual ~SkbSink() = default;

  // The packet has left, at `moment` or now. Drops one reference; the last one returns the memory.
  // Any data-plane thread, with its own number.
  virtual void consume(Skb<Smp>* skb, CpuId cpu) noexcept = 0;

  // The same for a packet that does not leave any more.
  [[gnu::noinline, gnu::cold]] void drop(Skb<Smp>* skb, CpuId cpu) noexcept {
    if ((skb->users.load(smp::relaxed) & Skb<Smp>::kTimed) != 0) skb->users.store(1, smp::relaxed);
    consume(skb, cpu);
  }
};

}  // namespace qdiscsim
