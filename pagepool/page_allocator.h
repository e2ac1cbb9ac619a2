// PageAllocator: the slow path, where pools get pages from and give them back to for good. Plays
// the part of the kernel's page allocator: a LIFO free list over the arena under one lock.
//
// Threads: any, for every member. Errors: alloc_bulk returns fewer pages than asked, or none.
// The preferred NUMA node of a pool is not looked at here: what the list has is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/cacheline.h"
#include "base/counter.h"
#include "base/smp.h"
#include "pagepool/page.h"
#include "pagepool/page_arena.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

template <class Smp, class Lock = TestAndSetLock<Smp>, class Orders = PageOrders>
class PageAllocator {
 public:
  static constexpr std::size_t kNoLimit = SIZE_MAX;

  // The arena must outlive the allocator. limit: see set_limit.
  explicit PageAllocator(PageArena<Smp>& arena, std::size_t limit = kNoLimit)
      : total_{arena.size()},
        free_list_{std::make_unique<Page<Smp>*[]>(arena.size())},
        free_{arena.size()},
        limit_{limit} {
    // Page 0 on top.
    for (std::size_t i = 0; i < total_; ++i) free_list_[i] = &arena.page(total_ - 1 - i);
  }
  PageAllocator(const PageAllocator&) = delete;
  PageAllocator& operator=(const PageAllocator&) = delete;

  // Takes up to n pages, each with one reference. Returns how many; 0 counts as one failure.
  std::size_t alloc_bulk(Page<Smp>** out, std::size_t n) noexcept {
    Held guard{lock_};
    const std::size_t free = free_.load(kGauge);
    const std::size_t in_use = total_ - free;
    const std::size_t limit = limit_.load(kGauge);
    const std::size_t count = std::min({n, free, limit > in_use ? limit - in_use : 0});
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = free_list_[free - 1 - i];
      out[i]->refcount.store(1, Orders::set);
    }
    free_.store(free - count, kGauge);
    if (count == 0 && n != 0) failures_.add(1);
    return count;
  }

  // Takes back pages whose only reference the caller holds.
  void free_bulk(std::span<Page<Smp>* const> pages) noexcept {
    Held guard{lock_};
    std::size_t free = free_.load(kGauge);
    for (Page<Smp>* page : pages) {
      page->pool = nullptr;
      page->pfmemalloc = false;
      page->refcount.store(0, Orders::set);
      free_list_[free++] = page;
    }
    free_.store(free, kGauge);
  }
  void free(Page<Smp>* page) noexcept { free_bulk({&page, 1}); }

  // A further reference of one's own to a page that the caller may already use, and its end: the
  // last put frees the page.
  static void get(Page<Smp>* page) noexcept { page->refcount.fetch_add(1, Orders::take); }
  void put(Page<Smp>* page) noexcept {
    if (drop_reference<Orders>(page->refcount)) free(page);
  }

  // Most pages that may be out at the same time. Lowering it below what is out takes nothing back:
  // allocation fails until enough came home.
  void set_limit(std::size_t pages) noexcept {
    Held guard{lock_};
    limit_.store(pages, kGauge);
  }

  std::size_t limit() const noexcept { return std::min(limit_.load(kGauge), total_); }
  std::size_t total_pages() const noexcept { return total_; }
  std::size_t free_pages() const noexcept { return free_.load(kGauge); }
  std::uint64_t failures() const noexcept { return failures_.read(); }

 private:
  // Written under the lock; read without it for display only.
  static constexpr smp::order kGauge = smp::relaxed;

  const std::size_t total_;
  const std::unique_ptr<Page<Smp>*[]> free_list_;  // [0, free_) are free, the next one at the top

  alignas(kCacheLine) Lock lock_;
  typename Smp::template atomic<std::size_t> free_;
  typename Smp::template atomic<std::size_t> limit_;
  Counter<Smp> failures_;  // its one writer is the holder of the lock
};

}  // namespace qdiscsim
