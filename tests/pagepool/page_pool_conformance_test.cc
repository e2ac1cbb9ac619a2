// The kernel's page_pool: what allocation and return do to cache, ring and statistics.

#include <gmock/gmock.h>

#include "tests/pagepool/page_pool_lab.h"

namespace qdiscsim::test {
namespace {

using PagePoolConformance = PagePoolLab;

TEST_F(PagePoolConformance, Check36_RingSizeFollowsPoolSize) {
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

TEST_F(PagePoolConformance, Check36_ASizeAbove32768IsCappedOrByTheOlderRuleRefused) {
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

TEST_F(PagePoolConformance, Check38_TheFirstAllocTakes64PagesTheSlowWay) {
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

TEST_F(PagePoolConformance, Check39_TheNext63AreFast) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(64);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_fast = 63, .alloc_slow = 1, .alloc_empty = 1}));
  put_all(pages, kOwner);
}

TEST_F(PagePoolConformance, Check40_DirectPutsFillTheCacheTo128AndThenGoOnToTheRing) {
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

TEST_F(PagePoolConformance, Check41_AFullRingReleasesToTheAllocator) {
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

TEST_F(PagePoolConformance, Check42_ABulkPutCountsAFullRingOnce) {
  make_pool(4);
  const std::vector<PageType*> pages = alloc(6);
  pool().put_bulk(pages, kOther);
  EXPECT_EQ(stats().recycle_ring, 4U);
  EXPECT_EQ(stats().recycle_ring_full, 1U);
  EXPECT_EQ(pool().release(), 2U);
}

TEST_F(PagePoolConformance, Check43_APageThatSomebodyElseHoldsIsReleased) {
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

TEST_F(PagePoolConformance, Check44_APageFromEmergencyReservesIsReleased) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pages[0]->pfmemalloc = true;
  pool().put(pages[0], kOwner);
  EXPECT_EQ(stats().recycle_released_refcnt, 1U);
  EXPECT_EQ(stats().recycle_cached, 0U);
  EXPECT_EQ(pool().release(), 1U);
}

TEST_F(PagePoolConformance, Check45_APageOfTheWrongNodeIsWaivedAndEndsTheRefill) {
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

TEST_F(PagePoolConformance, Check46_ARingWithOnlyAWrongPageLeadsToTheSlowPathWithoutCountingEmpty) {
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

TEST_F(PagePoolConformance, Check47_UpdateNodeReleasesTheCacheWithoutARecycleStatistic) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(1);
  pool().update_node(0);
  EXPECT_EQ(pool().release(), 63U);
  EXPECT_EQ(pool().cache_pages(), 0U);
  EXPECT_EQ(stats(), (PagePoolStats{.alloc_slow = 1, .alloc_empty = 1}));
  put_all(pages, kOwner);
}

TEST_F(PagePoolConformance, Check50_ARefillTakesTheOldest64AndGivesTheNewestOfThemFirst) {
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

TEST_F(PagePoolConformance, Check51_TheBenchLoopThroughTheRingRefillsEvery64Rounds) {
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

TEST_F(PagePoolConformance, Check53_HoldMinusReleaseIsCacheAndRingAndOutstanding) {
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

TEST_F(PagePoolConformance, Check54_StatisticsCarryEthtoolsNamesInItsOrderAndAddUp) {
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

}  // namespace
}  // namespace qdiscsim::test
