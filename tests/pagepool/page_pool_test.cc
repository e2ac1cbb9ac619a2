// The numbers in the names are those of the conformance checks for page_pool.

#include "pagepool/page_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using Pool = PagePool<Smp>;
using PageType = Page<Smp>;

constexpr CpuId kOwner = 0;
constexpr CpuId kOther = 1;

class PagePoolTest : public testing::Test {
 protected:
  // One node, whatever this machine has: the tests of the node rule set their own.
  PagePoolTest() {
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

TEST_F(PagePoolTest, Spec36_RingSizeFollowsPoolSize) {
  const auto ring = [&](std::uint32_t size) {
    make_pool(size);
    return pool().ring_capacity();
  };
  EXPECT_EQ(ring(0), 1024U);
  EXPECT_EQ(ring(1), 1U);
  EXPECT_EQ(ring(100), 100U);
  EXPECT_EQ(ring(16384), 16384U);
  EXPECT_EQ(ring(20000), 16384U);
  EXPECT_EQ(ring(32768), 16384U);
}

TEST_F(PagePoolTest, Spec36_ASizeAbove32768IsCappedOrByTheOlderRuleRefused) {
  make_pool(40'000);
  EXPECT_EQ(pool().ring_capacity(), 16384U);
  try {
    pool_ring_size({.pool_size = 40'000, .size_rule = PoolSizeRule::kRefuse});
    FAIL() << "accepted";
  } catch (const PagePoolError& error) {
    EXPECT_EQ(error.error(), E2BIG);
    EXPECT_STREQ(error.what(),
                 "page_pool_create_percpu() gave up with errno -7: pool_size is above 32768");
  }
}

TEST_F(PagePoolTest, Spec38_TheFirstAllocTakes64PagesTheSlowWay) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_slow = 1, .alloc_empty = 1}));
  EXPECT_EQ(pool().cache_pages(), 63U);
  EXPECT_EQ(pool().hold(), 64U);
  EXPECT_EQ(pool().inflight(), 64);
  EXPECT_EQ(Pool::of(pages[0]), &pool());
  EXPECT_EQ(allocator_.free_pages(), 512U - 64U);
  put_all(pages, kOwner);
}

TEST_F(PagePoolTest, Spec39_TheNext63AreFast) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(64);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_fast = 63, .alloc_slow = 1, .alloc_empty = 1}));
  put_all(pages, kOwner);
}

TEST_F(PagePoolTest, Spec40_DirectPutsFillTheCacheTo128AndThenGoOnToTheRing) {
  make_pool(0);
  std::vector<PageType*> pages = alloc(192);
  ASSERT_EQ(pool().cache_pages(), 0U);
  const std::vector<PageType*> rest{pages.begin() + 129, pages.end()};
  pages.resize(129);
  put_all(pages, kOwner);
  EXPECT_EQ(stats().recycle_cached, 128U);
  EXPECT_EQ(stats().recycle_cache_full, 1U);
  EXPECT_EQ(stats().recycle_ring, 1U);
  EXPECT_EQ(pool().cache_pages(), 128U);
  EXPECT_EQ(pool().ring_pages(), 1U);
  put_all(rest, kOther);
}

TEST_F(PagePoolTest, Spec41_AFullRingReleasesToTheAllocator) {
  make_pool(4);
  const std::vector<PageType*> pages = alloc(6);
  put_all(pages, kOther);
  EXPECT_EQ(stats().recycle_ring, 4U);
  EXPECT_EQ(stats().recycle_ring_full, 2U);
  EXPECT_EQ(stats().recycle_cached, 0U);
  EXPECT_EQ(pool().release(), 2U);
  EXPECT_EQ(pool().inflight(), 62);
  EXPECT_EQ(pool().ring_pages(), 4U);
  EXPECT_EQ(pages[5]->pool, nullptr);
}

