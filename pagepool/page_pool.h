// PagePool: recycles pages between their owner, who allocates, and whoever frees them.
//
//   alloc:  cache (LIFO, 128) -> refill 64 from the ring -> up to 64 from the PageAllocator
//   put:    cache, when the owner itself frees -> ring -> PageAllocator
//
// A page is recycled only by its last holder (pp_ref), and only when nobody else holds it (refcount
// 1) and it is not pfmemalloc. hold - release = pages in the cache, in the ring and out.
//
// Threads. alloc(), alloc_fragment(), alloc_sized(), update_node(), set_owner_cpu() and destroy()
// belong to the owner: one thread at a time. put() and put_bulk() may be called by any CPU, with
// its own number, below `cpus`; only one thread at a time may use a number, since each number has
// its own counters. allow_direct is the caller's promise that it is the owner's thread. Getters:
// any thread, any time.
//
// Errors: alloc() returns null when the allocator has nothing. The constructor throws PagePoolError
// (page_pool_params.h) and std::bad_alloc.
// Source of the behaviour: net/core/page_pool.c of 6.18, or of 6.1 where PagePoolParams::kernel
// says so, without DMA. Memory providers are not modelled.
//
// The bodies stand by subject in page_pool_alloc.h, page_pool_return.h, page_pool_fragments.h and
// page_pool_release.h; the deferred end of a pool in page_pool_teardown.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/cacheline.h"
#include "base/check.h"
#include "base/counter.h"
#include "base/cpu_id.h"
#include "base/smp.h"
#include "pagepool/page.h"
#include "pagepool/page_allocator.h"
#include "pagepool/page_fragment.h"
#include "pagepool/page_pool_params.h"
#include "pagepool/page_pool_stats.h"
#include "ring/ptr_ring.h"
#include "ring/typed_ring.h"

namespace qdiscsim {

// Ring: one that many produce to and one consumes from; ring/typed_ring.h says what is called.
template <class Smp, class Ring = PtrRing<Smp>, class Orders = PageOrders>
class PagePool {
 public:
  using PageType = Page<Smp>;
  using Allocator = PageAllocator<Smp, TestAndSetLock<Smp>, Orders>;

  static constexpr std::uint32_t kCacheSize = 128;
  static constexpr std::uint32_t kRefill = 64;
  static constexpr std::size_t kBulk = 16;  // pages put under one hold of the producer lock

  // The allocator must outlive the pool.
  PagePool(Allocator& allocator, const PagePoolParams& params)
      : node_{params.node},
        local_node_{params.local_node},
        order_{params.order},
        frag_{params},
        ring_{pool_ring_size(params), std::max<CpuId>(params.cpus, 1), params.ring},
        auto_direct_{params.kernel > KernelVersion::k6_1 && !params.preempt_rt},
        task_direct_{params.kernel > KernelVersion::k6_1},
        owner_cpu_{auto_direct_ ? params.owner_cpu : kNoCpu},
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

  // A piece of `size` bytes of the current page, or of a fresh one. Empty for a size of 0 or above
  // the page, and, in 6.1, without page_pool_flag::kPageFrag.
  PageFragment<Smp> alloc_fragment(std::size_t size) noexcept;
  // page_pool_alloc(): the whole page when two such pieces do not fit one, else a fragment; the
  // last one of a page gets the rest.
  PageFragment<Smp> alloc_sized(std::size_t size) noexcept;

  // Changes the CPU whose puts go to the cache; kNoCpu: nobody's. No put may be under way.
  void set_owner_cpu(CpuId cpu) noexcept { owner_cpu_.store(auto_direct_ ? cpu : kNoCpu, kOwn); }

  // Wants pages of this NUMA node from now on and gives the cached ones back.
  void update_node(std::int32_t node) noexcept {
    node_ = node;
    empty_cache();
  }
  // The same, when it is another node than before.
  void node_changed(std::int32_t node) noexcept {
    if (node != node_) update_node(node);
  }

  // The end of a pool: no more alloc(), no more direct put. Gives all idle pages back and returns
  // how many are still out (negative: one came home twice). While that is above 0, call it again
  // later; pages may come home in between.
  std::int32_t destroy() noexcept;

  // ---- any CPU ----

  // One more holder of a page that the caller holds: each must put() it.
  static void get(PageType* page) noexcept { page->pp_ref.fetch_add(1, Orders::take); }

  // Ends the caller's hold on a page of this pool, in softirq. Into the cache go the owner's CPU's
  // pages and those with allow_direct; in 6.1 only the latter.
  void put(PageType* page, CpuId cpu, bool allow_direct = false) noexcept;
  // The same outside softirq: into the cache only with allow_direct; in 6.1 never.
  void put_from_task(PageType* page, CpuId cpu, bool allow_direct = false) noexcept;

