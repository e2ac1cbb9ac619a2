// The end of a generator's page_pool and its way back, with the clock in the test's hand.
#include "daemon/pool_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PoolLifeTest : public testing::Test {
 protected:
  using Pool = PoolLife::Pool;

  std::vector<Page<smp::Native>*> take(std::size_t count) {
    std::vector<Page<smp::Native>*> pages;
    for (std::size_t i = 0; i < count; ++i) pages.push_back(pool_.alloc());
    return pages;
  }

  PageArena<smp::Native> arena_{256, HugePages::kNever};
  Pool::Allocator allocator_{arena_};
  Pool pool_{allocator_, {.pool_size = 64, .owner_cpu = 1, .cpus = 2}};
  PoolLife::Ids ids_;
  PoolLife life_{pool_, ids_, KernelVersion::k6_18};
};

TEST_F(PoolLifeTest, GivesTheRestBackAtOnceAndIsFreed) {
  EXPECT_EQ(life_.read().id, 1U);
  EXPECT_FALSE(life_.read().detached_at.has_value());
  for (auto* page : take(70)) pool_.put(page, 1);
  EXPECT_THAT(life_.end(5 * kSecond), IsEmpty());
  EXPECT_EQ(life_.read().detached_at, 5 * kSecond);
  EXPECT_TRUE(life_.read().freed);
  EXPECT_EQ(allocator_.free_pages(), 256U);
  EXPECT_THAT(life_.end(9 * kSecond), IsEmpty());
  EXPECT_EQ(life_.read().detached_at, 5 * kSecond) << "an end has no second beginning";
}

TEST_F(PoolLifeTest, IsTriedAgainOnceASecondUntilThePagesAreHome) {
  const auto pages = take(3);
  life_.end(0);
  EXPECT_FALSE(life_.read().freed);
  for (auto* page : pages) pool_.put(page, 0);
  life_.retry(kSecond - 1);
  EXPECT_FALSE(life_.read().freed) << "not before it is due";
  life_.retry(kSecond);
  EXPECT_TRUE(life_.read().freed);
  EXPECT_EQ(allocator_.free_pages(), 256U);
}

TEST_F(PoolLifeTest, SaysOnceAMinuteThatItWaits) {
  auto* const page = take(1)[0];
  life_.end(0);
  for (Nanoseconds s = 1; s <= 130; ++s) {
    // The service looks four times a second.
    for (Nanoseconds quarter = 0; quarter < 4; ++quarter) {
      const auto warnings = life_.retry(s * kSecond + quarter * (kSecond / 4));
      if ((s == 60 || s == 120) && quarter == 0) {
        EXPECT_THAT(
            warnings,
            ElementsAre("page_pool_release_retry() stalled pool shutdown: id 1, 1 inflight " +
                        std::to_string(s) + " sec"));
      } else {
        EXPECT_THAT(warnings, IsEmpty()) << s;
      }
    }
  }
  pool_.put(page, 0);
  life_.retry(200 * kSecond);
  EXPECT_TRUE(life_.read().freed);
}

TEST_F(PoolLifeTest, ComesBackAsAnotherPoolWhenItWasFreed) {
  life_.end(0);
  life_.begin(1);
  EXPECT_EQ(life_.read().id, 2U);
  EXPECT_FALSE(life_.read().detached_at.has_value());
  EXPECT_FALSE(life_.read().freed);
  pool_.put(take(1)[0], 1);
  EXPECT_EQ(pool_.stats().recycle_cached, 1U) << "the owner's pages go to the cache again";
}

TEST_F(PoolLifeTest, ComesBackAsTheSamePoolWhenItStillWaited) {
  auto* const page = take(1)[0];
  life_.end(0);
  life_.begin(1);
  EXPECT_EQ(life_.read().id, 1U);
  EXPECT_THAT(life_.retry(100 * kSecond), IsEmpty()) << "its end is called off";
  pool_.put(page, 0);
  life_.end(200 * kSecond);
  EXPECT_EQ(life_.read().detached_at, 200 * kSecond);
  EXPECT_TRUE(life_.read().freed);
}

TEST_F(PoolLifeTest, HasAnIdThatNoOtherPoolHad) {
  Pool another{allocator_, {.pool_size = 64, .owner_cpu = 0, .cpus = 2}};
  const PoolLife life{another, ids_, KernelVersion::k6_18};
  EXPECT_EQ(life.read().id, 2U);
  life_.end(0);
  life_.begin(1);
  EXPECT_EQ(life_.read().id, 3U);
}

}  // namespace
}  // namespace qdiscsim
