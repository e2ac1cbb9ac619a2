#include <gtest/gtest.h>

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

template <class Lock>
class SpinLockStress : public testing::Test {};

TYPED_TEST_SUITE(SpinLockStress, test::RealLocks, test::NameOfLock);

// Two plain numbers that differ only while somebody is inside.
struct Guarded {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

template <class Lock>
constexpr std::uint64_t kTurns = test::kFirstComeFirstServed<Lock> ? 2'000 : 30'000;

template <class Enter>
void contend(Guarded& guarded, std::uint64_t turns, Enter&& enter) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  // Together: what one has to do takes less time than to start the next.
  std::barrier start{kThreads};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
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
    test::Holder<TypeParam> holder{lock};
    while (!holder.try_lock()) spinner.pause();
    inside();
    holder.unlock();
  });
}

}  // namespace
}  // namespace qdiscsim