  // put() for several pages of this pool, kBulk at a time under one hold of the producer lock. A
  // ring that fills up counts one ring_full a round, however many pages of the round it turned
  // away.
  void put_bulk(std::span<PageType* const> pages, CpuId cpu) noexcept;

  // The same for pages of several pools of this type, as in newer kernels: kBulk pages at a time,
  // and of these one pool after the other in the order of their first pages.
  static void put_bulk_mixed(std::span<PageType* const> pages, CpuId cpu) noexcept;

  // ---- any thread: for display while threads run, exact when they rest ----

  // Adds to what is there, so that several pools can be summed.
  void get_stats(PagePoolStats& stats) const noexcept;
  PagePoolStats stats() const noexcept {
    PagePoolStats stats;
    get_stats(stats);
    return stats;
  }

  // Pages ever taken from the allocator (one of higher order is one), and ever given back to it.
  std::uint64_t hold() const noexcept { return hold_.read(); }
  std::uint64_t release() const noexcept {
    return owner_released_.read() + sum(&Recycled::released);
  }

  // Pages that the pool answers for, those in cache and ring included. Like the kernel's: the
  // difference of two 32-bit counts.
  std::int32_t inflight() const noexcept;

  std::uint32_t cache_pages() const noexcept { return cached_.load(kOwn); }
  // From the counters: looking at the slots would disturb the ring's users.
  std::uint64_t ring_pages() const noexcept;
  std::size_t ring_capacity() const noexcept { return ring_.size(); }
  CpuId owner_cpu() const noexcept { return owner_cpu_.load(kOwn); }
  std::size_t page_bytes() const noexcept { return kPageBytes << order_; }
  // The page that fragments are cut from; null when there is none. Owner only.
  const PageType* fragment_page() const noexcept { return frag_.page; }
  // Pages found in the ring with another page reference than one, while destroy() emptied it: bugs
  // of a holder. Owner only.
  std::uint32_t refcount_violations() const noexcept { return violations_; }
  std::int32_t last_violation() const noexcept { return last_violation_; }
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

  // page_pool_alloc.h
  [[gnu::noinline]] PageType* alloc_refill() noexcept;
  PageType* alloc_slow() noexcept;
  PageType* alloc_slow_high_order() noexcept;
  void adopt(PageType* page) noexcept {
    page->pool = this;
    page->pp_ref.store(1, Orders::set);
  }
  // -1: pages of any node will do.
  std::int32_t wanted_node() const noexcept { return node_ != -1 ? node_ : local_node_; }

  // page_pool_return.h
  bool fit(const PageType* page) const noexcept;
  bool recyclable(PageType* page, Recycled& mine) noexcept;
  template <bool kSoftirq>
  void settle(PageType* page, CpuId cpu, bool allow_direct) noexcept;
  void put_round(std::span<PageType* const> pages, CpuId cpu) noexcept;
  void release(PageType* page, Recycled& mine) noexcept {
    mine.released.add(1);
    page->pool = nullptr;
    allocator_.put(page);
  }

  // page_pool_fragments.h
  PageType* drain_fragments() noexcept;
  PageFragment<Smp> cut_up(PageType* page, std::size_t size) noexcept;

  // page_pool_release.h
  void owner_release(PageType* page) noexcept {
    owner_released_.add(1);
    page->pool = nullptr;
    allocator_.put(page);
  }
  void empty_cache() noexcept {
    for (std::uint32_t cached = cached_.load(kOwn); cached > 0; --cached)
      owner_release(pop(cached));
  }
  void free_fragments() noexcept;
  void empty_ring() noexcept;

  // page_pool_readings.h
  std::uint64_t sum(const Counter<Smp> Recycled::*counter) const noexcept;

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
  // Seldom touched: behind the cache, so that the lines above stay as dense as they are.
  Counter<Smp> alloc_slow_high_order_;
  Counter<Smp> drained_;  // fragmented pages cut up anew: they count as recycled to the cache
  const std::int32_t local_node_;
  const std::uint32_t order_;
  std::uint32_t violations_ = 0;
  std::int32_t last_violation_ = 0;
  FragmentSource<Smp> frag_;

  TypedRing<PageType, Ring> ring_;

  // Read by everyone, written at rest only.
  alignas(kCacheLine) const bool auto_direct_;
  const bool task_direct_;
  typename Smp::template atomic<CpuId> owner_cpu_;
  const CpuId cpus_;
  const std::unique_ptr<Recycled[]> recycled_;
  Allocator& allocator_;
};

}  // namespace qdiscsim

#include "pagepool/page_pool_alloc.h"
#include "pagepool/page_pool_fragments.h"
#include "pagepool/page_pool_readings.h"
#include "pagepool/page_pool_release.h"
#include "pagepool/page_pool_return.h"
