#include "ring/spin_lock.h"

#include <gtest/gtest.h>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

template <class Lock>
class SpinLockTest : public testing::Test {};

TYPED_TEST_SUITE(SpinLockTest, test::RealLocks, test::NameOfLock);

// Whether a try_lock() by somebody else succeeds; leaves the lock as it was.
template <class Lock>
bool is_free(Lock& lock) {
  test::Holder<Lock> other{lock};
  const bool taken = other.try_lock();
  if (taken) other.unlock();
  return taken;
}

TYPED_TEST(SpinLockTest, CannotBeTakenTwice) {
  TypeParam lock;
  test::Holder<TypeParam> first{lock};
  first.lock();
  EXPECT_FALSE(is_free(lock));
  first.unlock();
  test::Holder<TypeParam> second{lock};
  EXPECT_TRUE(second.try_lock());
  EXPECT_FALSE(is_free(lock));
  second.unlock();
}

TYPED_TEST(SpinLockTest, CanBeTakenAgainAfterAFailedTry) {
  TypeParam lock;
  for (int i = 0; i < 1000; ++i) {
    test::Holder<TypeParam> holder{lock};
    holder.lock();
    ASSERT_FALSE(is_free(lock));
    holder.unlock();
  }
}

TYPED_TEST(SpinLockTest, AHolderWhoseTryFailedMayTryAgain) {
  TypeParam lock;
  test::Holder<TypeParam> first{lock};
  test::Holder<TypeParam> second{lock};
  first.lock();
  EXPECT_FALSE(second.try_lock());
  first.unlock();
  EXPECT_TRUE(second.try_lock());
  second.unlock();
}

TYPED_TEST(SpinLockTest, HeldReleasesAtTheEndOfItsScope) {
  TypeParam lock;
  {
    const Held guard{lock};
    EXPECT_FALSE(is_free(lock));
  }
  EXPECT_TRUE(is_free(lock));
}

TEST(NoLock, NeverRefuses) {
  NoLock<smp::Native> lock;
  lock.lock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

}  // namespace
}  // namespace qdiscsim
