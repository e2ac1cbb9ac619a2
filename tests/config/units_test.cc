#include "config/units.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/prng.h"

namespace qdiscsim::config {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> size(std::string_view text) {
  return parse_quantity(text, Quantity::kSize).value;
}
std::optional<std::uint64_t> rate(std::string_view text) {
  return parse_quantity(text, Quantity::kBitRate).value;
}
std::optional<std::uint64_t> packets(std::string_view text) {
  return parse_quantity(text, Quantity::kPacketRate).value;
}
std::optional<std::uint64_t> duration(std::string_view text) {
  return parse_quantity(text, Quantity::kDuration).value;
}

TEST(Units, ReadWholeQuantities) {
  EXPECT_EQ(size("64KiB"), 65'536U);
  EXPECT_EQ(size("64kB"), 64'000U);
  EXPECT_EQ(size("1792MiB"), 1'879'048'192U);
  EXPECT_EQ(rate("10Gbit"), 10'000'000'000U);
  EXPECT_EQ(rate("10Gbit/s"), 10'000'000'000U);
  EXPECT_EQ(rate("10 Gbit"), 10'000'000'000U);
  EXPECT_EQ(packets("3kpps"), 3'000U);
  EXPECT_EQ(duration("250us"), 250'000U);
  EXPECT_EQ(duration("2min"), 120'000'000'000U);
}

TEST(Units, ReadFractionsExactly) {
  EXPECT_EQ(packets("1.5Mpps"), 1'500'000U);
  EXPECT_EQ(packets("1.488095Mpps"), 1'488'095U);
  EXPECT_EQ(packets("1.4880950Mpps"), 1'488'095U);
  EXPECT_EQ(packets("1.4880955Mpps"), std::nullopt);
  EXPECT_EQ(size("0.5KiB"), 512U);
  EXPECT_EQ(size("0.1KiB"), std::nullopt);
  EXPECT_EQ(duration("0.000000001s"), 1U);
  EXPECT_EQ(duration("0.0000000001s"), std::nullopt);
  EXPECT_EQ(size("1.0B"), 1U);
}

TEST(Units, NeedAUnitExceptForZero) {
  EXPECT_EQ(size("0"), 0U);
  EXPECT_EQ(size("0.0"), 0U);
  EXPECT_EQ(size("0B"), 0U);
  EXPECT_EQ(size("1"), std::nullopt);
  EXPECT_EQ(duration("10"), std::nullopt);
}

TEST(Units, RefuseWhatIsNoQuantity) {
  for (const char* text :
       {"",       " ",      "KiB",    "-1KiB",  "+1KiB",    ".5KiB",  "1.KiB",
        "1,5KiB", "1e3KiB", "0x1KiB", "01KiB",  "00",       "1  KiB", "1KiB ",
        " 1KiB",  "1KIB",   "1kib",   "1KiB/s", "1.5.5KiB", "1Mbit",  "1\xc2\xb5s"}) {
    EXPECT_EQ(size(text), std::nullopt) << text;
    EXPECT_FALSE(parse_quantity(text, Quantity::kSize).error.empty()) << text;
  }
}

TEST(Units, DetectOverflow) {
  EXPECT_EQ(size("18446744073709551615B"), kMax);
  EXPECT_EQ(size("18446744073709551616B"), std::nullopt);
  EXPECT_EQ(size("16777215TiB"), 16'777'215ULL << 40U);
  EXPECT_EQ(size("16777216TiB"), std::nullopt);
  EXPECT_EQ(size("16777215.5TiB"), (16'777'215ULL << 40U) + (1ULL << 39U));
  EXPECT_EQ(size("99999999999999999999999999999999999999B"), std::nullopt);
  EXPECT_EQ(size("0.99999999999999999999999999999999999999TiB"), std::nullopt);
}

TEST(Units, ReadWholeNumbersInDecimalOnly) {
  EXPECT_EQ(parse_integer("0").value, 0U);
  EXPECT_EQ(parse_integer("18446744073709551615").value, kMax);
  for (const char* text :
       {"", "00", "010", "0x10", "0b1", "0o7", "1e3", "1.0", "-0", "+1", "1_0", " 1", "1 ",
        "18446744073709551616", "inf", "nan", "1e400", "0x", "0x10000000000000000"}) {
    EXPECT_EQ(parse_integer(text).value, std::nullopt) << text;
    EXPECT_FALSE(parse_integer(text).error.empty()) << text;
  }
}

TEST(Units, AreWrittenWithoutLoss) {
  EXPECT_EQ(format_quantity(1'500'000, Quantity::kPacketRate), "1500kpps");
  EXPECT_EQ(format_quantity(48ULL << 20U, Quantity::kSize), "48MiB");
  EXPECT_EQ(format_quantity(64'000, Quantity::kSize), "64000B");
  EXPECT_EQ(format_quantity(0, Quantity::kDuration), "0s");
  EXPECT_EQ(format_quantity(3'600'000'000'000, Quantity::kDuration), "1h");
}

TEST(Units, ReadBackWhatTheyWrote) {
  constexpr std::uint64_t kSeed = 7;
  Prng random(kSeed);
  for (int i = 0; i < 2'000; ++i) {
    std::uint64_t value = random.next() >> random.below(64);
    if (i % 2 == 0) value = value / 1'000'000 * 1'000'000;
    for (const Quantity quantity :
         {Quantity::kSize, Quantity::kBitRate, Quantity::kPacketRate, Quantity::kDuration}) {
      const std::string text = format_quantity(value, quantity);
      ASSERT_EQ(parse_quantity(text, quantity).value, value) << text << ", seed " << kSeed;
    }
  }
}

}  // namespace
}  // namespace qdiscsim::config
