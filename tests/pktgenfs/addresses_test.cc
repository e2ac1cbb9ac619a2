// How addresses are read and printed.
#include "pktgenfs/addresses.h"

#include <gtest/gtest.h>

namespace qdiscsim::pktgenfs {
namespace {

TEST(Addresses, Ipv4IsReadAsFarAsItGoes) {
  EXPECT_EQ(ipv4_of("10.0.0.1"), 0x0a000001U);
  EXPECT_EQ(ipv4_of("198.18.0.42"), 0xc612002aU);
  EXPECT_EQ(ipv4_of("10"), 0x0a000000U);
  EXPECT_EQ(ipv4_of(""), 0U);
  EXPECT_EQ(ipv4_text(0xc612002a), "198.18.0.42");
}

TEST(Addresses, Ipv6IsWrittenShort) {
  EXPECT_EQ(ipv6_text(ipv6_of("fd00:0::0001").value()), "fd00::1");
  EXPECT_EQ(ipv6_text({}), "::");
  EXPECT_FALSE(ipv6_of("fd00").has_value());
}

TEST(Addresses, AMacHasSixPairsOfDigits) {
  EXPECT_EQ(mac_text(mac_of("02:00:00:0A:fF:01").value()), "02:00:00:0a:ff:01");
  for (const char* wrong : {"", "02:00:00:00:00", "02-00-00-00-00-01", "02:00:00:00:00:0g"}) {
    EXPECT_FALSE(mac_of(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace qdiscsim::pktgenfs