TEST_F(PagePoolTest, Spec42_ABulkPutCountsAFullRingOnce) {
  make_pool(4);
  const std::vector<PageType*> pages = alloc(6);
  pool().put_bulk(pages, kOther);
  EXPECT_EQ(stats().recycle_ring, 4U);
  EXPECT_EQ(stats().recycle_ring_full, 1U);
  EXPECT_EQ(pool().release(), 2U);
}

TEST_F(PagePoolTest, ABulkPutOfTheOwnerFillsTheCacheFirst) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(64 + 64 + 2);
  ASSERT_EQ(pool().cache_pages(), 62U);
  pool().put_bulk(pages, kOwner);
  EXPECT_EQ(stats().recycle_cached, 66U);
  EXPECT_EQ(stats().recycle_cache_full, 64U);
  EXPECT_EQ(stats().recycle_ring, 64U);
}

TEST_F(PagePoolTest, ABulkPutLeavesOutWhatIsStillHeldOrUnfit) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(3);
  Pool::get(pages[0]);
  pages[1]->pfmemalloc = true;
  pool().put_bulk(pages, kOther);
  EXPECT_EQ(stats().recycle_ring, 1U);
  EXPECT_EQ(stats().recycle_released_refcnt, 1U);
  pool().put_bulk({pages.data(), 1}, kOther);
  EXPECT_EQ(stats().recycle_ring, 2U);
}

TEST_F(PagePoolTest, Spec43_APageThatSomebodyElseHoldsIsReleased) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  Pool::Allocator::get(pages[0]);
  const std::size_t free = allocator_.free_pages();
  pool().put(pages[0], kOther);
  EXPECT_EQ(stats().recycle_released_refcnt, 1U);
  EXPECT_EQ(stats().recycle_ring, 0U);
  EXPECT_EQ(pool().release(), 1U);
  EXPECT_EQ(allocator_.free_pages(), free);
  allocator_.put(pages[0]);
  EXPECT_EQ(allocator_.free_pages(), free + 1);
}

TEST_F(PagePoolTest, Spec44_APageFromEmergencyReservesIsReleased) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pages[0]->pfmemalloc = true;
  pool().put(pages[0], kOwner);
  EXPECT_EQ(stats().recycle_released_refcnt, 1U);
  EXPECT_EQ(stats().recycle_cached, 0U);
  EXPECT_EQ(pool().release(), 1U);
}

TEST_F(PagePoolTest, Spec45_APageOfTheWrongNodeIsWaivedAndEndsTheRefill) {
  make_pool(0, 0);
  const std::vector<PageType*> pages = alloc(5);
  pages[3]->node = 1;
  put_all(pages, kOther);
  pool().update_node(0);  // empties the cache
  const PagePoolStats before = stats();
  EXPECT_EQ(pool().alloc(), pages[2]);
  EXPECT_EQ(stats().alloc_waive, 1U);
  EXPECT_EQ(stats().alloc_refill, 1U);
  EXPECT_EQ(stats().alloc_empty, before.alloc_empty);
  EXPECT_EQ(pool().ring_pages(), 1U);
  EXPECT_EQ(pool().cache_pages(), 2U);
  pool().put(pages[2], kOwner);
}

TEST_F(PagePoolTest, Spec46_ARingWithOnlyAWrongPageLeadsToTheSlowPathWithoutCountingEmpty) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pages[0]->node = 1;
  put_all(pages, kOther);
  pool().update_node(0);
  const PagePoolStats before = stats();
  PageType* page = pool().alloc();
  EXPECT_EQ(stats().alloc_waive, 1U);
  EXPECT_EQ(stats().alloc_slow, before.alloc_slow + 1);
  EXPECT_EQ(stats().alloc_empty, before.alloc_empty);
  EXPECT_EQ(stats().alloc_refill, 0U);
  pool().put(page, kOwner);
}

TEST_F(PagePoolTest, Spec47_UpdateNodeReleasesTheCacheWithoutARecycleStatistic) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pool().update_node(0);
  EXPECT_EQ(pool().release(), 63U);
  EXPECT_EQ(pool().cache_pages(), 0U);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_slow = 1, .alloc_empty = 1}));
  put_all(pages, kOwner);
}

