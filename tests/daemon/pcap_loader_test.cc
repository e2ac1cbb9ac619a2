// From the configuration's keys to traces, with every mistake in a file told at its key.
#include "daemon/pcap_loader.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "config/diff.h"
#include "tests/daemon/pcap_bytes.h"

namespace qdiscsim {
namespace {

using test::capture_of;
using test::frame;
using testing::ElementsAre;

class PcapLoaderTest : public test::CaptureFolder {
 protected:
  PcapLoaderTest() {
    write("a.pcap", capture_of({{0, frame(0x10), 60}, {1'000, frame(0), 1'514}}));
    write("one.pcap", capture_of({{0, frame(0x10), 60}}));
  }
  // The configuration is called c.yaml and lies in the folder.
  config::Result load(const std::string& generators) {
    config::Result result = config::load_text(
        "devices: [{name: eth0" + device_ + "}]\ngenerators:\n" + generators, path("c.yaml"));
    loader_.load(result);
    return result;
  }
  // Without the folder.
  std::vector<std::string> messages(const config::Result& result) {
    std::vector<std::string> lines;
    for (const config::Diagnostic& one : result.diagnostics) {
      std::string line = to_string(one);
      for (std::size_t at; (at = line.find(path(""))) != std::string::npos;) {
        line.erase(at, path("").size());
      }
      lines.push_back(line);
    }
    return lines;
  }
  static std::shared_ptr<const Trace> trace_of(const config::Result& result, std::size_t i = 0) {
    return result.config.value().generators.at(i).traffic.trace;
  }

  PcapLoader loader_;
  std::string device_;  // more keys of eth0
};

TEST_F(PcapLoaderTest, ReadsAFileOnceForAllWhoNameIt) {
  const auto result = load(
      "  - {name: a, traffic: {pcap: a.pcap}}\n  - {name: b}\n"
      "  - {name: c, traffic: {pcap: ./a.pcap, speed: max}}\n");
  ASSERT_TRUE(result) << to_string(result.diagnostics);
  EXPECT_EQ(trace_of(result)->size(), 2U);
  EXPECT_EQ(trace_of(result, 1), nullptr);
  EXPECT_EQ(trace_of(result, 2), trace_of(result));
  EXPECT_THAT(loader_.notes(),
              ElementsAre("capture " + path("a.pcap") + ": 2 packets in 1 us, Ethernet"));
}

TEST_F(PcapLoaderTest, KeepsATraceUntilTheFileHoldsSomethingElse) {
  const std::string group = "  - {traffic: {pcap: a.pcap}}\n";
  const auto first = load(group);
  const auto second = load(group);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(trace_of(first), trace_of(second));
  EXPECT_EQ(*first.config, *second.config);
  write("a.pcap", capture_of({{0, frame(0), 60}, {1'000, frame(0), 1'514}}));
  const auto third = load(group);
  ASSERT_TRUE(third);
  EXPECT_NE(trace_of(third), trace_of(first));
  EXPECT_EQ(config::diff(*second.config, *third.config).size(), 1U);
}

TEST_F(PcapLoaderTest, TellsEveryMistakeAtItsKey) {
  write("bad.pcap", {1, 2, 3, 4, 5});
  const auto result = load(
      "  - {name: a, traffic: {pcap: no.pcap}}\n"
      "  - name: b\n    traffic:\n      pcap: bad.pcap\n"
      "  - {name: c, traffic: {pcap: a.pcap}}\n");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.exit_code, config::kExitConfig);
  EXPECT_THAT(messages(result),
              ElementsAre("c.yaml:3:31: generators[0].traffic.pcap: no.pcap: does not exist; a "
                          "relative path counts from the folder of the configuration",
                          "c.yaml:6:13: generators[1].traffic.pcap: bad.pcap: is not a capture "
                          "(unknown file format); pcap and pcapng are read, others can be "
                          "converted: editcap -F pcapng IN OUT"));
}

TEST_F(PcapLoaderTest, LeavesAConfigurationWithMistakesAlone) {
  auto result = load("  - {threads: 0, traffic: {pcap: no.pcap}}\n");
  EXPECT_EQ(result.diagnostics.size(), 1U);
}

TEST_F(PcapLoaderTest, RefusesALoopInWhichNoTimePasses) {
  EXPECT_THAT(messages(load("  - {traffic: {pcap: one.pcap, loop: true}}\n")),
              ElementsAre("c.yaml:3:22: generators[0].traffic.pcap: one.pcap: no time passes "
                          "between its packets, so that a loop would never wait; set speed to max "
                          "or a packet rate, or loop: false"));
  EXPECT_TRUE(load("  - {traffic: {pcap: one.pcap}}\n"));
  EXPECT_TRUE(load("  - {traffic: {pcap: one.pcap, loop: true, speed: max}}\n"));
  EXPECT_TRUE(load("  - {traffic: {pcap: one.pcap, loop: true, speed: 1kpps}}\n"));
}

TEST_F(PcapLoaderTest, RefusesGapsThatAreNoneWhenTheyAreWanted) {
  write("set.pcap", capture_of({{0, frame(0), 60}, {1'700'000'000'000'000'000, frame(0), 60}}));
  EXPECT_THAT(messages(load("  - {traffic: {pcap: set.pcap}}\n")),
              ElementsAre("c.yaml:3:22: generators[0].traffic.pcap: set.pcap: packet 2 comes more "
                          "than 90 days after the first: a clock was set meanwhile; cut the "
                          "capture there (editcap -r IN OUT 1-1), or set speed to max or a packet "
                          "rate"));
  EXPECT_TRUE(load("  - {traffic: {pcap: set.pcap, speed: 3pps}}\n"));
}

TEST_F(PcapLoaderTest, RefusesToReplayWhatACaptureWouldOverwrite) {
  std::filesystem::create_symlink("a.pcap", path("same.pcap"));
  for (const std::string file : {"a.pcap", "./a.pcap", "same.pcap"}) {
    device_ = ", capture: {file: " + path(file) + "}";
    const auto result = load("  - {name: a, traffic: {pcap: a.pcap}}\n");
    EXPECT_THAT(messages(result),
                ElementsAre("c.yaml:3:31: generators[0].traffic.pcap: a.pcap: is also "
                            "devices[0].capture.file, which would overwrite it; choose another "
                            "file there"));
  }
  device_ = ", capture: {file: " + path("b.pcap") + "}";
  EXPECT_TRUE(load("  - {name: a, traffic: {pcap: a.pcap}}\n"));
}

}  // namespace
}  // namespace qdiscsim
