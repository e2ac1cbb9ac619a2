// What anyone may read of a PagePool while it works. Include page_pool.h, not this file.
#pragma once

#include "pagepool/page_pool.h"

namespace qdiscsim {

template <class Smp, class Ring, class Orders>
std::uint64_t PagePool<Smp, Ring, Orders>::sum(
    const Counter<Smp> Recycled::*counter) const noexcept {
  std::uint64_t total = 0;
  for (CpuId cpu = 0; cpu < cpus_; ++cpu) total += (recycled_[cpu].*counter).read();
  return total;
}

template <class Smp, class Ring, class Orders>
void PagePool<Smp, Ring, Orders>::get_stats(PagePoolStats& stats) const noexcept {
  stats.alloc_fast += alloc_fast_.read();
  stats.alloc_slow += alloc_slow_.read();
  stats.alloc_slow_high_order += alloc_slow_high_order_.read();
  stats.alloc_empty += alloc_empty_.read();
  stats.alloc_refill += alloc_refill_.read();
  stats.alloc_waive += alloc_waive_.read();
  stats.recycle_cached += sum(&Recycled::cached) + drained_.read();
  stats.recycle_cache_full += sum(&Recycled::cache_full);
  stats.recycle_ring += sum(&Recycled::ring);
  stats.recycle_ring_full += sum(&Recycled::ring_full);
  stats.recycle_released_refcnt += sum(&Recycled::released_refcnt);
}

template <class Smp, class Ring, class Orders>
std::int32_t PagePool<Smp, Ring, Orders>::inflight() const noexcept {
  const auto released = static_cast<std::uint32_t>(release());  // first: never above what is held
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(hold()) - released);
}

template <class Smp, class Ring, class Orders>
std::uint64_t PagePool<Smp, Ring, Orders>::ring_pages() const noexcept {
  const std::uint64_t consumed = ring_consumed_.read();
  const std::uint64_t stored = sum(&Recycled::ring);
  // A page can be consumed before its producer has counted it.
  return stored < consumed ? 0 : std::min<std::uint64_t>(stored - consumed, ring_capacity());
}

}  // namespace qdiscsim
