// A capture in place of a description of the traffic: how it is written, and what it excludes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "config/diff.h"
#include "config/print.h"
#include "tests/config/wrong.h"

namespace qdiscsim {
class Trace {};  // what stands behind the pointer is nothing that this room knows
}  // namespace qdiscsim

namespace qdiscsim::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDevice = "devices: [{name: eth0}]\n";

Result load(const std::string& group, const std::string& name = "/etc/q/c.yaml") {
  return load_text(kDevice + ("generators:\n  - " + group + "\n"), name, {}, Cpus::first(2));
}

GeneratorGroup group_of(const Result& result) {
  EXPECT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  return result.config ? result.config->generators.at(0) : GeneratorGroup{};
}

TEST(CapturedTraffic, IsReplayedOnceAtItsOwnSpeedUnlessToldOtherwise) {
  const GeneratorGroup plain = group_of(load("{traffic: {pcap: /a.pcap}}"));
  EXPECT_EQ(plain.traffic.pcap, "/a.pcap");
  EXPECT_EQ(plain.traffic.speed, (Speed{SpeedKind::kFactor, 1'000}));
  EXPECT_FALSE(plain.traffic.loop);
  const GeneratorGroup other =
      group_of(load("{traffic: {pcap: /a.pcap, speed: 1.5Mpps, loop: true}}"));
  EXPECT_EQ(other.traffic.speed, (Speed{SpeedKind::kPacketRate, 1'500'000}));
  EXPECT_TRUE(other.traffic.loop);
}

TEST(CapturedTraffic, EndsByItselfUnlessItLoops) {
  EXPECT_FALSE(has_end(group_of(load("{}"))));
  EXPECT_TRUE(has_end(group_of(load("{count: 5}"))));
  EXPECT_TRUE(has_end(group_of(load("{traffic: {pcap: /a}}"))));
  EXPECT_FALSE(has_end(group_of(load("{traffic: {pcap: /a, loop: true}}"))));
  EXPECT_TRUE(has_end(group_of(load("{count: 5, traffic: {pcap: /a, loop: true}}"))));
}

TEST(CapturedTraffic, FindsARelativePathInTheFolderOfTheConfiguration) {
  EXPECT_EQ(group_of(load("{traffic: {pcap: a.pcap}}")).traffic.pcap, "/etc/q/a.pcap");
  EXPECT_EQ(group_of(load("{traffic: {pcap: ../b/./a.pcap}}")).traffic.pcap, "/etc/b/a.pcap");
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(group_of(load("{traffic: {pcap: a.pcap}}", "c.yaml")).traffic.pcap, here + "/a.pcap");
  EXPECT_EQ(group_of(load("{traffic: {pcap: a.pcap}}", "d/c.yaml")).traffic.pcap,
            here + "/d/a.pcap");
}

TEST(CapturedTraffic, IsListedWithItsPlaceForWhoReadsTheFile) {
  const Result result = load("{name: a, traffic: {pcap: x.pcap}}");
  ASSERT_EQ(result.captures.size(), 1U);
  EXPECT_EQ(result.captures[0].generator, 0U);
  EXPECT_EQ(to_string(result.captures[0].place),
            "/etc/q/c.yaml:3:31: generators[0].traffic.pcap: ");
  EXPECT_TRUE(load("{name: a}").captures.empty());
}

TEST(CapturedTraffic, TakesThePlaceOfWhatItExcludesInTheEffectiveConfiguration) {
  const std::string text = print(*load("{traffic: {pcap: a.pcap, speed: 0.5x}}").config);
  EXPECT_THAT(text, HasSubstr("    count: 0\n    traffic:\n      pcap: /etc/q/a.pcap\n      speed: "
                              "0.5x\n      loop: false\n    burst: 1\n"));
  for (const char* key : {"packet_size", "priority", "tos"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
  EXPECT_EQ(print(*load("{}").config).find("traffic"), std::string::npos);
}

std::vector<std::string> changes(const Config& before, const Config& after) {
  std::vector<std::string> lines;
  for (const Change& change : diff(before, after)) lines.push_back(to_string(change));
  return lines;
}

TEST(CapturedTraffic, ChangesLive) {
  const Config before = *load("{traffic: {pcap: a.pcap}}").config;
  EXPECT_THAT(changes(before, *load("{traffic: {pcap: b.pcap, speed: max, loop: true}}").config),
              ElementsAre("generators[0].traffic.pcap: /etc/q/a.pcap -> /etc/q/b.pcap (live)",
                          "generators[0].traffic.speed: 1x -> max (live)",
                          "generators[0].traffic.loop: false -> true (live)"));
}

TEST(CapturedTraffic, ChangesWithTheContentsOfItsFile) {
  Config before = *load("{traffic: {pcap: a.pcap}}").config;
  before.generators[0].traffic.trace = std::make_shared<Trace>();
  Config after = before;
  EXPECT_THAT(changes(before, after), testing::IsEmpty());
  EXPECT_EQ(before, after);
  after.generators[0].traffic.trace = std::make_shared<Trace>();
  EXPECT_THAT(changes(before, after),
              ElementsAre("generators[0].traffic.pcap: /etc/q/a.pcap -> the same, with other "
                          "contents (live)"));
  EXPECT_NE(before, after);
}

// clang-format off: one message, one line
const std::vector<Wrong> kTraffics{
    {"traffic without a capture",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: {speed: 2x}}\n",
     {"c.yaml:3:15: generators[0].traffic: names no capture; set traffic.pcap, or remove it"}},
    {"traffic that is a file",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: a.pcap}\n",
     {"c.yaml:3:15: generators[0].traffic: \"a.pcap\" is a single value; allowed: a map with pcap, "
      "speed, loop"}},
    {"a capture without a name",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: {pcap: ''}}\n",
     {"c.yaml:3:22: generators[0].traffic.pcap: \"\" is empty; allowed: a path of a file, such as "
      "out.pcapng"}},
    {"a speed that is a number",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: {pcap: a, speed: 2}}\n",
     {"c.yaml:3:32: generators[0].traffic.speed: \"2\" is no speed; allowed: a factor from 0.001x "
      "to 1000x, max, or a packet rate such as 1.5Mpps; did you mean 2x?"}},
    {"a speed that is too high",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: {pcap: a, speed: 1000.1x}}\n",
     {"c.yaml:3:32: generators[0].traffic.speed: \"1000.1x\" is too large; allowed: a factor from "
      "0.001x to 1000x, max, or a packet rate such as 1.5Mpps"}},
    {"a pace beside a capture",
     "devices: [{name: eth0}]\ngenerators:\n  - {ratep: 1Mpps, traffic: {pcap: a}}\n",
     {"c.yaml:3:13: generators[0].ratep: excludes traffic.pcap at c.yaml:3:36, whose gaps are the "
      "pace; remove it, or set traffic.speed for another pace"}},
    {"a bit rate and a delay beside a capture",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic: {pcap: a}, rate: 1Mbit}\n"
     "  - {name: b, delay: 1us, traffic: {pcap: a}}\n",
     {"c.yaml:3:32: generators[0].rate: excludes traffic.pcap at c.yaml:3:22, whose gaps are the "
      "pace; remove it, or set traffic.speed for another pace",
      "c.yaml:4:22: generators[1].delay: excludes traffic.pcap at c.yaml:4:43, whose gaps are the "
      "pace; remove it, or set traffic.speed for another pace"}},
    {"a size a priority and a TOS beside a capture",
     "devices: [{name: eth0}]\ngenerators:\n  - traffic: {pcap: a}\n    packet_size: 60\n"
     "    priority: 6\n    tos: 16\n",
     {"c.yaml:4:18: generators[0].packet_size: excludes traffic.pcap at c.yaml:3:21, where each "
      "packet has its own; remove one of them",
      "c.yaml:5:15: generators[0].priority: excludes traffic.pcap at c.yaml:3:21, where each "
      "packet has its own; remove one of them",
      "c.yaml:6:10: generators[0].tos: excludes traffic.pcap at c.yaml:3:21, where each packet has "
      "its own; remove one of them"}},
    {"copies of a captured packet",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - {xmit_mode: start_xmit, traffic: {pcap: a}, burst: 8, clone_skb: 9}\n",
     {"c.yaml:3:56: generators[0].burst: must be 1 with traffic.pcap at c.yaml:3:45: each of its "
      "packets is sent once; remove one of them",
      "c.yaml:3:70: generators[0].clone_skb: must be 0 with traffic.pcap at c.yaml:3:45: each of "
      "its "
      "packets is sent once; remove one of them"}},
};
// clang-format on

class WrongTraffic : public testing::TestWithParam<Wrong> {};

TEST_P(WrongTraffic, IsToldWithThePlace) {
  std::vector<std::string> messages;
  for (const Diagnostic& one :
       load_text(GetParam().text, "c.yaml", {}, three_cpus_two_allowed()).diagnostics) {
    messages.push_back(to_string(one));
  }
  EXPECT_EQ(messages, GetParam().messages);
}

INSTANTIATE_TEST_SUITE_P(Traffics, WrongTraffic, testing::ValuesIn(kTraffics), name_of);

}  // namespace
}  // namespace qdiscsim::config
