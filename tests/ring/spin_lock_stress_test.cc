#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "ring/spin_lock.h"

namespace qdiscsim {
namespace {

template <class Lock>
class SpinLockStress : public testing::Test {};

using RealLocks = testing::Types<TestAndSetLock<smp::Native>, TicketLock<smp::Native>>;
TYPED_TEST_SUITE(SpinLockStress, RealLocks);

// Two plain numbers that differ only while somebody is inside.
struct Guarded {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

template <class Enter>
void contend(Guarded& guarded, Enter&& enter) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kTurns = 5'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
        enter([&] {
          EXPECT_EQ(guarded.first, guarded.second);
          ++guarded.first;
          ++guarded.second;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded.first, kThreads * kTurns);
  EXPECT_EQ(guarded.second, kThreads * kTurns);
}

TYPED_TEST(SpinLockStress, LetsOneThreadInAtATime) {
  TypeParam lock;
  Guarded guarded;
  contend(guarded, [&](auto&& inside) {
    Held guard{lock};
    inside();
  });
}

TYPED_TEST(SpinLockStress, LetsOneThreadInAtATimeByTryLock) {
  TypeParam lock;
  Guarded guarded;
  contend(guarded, [&](auto&& inside) {
    smp::Native::Spinner spinner;
    while (!lock.try_lock()) spinner.pause();
    inside();
    lock.unlock();
  });
}

}  // namespace
}  // namespace qdiscsim
