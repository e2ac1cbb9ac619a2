#include "text/units.h"

#include <gtest/gtest.h>

namespace qdiscsim {
namespace {

TEST(Units, ScalePacketRates) {
  EXPECT_EQ(format_packet_rate(0), "0 pps");
  EXPECT_EQ(format_packet_rate(999), "999 pps");
  EXPECT_EQ(format_packet_rate(12'500), "12.5 kpps");
  EXPECT_EQ(format_packet_rate(1'488'095), "1.488 Mpps");
  EXPECT_EQ(format_packet_rate(999'999), "1 Mpps");
}

TEST(Units, ScaleBitRates) {
  EXPECT_EQ(format_bit_rate(1e9), "1 Gbit/s");
  EXPECT_EQ(format_bit_rate(714'285'600), "714.3 Mbit/s");
}

TEST(Units, NeverShowADropAsNone) {
  EXPECT_EQ(format_percent(0), "0.0%");
  EXPECT_EQ(format_percent(1e-9), "<0.1%");
  EXPECT_EQ(format_percent(0.123), "12.3%");
  EXPECT_EQ(format_percent(1), "100.0%");
}

TEST(Units, ScaleDurations) {
  EXPECT_EQ(format_duration(0), "0 us");
  EXPECT_EQ(format_duration(12e-6), "12 us");
  EXPECT_EQ(format_duration(0.0032), "3.2 ms");
  EXPECT_EQ(format_duration(1.5), "1.5 s");
}

TEST(Units, GroupDigitsByThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(18'446'744'073'709'551'615U), "18,446,744,073,709,551,615");
}

TEST(Units, CountThingsInTheSingularAndThePlural) {
  EXPECT_EQ(count_of(1, "packet"), "1 packet");
  EXPECT_EQ(count_of(0, "packet"), "0 packets");
}

}  // namespace
}  // namespace qdiscsim
