// What pktgen's packets look like, one after the other, and its Result line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "pktgen/packet_template.h"
#include "pktgen/result.h"
#include "pktgen/traffic.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

template <class Field>
std::vector<std::uint32_t> following(const TrafficOptions& options, Field PacketFields::*field,
                                     int count) {
  Traffic traffic{options};
  std::vector<std::uint32_t> values;
  for (int i = 0; i < count; ++i) {
    traffic.advance();
    values.push_back(traffic.current().*field);
  }
  return values;
}

TEST(PktgenTraffic, Check64_TheShortestPacketIs58BytesLong) {
  PacketFields fields;
  fields.size = 42;
  PacketTemplate packet{0, false};
  packet.set_fields(fields);
  EXPECT_EQ(packet.length(), 58U);
  fields.size = 60;
  packet.set_fields(fields);
  EXPECT_EQ(packet.length(), 60U);
}

TEST(PktgenTraffic, Check64_TagsAndIpv6MakeTheShortestPacketLonger) {
  PacketFields fields;
  fields.size = 42;
  FrameOptions frame;
  frame.ipv6 = true;
  PacketTemplate ipv6{0, false, frame};
  ipv6.set_fields(fields);
  EXPECT_EQ(ipv6.length(), 78U);
  frame.vlan.id = 1;
  PacketTemplate tagged{0, false, frame};
  tagged.set_fields(fields);
  EXPECT_EQ(tagged.length(), 82U);
}

TEST(PktgenTraffic, Check65_PortsBeginBehindTheMinimumAndLeaveOutTheMaximum) {
  TrafficOptions options;
  options.udp_source = pktgen_ports(9, 12, false);
  EXPECT_THAT(following(options, &PacketFields::udp_source, 4), ElementsAre(10, 11, 9, 10));
  options.udp_destination = pktgen_ports(9, 12, false);
  EXPECT_THAT(following(options, &PacketFields::udp_destination, 4), ElementsAre(10, 11, 9, 10));
}

TEST(PktgenTraffic, Check66_AddressesBeginBehindTheMinimumAndHaveTheMaximum) {
  TrafficOptions options;
  options.destination = pktgen_range(0x0a000001, 0x0a000003, false);
  EXPECT_THAT(following(options, &PacketFields::destination, 3),
              ElementsAre(0x0a000002, 0x0a000003, 0x0a000001));
  options.source = pktgen_range(0x0a000001, 0x0a000003, false);
  EXPECT_THAT(following(options, &PacketFields::source, 3),
              ElementsAre(0x0a000002, 0x0a000003, 0x0a000001));
}

TEST(PktgenTraffic, Check67_QueuesAreTakenInTurnFromTheSecond) {
  TrafficOptions options;
  options.queue = pktgen_queues(0, 3, false);
  EXPECT_THAT(following(options, &PacketFields::queue, 5), ElementsAre(1, 2, 3, 0, 1));
}

TEST(PktgenTraffic, Check72_TheResultLineIsTheOneOfTheDocumentation) {
  RunResult result;
  result.elapsed = 15'430'760;
  result.idle = 25'000;
  result.sofar = 100'000;
  result.bytes = 6'000'000;
  result.size = 60;
  EXPECT_EQ(format_result(result),
            "OK: 15430(c15405+d25) usec, 100000 (60byte,0frags)\n"
            "  6480562pps 3110Mb/sec (3110669760bps) errors: 0");
}

TEST(PktgenTraffic, Check76_AnImixHasAHundredSlots) {
  const std::vector<WeightedChoice::Entry> entries{{42, 7}, {576, 4}, {1500, 1}};
  const WeightedChoice imix{entries, Traffic::kImixSlots};
  EXPECT_EQ(imix.slots(0), 58U);
  EXPECT_EQ(imix.slots(1), 33U);
  EXPECT_EQ(imix.slots(2), 9U);
  TrafficOptions options;
  options.imix = entries;
  const auto sizes = following(options, &PacketFields::size, 2000);
  EXPECT_EQ((std::set<std::uint32_t>{sizes.begin(), sizes.end()}),
            (std::set<std::uint32_t>{42, 576, 1500}));
}

