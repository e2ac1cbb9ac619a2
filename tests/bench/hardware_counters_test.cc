#include "bench/ring/hardware_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace qdiscsim::ring_bench {
namespace {

using ::testing::HasSubstr;

void work() {
  for (int i = 0; i < 1'000'000; ++i) __asm__ __volatile__("");
}

TEST(HardwareCounters, CountWhatThreadsDoOrSayWhyNot) {
  HardwareCounters counters;
  counters.start();
  std::thread{work}.join();
  const auto counts = counters.stop();
  if (!counters.available()) {
    EXPECT_FALSE(counts.has_value());
    EXPECT_THAT(counters.why(), HasSubstr("("));
    return;
  }
  ASSERT_TRUE(counts.has_value());
  EXPECT_GE(counts->instructions, 1e6);
  EXPECT_GE(counts->branches, 1e6);
  EXPECT_GT(counts->cycles, 0);
  counters.start();
  const auto nothing = counters.stop();
  ASSERT_TRUE(nothing.has_value());
  EXPECT_LT(nothing->instructions, 1e6) << "each start begins at 0";
}

TEST(HardwareCounters, ExplainWhyThereAreNone) {
  EXPECT_THAT(counters_missing_because(ENOENT), HasSubstr("this machine has none (No such file"));
  EXPECT_THAT(counters_missing_because(EACCES), HasSubstr("kernel.perf_event_paranoid"));
  EXPECT_THAT(counters_missing_because(ENOSYS), HasSubstr("this kernel has no perf_event_open"));
  EXPECT_THAT(counters_missing_because(EMFILE), HasSubstr("failed (Too many open files)"));
}

}  // namespace
}  // namespace qdiscsim::ring_bench
