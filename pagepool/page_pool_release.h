// One attempt to give back everything that a PagePool has at rest. Include page_pool.h, not this
// file. When to try again: page_pool_teardown.h.
//
// Source: linux net/core/page_pool.c, page_pool_free_frag(), page_pool_release(),
// page_pool_empty_ring().
#pragma once

#include "pagepool/page_pool.h"

namespace qdiscsim {

template <class Smp, class Ring, class Orders>
std::int32_t PagePool<Smp, Ring, Orders>::destroy() noexcept {
  set_owner_cpu(kNoCpu);
  free_fragments();
  empty_cache();
  empty_ring();
  return inflight();
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::free_fragments() noexcept {
  PageType* page = frag_.page;
  frag_.page = nullptr;
  if (page != nullptr && drop_references<Orders>(page->pp_ref, frag_.bias - frag_.users)) {
    owner_release(page);
  }
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::empty_ring() noexcept {
  while (PageType* page = ring_.consume()) {
    ring_consumed_.add(1);
    const std::uint32_t references = page->refcount.load(Orders::last);
    if (references != 1) [[unlikely]] {
      ++violations_;
      last_violation_ = static_cast<std::int32_t>(references);
      if (references == 0) {  // it came home twice: the allocator has it already
        owner_released_.add(1);
        continue;
      }
    }
    owner_release(page);
  }
}

}  // namespace qdiscsim