// ---- beside the numbered checks ----

TEST(PktgenTraffic, QueuesCountOnFromZeroToTheirMinimum) {
  TrafficOptions options;
  options.queue = pktgen_queues(3, 3, false);
  EXPECT_THAT(following(options, &PacketFields::queue, 5), ElementsAre(1, 2, 3, 3, 3));
  options.queue = pktgen_queues(2, 1, false);
  EXPECT_THAT(following(options, &PacketFields::queue, 2), ElementsAre(0, 0));
}

TEST(PktgenTraffic, MacAddressesBeginWithTheFirstUnlikeIpAddresses) {
  TrafficOptions options;
  options.source_mac = {0, 2};
  Traffic traffic{options};
  std::vector<std::uint32_t> offsets;
  for (int i = 0; i < 4; ++i) {
    traffic.advance();
    offsets.push_back(traffic.current().frame.source_mac);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 1, 2, 0));
}

TEST(PktgenTraffic, ARangeTheWrongWayRoundStaysAtItsMinimum) {
  TrafficOptions options;
  options.udp_source = pktgen_ports(100, 9, false);
  options.destination = pktgen_range(7, 0, true);
  EXPECT_THAT(following(options, &PacketFields::udp_source, 2), ElementsAre(100, 100));
  EXPECT_THAT(following(options, &PacketFields::destination, 2), ElementsAre(7, 7));
}

TEST(PktgenTraffic, RandomValuesLeaveOutTheMaximumButNotOfQueues) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    TrafficOptions options;
    options.seed = seed;
    options.size = pktgen_range(60, 63, true);
    options.udp_source = pktgen_ports(9, 12, true);
    options.queue = pktgen_queues(0, 2, true);
    const auto sizes = following(options, &PacketFields::size, 500);
    const auto ports = following(options, &PacketFields::udp_source, 500);
    const auto queues = following(options, &PacketFields::queue, 500);
    using Set = std::set<std::uint32_t>;
    EXPECT_EQ((Set{sizes.begin(), sizes.end()}), (Set{60, 61, 62}));
    EXPECT_EQ((Set{ports.begin(), ports.end()}), (Set{9, 10, 11}));
    EXPECT_EQ((Set{queues.begin(), queues.end()}), (Set{0, 1, 2}));
  }
}

TEST(PktgenTraffic, RandomDestinationsAreOrdinaryAddresses) {
  TrafficOptions options;
  options.destination = pktgen_range(0x7e000000, 0x81000000, true);  // around 127.0.0.0/8
  for (const std::uint32_t address : following(options, &PacketFields::destination, 50)) {
    EXPECT_NE(address >> 24U, 127U);
  }
}

TEST(PktgenTraffic, AFlowKeepsItsDestinationForItsLengthAndGetsANewOneThen) {
  TrafficOptions options;
  options.destination = pktgen_range(100, 200, false);
  options.udp_source = pktgen_ports(9, 100, false);
  options.flows = 2;
  options.flow_length = 2;
  options.flow_order = FlowOrder::kPktgenSequence;
  EXPECT_THAT(following(options, &PacketFields::destination, 6),
              ElementsAre(101, 101, 102, 102, 103, 103));
  EXPECT_THAT(following(options, &PacketFields::udp_source, 3), ElementsAre(10, 11, 12))
      << "only the destination is the flow's";
  Traffic traffic{options};
  for (int i = 0; i < 6; ++i) traffic.advance();
  EXPECT_EQ(traffic.flows_begun(), 3U);
}

TEST(PktgenTraffic, RandomFlowsHaveOnePacketMoreThanTheirLength) {
  TrafficOptions options;
  options.destination = pktgen_range(100, 200, false);
  options.flows = 1;
  options.flow_length = 2;
  options.flow_order = FlowOrder::kPktgenRandom;
  EXPECT_THAT(following(options, &PacketFields::destination, 6),
              ElementsAre(101, 101, 101, 102, 102, 102));
}

}  // namespace
}  // namespace qdiscsim
