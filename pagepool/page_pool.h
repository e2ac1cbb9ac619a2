// PagePool: recycles pages between their owner, who allocates, and whoever frees them.
//
//   alloc:  cache (LIFO, 128) -> refill 64 from the ring -> up to 64 from the PageAllocator
//   put:    cache, when the owner itself frees -> ring -> PageAllocator
//
// A page is recycled only by its last holder (pp_ref), and only when nobody else holds it (refcount
// 1) and it is not pfmemalloc. hold - release = pages in the cache, in the ring and out.
//
// Threads. alloc(), update_node(), set_owner_cpu() and destroy() belong to the owner: one thread at
// a time. put() and put_bulk() may be called by any CPU, with its own number, below `cpus`; only
// one thread at a time may use a number, since each number has its own counters. allow_direct is
// the caller's promise that it is the owner's thread. Getters: any thread, any time.
//
// Errors: alloc() returns null when the allocator has nothing. The constructor throws
// std::invalid_argument (a size that the kernel refuses) and std::bad_alloc.
// Source of the behaviour: net/core/page_pool.c of 6.18, order-0 pages without DMA. Fragments and
// memory providers are not modelled.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "base/cacheline.h"
#include "base/check.h"
#include "base/counter.h"
#include "base/cpu_id.h"
#include "base/smp.h"
#include "pagepool/page.h"
#include "pagepool/page_allocator.h"
#include "pagepool/page_pool_stats.h"
#include "ring/ptr_ring.h"
#include "ring/typed_ring.h"

namespace qdiscsim {

// The owner of a pool that nobody may recycle to directly.
inline constexpr CpuId kNoCpu = std::numeric_limits<CpuId>::max();

struct PagePoolParams {
  std::uint32_t pool_size = 0;  // ring entries: 0 means 1024, above 16384 is capped, max 32768
  CpuId owner_cpu = kNoCpu;     // puts from this CPU go to the cache
  CpuId cpus = 1;               // puts come from CPUs 0 .. cpus - 1; at least 1
  std::int32_t node = -1;       // wanted NUMA node; -1 takes pages from any
  RingChoice ring{};            // when the Ring of the pool leaves it open
};

// Ring: one that many produce to and one consumes from; ring/typed_ring.h says what is called.
template <class Smp, class Ring = PtrRing<Smp>, class Orders = PageOrders>
class PagePool {
 public:
  using PageType = Page<Smp>;
  using Allocator = PageAllocator<Smp, TestAndSetLock<Smp>, Orders>;

  static constexpr std::uint32_t kCacheSize = 128;
  static constexpr std::uint32_t kRefill = 64;
  static constexpr std::uint32_t kDefaultRing = 1024;
  static constexpr std::uint32_t kMaxRing = 16384;
  static constexpr std::uint32_t kMaxPoolSize = 32768;
  static constexpr std::size_t kBulk = 16;  // pages put under one hold of the producer lock

  // The allocator must outlive the pool.
  PagePool(Allocator& allocator, const PagePoolParams& params)
      : node_{params.node},
        ring_{ring_size(params.pool_size), std::max<CpuId>(params.cpus, 1), params.ring},
        owner_cpu_{params.owner_cpu},
        cpus_{std::max<CpuId>(params.cpus, 1)},
        recycled_{std::make_unique<Recycled[]>(cpus_)},
        allocator_{allocator} {}
  // No page may be out any more: destroy() must have returned 0.
  ~PagePool() { QDISCSIM_CHECK_EQ(destroy(), 0); }
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // The pool that a page came from; null for a page that is with the allocator.
  static PagePool* of(const PageType* page) noexcept { return static_cast<PagePool*>(page->pool); }

  // ---- the owner ----

  // A page that the caller alone holds; null when there is none to be had.
  PageType* alloc() noexcept {
    const std::uint32_t cached = cached_.load(kOwn);
    if (cached == 0) [[unlikely]]
      return alloc_refill();
    alloc_fast_.add(1);
    return pop(cached);
  }

  // Changes the CPU whose puts go to the cache. No put may be under way.
  void set_owner_cpu(CpuId cpu) noexcept { owner_cpu_.store(cpu, kOwn); }

