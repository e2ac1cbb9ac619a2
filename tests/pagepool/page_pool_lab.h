// A pool of one owner and one other CPU, on an arena of 512 pages of one node.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/smp_native.h"
#include "pagepool/page_pool.h"

namespace qdiscsim::test {

using Smp = smp::Native;
using Pool = PagePool<Smp>;
using PageType = Page<Smp>;

inline constexpr CpuId kOwner = 0;
inline constexpr CpuId kOther = 1;

class PagePoolLab : public testing::Test {
 protected:
  // One node, whatever this machine has: the tests of the node rule set their own.
  PagePoolLab() {
    for (std::size_t i = 0; i < arena_.size(); ++i) arena_.page(i).node = 0;
  }

  void make_pool(std::uint32_t size, std::int32_t node = -1) {
    pool_ = std::make_unique<Pool>(
        allocator_,
        PagePoolParams{.pool_size = size, .owner_cpu = kOwner, .cpus = 2, .node = node});
  }
  Pool& pool() { return *pool_; }
  PagePoolStats stats() { return pool_->stats(); }

  std::vector<PageType*> alloc(std::size_t count) {
    std::vector<PageType*> pages;
    for (std::size_t i = 0; i < count; ++i) {
      pages.push_back(pool_->alloc());
      EXPECT_NE(pages.back(), nullptr);
    }
    return pages;
  }
  void put_all(const std::vector<PageType*>& pages, CpuId cpu) {
    for (PageType* page : pages) pool_->put(page, cpu);
  }
  // Takes what is cached, so that the next alloc() looks at the ring.
  std::vector<PageType*> empty_the_cache() { return alloc(pool_->cache_pages()); }

  PageArena<Smp> arena_{512, HugePages::kNever};
  Pool::Allocator allocator_{arena_};
  std::unique_ptr<Pool> pool_;
};

}  // namespace qdiscsim::test
