#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <type_traits>
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

// A ticket lock on a loaded machine waits for the scheduler at almost every handover.
template <class Lock>
constexpr std::uint64_t kTurns = std::is_same_v<Lock, TicketLock<smp::Native>> ? 2'000 : 30'000;

template <class Enter>
void contend(Guarded& guarded, std::uint64_t turns, Enter&& enter) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t turn = 0; turn < turns; ++turn) {
        enter([&] {
          EXPECT_EQ(guarded.first, guarded.second);
          ++guarded.first;
          ++guarded.second;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded.first, kThreads * turns);
  EXPECT_EQ(guarded.second, kThreads * turns);
}

TYPED_TEST(SpinLockStress, LetsOneThreadInAtATime) {
  TypeParam lock;
  Guarded guarded;
  contend(guarded, kTurns<TypeParam>, [&](auto&& inside) {
    Held guard{lock};
    inside();
  });
}

TYPED_TEST(SpinLockStress, LetsOneThreadInAtATimeByTryLock) {
  TypeParam lock;
  Guarded guarded;
  contend(guarded, kTurns<TypeParam>, [&](auto&& inside) {
    smp::Native::Spinner spinner;
    while (!lock.try_lock()) spinner.pause();
    inside();
    lock.unlock();
  });
}

}  // namespace
}  // namespace qdiscsim