TEST_F(PagePoolTest, Spec50_ARefillTakesTheOldest64AndGivesTheNewestOfThemFirst) {
  make_pool(0);
  std::vector<PageType*> pages = alloc(100);
  const std::vector<PageType*> cached = empty_the_cache();
  put_all(pages, kOther);
  for (std::size_t i = 64; i > 0; --i) ASSERT_EQ(pool().alloc(), pages[i - 1]) << i;
  EXPECT_EQ(stats().alloc_refill, 1U);
  EXPECT_EQ(pool().ring_pages(), 36U);
  EXPECT_EQ(pool().alloc(), pages[99]);
  EXPECT_EQ(stats().alloc_refill, 2U);
  pages.erase(pages.begin() + 64, pages.begin() + 99);
  put_all(pages, kOwner);
  put_all(cached, kOther);
}

TEST_F(PagePoolTest, Spec51_TheBenchLoopThroughTheRingRefillsEvery64Rounds) {
  constexpr std::uint64_t kLoops = 100'000;
  make_pool(0);
  put_all(alloc(64), kOther);
  ASSERT_EQ(stats(), (PagePoolStats{
                         .alloc_fast = 63, .alloc_slow = 1, .alloc_empty = 1, .recycle_ring = 64}));
  for (std::uint64_t i = 0; i < kLoops; ++i) pool().put(pool().alloc(), kOther);
  constexpr std::uint64_t kRefills = (kLoops + 63) / 64;
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_fast = 63 + kLoops - kRefills,
                                    .alloc_slow = 1,
                                    .alloc_empty = 1,
                                    .alloc_refill = kRefills,
                                    .recycle_ring = 64 + kLoops}));
}

TEST_F(PagePoolTest, Spec53_HoldMinusReleaseIsCacheAndRingAndOutstanding) {
  make_pool(8);
  std::vector<PageType*> out = alloc(70);
  const auto balance = [&] {
    return static_cast<std::int64_t>(pool().cache_pages() + pool().ring_pages() + out.size());
  };
  EXPECT_EQ(pool().inflight(), balance());
  for (int i = 0; i < 30; ++i) {
    pool().put(out.back(), i % 3 == 0 ? kOwner : kOther);
    out.pop_back();
    EXPECT_EQ(pool().inflight(), balance());
  }
  put_all(out, kOther);
  out.clear();
  EXPECT_EQ(pool().inflight(), balance());
}

TEST_F(PagePoolTest, Spec54_StatisticsCarryEthtoolsNamesInItsOrderAndAddUp) {
  EXPECT_THAT(
      kPagePoolStatNames,
      testing::ElementsAre("rx_pp_alloc_fast", "rx_pp_alloc_slow", "rx_pp_alloc_slow_ho",
                           "rx_pp_alloc_empty", "rx_pp_alloc_refill", "rx_pp_alloc_waive",
                           "rx_pp_recycle_cached", "rx_pp_recycle_cache_full", "rx_pp_recycle_ring",
                           "rx_pp_recycle_ring_full", "rx_pp_recycle_released_ref"));
  const PagePoolStats numbered{.alloc_fast = 1,
                               .alloc_slow = 2,
                               .alloc_slow_high_order = 3,
                               .alloc_empty = 4,
                               .alloc_refill = 5,
                               .alloc_waive = 6,
                               .recycle_cached = 7,
                               .recycle_cache_full = 8,
                               .recycle_ring = 9,
                               .recycle_ring_full = 10,
                               .recycle_released_refcnt = 11};
  EXPECT_THAT(numbered.values(), testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  make_pool(0);
  put_all(alloc(1), kOther);
  PagePoolStats sum = numbered;
  pool().get_stats(sum);
  EXPECT_THAT(sum.values(), testing::ElementsAre(1, 3, 3, 5, 5, 6, 7, 8, 10, 10, 11));
}

TEST_F(PagePoolTest, OnlyTheLastHolderRecycles) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  Pool::get(pages[0]);
  Pool::get(pages[0]);
  pool().put(pages[0], kOwner);
  pool().put(pages[0], kOther);
  EXPECT_EQ(stats().recycle_cached + stats().recycle_ring, 0U);
  pool().put(pages[0], kOwner);
  EXPECT_EQ(stats().recycle_cached, 1U);
  EXPECT_EQ(pages[0]->pp_ref.load(smp::relaxed), 1);
}

