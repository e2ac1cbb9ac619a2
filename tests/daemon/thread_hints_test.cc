#include "daemon/thread_hints.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <thread>

namespace qdiscsim {
namespace {

constexpr std::uint64_t kShortest = 100'000;  // ns

// Of the calling thread; 0 from a kernel that knows no slices of single threads.
std::uint64_t slice() {
  std::array<std::byte, 48> attributes{};  // struct sched_attr, first version
  if (syscall(SYS_sched_getattr, 0, attributes.data(), attributes.size(), 0U) != 0) return 0;
  std::uint64_t runtime = 0;
  std::memcpy(&runtime, attributes.data() + 24, sizeof runtime);
  return runtime;
}

TEST(ThreadHints, ShortSlicesAreInheritedUntilAThreadAsksForUsualOnes) {
  std::uint64_t before = 0;
  std::uint64_t asked = 0;
  std::uint64_t inherited = 0;
  std::uint64_t usual = 0;
  std::thread{[&] {
    before = slice();
    short_slices();
    asked = slice();
    std::thread{[&] {
      inherited = slice();
      usual_slices();
      usual = slice();
    }}.join();
  }}.join();
  if (before == 0) GTEST_SKIP() << "this kernel (before 6.12) knows no slices of single threads";
  EXPECT_EQ(asked, kShortest);
  EXPECT_EQ(inherited, kShortest);
  EXPECT_EQ(usual, before);
}

TEST(ThreadHints, LeaveTheNiceValueAlone) {
  int nice_value = -100;
  std::thread{[&] {
    short_slices();
    usual_slices();
    nice_value = nice(0);
  }}.join();
  EXPECT_EQ(nice_value, nice(0));
}

TEST(ThreadHints, LeaveAnotherSchedulerAlone) {
  int policy = -1;
  bool refused = false;
  std::thread{[&] {
    const sched_param none{};
    refused = sched_setscheduler(0, SCHED_BATCH, &none) != 0;
    short_slices();
    policy = sched_getscheduler(0);
  }}.join();
  if (refused) GTEST_SKIP() << "sched_setscheduler is refused here";
  EXPECT_EQ(policy, SCHED_BATCH);
}

}  // namespace
}  // namespace qdiscsim
