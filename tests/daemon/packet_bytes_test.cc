// From a configuration to the bytes of its packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/loader.h"
#include "daemon/translate.h"
#include "tests/pktgen/decoded_packet.h"

namespace qdiscsim {
namespace {

using test::DecodedPacket;
using testing::ElementsAre;
using testing::IsEmpty;

// What a group with these keys sends first.
std::vector<DecodedPacket> packets_of(const std::string& keys, int count) {
  const config::Result loaded =
      config::load_text("devices: [{name: eth0}]\ngenerators: [{" + keys + "}]\n", "c.yaml");
  EXPECT_TRUE(loaded.config.has_value()) << to_string(loaded.diagnostics);
  if (!loaded.config) return {};
  GeneratorProgram program{
      generator_settings(loaded.config->generators[0], loaded.config->devices[0], 0, 1)};
  std::vector<DecodedPacket> packets;
  for (int i = 0; i < count; ++i) {
    std::vector<std::byte> page(kMaxPacketBytes);
    std::uint16_t written = PacketTemplate::kPlain;
    if (program.traffic.advance()) program.packet.set_fields(program.traffic.current());
    program.packet.write(page.data(), written, 1, 0);
    page.resize(program.packet.length());
    packets.emplace_back(page);
    EXPECT_EQ(packets.back().problems, "");
  }
  return packets;
}

DecodedPacket packet_of(const std::string& keys) {
  return packets_of(keys, 1).at(0);
}

TEST(PacketBytes, ByDefaultAreIpv4AndNothingElse) {
  const DecodedPacket packet = packet_of("tos: 16");
  EXPECT_EQ(packet.source_mac, "02:00:00:00:00:01");
  EXPECT_EQ(packet.destination_mac, "02:00:00:00:00:02");
  EXPECT_THAT(packet.tags, IsEmpty());
  EXPECT_THAT(packet.labels, IsEmpty());
  EXPECT_FALSE(packet.ipv6);
  EXPECT_EQ(packet.traffic_class, 16U);
  EXPECT_EQ(packet.source, "c6120001");
  EXPECT_EQ(packet.destination, "c612002a");
}

TEST(PacketBytes, AreOfTheFamilyOfTheAddresses) {
  const auto packets = packets_of(
      "source: 2001:db8::1, destination: {min: \"2001:db8:1::ffff:fffe\", max: "
      "\"2001:db8:1::ffff:ffff\"}, traffic_class: 184, udp_checksum: true",
      3);
  EXPECT_TRUE(packets[0].ipv6);
  EXPECT_EQ(packets[0].traffic_class, 184U);
  EXPECT_EQ(packets[0].source, "20010db8000000000000000000000001");
  EXPECT_EQ(packets[0].destination, "20010db80001000000000000fffffffe");
  EXPECT_EQ(packets[1].destination, "20010db80001000000000000ffffffff");
  EXPECT_EQ(packets[2].destination, packets[0].destination);
  EXPECT_TRUE(packets[0].has_udp_checksum);
}

TEST(PacketBytes, HaveTagsAndLabelsInOrder) {
  const DecodedPacket packet = packet_of(
      "vlan: {id: 100, priority: 5}, svlan: {id: 4095, cfi: true}, mpls: [{label: 1048575, "
      "traffic_class: 7, ttl: 255}, {label: 16}]");
  EXPECT_THAT(packet.tags, ElementsAre(DecodedPacket::Tag{0x88a8, 0, 1, 4095},
                                       DecodedPacket::Tag{0x8100, 5, 0, 100}));
  EXPECT_THAT(packet.labels, ElementsAre(0xfffffeff, 0x00010140));
}

TEST(PacketBytes, WalkThroughMacAddresses) {
  const auto packets = packets_of(
      "mac_source: {min: \"02:00:00:00:00:ff\", max: \"02:00:00:00:01:00\"}, mac_destination: "
      "0a:0b:0c:0d:0e:0f",
      3);
  EXPECT_EQ(packets[0].source_mac, "02:00:00:00:00:ff");
  EXPECT_EQ(packets[1].source_mac, "02:00:00:00:01:00");
  EXPECT_EQ(packets[2].source_mac, "02:00:00:00:00:ff");
  EXPECT_EQ(packets[2].destination_mac, "0a:0b:0c:0d:0e:0f");
}

}  // namespace
}  // namespace qdiscsim