TEST_F(PagePoolTest, AllowDirectLetsAnyNumberUseTheCache) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pool().put(pages[0], kOther, true);
  EXPECT_EQ(stats().recycle_cached, 1U);
}

TEST_F(PagePoolTest, APoolWithoutAnOwnerRecyclesThroughTheRingOnly) {
  make_pool(0);
  pool().set_owner_cpu(kNoCpu);
  put_all(alloc(1), kOwner);
  EXPECT_EQ(stats().recycle_cached, 0U);
  EXPECT_EQ(stats().recycle_ring, 1U);
}

TEST_F(PagePoolTest, ANewOwnerRecyclesDirectly) {
  make_pool(0);
  pool().set_owner_cpu(kOther);
  put_all(alloc(2), kOther);
  put_all(alloc(1), kOwner);
  EXPECT_EQ(stats().recycle_cached, 2U);
  EXPECT_EQ(stats().recycle_ring, 1U);
}

TEST_F(PagePoolTest, WithoutPagesAllocAnswersNullAndCountsNoSlow) {
  std::vector<PageType*> hog(512);
  make_pool(0);
  ASSERT_EQ(allocator_.alloc_bulk(hog.data(), 512), 512U);
  EXPECT_EQ(pool().alloc(), nullptr);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_empty = 1}));
  EXPECT_EQ(pool().hold(), 0U);
  allocator_.free_bulk(hog);
}

TEST_F(PagePoolTest, ASlowPathThatGetsOnlySomePagesStillSucceeds) {
  make_pool(0);
  allocator_.set_limit(3);
  const std::vector<PageType*> pages = alloc(3);
  EXPECT_EQ(pool().alloc(), nullptr);
  EXPECT_EQ(pool().hold(), 3U);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_fast = 2, .alloc_slow = 1, .alloc_empty = 2}));
  EXPECT_EQ(allocator_.failures(), 1U);
  put_all(pages, kOwner);
}

TEST_F(PagePoolTest, DestroySaysWhatIsStillOutAndFinishesWhenThatCameHome) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(100);
  put_all({pages.begin() + 3, pages.end()}, kOther);
  EXPECT_EQ(pool().destroy(), 3);
  EXPECT_EQ(pool().cache_pages(), 0U);
  EXPECT_EQ(pool().ring_pages(), 0U);
  put_all({pages[0], pages[1]}, kOwner);
  EXPECT_EQ(stats().recycle_cached, 0U) << "no direct recycling once the pool is going";
  EXPECT_EQ(pool().destroy(), 1);
  pool().put(pages[2], kOther);
  EXPECT_EQ(pool().destroy(), 0);
  EXPECT_EQ(pool().destroy(), 0);
  EXPECT_EQ(allocator_.free_pages(), 512U);
}

using PagePoolDeathTest = PagePoolTest;

TEST_F(PagePoolDeathTest, APoolMayNotGoWhileAPageIsOut) {
  make_pool(0);
  PageType* page = alloc(1)[0];
  EXPECT_DEATH(pool_.reset(), "invariant broken: destroy\\(\\) == 0: 1 against 0");
  pool().put(page, kOther);
}

// In a child process, since such a pool can never be put right again.
TEST_F(PagePoolDeathTest, APageThatComesHomeTwiceMakesInflightNegative) {
  make_pool(0);
  const auto return_twice = [&] {
    PageType* page = alloc(1)[0];
    pool().put(page, kOther);
    pool().put(page, kOther);
    std::fprintf(stderr, "inflight %d\n", pool().destroy());
    std::abort();
  };
  EXPECT_DEATH(return_twice(), "inflight -1");
}

}  // namespace
}  // namespace qdiscsim
