#include "ring/spin_lock.h"

#include <gtest/gtest.h>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

template <class Lock>
class SpinLockTest : public testing::Test {};

using RealLocks = testing::Types<TestAndSetLock<smp::Native>, TicketLock<smp::Native>>;
TYPED_TEST_SUITE(SpinLockTest, RealLocks);

TYPED_TEST(SpinLockTest, CannotBeTakenTwice) {
  TypeParam lock;
  lock.lock();
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
}

TYPED_TEST(SpinLockTest, CanBeTakenAgainAfterAFailedTry) {
  TypeParam lock;
  for (int i = 0; i < 1000; ++i) {
    lock.lock();
    ASSERT_FALSE(lock.try_lock());
    lock.unlock();
  }
}

TYPED_TEST(SpinLockTest, HeldReleasesAtTheEndOfItsScope) {
  TypeParam lock;
  {
    Held guard{lock};
    EXPECT_FALSE(lock.try_lock());
  }
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(NoLock, NeverRefuses) {
  NoLock<smp::Native> lock;
  lock.lock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

}  // namespace
}  // namespace qdiscsim
