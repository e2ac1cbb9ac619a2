#include "pagepool/page_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using Allocator = PageAllocator<Smp>;

class PageAllocatorTest : public testing::Test {
 protected:
  PageArena<Smp> arena_{8, HugePages::kNever};
  Allocator allocator_{arena_};
  std::array<Page<Smp>*, 16> out_{};
};

TEST_F(PageAllocatorTest, GivesEachPageOnceWithOneReference) {
  EXPECT_EQ(allocator_.alloc_bulk(out_.data(), 16), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(out_.at(i), &arena_.page(i));
    EXPECT_EQ(out_.at(i)->refcount.load(smp::relaxed), 1U);
  }
  EXPECT_EQ(allocator_.free_pages(), 0U);
  EXPECT_EQ(allocator_.failures(), 0U);
}

TEST_F(PageAllocatorTest, TheLastFreedIsTheFirstGivenAgain) {
  ASSERT_EQ(allocator_.alloc_bulk(out_.data(), 8), 8U);
  allocator_.free(out_[3]);
  allocator_.free(out_[5]);
  std::array<Page<Smp>*, 2> again{};
  ASSERT_EQ(allocator_.alloc_bulk(again.data(), 2), 2U);
  EXPECT_THAT(again, testing::ElementsAre(out_[5], out_[3]));
}

TEST_F(PageAllocatorTest, AnswersNoneWhenEmptyAndCountsTheFailure) {
  ASSERT_EQ(allocator_.alloc_bulk(out_.data(), 8), 8U);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data(), 1), 0U);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data(), 0), 0U);
  EXPECT_EQ(allocator_.failures(), 1U);
}

TEST_F(PageAllocatorTest, NeverLetsMoreOutThanTheLimit) {
  allocator_.set_limit(5);
  EXPECT_EQ(allocator_.limit(), 5U);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data(), 3), 3U);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data() + 3, 3), 2U);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data() + 5, 3), 0U);
  EXPECT_EQ(allocator_.failures(), 1U);
  EXPECT_EQ(allocator_.free_pages(), 3U);
}

TEST_F(PageAllocatorTest, ALimitBelowWhatIsOutStopsAllocationUntilPagesComeHome) {
  ASSERT_EQ(allocator_.alloc_bulk(out_.data(), 4), 4U);
  allocator_.set_limit(2);
  EXPECT_EQ(allocator_.alloc_bulk(out_.data() + 4, 1), 0U);
  allocator_.free_bulk({out_.data(), 3});
  EXPECT_EQ(allocator_.alloc_bulk(out_.data(), 4), 1U);
}

TEST_F(PageAllocatorTest, ALimitAboveTheArenaMeansTheArena) {
  EXPECT_EQ(allocator_.limit(), 8U);
  allocator_.set_limit(100);
  EXPECT_EQ(allocator_.limit(), 8U);
}

TEST_F(PageAllocatorTest, APageWithTwoReferencesIsFreedByTheSecondPut) {
  ASSERT_EQ(allocator_.alloc_bulk(out_.data(), 1), 1U);
  Allocator::get(out_[0]);
  allocator_.put(out_[0]);
  EXPECT_EQ(allocator_.free_pages(), 7U);
  allocator_.put(out_[0]);
  EXPECT_EQ(allocator_.free_pages(), 8U);
  EXPECT_EQ(out_[0]->refcount.load(smp::relaxed), 0U);
}

TEST_F(PageAllocatorTest, AFreedPageForgetsItsPoolAndItsEmergency) {
  ASSERT_EQ(allocator_.alloc_bulk(out_.data(), 1), 1U);
  out_[0]->pool = this;
  out_[0]->pfmemalloc = true;
  allocator_.free(out_[0]);
  EXPECT_EQ(out_[0]->pool, nullptr);
  EXPECT_FALSE(out_[0]->pfmemalloc);
}

}  // namespace
}  // namespace qdiscsim
