#include "pktgen/result.h"

#include <gtest/gtest.h>

namespace qdiscsim {
namespace {

TEST(ResultLine, CountsErrors) {
  RunResult result;
  result.elapsed = kSecond;
  result.sofar = 10;
  result.size = 100;
  result.errors = 9;
  EXPECT_EQ(format_result(result),
            "OK: 1000000(c1000000+d0) usec, 10 (100byte,0frags)\n"
            "  10pps 0Mb/sec (8000bps) errors: 9");
}

TEST(ResultLine, TakesTheBitRateOfMixedSizesFromTheBytes) {
  RunResult result;
  result.elapsed = 2 * kSecond;
  result.sofar = 3;
  result.bytes = 42 + 576 + 1500;
  result.size = 1500;
  result.mixed_sizes = true;
  EXPECT_EQ(format_result(result),
            "OK: 2000000(c2000000+d0) usec, 3 (1500byte,0frags)\n"
            "  1pps 0Mb/sec (8472bps) errors: 0");
}

TEST(ResultLine, IsAllZeroesBeforeTimeHasPassed) {
  EXPECT_EQ(format_result({}),
            "OK: 0(c0+d0) usec, 0 (0byte,0frags)\n  0pps 0Mb/sec (0bps) errors: 0");
}

TEST(ResultLine, DoesNotOverflowInALongRun) {
  RunResult result;
  result.elapsed = 1'000'000 * kSecond;  // eleven days
  result.sofar = 50'000'000'000'000;
  result.size = 60;
  EXPECT_EQ(format_result(result),
            "OK: 1000000000000(c1000000000000+d0) usec, 50000000000000 (60byte,0frags)\n"
            "  50000000pps 24000Mb/sec (24000000000bps) errors: 0");
}

}  // namespace
}  // namespace qdiscsim
