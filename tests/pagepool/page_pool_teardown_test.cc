#include "pagepool/page_pool_teardown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/smp_native.h"
#include "pagepool/page_pool.h"

namespace qdiscsim {
namespace {

TEST(PagePoolTeardown, RetriesEverySecondAndWarnsFirstAfterAMinute) {
  using TornPool = PagePool<smp::Native>;
  PageArena<smp::Native> arena{256, HugePages::kNever};
  TornPool::Allocator allocator{arena};
  TornPool pool{allocator, {.owner_cpu = 0}};
  auto* page = pool.alloc();
  PagePoolTeardown<TornPool> teardown{pool, 7, KernelVersion::k6_18};
  EXPECT_FALSE(teardown.detached_at().has_value());
  EXPECT_TRUE(teardown.destroy(0).empty());
  for (Nanoseconds s = 1; s < 60; ++s) EXPECT_TRUE(teardown.retry(s * kSecond).empty()) << s;
  EXPECT_THAT(teardown.retry(60 * kSecond),
              testing::ElementsAre("page_pool_release_retry() stalled pool shutdown: id 7, 1 "
                                   "inflight 60 sec"));
  pool.put(page, 0);
  EXPECT_TRUE(teardown.retry(61 * kSecond).empty());
  EXPECT_EQ(teardown.state(), TeardownState::kFreed);
  EXPECT_EQ(allocator.free_pages(), 256U);
}

}  // namespace
}  // namespace qdiscsim
