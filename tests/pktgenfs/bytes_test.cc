// What a device's settings make of its packets' bytes.
#include <gmock/gmock.h>

#include "tests/pktgen/decoded_packet.h"
#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

using test::DecodedPacket;
using testing::ElementsAre;
using testing::IsEmpty;

class PktgenBytes : public test::FilesLab {
 protected:
  PktgenBytes() {
    add_eth0();
    backend_.interfaces.at("eth0").link_local = {0xfe, 0x80, 0, 0, 0, 0, 0, 0,
                                                 0,    0,    0, 0, 0, 0, 0, 1};
  }

  // The packets of a run.
  std::vector<DecodedPacket> packets(int count) {
    ask("eth0", "count " + std::to_string(count));
    bytes_.clear();
    backend_.on_start = [&](test::FakeBackend::Job& job) {
      job.device.keeps_bytes = true;
      for (int i = 0; i < count; ++i) job.generator.step();
      bytes_ = job.device.bytes;
    };
    echo("pgctrl", "start");
    std::vector<DecodedPacket> decoded;
    for (const auto& bytes : bytes_) {
      decoded.emplace_back(bytes);
      EXPECT_EQ(decoded.back().problems, "");
    }
    EXPECT_EQ(decoded.size(), static_cast<std::size_t>(count)) << text("eth0");
    return decoded;
  }
  DecodedPacket packet() { return packets(1).at(0); }
  std::size_t length() const { return bytes_.at(0).size(); }
  void ask_all(std::initializer_list<const char*> commands) {
    for (const char* command : commands) ask("eth0", command);
  }

  std::vector<std::vector<std::byte>> bytes_;
};

TEST_F(PktgenBytes, MacAddressesAreTheInterfacesAndTheOneThatWasSet) {
  ask("eth0", "dst_mac 02:0a:0b:0c:0d:0e");
  EXPECT_EQ(packet().source_mac, "02:00:00:00:00:01");
  ask("eth0", "src_mac 06:01:02:03:04:05");
  EXPECT_EQ(packet().source_mac, "06:01:02:03:04:05");
  EXPECT_EQ(packet().destination_mac, "02:0a:0b:0c:0d:0e");
}

TEST_F(PktgenBytes, MacCountsGoFromTheAddressOn) {
  ask_all({"src_mac 02:00:00:00:00:ff", "src_mac_count 3", "dst_mac_count 2"});
  std::vector<std::string> sources;
  std::vector<std::string> destinations;
  for (const DecodedPacket& p : packets(4)) {
    sources.push_back(p.source_mac);
    destinations.push_back(p.destination_mac);
  }
  EXPECT_THAT(sources, ElementsAre("02:00:00:00:00:ff", "02:00:00:00:01:00", "02:00:00:00:01:01",
                                   "02:00:00:00:00:ff"));
  EXPECT_THAT(destinations, ElementsAre("00:00:00:00:00:00", "00:00:00:00:00:01",
                                        "00:00:00:00:00:00", "00:00:00:00:00:01"));
  EXPECT_TRUE(shows("eth0", "cur_dst_mac_offset: 0  cur_src_mac_offset: 1\n")) << text("eth0");
}

TEST_F(PktgenBytes, ACountLeavesTheFirstByteOfTheInterfacesAddress) {
  backend_.interfaces.at("eth0").mac = {0x52, 0x54, 0, 1, 2, 3};
  EXPECT_EQ(packet().source_mac, "52:54:00:01:02:03");
  ask("eth0", "src_mac_count 2");
  EXPECT_EQ(packets(2).at(1).source_mac, "52:00:00:00:00:01");
}

TEST_F(PktgenBytes, RandomMacsDoNotCount) {
  ask_all({"src_mac_count 16", "flag MACSRC_RND"});
  bool different = false;
  const auto seen = packets(50);
  for (const DecodedPacket& p : seen) different = different || p.source_mac != seen[0].source_mac;
  EXPECT_TRUE(different);
  EXPECT_TRUE(shows("eth0", "cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"));
}

