#include "qdisc/wire_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "base/prng.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Nanoseconds kStart = 7 * kSecond;

TEST(WireClock, FitsTheLineRateOfTheStandardIntoEverySecond) {
  WireClock wire{1'000'000'000};
  std::uint64_t packets = 0;
  for (std::uint64_t second = 1; second <= 5; ++second) {
    while (wire.schedule(60, kStart, kStart) <= kStart + second * kSecond) ++packets;
    // The packet that ended the loop belongs to the next second.
    EXPECT_NEAR(static_cast<double>(packets) / static_cast<double>(second), 1'488'095.0, 1.0);
    ++packets;
  }
}

TEST(WireClock, PadsShortFramesToTheMinimumOfEthernet) {
  WireClock wire{1'000'000'000};
  EXPECT_EQ(wire.schedule(42, kStart, kStart), kStart + 672);
  EXPECT_EQ(wire.schedule(59, kStart, kStart), kStart + 2 * 672);
  EXPECT_EQ(wire.schedule(60, kStart, kStart), kStart + 3 * 672);
  EXPECT_EQ(wire.schedule(61, kStart, kStart), kStart + 3 * 672 + 680);
}

TEST(WireClock, SumsExactlyForRatesThatDivideNothing) {
  for (const std::uint64_t rate : {999'999'937ULL, 1'000ULL, 12'345'677ULL, 999'999'999'989ULL}) {
    for (const std::uint64_t seed : test::seeds(3)) {
      SCOPED_TRACE(test::repeat_with(seed));
      Prng prng{seed};
      WireClock wire{rate};
      Wide bits = 0;
      for (int i = 0; i < 20'000; ++i) {
        const std::uint32_t len = prng.between(42, 3500);
        bits += Wide{std::max(len, 60U) + 24U} * 8U;
        const Nanoseconds departure = wire.schedule(len, kStart, kStart);
        ASSERT_EQ(departure - kStart, static_cast<Nanoseconds>(bits * kSecond / rate))
            << "packet " << i << " at " << rate << " bit/s";
      }
    }
  }
}

TEST(WireClock, StartsAPacketWhenTheWireIsFreeAndThePacketWasThere) {
  WireClock wire{1'000'000'000};
  EXPECT_EQ(wire.schedule(60, kStart, kStart), kStart + 672);
  // Posted late, but it was there in time: transmit time that the host missed is made up for.
  EXPECT_EQ(wire.schedule(60, kStart, kStart + 5'000), kStart + 2 * 672);
  EXPECT_EQ(wire.catch_up_ns(), 672U);
  // Was not there before: the idle time of the wire is lost.
  EXPECT_EQ(wire.schedule(60, kStart + 9'000, kStart + 9'000), kStart + 9'672);
  EXPECT_EQ(wire.catch_up_ns(), 672U);
  // A time in the future is no reason to wait.
  EXPECT_EQ(wire.schedule(60, kStart + 50'000, kStart + 20'000), kStart + 20'672);
}

TEST(WireClock, CatchesUpOnlyForTimeThatIsPast) {
  WireClock wire{1'000'000'000};
  wire.schedule(60, kStart, kStart + 100);
  EXPECT_EQ(wire.catch_up_ns(), 100U);  // 572 of the 672 ns still lie ahead
}

TEST(WireClock, TakesANewRateWithTheNextPacket) {
  WireClock wire{1'000'000'000};
  EXPECT_EQ(wire.schedule(60, kStart, kStart), kStart + 672);
  wire.set_rate(100'000'000);
  EXPECT_EQ(wire.rate(), 100'000'000U);
  EXPECT_EQ(wire.free_at(), kStart + 672);
  EXPECT_EQ(wire.schedule(60, kStart, kStart), kStart + 672 + 6'720);
}

}  // namespace
}  // namespace qdiscsim
