// How pages come home to PagePool. Include page_pool.h, not this file.
//
// Source: linux net/core/page_pool.c, __page_pool_put_page(), page_pool_napi_local(),
// page_pool_put_netmem_bulk() (6.1: page_pool_put_page_bulk()).
#pragma once

#include "pagepool/page_pool.h"

namespace qdiscsim {

template <class Smp, class Ring, class Orders>
inline void PagePool<Smp, Ring, Orders>::put(PageType* page, CpuId cpu,
                                             bool allow_direct) noexcept {
  settle<true>(page, cpu, allow_direct);
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::put_from_task(PageType* page, CpuId cpu,
                                                bool allow_direct) noexcept {
  settle<false>(page, cpu, allow_direct && task_direct_);
}

// Always inlined: put() is the fast path.
template <class Smp, class Ring, class Orders>
template <bool kSoftirq>
[[gnu::always_inline]] inline void PagePool<Smp, Ring, Orders>::settle(PageType* page, CpuId cpu,
                                                                       bool allow_direct) noexcept {
  if (!drop_reference<Orders>(page->pp_ref)) [[unlikely]]
    return;
  Recycled& mine = recycled_[cpu];
  if (!recyclable(page, mine)) [[unlikely]]
    return;
  if (allow_direct || (kSoftirq && cpu == owner_cpu_.load(kOwn))) {
    if (push(page)) [[likely]] {
      mine.cached.add(1);
      return;
    }
    mine.cache_full.add(1);
  }
  if (ring_.produce(page, cpu)) [[likely]] {
    mine.ring.add(1);
  } else {
    mine.ring_full.add(1);
    release(page, mine);
  }
}

// Nobody else holds it, and it is not from emergency reserves.
template <class Smp, class Ring, class Orders>
inline bool PagePool<Smp, Ring, Orders>::fit(const PageType* page) const noexcept {
  return page->refcount.load(Orders::last) == 1 && !page->pfmemalloc;
}

// Whether the page may be used again here; if not, it has been released.
template <class Smp, class Ring, class Orders>
inline bool PagePool<Smp, Ring, Orders>::recyclable(PageType* page, Recycled& mine) noexcept {
  if (fit(page)) [[likely]]
    return true;
  mine.released_refcnt.add(1);
  release(page, mine);
  return false;
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::put_bulk(std::span<PageType* const> pages, CpuId cpu) noexcept {
  while (!pages.empty()) {
    const std::size_t count = std::min(pages.size(), kBulk);
    std::array<PageType*, kBulk> last;
    std::size_t kept = 0;
    for (PageType* page : pages.first(count)) {
      if (drop_reference<Orders>(page->pp_ref)) last[kept++] = page;
    }
    put_round({last.data(), kept}, cpu);
    pages = pages.subspan(count);
  }
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::put_bulk_mixed(std::span<PageType* const> pages,
                                                 CpuId cpu) noexcept {
  while (!pages.empty()) {
    const std::size_t count = std::min(pages.size(), kBulk);
    std::array<PageType*, kBulk> left;
    std::size_t waiting = 0;
    for (PageType* page : pages.first(count)) {
      if (drop_reference<Orders>(page->pp_ref)) left[waiting++] = page;
    }
    while (waiting > 0) {
      PagePool* pool = of(left[0]);
      std::array<PageType*, kBulk> round;
      std::size_t mine = 0;
      std::size_t foreign = 0;
      for (std::size_t i = 0; i < waiting; ++i) {
        if (of(left[i]) == pool) {
          round[mine++] = left[i];
        } else {
          left[foreign++] = left[i];
        }
      }
      pool->put_round({round.data(), mine}, cpu);
      waiting = foreign;
    }
    pages = pages.subspan(count);
  }
}

// At most kBulk pages that the caller was the last holder of.
template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::put_round(std::span<PageType* const> pages, CpuId cpu) noexcept {
  Recycled& mine = recycled_[cpu];
  const bool to_cache = cpu == owner_cpu_.load(kOwn);
  std::array<PageType*, kBulk> left;
  std::size_t count = 0;
  for (PageType* page : pages) {
    if (!recyclable(page, mine)) continue;
    if (to_cache) {
      if (push(page)) {
        mine.cached.add(1);
        continue;
      }
      mine.cache_full.add(1);
    }
    left[count++] = page;
  }
  if (count == 0) return;
  const std::size_t stored =
      ring_.produce_batched(std::span<PageType* const>{left.data(), count}, cpu);
  mine.ring.add(stored);
  if (stored == count) return;
  mine.ring_full.add(1);
  for (std::size_t i = stored; i < count; ++i) release(left[i], mine);
}

}  // namespace qdiscsim