TEST_F(PktgenBytes, TagsAreTwoOf8021Q) {
  ask_all({"vlan_id 10", "vlan_p 3", "vlan_cfi 1"});
  EXPECT_THAT(packet().tags, ElementsAre(DecodedPacket::Tag{0x8100, 3, 1, 10}));
  EXPECT_EQ(length(), 62U);
  ask_all({"svlan_id 20", "svlan_p 7"});
  EXPECT_THAT(packet().tags, ElementsAre(DecodedPacket::Tag{0x8100, 7, 0, 20},
                                         DecodedPacket::Tag{0x8100, 3, 1, 10}));
  EXPECT_EQ(length(), 66U) << "the size of the first start is too little now";
  ask("eth0", "vlan_id 5000");
  EXPECT_THAT(packet().tags, IsEmpty());
}

TEST_F(PktgenBytes, RandomIdsBecomeTheSettings) {
  ask_all({"vlan_id 10", "svlan_id 20", "flag VID_RND", "flag SVID_RND"});
  const auto seen = packets(20);
  EXPECT_NE(seen[0].tags.at(1).id, seen[1].tags.at(1).id);
  EXPECT_NE(seen[0].tags.at(0).id, seen[1].tags.at(0).id);
  EXPECT_TRUE(shows("eth0", "     vlan_id: " + std::to_string(seen.back().tags.at(1).id) + "  "));
  EXPECT_TRUE(shows("eth0", "     svlan_id: " + std::to_string(seen.back().tags.at(0).id) + "  "));
}

TEST_F(PktgenBytes, LabelsAreTheStackAndTheLastOneItsBottom) {
  ask("eth0", "mpls 00010a40,00020a40");
  EXPECT_THAT(packet().labels, ElementsAre(0x00010a40, 0x00020b40));
  EXPECT_EQ(length(), 66U);
  ask("eth0", "mpls 00010a40,00020140");
  const auto seen = packets(2);
  EXPECT_EQ(seen[1].labels.at(0), 0x00010a40U);
  EXPECT_EQ(seen[1].labels.at(1) & 0xfff00100U, 0x100U) << "drawn";
  EXPECT_NE(seen[0].labels.at(1), seen[1].labels.at(1));
  EXPECT_FALSE(shows("eth0", "00020140"));
}

TEST_F(PktgenBytes, Ipv6GoesFromTheLinkLocalAddressUnlessOneIsSet) {
  ask_all({"dst6 fd00::2", "traffic_class 2e", "tos 10"});
  const DecodedPacket first = packet();
  EXPECT_TRUE(first.ipv6);
  EXPECT_EQ(first.source, "fe800000000000000000000000000001");
  EXPECT_EQ(first.destination, "fd000000000000000000000000000002");
  EXPECT_EQ(first.traffic_class, 0x2eU);
  EXPECT_FALSE(first.has_udp_checksum);
  EXPECT_EQ(length(), 78U);
  EXPECT_TRUE(shows("eth0", "     cur_saddr: fe80::1  cur_daddr: fd00::2\n")) << text("eth0");
  ask_all({"src6 fd00::1", "flag UDPCSUM"});
  EXPECT_EQ(packet().source, "fd000000000000000000000000000001");
  EXPECT_TRUE(packet().has_udp_checksum);
  ask("eth0", "flag !IPV6");
  EXPECT_FALSE(packet().ipv6);
  EXPECT_EQ(packet().traffic_class, 0x10U);
}

TEST_F(PktgenBytes, ALeastIpv6DestinationMakesItRandomWithinTheMost) {
  ask_all({"dst6_min fd00::1", "dst6_max fd00::ff"});
  for (const DecodedPacket& p : packets(20)) {
    EXPECT_EQ(p.destination.substr(0, 30), "fd0000000000000000000000000000");
    EXPECT_EQ(std::stoul(p.destination.substr(30), nullptr, 16) & 1U, 1U);
  }
  EXPECT_TRUE(shows("eth0", "  cur_daddr: fd00::"));
}

TEST_F(PktgenBytes, WhatIsTurnedOffIsGone) {
  ask_all({"dst6 fd00::2", "mpls 00010a40,00020a40", "flag UDPCSUM", "pkt_size 200"});
  EXPECT_EQ(packet().labels.size(), 2U);
  ask_all({"flag !IPV6", "vlan_id 1", "vlan_id 9999"});
  EXPECT_THAT(packet().labels, IsEmpty());
}

}  // namespace
}  // namespace qdiscsim
