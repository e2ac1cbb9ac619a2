// How PagePool gets pages: the refill from its ring, and the slow path. Include page_pool.h, not
// this file.
//
// Source: linux net/core/page_pool.c, page_pool_refill_alloc_cache(),
// __page_pool_alloc_netmems_slow() and __page_pool_alloc_page_order().
#pragma once

#include "pagepool/page_pool.h"

namespace qdiscsim {

template <class Smp, class Ring, class Orders>
auto PagePool<Smp, Ring, Orders>::alloc_refill() noexcept -> PageType* {
  if (ring_.looks_empty()) {
    alloc_empty_.add(1);
    return alloc_slow();
  }
  const std::int32_t node = wanted_node();
  std::uint32_t cached = 0;
  std::uint64_t consumed = 0;
  while (cached < kRefill) {
    PageType* page = ring_.consume_unlocked();
    if (page == nullptr) break;
    ++consumed;
    if (node != -1 && page->node != node) [[unlikely]] {
      // The rest of the ring is left for later: one stray page must not cost a whole sweep.
      alloc_waive_.add(1);
      owner_release(page);
      break;
    }
    cache_[cached++].set(page);
  }
  ring_consumed_.add(consumed);
  if (cached == 0) return alloc_slow();
  alloc_refill_.add(1);
  return pop(cached);
}

template <class Smp, class Ring, class Orders>
auto PagePool<Smp, Ring, Orders>::alloc_slow() noexcept -> PageType* {
  if (order_ != 0) [[unlikely]]
    return alloc_slow_high_order();
  std::array<PageType*, kRefill> fresh;
  const std::size_t count = allocator_.alloc_bulk(fresh.data(), kRefill);
  if (count == 0) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    adopt(fresh[i]);
    cache_[i].set(fresh[i]);
  }
  hold_.add(count);
  alloc_slow_.add(1);
  return pop(static_cast<std::uint32_t>(count));
}

template <class Smp, class Ring, class Orders>
auto PagePool<Smp, Ring, Orders>::alloc_slow_high_order() noexcept -> PageType* {
  PageType* page = allocator_.alloc_order(order_);
  if (page == nullptr) return nullptr;
  adopt(page);
  hold_.add(1);
  alloc_slow_high_order_.add(1);
  return page;
}

}  // namespace qdiscsim
