// PacketMemory: joins pages and skbs. Every page of the arena has one skb of its own; this is the
// sink that takes packets home, to the page_pool that their page came from.
//
// Thread rules are those of SkbSink::consume and PagePool::put.
#pragma once

#include <memory>

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

  explicit PacketMemory(PageArena<Smp>& arena) : skbs_{std::make_unique<Skb<Smp>[]>(arena.size())} {
    for (std::size_t i = 0; i < arena.size(); ++i) {
      Page<Smp>& page = arena.page(i);
      skbs_[i].owner = &page;
      skbs_[i].data = page.data + kHeadroom + kCacheLine * (page.index % kColours);
    }
  }

  // The skb of a page that the caller alone holds.
  Skb<Smp>* skb_of(const Page<Smp>* page) noexcept { return &skbs_[page->index]; }

  void consume(Skb<Smp>* skb, CpuId cpu) noexcept override {
    if (skb->users.load(Orders::alone) != 1) {
      if (skb->users.fetch_sub(1, Orders::drop) != 1) return;
      skb->users.store(1, smp::relaxed);  // for the next packet in this page
    }
    auto* page = static_cast<Page<Smp>*>(skb->owner);
    Pool::of(page)->put(page, cpu);
  }

 private:
  std::unique_ptr<Skb<Smp>[]> skbs_;
};

// The longest packet that fits a page behind headroom and any colour.
inline constexpr std::uint32_t kMaxPacketBytes = 3500;

}  // namespace qdiscsim
