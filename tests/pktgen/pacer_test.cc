#include "pktgen/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "base/prng.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Nanoseconds kStart = 3 * kSecond;

TEST(Pacer, SplitsATotalOverThreadsWithoutALoss) {
  for (const std::uint64_t total :
       {0ULL, 1ULL, 2ULL, 7ULL, 1'000ULL, 1'488'095ULL, 999'999'937ULL, 1'000'000'000'000ULL}) {
    for (std::uint32_t threads = 1; threads <= 128; ++threads) {
      std::uint64_t sum = 0;
      std::uint64_t least = ~std::uint64_t{0};
      std::uint64_t most = 0;
      for (std::uint32_t i = 0; i < threads; ++i) {
        const std::uint64_t share = share_of(total, i, threads);
        sum += share;
        least = std::min(least, share);
        most = std::max(most, share);
      }
      ASSERT_EQ(sum, total) << threads << " threads";
      ASSERT_LE(most - least, 1U);
    }
  }
}

TEST(Pacer, KeepsItsScheduleExactlyOverTenMillionPackets) {
  for (const std::uint64_t rate : {1'488'095ULL, 999'983ULL, 3ULL, 1'000'000'000ULL}) {
    Pacer pacer{{}};
    pacer.restart(Pacer::packets_per_second(rate), kStart);
    for (std::uint64_t n = 1; n <= 10'000'000; ++n) {
      pacer.advance(1);
      if (n % 999'983 == 0 || n == 10'000'000) {
        ASSERT_EQ(pacer.due() - kStart, static_cast<Nanoseconds>(Wide{n} * kSecond / rate))
            << "packet " << n << " at " << rate << "/s";
      }
    }
  }
}

TEST(Pacer, ComesToTheSameTimeInStepsOfAnySize) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    Pacer pacer{{}};
    pacer.restart(Pacer::packets_per_second(1'488'095), kStart);
    std::uint64_t sent = 0;
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t step = prng.below(65);
      pacer.advance(step);
      sent += step;
      ASSERT_EQ(pacer.due() - kStart, static_cast<Nanoseconds>(Wide{sent} * kSecond / 1'488'095));
    }
  }
}

TEST(Pacer, WaitsItsDelayBetweenTwoPackets) {
  Pacer pacer{{}};
  pacer.restart(Pacer::delay(1'500), kStart);
  EXPECT_FALSE(pacer.unlimited());
  EXPECT_EQ(pacer.due(), kStart);
  pacer.advance(1);
  EXPECT_EQ(pacer.due(), kStart + 1'500);
  pacer.advance(3);
  EXPECT_EQ(pacer.due(), kStart + 6'000);
}

TEST(Pacer, ForgetsTheOldScheduleOnRestart) {
  Pacer pacer{{}};
  pacer.restart(Pacer::packets_per_second(3), kStart);
  pacer.advance(1);  // a remainder is left
  pacer.restart(Pacer::packets_per_second(3), 5 * kSecond);
  pacer.advance(3);
  EXPECT_EQ(pacer.due(), 6 * kSecond);
}

TEST(Pacer, HasNoScheduleWithoutAPeriod) {
  Pacer pacer{{}};
  pacer.restart({}, kStart);
  EXPECT_TRUE(pacer.unlimited());
}

TEST(Pacer, SendsNotEvenAFirstPacketWhenItsShareIsNothing) {
  Pacer pacer{{}};
  pacer.restart(Pacer::delay(Pacer::kNever), kStart);
  EXPECT_EQ(pacer.due(), Pacer::kNever);
}

}  // namespace
}  // namespace qdiscsim
