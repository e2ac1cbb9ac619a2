// What of a frame differs from packet to packet: MAC addresses, tags, labels, IPv6 destinations.
#include "pktgen/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "pktgen/traffic.h"
#include "tests/base/seed.h"
#include "tests/pktgen/decoded_packet.h"
#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

using testing::Each;
using testing::ElementsAre;

template <class Value>
std::vector<Value> frames(Traffic& traffic, Value FrameFields::*field, int count) {
  std::vector<Value> values;
  for (int i = 0; i < count; ++i) {
    traffic.advance();
    values.push_back(traffic.current().frame.*field);
  }
  return values;
}

TEST(Frame, MacAddressesCountUpFromTheFirstAndBeginAnew) {
  TrafficOptions options;
  options.source_mac = {0, 2};
  options.destination_mac = {0, 1};
  Traffic traffic{options};
  Traffic same{options};
  EXPECT_TRUE(traffic.frame_varies());
  EXPECT_THAT(frames(traffic, &FrameFields::source_mac, 5), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(frames(same, &FrameFields::destination_mac, 3), ElementsAre(0, 1, 0));
}

TEST(Frame, RandomMacAddressesAreAllThatThereAreAndNoOthers) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    TrafficOptions options;
    options.seed = seed;
    options.source_mac = {0, 3, Step::kRandom};
    Traffic traffic{options};
    const auto drawn = frames(traffic, &FrameFields::source_mac, 500);
    EXPECT_THAT((std::set<std::uint32_t>{drawn.begin(), drawn.end()}), ElementsAre(0, 1, 2, 3));
  }
}

TEST(Frame, AFlowKeepsItsMacAddress) {
  TrafficOptions options;
  options.source_mac = {0, 9};
  options.flows = 2;
  options.flow_length = 2;
  Traffic traffic{options};
  EXPECT_THAT(frames(traffic, &FrameFields::source_mac, 6), ElementsAre(0, 0, 1, 1, 0, 0));
}

TEST(Frame, StaysAsItIsUnlessAskedOtherwise) {
  TrafficOptions options;
  options.frame.vlan.id = 7;
  options.frame.mpls = {0x100, 0x200};
  options.frame.svlan_random = true;  // of a tag that is off
  Traffic traffic{options};
  EXPECT_FALSE(traffic.advance());
  EXPECT_FALSE(traffic.frame_varies());
  EXPECT_EQ(traffic.current().frame.vlan_id, 7U);
  EXPECT_EQ(traffic.current().frame.mpls.at(1), 0x200U);
}

TEST(Frame, RandomIdsAreOfTheWholeRange) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    TrafficOptions options;
    options.seed = seed;
    options.frame.vlan.id = options.frame.svlan.id = 0;
    options.frame.vlan_random = options.frame.svlan_random = true;
    Traffic traffic{options};
    Traffic same{options};
    const auto ids = frames(traffic, &FrameFields::vlan_id, 40'000);
    EXPECT_THAT(ids, Each(testing::Lt(4096)));
    EXPECT_GT((std::set<std::uint16_t>{ids.begin(), ids.end()}).size(), 4080U);
    EXPECT_NE(ids, frames(same, &FrameFields::svlan_id, 40'000));
  }
}

TEST(Frame, OnlyLabelsWithABottomOfStackAreDrawn) {
  TrafficOptions options;
  options.frame.mpls = {0x12345100, 0x12345000};
  options.frame.mpls_random = true;
  Traffic traffic{options};
  std::set<std::uint32_t> first;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(traffic.advance());
    const auto& labels = traffic.current().frame.mpls;
    first.insert(labels[0]);
    EXPECT_EQ(labels[0] & 0xfff00100U, 0x100U);
    EXPECT_EQ(labels[1], 0x12345000U);
  }
  EXPECT_GT(first.size(), 90U);
}

TEST(Frame, ARandomIpv6DestinationHasTheBitsOfTheLeastAndNoneBeyondTheMost) {
  TrafficOptions options;
  options.frame.ipv6 = options.frame.destination6_random = true;
  options.frame.destination6_least = {0xfd, 1};
  options.frame.destination6_most = {0xfd, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0f};
  Traffic traffic{options};
  std::set<std::uint32_t> last;
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(traffic.advance());
    const auto& address = traffic.current().frame.destination6;
    EXPECT_EQ(address[0], 0xfd);
    EXPECT_EQ(address[1], 1);
    EXPECT_EQ(address[3], 0);
    last.insert(traffic.current().destination);
  }
  EXPECT_EQ(last.size(), 16U);
  EXPECT_EQ(*last.rbegin(), 15U);
}

// ---- from the page ----

class FrameInPages : public test::GeneratorTest {
 protected:
  FrameInPages() { device_.keeps_bytes = true; }
  std::vector<test::DecodedPacket> packets() {
    std::vector<test::DecodedPacket> decoded;
    for (const auto& bytes : device_.bytes) decoded.emplace_back(bytes);
    return decoded;
  }
  void step(int times) {
    for (int i = 0; i < times; ++i) generator_->step();
  }
};

TEST_F(FrameInPages, AShorterStackLeavesNothingOfALongerOne) {
  GeneratorSettings longer;
  longer.traffic.size = {300, 300};
  longer.traffic.udp_checksum = true;
  longer.traffic.frame.ipv6 = true;
  longer.traffic.frame.mpls.assign(kMostLabels, 0xffffffff);
  longer.traffic.frame.destination6.fill(0xff);
  GeneratorSettings plain;
  plain.traffic.size = {300, 300};
  start(longer);
  step(300);
  generator_->finish();
  generator_->restart(plain);
  generator_->start();
  step(300);
  generator_->finish();
  generator_->restart(longer);
  generator_->start();
  step(300);
  const auto seen = packets();
  ASSERT_EQ(seen.size(), 900U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].problems, "") << "packet " << i;
    ASSERT_EQ(seen[i].ipv6, i < 300 || i >= 600);
  }
}

TEST_F(FrameInPages, PktgensCurrentValuesHaveTheFrame) {
  GeneratorSettings settings;
  settings.as_pktgen = true;
  settings.traffic.source_mac = {0, 9};
  settings.traffic.frame.vlan.id = 3;
  settings.traffic.frame.vlan_random = true;
  settings.traffic.frame.ipv6 = settings.traffic.frame.destination6_random = true;
  settings.traffic.frame.destination6_most.fill(0xff);
  start(settings);
  step(3);
  const PacketFields now = counters().current.fields();
  const test::DecodedPacket packet = packets().back();
  EXPECT_EQ(now.frame.source_mac, 2U);
  EXPECT_EQ(now.frame.vlan_id, packet.tags.at(0).id);
  EXPECT_EQ(now.frame.destination6[0], std::stoul(packet.destination.substr(0, 2), nullptr, 16));
  EXPECT_EQ(now.frame.destination6[11], std::stoul(packet.destination.substr(22, 2), nullptr, 16));
  EXPECT_EQ(now.destination, std::stoul(packet.destination.substr(24), nullptr, 16));
}

}  // namespace
}  // namespace qdiscsim
