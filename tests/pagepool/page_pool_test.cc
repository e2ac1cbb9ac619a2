#include "pagepool/page_pool.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tests/pagepool/page_pool_lab.h"

namespace qdiscsim::test {
namespace {

using PagePoolTest = PagePoolLab;

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
}  // namespace qdiscsim::test
