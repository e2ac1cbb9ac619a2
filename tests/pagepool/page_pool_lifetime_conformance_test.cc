// The kernel's page_pool: what is refused at its making, its end, and fragments.

#include <gmock/gmock.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "pagepool/page_pool_teardown.h"
#include "tests/pagepool/page_pool_lab.h"

namespace qdiscsim::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class PagePoolLifetime : public PagePoolLab {
 protected:
  using Teardown = PagePoolTeardown<Pool>;

  static PagePoolParams params(std::uint32_t size = 0) {
    return {.pool_size = size, .owner_cpu = kOwner, .cpus = 2};
  }
  // The error number of making such a pool; 0: it can be made.
  int error_of(const PagePoolParams& wanted) {
    try {
      Pool made{allocator_, wanted};
      return 0;
    } catch (const PagePoolError& error) {
      EXPECT_THAT(
          error.what(),
          StartsWith(std::string{wanted.kernel == KernelVersion::k6_1 ? "page_pool_create"
                                                                      : "page_pool_create_percpu"} +
                     "() gave up with errno " + std::to_string(-error.error())));
      return error.error();
    }
  }
};

TEST_F(PagePoolLifetime, Check36_ASizeAbove32768IsRefusedByKernelsBeforeTheCap) {
  PagePoolParams wanted = params(40'000);
  wanted.size_rule = PoolSizeRule::kRefuse;
  EXPECT_EQ(error_of(wanted), E2BIG);
  wanted.pool_size = 32'768;
  EXPECT_EQ(error_of(wanted), 0);
  EXPECT_EQ(Pool(allocator_, wanted).ring_capacity(), 32'768U);
  wanted.size_rule = PoolSizeRule::kCap;
  wanted.pool_size = 40'000;
  EXPECT_EQ(Pool(allocator_, wanted).ring_capacity(), 16'384U);
}

TEST_F(PagePoolLifetime, Check37_FlagsThatNobodyKnowsAreInvalid) {
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    PagePoolParams wanted = params();
    wanted.flags = page_pool_flag::kDmaMap | 1U << bit;
    wanted.dma_dir = DmaDirection::kFromDevice;
    wanted.max_len = 1;
    EXPECT_EQ(error_of(wanted), bit < 4 ? 0 : EINVAL) << bit;
    wanted.kernel = KernelVersion::k6_1;
    EXPECT_EQ(error_of(wanted), bit < 3 ? 0 : EINVAL) << bit;
  }
}

TEST_F(PagePoolLifetime, Check37_MappingGoesFromTheDeviceOrBothWays) {
  for (const auto& [direction, error] :
       {std::pair{DmaDirection::kBidirectional, 0}, std::pair{DmaDirection::kFromDevice, 0},
        std::pair{DmaDirection::kToDevice, EINVAL}, std::pair{DmaDirection::kNone, EINVAL}}) {
    PagePoolParams wanted = params();
    wanted.dma_dir = direction;
    EXPECT_EQ(error_of(wanted), 0) << "without mapping the direction says nothing";
    wanted.flags = page_pool_flag::kDmaMap;
    EXPECT_EQ(error_of(wanted), error) << static_cast<int>(direction);
  }
}

TEST_F(PagePoolLifetime, Check37_SyncNeedsMappingAndALength) {
  PagePoolParams wanted = params();
  wanted.max_len = 2048;
  wanted.flags = page_pool_flag::kDmaSyncDev;
  EXPECT_EQ(error_of(wanted), EINVAL);
  wanted.flags |= page_pool_flag::kDmaMap;
  EXPECT_EQ(error_of(wanted), 0);
  wanted.max_len = 0;
  EXPECT_EQ(error_of(wanted), EINVAL);
}

TEST_F(PagePoolLifetime, Check37_AnOrderAboveTheMaximumIsInvalidInNewerKernels) {
  PagePoolParams wanted = params();
  wanted.order = 10;
  EXPECT_EQ(error_of(wanted), 0);
  wanted.order = 11;
  EXPECT_EQ(error_of(wanted), EINVAL);
  wanted.kernel = KernelVersion::k6_1;
  EXPECT_EQ(error_of(wanted), 0);
}

TEST_F(PagePoolLifetime, Check48_APoolWithThreePagesOutIsFreedWithinASecondOfTheThirdReturn) {
  make_pool(0);
  const std::vector<PageType*> pages = alloc(3);
  Teardown teardown{pool(), 7, KernelVersion::k6_18};
  EXPECT_THAT(teardown.destroy(0), IsEmpty());
  EXPECT_EQ(teardown.state(), TeardownState::kWaiting);
  EXPECT_EQ(pool().inflight(), 3);
  EXPECT_EQ(teardown.next(), kSecond);
  put_all({pages[0], pages[1]}, kOther);
  EXPECT_THAT(teardown.retry(kSecond), IsEmpty());
  EXPECT_EQ(teardown.state(), TeardownState::kWaiting);
  EXPECT_EQ(pool().inflight(), 1);

  put_all({pages[2]}, kOther);
  EXPECT_THAT(teardown.retry(2 * kSecond - 1), IsEmpty());
  EXPECT_EQ(teardown.state(), TeardownState::kWaiting) << "not before the retry is due";
  EXPECT_THAT(teardown.retry(2 * kSecond), IsEmpty());
  EXPECT_EQ(teardown.state(), TeardownState::kFreed);
  EXPECT_EQ(allocator_.free_pages(), 512U);
}

TEST_F(PagePoolLifetime, Check48_TheFirstWarningComesAfterAMinuteAndThenEveryMinute) {
  for (const KernelVersion kernel : {KernelVersion::k6_1, KernelVersion::k6_18}) {
    make_pool(0);
    PageType* page = alloc(1)[0];
    Teardown teardown{pool(), 7, kernel};
    teardown.destroy(5 * kSecond);
    for (Nanoseconds s = 6; s <= 185; ++s) {
      const std::vector<std::string> warnings = teardown.retry(s * kSecond);
      if (s % 60 != 5) {
        EXPECT_THAT(warnings, IsEmpty()) << s;
        continue;
      }
      EXPECT_THAT(warnings,
                  ElementsAre("page_pool_release_retry() stalled pool shutdown" +
                              std::string{kernel == KernelVersion::k6_1 ? " " : ": id 7, "} +
                              "1 inflight " + std::to_string(s - 5) + " sec"));
    }
    pool().put(page, kOther);
    teardown.retry(186 * kSecond);
    EXPECT_EQ(teardown.state(), TeardownState::kFreed);
  }
}

TEST_F(PagePoolLifetime, Check48_APoolThatADeviceShowsDoesNotWarnInNewerKernels) {
  make_pool(0);
  PageType* page = alloc(1)[0];
  Teardown teardown{pool(), 7, KernelVersion::k6_18, true};
  teardown.destroy(0);
  EXPECT_THAT(teardown.retry(100 * kSecond), IsEmpty());
  pool().put(page, kOther);
  teardown.retry(200 * kSecond);
  EXPECT_EQ(teardown.state(), TeardownState::kFreed);
}

TEST_F(PagePoolLifetime, Check48_OnlyTheLastUserEndsThePool) {
  make_pool(0);
  Teardown teardown{pool(), 7, KernelVersion::k6_18};
  teardown.add_user();
  teardown.destroy(0);
  EXPECT_EQ(teardown.state(), TeardownState::kInUse);
  EXPECT_FALSE(teardown.detached_at().has_value());
  teardown.destroy(kSecond);
  EXPECT_EQ(teardown.state(), TeardownState::kFreed);
  EXPECT_EQ(teardown.detached_at(), kSecond);
}

// In a child process, since such a pool can never be put right again.
TEST_F(PagePoolLifetime, Check49_APageThatComesHomeTwiceIsALeakThatIsNotRetried) {
  make_pool(0);
  const auto return_twice = [&] {
    PageType* page = alloc(1)[0];
    pool().put(page, kOther);
    pool().put(page, kOther);
    Teardown teardown{pool(), 7, KernelVersion::k6_18};
    for (const std::string& warning : teardown.destroy(0)) {
      std::fprintf(stderr, "%s; ", warning.c_str());
    }
    std::fprintf(stderr, "inflight %d, leaked %d, retries %d", pool().inflight(),
                 teardown.state() == TeardownState::kLeaked ? 1 : 0,
                 teardown.next().has_value() ? 1 : 0);
    std::abort();
  };
  EXPECT_DEATH(return_twice(),
               "Negative\\(-1\\) inflight packet-pages; inflight -1, leaked 1, retries 0");
}

TEST_F(PagePoolLifetime, Check52_TwoHalvesOfAPageShareItAndTheThirdPieceOpensAnother) {
  make_pool(0);
  const PageFragment<Smp> first = pool().alloc_fragment(2048);
  const PageFragment<Smp> second = pool().alloc_fragment(2048);
  ASSERT_NE(first.page, nullptr);
  EXPECT_EQ(first.page, second.page);
  EXPECT_EQ(first.offset, 0U);
  EXPECT_EQ(second.offset, 2048U);
  const PageFragment<Smp> third = pool().alloc_fragment(2048);
  EXPECT_NE(third.page, first.page);
  EXPECT_EQ(third.offset, 0U);

  pool().put(first.page, kOther);
  EXPECT_EQ(stats().recycle_ring, 0U) << "the other half is still out";
  pool().put(second.page, kOther);
  EXPECT_EQ(stats().recycle_ring, 1U);
  EXPECT_EQ(stats().recycle_released_refcnt, 0U);
  pool().put(third.page, kOther);
}

TEST_F(PagePoolLifetime, Check52_APieceCountsAsFastUpTo612AndNotAtAllSince) {
  for (const KernelVersion kernel : {KernelVersion::k6_1, KernelVersion::k6_18}) {
    PagePoolParams wanted = params();
    wanted.kernel = kernel;
    wanted.flags = page_pool_flag::kPageFrag;
    Pool own{allocator_, wanted};
    const PageFragment<Smp> first = own.alloc_fragment(2048);
    const PageFragment<Smp> second = own.alloc_fragment(2048);
    const bool old = kernel == KernelVersion::k6_1;
    EXPECT_EQ(own.stats(),
              (PagePoolStats{.alloc_fast = old ? 1U : 0U, .alloc_slow = 1, .alloc_empty = 1}));
    // Both halves are back before the page is left: it is cut up anew, where it is.
    own.put(first.page, kOther);
    own.put(second.page, kOther);
    const PageFragment<Smp> third = own.alloc_fragment(2048);
    EXPECT_EQ(third.page, first.page);
    EXPECT_EQ(third.offset, 0U);
    EXPECT_EQ(own.stats(), (PagePoolStats{.alloc_fast = old ? 2U : 1U,
                                          .alloc_slow = 1,
                                          .alloc_empty = 1,
                                          .recycle_cached = old ? 0U : 1U}));
    own.put(third.page, kOther);
  }
}

TEST_F(PagePoolLifetime, Check52_APieceIsNoLargerThanThePageAndIn61NeedsItsFlag) {
  make_pool(0);
  EXPECT_EQ(pool().alloc_fragment(0).page, nullptr);
  EXPECT_EQ(pool().alloc_fragment(kPageBytes + 1).page, nullptr);
  PagePoolParams wanted = params();
  wanted.kernel = KernelVersion::k6_1;
  Pool old{allocator_, wanted};
  EXPECT_EQ(old.alloc_fragment(64).page, nullptr);
}

TEST_F(PagePoolLifetime, Check52_AllocGivesAWholePageAboveHalfAndTheRestToTheLastPiece) {
  make_pool(0);
  const PageFragment<Smp> whole = pool().alloc_sized(kPageBytes / 2 + 1);
  EXPECT_EQ(whole.size, kPageBytes);
  const PageFragment<Smp> first = pool().alloc_sized(1500);
  const PageFragment<Smp> second = pool().alloc_sized(1500);
  EXPECT_EQ(first.size, 1500U);
  EXPECT_EQ(second.page, first.page);
  EXPECT_EQ(second.offset, 1500U);
  EXPECT_EQ(second.size, kPageBytes - 1500) << "no third one fits";
  for (PageType* page : {whole.page, first.page, second.page}) pool().put(page, kOther);
}

TEST_F(PagePoolLifetime, Check53_AFragmentedPageIsOnePageOfTheAccount) {
  make_pool(8);
  const PageFragment<Smp> first = pool().alloc_fragment(1024);
  const PageFragment<Smp> second = pool().alloc_fragment(1024);
  ASSERT_EQ(pool().fragment_page(), first.page);
  EXPECT_EQ(pool().inflight(), static_cast<std::int32_t>(pool().cache_pages()) + 1);
  pool().put(first.page, kOther);
  pool().put(second.page, kOther);
  EXPECT_EQ(pool().inflight(), static_cast<std::int32_t>(pool().cache_pages()) + 1)
      << "the pool still cuts from it";
  EXPECT_EQ(pool().destroy(), 0);
  EXPECT_EQ(allocator_.free_pages(), 512U);
}

}  // namespace
}  // namespace qdiscsim::test
