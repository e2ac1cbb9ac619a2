#include "config/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"
#include "tests/config/random_config.h"

namespace qdiscsim::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kBefore = R"(
devices:
  - {name: eth0, link: {kind: wire, rate: 1Gbit}, queues: 2}
generators:
  - {name: a, ratep: 1Mpps}
  - {name: b}
)";

Config with(const std::vector<Override>& overrides) {
  const Result result = load_text(kBefore, "c.yaml", overrides, Cpus::first(2));
  EXPECT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  return result.config.value_or(Config{});
}

std::vector<std::string> changes(const std::vector<Override>& overrides) {
  std::vector<std::string> lines;
  for (const Change& change : diff(with({}), with(overrides))) lines.push_back(to_string(change));
  return lines;
}

TEST(Diff, IsEmptyForEqualConfigurations) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Config config = RandomConfig(seed).next();
    EXPECT_THAT(diff(config, config), IsEmpty()) << "seed " << seed;
  }
}

TEST(Diff, IsNeverEmptyForDifferentConfigurations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomConfig random(seed);
    EXPECT_FALSE(diff(random.next(), random.next()).empty()) << "seed " << seed;
  }
}

TEST(Diff, TakesTrafficAndQueueLengthsLive) {
  EXPECT_THAT(
      changes({"log.level=debug", "devices[0].tx_queue_len=500", "devices[0].link.rate=2.5Gbit",
               "devices[0].sojourn_sample=1", "generators[0].threads=4", "generators[0].count=7",
               "generators[1].packet_size={min: 60, max: 1500}",
               "generators[1].priority=[{priority: 6, weight: 2}]", "generators[1].tos=16",
               "generators[1].flows=8", "generators[1].source=10.0.0.1",
               "generators[1].udp_source={min: 9, max: 10, random: true}",
               "generators[1].enqueue_burst=32", "generators[1].timestamp=false"}),
      ElementsAre("log.level: info -> debug (live)",
                  "devices[0].link.rate: 1Gbit -> 2500Mbit (live)",
                  "devices[0].tx_queue_len: 1000 -> 500 (live)",
                  "devices[0].sojourn_sample: 64 -> 1 (live)",
                  "generators[0].threads: 1 -> 4 (live)", "generators[0].count: 0 -> 7 (live)",
                  "generators[1].packet_size: 60 -> {min: 60, max: 1500, random: false} (live)",
                  "generators[1].enqueue_burst: 1 -> 32 (live)",
                  "generators[1].priority: 0 -> [{priority: 6, weight: 2}] (live)",
                  "generators[1].tos: 0 -> 16 (live)", "generators[1].flows: 0 -> 8 (live)",
                  "generators[1].source: 198.18.0.1 -> 10.0.0.1 (live)",
                  "generators[1].udp_source: 9 -> {min: 9, max: 10, random: true} (live)",
                  "generators[1].timestamp: true -> false (live)"));
}

TEST(Diff, TakesTagsAndAddressesLive) {
  EXPECT_THAT(changes({"generators[0].vlan=7", "generators[1].mpls=[{label: 9, ttl: 1}]",
                       "generators[1].source=fd00::1", "generators[1].destination=fd00::2",
                       "generators[1].mac_destination=02:00:00:00:00:07"}),
              ElementsAre("generators[0].vlan: (none) -> 7 (live)",
                          "generators[1].traffic_class: (none) -> 0 (live)",
                          "generators[1].source: 198.18.0.1 -> \"fd00::1\" (live)",
                          "generators[1].destination: 198.18.0.42 -> \"fd00::2\" (live)",
                          "generators[1].mac_destination: \"02:00:00:00:00:02\" -> "
                          "\"02:00:00:00:00:07\" (live)",
                          "generators[1].mpls: (none) -> [{label: 9, traffic_class: 0, ttl: 1}] "
                          "(live)"));
}

TEST(Diff, AsksForARestartWhereMemoryThreadsOrSocketsWereLaidOut) {
  EXPECT_THAT(
      changes({"seed=2", "http.listen=127.0.0.1:1", "memory.limit=64MiB", "memory.huge_pages=never",
               "devices[0].link.ring=512", "devices[0].queues=1", "devices[0].drain=dedicated",
               "devices[0].drain_cpus=[1]", "devices[0].bypass=false", "devices[0].ring=mpsc",
               "devices[0].bql.enabled=false", "generators[0].pin=true", "generators[0].cpus=[0]",
               "generators[0].xmit_mode=start_xmit", "generators[0].page_pool.size=64",
               "generators[0].page_pool.ring={clear: zero_each}"}),
      testing::AllOf(testing::SizeIs(16), testing::Each(testing::EndsWith("(needs a restart)"))));
}

TEST(Diff, SeesAChangeOfPaceAsOneKeyGoneAndOneCome) {
  EXPECT_THAT(changes({"generators[0].ratep=", "generators[0].delay=2us"}),
              ElementsAre("generators[0].delay: (none) -> 2us (live)",
                          "generators[0].ratep: 1Mpps -> (none) (live)"));
}

TEST(Diff, MatchesGeneratorGroupsByName) {
  EXPECT_THAT(changes({"generators=[{name: b, tos: 1}, {name: c}]"}),
              ElementsAre("generators[0].tos: 0 -> 1 (live)", "generators[1]: (none) -> c (live)",
                          "generators[0]: a -> (none) (live)"));
  EXPECT_THAT(changes({"generators=[{name: b}, {name: a, ratep: 1Mpps}]"}), IsEmpty());
}

TEST(Diff, NeedsARestartForAnotherSetOfDevices) {
  const std::vector<Change> found = diff(with({}), with({"devices=[{name: eth0}, {name: eth1}]"}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_string(found[0]), "devices: [eth0] -> [eth0, eth1] (needs a restart)");
  EXPECT_TRUE(needs_restart(found));
  EXPECT_FALSE(needs_restart(diff(with({}), with({"log.level=error"}))));
}

}  // namespace
}  // namespace qdiscsim::config