  // Wants pages of this NUMA node from now on and gives the cached ones back.
  void update_node(std::int32_t node) noexcept {
    node_ = node;
    empty_cache();
  }

  // The end of a pool: no more alloc(), no more direct put. Gives all idle pages back and returns
  // how many are still out (negative: one came home twice). While that is above 0, call it again
  // later; pages may come home in between.
  std::int32_t destroy() noexcept {
    set_owner_cpu(kNoCpu);
    empty_cache();
    while (PageType* page = ring_.consume()) {
      ring_consumed_.add(1);
      owner_release(page);
    }
    return inflight();
  }

  // ---- any CPU ----

  // One more holder of a page that the caller holds: each must put() it.
  static void get(PageType* page) noexcept { page->pp_ref.fetch_add(1, Orders::take); }

  // Ends the caller's hold on a page of this pool.
  void put(PageType* page, CpuId cpu, bool allow_direct = false) noexcept {
    if (!drop_reference<Orders>(page->pp_ref)) [[unlikely]]
      return;
    Recycled& mine = recycled_[cpu];
    if (!recyclable(page, mine)) [[unlikely]]
      return;
    if (allow_direct || cpu == owner_cpu_.load(kOwn)) {
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

  // put() for several pages of this pool, kBulk at a time under one hold of the producer lock. A
  // ring that fills up counts one ring_full a round, however many pages of the round it turned
  // away.
  void put_bulk(std::span<PageType* const> pages, CpuId cpu) noexcept {
    while (!pages.empty()) {
      const std::size_t count = std::min(pages.size(), kBulk);
      put_round(pages.first(count), cpu);
      pages = pages.subspan(count);
    }
  }

  // ---- any thread: for display while threads run, exact when they rest ----

  // Adds to what is there, so that several pools can be summed.
  void get_stats(PagePoolStats& stats) const noexcept {
    stats.alloc_fast += alloc_fast_.read();
    stats.alloc_slow += alloc_slow_.read();
    stats.alloc_empty += alloc_empty_.read();
    stats.alloc_refill += alloc_refill_.read();
    stats.alloc_waive += alloc_waive_.read();
    stats.recycle_cached += sum(&Recycled::cached);
    stats.recycle_cache_full += sum(&Recycled::cache_full);
    stats.recycle_ring += sum(&Recycled::ring);
    stats.recycle_ring_full += sum(&Recycled::ring_full);
    stats.recycle_released_refcnt += sum(&Recycled::released_refcnt);
  }
  PagePoolStats stats() const noexcept {
    PagePoolStats stats;
    get_stats(stats);
    return stats;
  }

  // Pages ever taken from the allocator, and ever given back to it.
  std::uint64_t hold() const noexcept { return hold_.read(); }
  std::uint64_t release() const noexcept {
    return owner_released_.read() + sum(&Recycled::released);
  }

  // Pages that the pool answers for, those in cache and ring included. Like the kernel's: the
  // difference of two 32-bit counts.
  std::int32_t inflight() const noexcept {
    const auto released = static_cast<std::uint32_t>(release());  // first: never above what is held
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(hold()) - released);
  }

  std::uint32_t cache_pages() const noexcept { return cached_.load(kOwn); }
  // From the counters: looking at the slots would disturb the ring's users.
  std::uint64_t ring_pages() const noexcept {
    const std::uint64_t consumed = ring_consumed_.read();
    const std::uint64_t stored = sum(&Recycled::ring);
    // A page can be consumed before its producer has counted it.
    return stored < consumed ? 0 : std::min<std::uint64_t>(stored - consumed, ring_capacity());
  }
  std::size_t ring_capacity() const noexcept { return ring_.size(); }
  CpuId owner_cpu() const noexcept { return owner_cpu_.load(kOwn); }
  CpuId cpus() const noexcept { return cpus_; }

 private:
  // What the CPU of one number counts, and only it.
  struct alignas(kCacheLine) Recycled {
    Counter<Smp> cached;
    Counter<Smp> cache_full;
    Counter<Smp> ring;
    Counter<Smp> ring_full;
    Counter<Smp> released_refcnt;
    Counter<Smp> released;
  };

  // Cells of one writer that others only show, or that change while nobody looks.
  static constexpr smp::order kOwn = smp::relaxed;

  static std::size_t ring_size(std::uint32_t pool_size) {
    if (pool_size > kMaxPoolSize) {
      throw std::invalid_argument{"page_pool: pool_size " + std::to_string(pool_size) +
                                  " is above " + std::to_string(kMaxPoolSize)};
    }
    return pool_size == 0 ? kDefaultRing : std::min(pool_size, kMaxRing);
  }

  PageType* pop(std::uint32_t cached) noexcept {
    cached_.store(cached - 1, kOwn);
    return cache_[cached - 1].get();
  }

  bool push(PageType* page) noexcept {
    const std::uint32_t cached = cached_.load(kOwn);
    if (cached == kCacheSize) [[unlikely]]
      return false;
    cache_[cached].set(page);
    cached_.store(cached + 1, kOwn);
    return true;
  }

  [[gnu::noinline]] PageType* alloc_refill() noexcept {
    if (ring_.looks_empty()) {
      alloc_empty_.add(1);
      return alloc_slow();
    }
    std::uint32_t cached = 0;
    std::uint64_t consumed = 0;
    while (cached < kRefill) {
      PageType* page = ring_.consume_unlocked();
      if (page == nullptr) break;
      ++consumed;
      if (node_ != -1 && page->node != node_) [[unlikely]] {
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

  PageType* alloc_slow() noexcept {
    std::array<PageType*, kRefill> fresh;
    const std::size_t count = allocator_.alloc_bulk(fresh.data(), kRefill);
    if (count == 0) return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      fresh[i]->pool = this;
      fresh[i]->pp_ref.store(1, Orders::set);
      cache_[i].set(fresh[i]);
    }
    hold_.add(count);
    alloc_slow_.add(1);
    return pop(static_cast<std::uint32_t>(count));
  }

  // Whether the page may be used again here; if not, it has been released.
  bool recyclable(PageType* page, Recycled& mine) noexcept {
    if (page->refcount.load(Orders::last) == 1 && !page->pfmemalloc) [[likely]]
      return true;
    mine.released_refcnt.add(1);
    release(page, mine);
    return false;
  }

  void release(PageType* page, Recycled& mine) noexcept {
    mine.released.add(1);
    page->pool = nullptr;
    allocator_.put(page);
  }

  void owner_release(PageType* page) noexcept {
    owner_released_.add(1);
    page->pool = nullptr;
    allocator_.put(page);
  }

  void empty_cache() noexcept {
    for (std::uint32_t cached = cached_.load(kOwn); cached > 0; --cached)
      owner_release(pop(cached));
  }

  void put_round(std::span<PageType* const> pages, CpuId cpu) noexcept {
    Recycled& mine = recycled_[cpu];
    const bool direct = cpu == owner_cpu_.load(kOwn);
    std::array<PageType*, kBulk> left;
    std::size_t count = 0;
    for (PageType* page : pages) {
      if (!drop_reference<Orders>(page->pp_ref) || !recyclable(page, mine)) continue;
      if (direct) {
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

  std::uint64_t sum(const Counter<Smp> Recycled::*counter) const noexcept {
    std::uint64_t total = 0;
    for (CpuId cpu = 0; cpu < cpus_; ++cpu) total += (recycled_[cpu].*counter).read();
    return total;
  }

  // The owner's: written at every alloc and direct put.
  alignas(kCacheLine) typename Smp::template atomic<std::uint32_t> cached_{};
  std::int32_t node_;
  Counter<Smp> alloc_fast_;
  Counter<Smp> alloc_slow_;
  Counter<Smp> alloc_empty_;
  Counter<Smp> alloc_refill_;
  Counter<Smp> alloc_waive_;
  Counter<Smp> hold_;
  Counter<Smp> owner_released_;  // by refill, update_node and destroy
  Counter<Smp> ring_consumed_;
  std::array<typename Smp::template var<PageType*>, kCacheSize> cache_;

  TypedRing<PageType, Ring> ring_;

  // Read by everyone, written at rest only.
  alignas(kCacheLine) typename Smp::template atomic<CpuId> owner_cpu_;
  const CpuId cpus_;
  const std::unique_ptr<Recycled[]> recycled_;
  Allocator& allocator_;
};

}  // namespace qdiscsim
