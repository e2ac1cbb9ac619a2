// The length and the TOS of a captured packet, behind every link layer.
#include "daemon/pcap_packet.h"

#include <gtest/gtest.h>
#include <pcap/dlt.h>

#include "tests/daemon/pcap_bytes.h"

namespace qdiscsim {
namespace {

using test::Bytes;
using test::ethernet;
using test::ipv4;
using test::ipv6;
using test::operator+;

CapturedPacket look(int dlt, const Bytes& bytes, std::uint32_t length) {
  return LinkLayer::of(dlt)->look(bytes, length);
}
int tos_of(int dlt, const Bytes& bytes) {
  const CapturedPacket packet = look(dlt, bytes, static_cast<std::uint32_t>(bytes.size()));
  EXPECT_FALSE(packet.cut);
  return packet.tos;
}

Bytes tag(std::uint32_t next) {
  return {0, 7, static_cast<std::uint8_t>(next >> 8U), static_cast<std::uint8_t>(next & 0xffU)};
}

TEST(CapturedPacket, HasItsTosBehindEthernetAndItsTags) {
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x0800) + ipv4(0x10)), 0x10);
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x86dd) + ipv6(0xb8)), 0xb8);
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x8100) + tag(0x0800) + ipv4(0x08)), 0x08);
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x88a8) + tag(0x8100) + tag(0x86dd) + ipv6(0xff)), 0xff);
}

TEST(CapturedPacket, HasItsTosBehindRawIp) {
  for (const int dlt : {DLT_RAW, DLT_IPV4, DLT_IPV6}) {
    EXPECT_EQ(tos_of(dlt, ipv4(0x10)), 0x10);
    EXPECT_EQ(tos_of(dlt, ipv6(0x5a)), 0x5a);
  }
}

TEST(CapturedPacket, HasItsTosBehindLinuxCookedHeaders) {
  EXPECT_EQ(tos_of(DLT_LINUX_SLL, Bytes(14, 0) + Bytes{0x08, 0x00} + ipv4(0x18)), 0x18);
  EXPECT_EQ(tos_of(DLT_LINUX_SLL, Bytes(14, 0) + Bytes{0x81, 0x00} + tag(0x86dd) + ipv6(0x11)),
            0x11);
  EXPECT_EQ(tos_of(DLT_LINUX_SLL2, Bytes{0x86, 0xdd} + Bytes(18, 0) + ipv6(0x20)), 0x20);
}

TEST(CapturedPacket, HasItsTosBehindLoopbackHeadersOfAnyByteOrder) {
  EXPECT_EQ(tos_of(DLT_NULL, Bytes{2, 0, 0, 0} + ipv4(0x10)), 0x10);
  EXPECT_EQ(tos_of(DLT_NULL, Bytes{0, 0, 0, 2} + ipv4(0x10)), 0x10);
  EXPECT_EQ(tos_of(DLT_LOOP, Bytes{0, 0, 0, 2} + ipv4(0x10)), 0x10);
  for (const std::uint8_t family : Bytes{10, 24, 28, 30}) {
    EXPECT_EQ(tos_of(DLT_NULL, Bytes{family, 0, 0, 0} + ipv6(0x33)), 0x33);
  }
  EXPECT_EQ(tos_of(DLT_NULL, Bytes{7, 0, 0, 0} + ipv4(0x10)), 0);
}

TEST(CapturedPacket, HasNoTosWhenItIsNotIp) {
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x0806) + ipv4(0x10)), 0);  // ARP
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x0026) + ipv4(0x10)), 0);  // 802.3, a length
  EXPECT_EQ(tos_of(DLT_EN10MB, ethernet(0x0800) + ipv6(0xff)), 0);  // not what it says
  EXPECT_EQ(tos_of(DLT_RAW, Bytes(8, 0xff)), 0);
}

TEST(CapturedPacket, IsCutWhenItsTosWasNotCaptured) {
  const Bytes whole = ethernet(0x8100) + tag(0x0800) + ipv4(0x10);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(look(DLT_EN10MB, part, 1'000).cut, size < 20) << size;
    // A packet that never had more than these bytes.
    EXPECT_FALSE(look(DLT_EN10MB, part, static_cast<std::uint32_t>(size)).cut) << size;
  }
  EXPECT_TRUE(look(DLT_RAW, {}, 40).cut);
  EXPECT_FALSE(look(DLT_EN10MB, ethernet(0x0806), 60).cut);
}

TEST(CapturedPacket, IsAsLongAsTheEthernetFrameThatItWouldBe) {
  EXPECT_EQ(look(DLT_EN10MB, ethernet(0x0800) + ipv4(0), 1'514).size, 1'514U);
  EXPECT_EQ(look(DLT_RAW, ipv4(0), 1'500).size, 1'514U);
  EXPECT_EQ(look(DLT_LINUX_SLL, Bytes(16, 0), 1'516).size, 1'514U);
  EXPECT_EQ(look(DLT_LINUX_SLL2, Bytes(20, 0), 1'520).size, 1'514U);
  EXPECT_EQ(look(DLT_NULL, Bytes(4, 0), 1'504).size, 1'514U);
  EXPECT_EQ(look(DLT_LINUX_SLL2, {}, 3).size, 14U);
  EXPECT_EQ(look(DLT_RAW, {}, 0xffffffff).size, 0xffffffffULL + 14);
}

TEST(CapturedPacket, HasNoMeaningBehindOtherLinkLayers) {
  EXPECT_FALSE(LinkLayer::of(DLT_IEEE802_11).has_value());
  EXPECT_FALSE(LinkLayer::of(DLT_PPP).has_value());
  EXPECT_FALSE(LinkLayer::of(-1).has_value());
}

}  // namespace
}  // namespace qdiscsim
