#include "base/counter.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

TEST(Counter, StartsAtZeroAndAddsUp) {
  Counter<smp::Native> counter;
  EXPECT_EQ(counter.read(), 0U);
  counter.add(3);
  counter.add(4);
  EXPECT_EQ(counter.read(), 7U);
}

TEST(Counter, WrapsAfterTheLargestValue) {
  Counter<smp::Native> counter;
  counter.add(UINT64_MAX);
  counter.add(2);
  EXPECT_EQ(counter.read(), 1U);
}

TEST(Counter, AReaderInAnotherThreadSeesItGrowAndInTheEndTheWholeSum) {
  constexpr std::uint64_t kAdds = 100'000;
  Counter<smp::Native> counter;
  std::thread writer{[&] {
    for (std::uint64_t i = 0; i < kAdds; ++i) counter.add(1);
  }};
  std::uint64_t last = 0;
  smp::Native::Spinner spinner;
  while (last < kAdds) {
    const std::uint64_t now = counter.read();
    EXPECT_GE(now, last);
    last = now;
    spinner.pause();
  }
  writer.join();
  EXPECT_EQ(counter.read(), kAdds);
}

}  // namespace
}  // namespace qdiscsim
