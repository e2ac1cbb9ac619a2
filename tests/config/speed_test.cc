#include "config/speed.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "tests/base/seed.h"

namespace qdiscsim::config {
namespace {

Speed read(std::string_view text) {
  const Parsed parsed = parse_speed(text);
  EXPECT_TRUE(parsed.value.has_value()) << text << ": " << parsed.error;
  return speed_of(parsed.value.value_or(0));
}

TEST(Speed, IsAFactorTheHighestOrAPacketRate) {
  EXPECT_EQ(read("1x"), (Speed{SpeedKind::kFactor, 1'000}));
  EXPECT_EQ(read("0.001x"), (Speed{SpeedKind::kFactor, 1}));
  EXPECT_EQ(read("2.5x"), (Speed{SpeedKind::kFactor, 2'500}));
  EXPECT_EQ(read("0.50000x"), (Speed{SpeedKind::kFactor, 500}));
  EXPECT_EQ(read("1000x"), (Speed{SpeedKind::kFactor, 1'000'000}));
  EXPECT_EQ(read("max"), (Speed{SpeedKind::kMax, 0}));
  EXPECT_EQ(read("1.5Mpps"), (Speed{SpeedKind::kPacketRate, 1'500'000}));
  EXPECT_EQ(read("1pps"), (Speed{SpeedKind::kPacketRate, 1}));
  EXPECT_EQ(read("1000Gpps"), (Speed{SpeedKind::kPacketRate, kMostPacketRate}));
}

TEST(Speed, IsRefusedOutsideItsRangeAndInAnyOtherForm) {
  for (const char* text : {"",         "x",
                           "0x",       "0.0x",
                           "0.0001x",  "1000.001x",
                           "1001x",    "-1x",
                           "+1x",      "1e3x",
                           "01x",      ".5x",
                           "1.x",      "1.0001x",
                           "1 x",      "1X",
                           "Max",      "fast",
                           "1",        "0.5",
                           "0pps",     "1Mbit",
                           "1.5pps",   "0x10",
                           "1001Gpps", "99999999999999999999999x",
                           "x1",       "1xx",
                           "1..5x"}) {
    EXPECT_FALSE(parse_speed(text).value.has_value()) << text;
    EXPECT_FALSE(parse_speed(text).error.empty()) << text;
  }
}

TEST(Speed, KnowsWhatANumberWithoutAUnitMeant) {
  EXPECT_EQ(parse_speed("2").suggestion, "2x");
  EXPECT_EQ(parse_speed("0.5").suggestion, "0.5x");
  EXPECT_EQ(parse_speed("fast").suggestion, "");
}

TEST(Speed, IsWrittenAsItIsRead) {
  for (const char* text : {"1x", "0.001x", "0.5x", "2.25x", "1000x", "max", "1500kpps", "7pps"}) {
    EXPECT_EQ(format_speed(read(text)), text);
  }
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    const Speed factor{SpeedKind::kFactor, prng.between(1, 1'000'000)};
    EXPECT_EQ(read(format_speed(factor)), factor);
    const Speed rate{SpeedKind::kPacketRate, 1 + prng.next() % kMostPacketRate};
    EXPECT_EQ(read(format_speed(rate)), rate);
  }
}

}  // namespace
}  // namespace qdiscsim::config
