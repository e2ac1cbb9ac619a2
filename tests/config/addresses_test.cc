#include "config/addresses.h"

#include <gtest/gtest.h>

namespace qdiscsim::config {
namespace {

TEST(Addresses, ReadBothFamiliesAndPrintThemInShortForm) {
  EXPECT_EQ(parse_address("10.0.0.1"), IpAddress{0x0a000001});
  EXPECT_EQ(parse_address("2001:db8::a"), IpAddress::ipv6(0x20010db800000000, 0xa));
  EXPECT_EQ(address_text(*parse_address("2001:0DB8:0:0::000a")), "2001:db8::a");
  EXPECT_EQ(address_text(*parse_address("255.255.255.255")), "255.255.255.255");
  EXPECT_EQ(address_text(*parse_address("::")), "::");
  for (const char* text : {"", "10.0.0", "10.0.0.1/8", "fd00", "[::1]", "::1%eth0", "eth0"}) {
    EXPECT_FALSE(parse_address(text).has_value()) << text;
  }
}

TEST(Addresses, AreOrderedWithinTheirFamily) {
  EXPECT_LT(*parse_address("9.255.255.255"), *parse_address("10.0.0.0"));
  EXPECT_LT(*parse_address("255.255.255.255"), *parse_address("::"));
  EXPECT_LT(*parse_address("::ffff"), *parse_address("1::"));
}

TEST(Addresses, OfHardwareHaveSixGroupsOfTwoDigits) {
  EXPECT_EQ(parse_mac("02:00:00:00:00:01"), 0x020000000001U);
  EXPECT_EQ(parse_mac("Ff:aB:cd:ef:00:10"), 0xffabcdef0010U);
  EXPECT_EQ(mac_text(0xffabcdef0010U), "ff:ab:cd:ef:00:10");
  EXPECT_EQ(mac_text(1), "00:00:00:00:00:01");
  for (const char* text : {"", "02:00:00:00:00", "2:0:0:0:0:1", "02-00-00-00-00-01",
                           "02:00:00:00:00:0g", "02:00:00:00:00:01:02", "02:00:00:00:00:1 "}) {
    EXPECT_FALSE(parse_mac(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace qdiscsim::config
