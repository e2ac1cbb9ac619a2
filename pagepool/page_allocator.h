// PageAllocator: the slow path, where pools get pages from and give them back to for good. Plays
// the part of the kernel's page allocator: a LIFO free list over the arena under one lock.
//
// Threads: any, for every member. Errors: alloc_bulk returns fewer pages than asked, or none;
// alloc_order null.
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
      : arena_{arena},
        total_{arena.size()},
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

  // Takes 2^order neighbours as one page, its head, with one reference; null counts as one failure.
  // Looks at every page of the arena: for pools of higher order, whose slow path is not hot.
  Page<Smp>* alloc_order(std::uint32_t order) noexcept {
    Held guard{lock_};
    const std::size_t free = free_.load(kGauge);
    const std::size_t limit = limit_.load(kGauge);
    const std::size_t count = order < 32 ? std::size_t{1} << order : total_ + 1;
    const std::size_t head = total_ - free + count <= limit ? find_free(count) : total_;
    if (head == total_) {
      failures_.add(1);
      return nullptr;
    }
    const auto taken = [&](const Page<Smp>* page) {
      return page->index >= head && page->index < head + count;
    };
    static_cast<void>(std::remove_if(free_list_.get(), free_list_.get() + free, taken));
    free_.store(free - count, kGauge);
    for (std::size_t i = 0; i < count; ++i) arena_.page(head + i).refcount.store(1, Orders::set);
    arena_.page(head).order = static_cast<std::uint8_t>(order);
    return &arena_.page(head);
  }

  // Takes back pages whose only reference the caller holds.
  void free_bulk(std::span<Page<Smp>* const> pages) noexcept {
    Held guard{lock_};
    std::size_t free = free_.load(kGauge);
    for (Page<Smp>* page : pages) {
      if (page->order != 0) [[unlikely]]
        free = free_tails(page, free);
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

  // First of `count` free neighbours at a multiple of count; total_ when there are none.
  std::size_t find_free(std::size_t count) noexcept {
    for (std::size_t head = 0; head + count <= total_; head += count) {
      std::size_t i = 0;
      while (i < count && arena_.page(head + i).refcount.load(Orders::last) == 0) ++i;
      if (i == count) return head;
    }
    return total_;
  }

  std::size_t free_tails(Page<Smp>* page, std::size_t free) noexcept {
    for (std::size_t i = (std::size_t{1} << page->order) - 1; i > 0; --i) {
      Page<Smp>& tail = arena_.page(page->index + i);
      tail.refcount.store(0, Orders::set);
      free_list_[free++] = &tail;
    }
    page->order = 0;
    return free;
  }

  PageArena<Smp>& arena_;
  const std::size_t total_;
  const std::unique_ptr<Page<Smp>*[]> free_list_;  // [0, free_) are free, the next one at the top

  alignas(kCacheLine) Lock lock_;
  typename Smp::template atomic<std::size_t> free_;
  typename Smp::template atomic<std::size_t> limit_;
  Counter<Smp> failures_;  // its one writer is the holder of the lock
};

}  // namespace qdiscsim
