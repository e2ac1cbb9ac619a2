// Packets with every stack of headers, read by a decoder of its own (decoded_packet.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.h"
#include "pktgen/packet_memory.h"
#include "pktgen/packet_template.h"
#include "tests/base/seed.h"
#include "tests/pktgen/decoded_packet.h"

namespace qdiscsim {
namespace {

using test::DecodedPacket;
using testing::ElementsAre;
using testing::IsEmpty;

// The bytes of a page, which packets follow each other in.
class PagesBytes {
 public:
  DecodedPacket write(PacketTemplate& packet, std::uint32_t sequence, Nanoseconds wall) {
    packet.write(bytes_.data(), written_, sequence, wall);
    return DecodedPacket{{bytes_.data(), packet.length()}};
  }
  // Bytes other than zero from `at` on.
  std::ptrdiff_t remains(std::size_t at) const {
    return std::count_if(bytes_.begin() + static_cast<std::ptrdiff_t>(at), bytes_.end(),
                         [](std::byte b) { return b != std::byte{}; });
  }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kMaxPacketBytes);
  std::uint16_t written_ = PacketTemplate::kPlain;
};

DecodedPacket decode(const FrameOptions& frame, bool udp_checksum = false, std::uint8_t tos = 0) {
  PagesBytes page;
  PacketTemplate packet{tos, udp_checksum, frame};
  PacketFields fields;
  fields.size = 200;
  fields.frame = FrameFields::first_of(frame);
  packet.set_fields(fields);
  return page.write(packet, 1, 0);
}

FrameOptions with_tags() {
  FrameOptions frame;
  frame.vlan = {.id = 100, .priority = 5, .cfi = 1};
  frame.svlan = {.id = 4000, .priority = 7, .cfi = 0};
  return frame;
}

TEST(PacketStacks, ATagStandsBehindTheAddresses) {
  FrameOptions frame = with_tags();
  frame.svlan = {};
  const DecodedPacket packet = decode(frame);
  EXPECT_EQ(packet.problems, "");
  EXPECT_THAT(packet.tags, ElementsAre(DecodedPacket::Tag{0x8100, 5, 1, 100}));
  EXPECT_EQ(packet.headers, 62U);
}

TEST(PacketStacks, TheServiceTagIsTheOuterOneOfEitherType) {
  FrameOptions frame = with_tags();
  EXPECT_THAT(decode(frame).tags, ElementsAre(DecodedPacket::Tag{0x8100, 7, 0, 4000},
                                              DecodedPacket::Tag{0x8100, 5, 1, 100}))
      << "as pktgen, two of one type";
  frame.svlan_type = kEtherServiceTag;
  EXPECT_EQ(decode(frame).tags.at(0).type, 0x88a8U);
  EXPECT_EQ(decode(frame).problems, "");
  EXPECT_EQ(decode(frame).headers, 66U);
}

TEST(PacketStacks, AServiceTagAloneIsNone) {
  FrameOptions frame = with_tags();
  frame.vlan = {};
  EXPECT_THAT(decode(frame).tags, IsEmpty());
  EXPECT_EQ(decode(frame).headers, PacketTemplate::least_bytes(frame));
}

TEST(PacketStacks, TheLastLabelIsTheBottomOfTheStack) {
  FrameOptions frame;
  frame.mpls = {0x00010140, 0x00020040, 0x00030a01};
  const DecodedPacket packet = decode(frame);
  EXPECT_EQ(packet.problems, "");
  EXPECT_THAT(packet.labels, ElementsAre(0x00010040, 0x00020040, 0x00030b01));
  EXPECT_EQ(packet.headers, 70U);
}

TEST(PacketStacks, LabelsStandBehindTags) {
  FrameOptions frame = with_tags();
  frame.mpls = {0x00010000};
  frame.ipv6 = true;
  const DecodedPacket packet = decode(frame, true);
  EXPECT_EQ(packet.problems, "");
  EXPECT_EQ(packet.tags.size(), 2U);
  EXPECT_THAT(packet.labels, ElementsAre(0x00010100));
  EXPECT_TRUE(packet.ipv6);
}

TEST(PacketStacks, Ipv6HasItsAddressesAndItsClass) {
  FrameOptions frame;
  frame.ipv6 = true;
  frame.traffic_class = 0xb8;
  frame.source6 = {0xfd, 0, 0, 1};
  frame.destination6 = {0xfd, 0, 0, 2};
  PagesBytes page;
  PacketTemplate source{0x1c, false, frame};
  PacketFields fields;
  fields.source = 0x01020304;
  fields.destination = 0x05060708;
  fields.frame = FrameFields::first_of(frame);
  source.set_fields(fields);
  const DecodedPacket packet = page.write(source, 9, 3 * kSecond + 4 * kMicrosecond);
  EXPECT_EQ(packet.problems, "");
  EXPECT_EQ(packet.traffic_class, 0xb8U) << "TOS is IPv4's";
  EXPECT_EQ(packet.source, "fd000001000000000000000001020304");
  EXPECT_EQ(packet.destination, "fd000002000000000000000005060708");
  EXPECT_FALSE(packet.has_udp_checksum) << "as pktgen, unless asked for";
  EXPECT_EQ(packet.sequence, 9U);
  EXPECT_EQ(packet.seconds, 3U);
  EXPECT_EQ(packet.microseconds, 4U);
  EXPECT_EQ(source.length(), 78U) << "60 is too little for IPv6";
}

TEST(PacketStacks, AMacsNumberCarriesUpToTheSecondByte) {
  FrameOptions frame;
  frame.source_mac = {2, 0xff, 0xff, 0xff, 0xff, 0xfe};
  frame.destination_mac = {2, 0, 0, 0, 0xff, 0xff};
  PagesBytes page;
  PacketTemplate source{0, false, frame};
  PacketFields fields;
  fields.frame.source_mac = 3;
  fields.frame.destination_mac = 1;
  source.set_fields(fields);
  const DecodedPacket packet = page.write(source, 1, 0);
  EXPECT_EQ(packet.source_mac, "02:00:00:00:00:01");
  EXPECT_EQ(packet.destination_mac, "02:00:00:01:00:00");
}

// ---- every stack, one after the other in one page ----

struct Stack {
  FrameOptions frame;
  std::uint8_t tos;
  bool udp_checksum;
};

std::vector<Stack> every_stack(Prng& prng) {
  std::vector<Stack> stacks;
  for (const int tags : {0, 1, 2}) {
    for (const std::size_t labels : {0U, 1U, 3U, 16U}) {
      for (const bool ipv6 : {false, true}) {
        for (const bool udp_checksum : {false, true}) {
          FrameOptions frame;
          if (tags > 0) {
            frame.vlan = {static_cast<std::uint16_t>(prng.below(4096)),
                          static_cast<std::uint8_t>(prng.below(8)),
                          static_cast<std::uint8_t>(prng.below(2))};
          }
          if (tags > 1) frame.svlan = {4095, 7, 1};
          if (prng.below(2) == 1) frame.svlan_type = kEtherServiceTag;
          for (std::size_t i = 0; i < labels; ++i) {
            frame.mpls.push_back(static_cast<std::uint32_t>(prng.next()));
          }
          frame.ipv6 = ipv6;
          frame.traffic_class = static_cast<std::uint8_t>(prng.below(256));
          for (auto& b : frame.source6) b = static_cast<std::uint8_t>(prng.below(256));
          for (auto& b : frame.destination6) b = static_cast<std::uint8_t>(prng.below(256));
          stacks.push_back({frame, static_cast<std::uint8_t>(prng.below(256)), udp_checksum});
        }
      }
    }
  }
  return stacks;
}

PacketFields any_fields(Prng& prng, const FrameOptions& frame) {
  const std::uint32_t least = PacketTemplate::least_bytes(frame);
  const std::uint32_t sizes[] = {42, least - 1, least, least + 1, prng.between(least, 3500)};
  PacketFields fields;
  fields.size = sizes[prng.below(5)];
  fields.source = static_cast<std::uint32_t>(prng.next());
  fields.destination = static_cast<std::uint32_t>(prng.next());
  fields.udp_source = static_cast<std::uint16_t>(prng.next());
  fields.udp_destination = static_cast<std::uint16_t>(prng.next());
  fields.frame = FrameFields::first_of(frame);
  fields.frame.source_mac = static_cast<std::uint32_t>(prng.next());
  return fields;
}

TEST(PacketStacks, EachIsSoundWhateverStoodInItsPageBefore) {
  for (const std::uint64_t seed : test::seeds(5)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    const std::vector<Stack> stacks = every_stack(prng);
    std::vector<PacketTemplate> packets;
    packets.reserve(stacks.size());
    for (const Stack& s : stacks) packets.emplace_back(s.tos, s.udp_checksum, s.frame);
    PagesBytes page;
    for (int i = 0; i < 3'000; ++i) {
      // Half of all packets are plain, so that they follow every other stack.
      const std::uint32_t chosen = std::max(prng.below(96), 48U) - 48;
      const Stack& stack = stacks[chosen];
      PacketTemplate& source = packets[chosen];
      const PacketFields fields = any_fields(prng, stack.frame);
      const std::uint32_t least = PacketTemplate::least_bytes(stack.frame);
      source.set_fields(fields);
      ASSERT_EQ(source.length(), std::max(fields.size, least));
      const auto sequence = static_cast<std::uint32_t>(prng.next());
      const bool timed = prng.below(2) == 1;
      const Nanoseconds wall = timed ? prng.next() % (4'000'000'000 * kSecond) : 0;
      const DecodedPacket packet = page.write(source, sequence, wall);
      ASSERT_EQ(packet.problems, "") << "stack " << chosen << ", packet " << i;
      ASSERT_EQ(page.remains(packet.headers), 0) << "stack " << chosen << ", packet " << i;
      ASSERT_EQ(packet.headers, least);
      ASSERT_EQ(packet.labels.size(), stack.frame.mpls.size());
      ASSERT_EQ(packet.tags.size(), stack.frame.vlan.on() ? (stack.frame.svlan.on() ? 2U : 1U) : 0);
      ASSERT_EQ(packet.ipv6, stack.frame.ipv6);
      ASSERT_EQ(packet.traffic_class, stack.frame.ipv6 ? stack.frame.traffic_class : stack.tos);
      ASSERT_EQ(packet.has_udp_checksum, stack.udp_checksum);
      ASSERT_EQ(packet.sequence, sequence);
      ASSERT_EQ(packet.seconds, wall / kSecond);
      ASSERT_EQ(packet.udp_source, fields.udp_source);
      ASSERT_EQ(packet.udp_destination, fields.udp_destination);
    }
  }
}

}  // namespace
}  // namespace qdiscsim
