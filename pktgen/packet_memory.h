// PacketMemory: joins pages and skbs. Every page of the arena has one skb of its own; this is the
// sink that takes packets home, to the page_pool that their page came from.
//
// Thread rules are those of SkbSink::consume and PagePool::put.
#pragma once

#include <cstdint>
#include <memory>

#include "base/latency_recorder.h"
#include "pagepool/page_arena.h"
#include "pagepool/page_pool.h"
#include "qdisc/skb.h"
#include "ring/any_ring.h"

namespace qdiscsim {

struct SkbUsersOrders {
  // The last holder frees: it must see what the others did with the skb, and they must be done.
  static constexpr smp::order alone = smp::acquire;  // partner: drop
  static constexpr smp::order drop = smp::acq_rel;   // partner: alone, drop
};

// Ring: of the pools.
template <class Smp, class Ring = AnyRing<Smp>, class Orders = SkbUsersOrders>
class PacketMemory final : public SkbSink<Smp> {
 public:
  using Pool = PagePool<Smp, Ring>;

  // Packets start this far into their page, plus a colour: pages lie 4096 bytes apart, and without
  // it the first lines of all packets would compete for the same few cache sets.
  static constexpr std::size_t kHeadroom = 64;
  static constexpr std::uint32_t kColours = 8;

  explicit PacketMemory(PageArena<Smp>& arena)
      : skbs_{std::make_unique<Skb<Smp>[]>(arena.size())},
        intents_{std::make_unique<Intent[]>(arena.size())} {
    for (std::size_t i = 0; i < arena.size(); ++i) {
      Page<Smp>& page = arena.page(i);
      skbs_[i].owner = &page;
      skbs_[i].data = page.data + kHeadroom + kCacheLine * (page.index % kColours);
    }
  }

  // The skb of a page that the caller alone holds.
  Skb<Smp>* skb_of(const Page<Smp>* page) noexcept { return &skbs_[page->index]; }

  // Times a packet that its one holder is about to send: from `since`, when it was meant to leave,
  // until it has. A packet that is dropped is not recorded. The recorder outlives the packet.
  using Recorder = LatencyRecorder<Smp, Writers::kMany>;
  void time(Skb<Smp>* skb, Nanoseconds since, Recorder& recorder) noexcept {
    intents_[page_of(skb).index] = {since, &recorder};
    skb->moment = 0;
    skb->users.store(1 + Skb<Smp>::kTimed, smp::relaxed);
  }

  void consume(Skb<Smp>* skb, CpuId cpu) noexcept override {
    if (skb->users.load(Orders::alone) != 1) {
      // kTimed is the sign.
      const auto users = static_cast<std::int32_t>(skb->users.fetch_sub(1, Orders::drop));
      if (users > 1) return;
      if (users < 0) record(skb);
      skb->users.store(1, smp::relaxed);  // for the next packet in this page
    }
    auto* page = static_cast<Page<Smp>*>(skb->owner);
    Pool::of(page)->put(page, cpu);
  }

 private:
  // Of a timed packet: handed on with the packet.
  struct Intent {
    Nanoseconds since = 0;
    Recorder* recorder = nullptr;
  };

  static const Page<Smp>& page_of(const Skb<Smp>* skb) noexcept {
    return *static_cast<const Page<Smp>*>(skb->owner);
  }

  [[gnu::noinline, gnu::cold]] void record(const Skb<Smp>* skb) noexcept {
    const Intent& intent = intents_[page_of(skb).index];
    const Nanoseconds left = skb->moment != 0 ? skb->moment : Smp::now();
    intent.recorder->record(left > intent.since ? left - intent.since : 0);
  }

  std::unique_ptr<Skb<Smp>[]> skbs_;
  std::unique_ptr<Intent[]> intents_;
};

// The longest packet that fits a page behind headroom and any colour.
inline constexpr std::uint32_t kMaxPacketBytes = 3500;

}  // namespace qdiscsim
