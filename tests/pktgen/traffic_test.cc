#include "pktgen/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

// The given field of the next packets, the first one first.
template <class Field>
std::vector<std::uint32_t> next(Traffic& traffic, Field PacketFields::*field, int count) {
  std::vector<std::uint32_t> values;
  for (int i = 0; i < count; ++i) {
    traffic.advance();
    values.push_back(traffic.current().*field);
  }
  return values;
}

TEST(Traffic, StaysTheSameWhenEverythingIsFixed) {
  TrafficOptions options;
  options.size = {128, 128};
  options.priority = {{6, 1}};
  options.queue = {2, 2};
  Traffic traffic{options};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(traffic.advance());
    EXPECT_EQ(traffic.current().size, 128U);
    EXPECT_EQ(traffic.current().priority, 6U);
    EXPECT_EQ(traffic.current().queue, 2U);
    EXPECT_EQ(traffic.current().source, 0xc6120001U);
    EXPECT_EQ(traffic.current().udp_destination, 9U);
  }
}

TEST(Traffic, WalksThroughRangesFromTheirMinimumAndAround) {
  TrafficOptions options;
  options.size = {60, 62};
  options.source = {10, 11};
  options.destination = {20, 22};
  options.udp_source = {9, 12};
  options.udp_destination = {100, 101};
  Traffic traffic{options};
  Traffic same{options};
  EXPECT_THAT(next(traffic, &PacketFields::size, 4), ElementsAre(60, 61, 62, 60));
  EXPECT_THAT(next(same, &PacketFields::source, 3), ElementsAre(10, 11, 10));
  EXPECT_EQ(same.current().destination, 22U);
  EXPECT_EQ(same.current().udp_source, 11U);
  EXPECT_EQ(same.current().udp_destination, 100U);
}

TEST(Traffic, SaysWhenTheHeadersMustBeRebuilt) {
  TrafficOptions options;
  options.size = {60, 61};
  Traffic sizes{options};
  EXPECT_FALSE(sizes.advance()) << "the first packet has the size that it started with";
  EXPECT_TRUE(sizes.advance());
  EXPECT_TRUE(sizes.advance());

  options.size = {60, 60};
  options.priority = {{0, 1}, {6, 1}};
  Traffic priorities{options};
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(priorities.advance());

  options.priority = {{0, 1}};
  options.destination = {1, 2};
  Traffic addresses{options};
  EXPECT_TRUE(addresses.advance());
}

TEST(Traffic, DrawsRandomValuesFromTheWholeRangeAndNothingElse) {
  TrafficOptions options;
  options.size = {60, 63, Step::kRandom};
  options.udp_source = {1000, 1003, Step::kRandom};
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    options.seed = seed;
    Traffic traffic{options};
    std::set<std::uint32_t> sizes;
    std::set<std::uint32_t> ports;
    for (int i = 0; i < 1000; ++i) {
      traffic.advance();
      sizes.insert(traffic.current().size);
      ports.insert(traffic.current().udp_source);
    }
    EXPECT_THAT(sizes, ElementsAre(60, 61, 62, 63));
    EXPECT_THAT(ports, ElementsAre(1000, 1001, 1002, 1003));
  }
}

TEST(Traffic, RepeatsItselfWithTheSameSeed) {
  TrafficOptions options;
  options.size = {60, 1500, Step::kRandom};
  options.seed = 42;
  Traffic one{options};
  Traffic two{options};
  EXPECT_EQ(next(one, &PacketFields::size, 100), next(two, &PacketFields::size, 100));
  options.seed = 43;
  Traffic other{options};
  Traffic again{TrafficOptions{two.options()}};
  EXPECT_NE(next(other, &PacketFields::size, 100), next(again, &PacketFields::size, 100));
}

TEST(Traffic, KeepsAFlowsAddressesForItsLength) {
  TrafficOptions options;
  options.destination = {1, 100};
  options.udp_source = {50, 52};
  options.flows = 3;
  options.flow_length = 2;
  Traffic traffic{options};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> flows;
  for (int i = 0; i < 8; ++i) {
    traffic.advance();
    flows.emplace_back(traffic.current().destination, traffic.current().udp_source);
  }
  using Flow = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_THAT(flows, ElementsAre(Flow{1, 50}, Flow{1, 50}, Flow{2, 51}, Flow{2, 51}, Flow{3, 52},
                                 Flow{3, 52}, Flow{1, 50}, Flow{1, 50}));
}

TEST(Traffic, MixesPrioritiesByWeight) {
  TrafficOptions options;
  options.priority = {{6, 10}, {0, 70}, {2, 20}};
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    options.seed = seed;
    Traffic traffic{options};
    constexpr int kPackets = 50'000;
    double urgent = 0;
    for (const std::uint32_t priority : next(traffic, &PacketFields::priority, kPackets)) {
      urgent += priority == 6 ? 1 : 0;
    }
    EXPECT_NEAR(urgent, kPackets * 0.1, 5 * std::sqrt(kPackets * 0.09));
  }
}

TEST(Traffic, SendsToItsQueuesInTurn) {
  TrafficOptions options;
  options.queue = {1, 3};
  Traffic traffic{options};
  EXPECT_THAT(next(traffic, &PacketFields::queue, 5), ElementsAre(1, 2, 3, 1, 2));
}

TEST(Traffic, TakesItsSizesFromTheImix) {
  TrafficOptions options;
  options.imix = {{64, 7}, {576, 4}, {1500, 1}};
  Traffic traffic{options};
  int small = 0;
  for (const std::uint32_t size : next(traffic, &PacketFields::size, 20'000)) {
    ASSERT_TRUE(size == 64 || size == 576 || size == 1500) << size;
    small += size == 64 ? 1 : 0;
  }
  EXPECT_NEAR(small, 20'000 * 0.58, 5 * std::sqrt(20'000 * 0.58 * 0.42));
}

}  // namespace
}  // namespace qdiscsim
