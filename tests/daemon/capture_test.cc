// Whole runs with a capture: what a device's link took is in the file or counted as missed, and the
// accounts are those of a run without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/source.h"
#include "tests/daemon/engine_lab.h"
#include "tests/daemon/pcapng_reader.h"

namespace qdiscsim {
namespace {

using config::Drain;
using config::LinkKind;
using config::XmitMode;
using test::PcapngReader;
using test::Watcher;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPackets = 400;
#else
constexpr std::uint64_t kPackets = 4'000;
#endif

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() {
    std::string name = testing::TempDir() + "qdiscsim-capture-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    file_ = folder_ / "out.pcapng";
  }
  ~CaptureTest() override { std::filesystem::remove_all(folder_); }

  config::Config a_config(LinkKind link, std::uint32_t queues = 1) const {
    config::Config config;
    config::Device device = test::a_device("eth0", link);
    device.queues = queues;
    device.capture.file = file_;
    config.devices = {device};
    config::GeneratorGroup group = test::a_group("gen", "eth0", 2, kPackets);
    group.queue_map_max = queues - 1;
    config.generators = {group};
    return config;
  }

  // Runs to the end; 1200 pages more: what other generators' pools hold.
  Snapshot run(const config::Config& config) {
    Engine engine{test::with_memory(config, 1'200)};
    engine.start();
    Watcher watcher{engine};
    watcher.look_until_finished();
    for (const std::string& line : engine.watch()) news_.push_back(line);
    for (const std::string& line : engine.watch()) news_.push_back(line);
    engine.stop();
    Snapshot end = engine.snapshot();
    test::expect_all_at_home(end);
    return end;
  }

  static void expect_all_captured(const DeviceSnapshot& device, const PcapngReader& file) {
    ASSERT_EQ(file.interfaces.size(), device.queues.size());
    std::uint64_t missed = 0;
    for (const QueueSnapshot& queue : device.queues) {
      const test::CapturedInterface& interface = file.interfaces[queue.index];
      EXPECT_EQ(interface.name, device.name + " queue " + std::to_string(queue.index));
      EXPECT_EQ(interface.statistics, 1);
      EXPECT_EQ(interface.packets + interface.missed, queue.tx_packets);
      EXPECT_EQ(interface.received, queue.tx_packets);
      if (interface.missed == 0) {
        EXPECT_EQ(interface.bytes, queue.tx_bytes);
      }
      std::uint64_t comments = 0;
      for (const auto& [comment, count] : interface.comments) {
        EXPECT_THAT(comment, MatchesRegex("band [0-2]"));
        comments += count;
      }
      EXPECT_EQ(comments, interface.packets);
      missed += interface.missed;
    }
    EXPECT_EQ(device.capture->packets, file.packets());
    EXPECT_EQ(device.capture->missed, missed);
    EXPECT_EQ(device.capture->bytes, file.size());
    EXPECT_EQ(device.capture->error, "");
    EXPECT_FALSE(device.capture->running);
  }

  std::filesystem::path folder_;
  std::string file_;
  std::vector<std::string> news_;
};

TEST_F(CaptureTest, HoldsWhatEveryKindOfLinkTook) {
  for (const LinkKind link : {LinkKind::kDummy, LinkKind::kWire, LinkKind::kVhostNet}) {
    for (const Drain drain : {Drain::kInline, Drain::kDedicated}) {
      for (const XmitMode mode : {XmitMode::kQueueXmit, XmitMode::kStartXmit}) {
        SCOPED_TRACE(testing::Message()
                     << "link " << static_cast<int>(link) << " drain " << static_cast<int>(drain)
                     << " mode " << static_cast<int>(mode));
        config::Config config = a_config(link, 2);
        config.devices[0].drain = drain;
        config.generators[0].xmit_mode = mode;
        if (mode == XmitMode::kStartXmit) {
          config.generators[0].clone_skb = 3;
          config.generators[0].burst = 2;
        }
        const Snapshot end = run(config);
        expect_all_captured(end.devices[0], PcapngReader{file_});
      }
    }
  }
}

TEST_F(CaptureTest, NamesTheBandsAsTheQdiscCountsThem) {
  config::Config config = a_config(LinkKind::kDummy);
  config.generators[0].threads = 1;
  config.generators[0].count = 200;  // fewer than the writer has room for
  const Snapshot end = run(config);
  const PcapngReader file{file_};
  EXPECT_EQ(file.packets(), 200U);
  for (std::size_t band = 0; band < kBands; ++band) {
    EXPECT_EQ(file.interfaces[0].comments.at("band " + std::to_string(band)),
              end.devices[0].queues[0].bands[band].packets);
  }
}

TEST_F(CaptureTest, IsEmptyOfWhatTheStackReceives) {
  config::Config config = a_config(LinkKind::kDummy);
  config.generators[0].xmit_mode = XmitMode::kNetifReceive;
  const Snapshot end = run(config);
  EXPECT_EQ(end.devices[0].received_packets, 2 * kPackets);
  expect_all_captured(end.devices[0], PcapngReader{file_});
  EXPECT_EQ(end.devices[0].capture->packets, 0U);
}

TEST_F(CaptureTest, EndsAtItsNumberOfPacketsAndSaysSoOnce) {
  config::Config config = a_config(LinkKind::kDummy);
  config.devices[0].capture.packets = 100;
  Engine engine{test::with_memory(config)};
  engine.start();
  Watcher watcher{engine};
  watcher.look_until([](const Snapshot& s) { return !s.devices[0].capture->running; });
  const std::string told =
      "eth0: capture: the limit of 100 packets is reached: closed, 100 packets are in " + file_;
  EXPECT_THAT(engine.watch(), Contains(told));
  EXPECT_THAT(engine.watch(), Not(Contains(told)));
  watcher.look_until_finished();
  engine.stop();
  const Snapshot end = engine.snapshot();
  test::expect_all_at_home(end);
  EXPECT_EQ(end.generators[0].sent_packets + end.generators[1].sent_packets, 2 * kPackets);
  EXPECT_EQ(end.devices[0].capture->packets, 100U);
  const PcapngReader file{file_};
  EXPECT_EQ(file.packets(), 100U);
  EXPECT_EQ(file.interfaces[0].statistics, 1);
}

TEST_F(CaptureTest, EndsBeforeItsFileIsLargerThanTheLimit) {
  config::Config config = a_config(LinkKind::kDummy, 2);
  config.devices[0].capture.limit_bytes = 20'000;
  run(config);
  const PcapngReader file{file_};
  EXPECT_LE(file.size(), 20'000U);
  EXPECT_GT(file.size(), 19'000U);
  EXPECT_EQ(file.interfaces[0].statistics, 1);
  EXPECT_EQ(file.interfaces[1].statistics, 1);
}

// The system's limit of a file's size stands for a full disk.
TEST_F(CaptureTest, GivesUpAFileThatCannotBeWrittenAndTheDeviceGoesOn) {
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{20'000, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Snapshot end = run(a_config(LinkKind::kDummy));
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(end.generators[0].sent_packets + end.generators[1].sent_packets, 2 * kPackets);
  EXPECT_EQ(end.devices[0].capture->error, "File too large");
  EXPECT_FALSE(end.devices[0].capture->running);
  const PcapngReader file{file_};
  EXPECT_EQ(file.packets(), end.devices[0].capture->packets);
  EXPECT_EQ(file.size(), end.devices[0].capture->bytes);
  EXPECT_GT(file.size(), 19'000U);
  for (const std::string& line : news_) EXPECT_THAT(line, HasSubstr("eth0: capture: "));
}

TEST_F(CaptureTest, RefusesToStartWithAFileThatCannotBeMade) {
  config::Config config = a_config(LinkKind::kDummy);
  config.devices[0].capture.file = folder_ / "no/out.pcapng";
  try {
    Engine engine{test::with_memory(config)};
    FAIL() << "no error";
  } catch (const UnusableConfiguration& error) {
    EXPECT_EQ(error.what(), "device eth0: capture.file: " + config.devices[0].capture.file +
                                ": No such file or directory; create its directory, or choose "
                                "another file");
  }
}

TEST_F(CaptureTest, RefusesTwoDevicesWithOneFileUnderTwoNames) {
  config::Config config = a_config(LinkKind::kDummy);
  config.devices.push_back(config.devices[0]);
  config.devices[1].name = "eth1";
  config.devices[1].capture.file = folder_ / "alias";
  std::filesystem::create_symlink(file_, folder_ / "alias");
  EXPECT_THROW(Engine{test::with_memory(config)}, UnusableConfiguration);
}

TEST_F(CaptureTest, ChangesAtARestartOnly) {
  const config::Config config = test::with_memory(a_config(LinkKind::kDummy));
  Engine engine{config};
  engine.start();
  config::Config next = config;
  next.devices[0].capture.packets = 5;
  const ReloadOutcome outcome = engine.reload(next);
  EXPECT_FALSE(outcome.applied);
  EXPECT_THAT(outcome.messages,
              ElementsAre("devices[0].capture.packets: 0 -> 5 (needs a restart)"));
  engine.stop();
}

TEST_F(CaptureTest, IsNotInTheReadingOfADeviceWithoutOne) {
  config::Config config = a_config(LinkKind::kDummy);
  config.devices[0].capture = {};
  EXPECT_FALSE(run(config).devices[0].capture.has_value());
}

}  // namespace
}  // namespace qdiscsim
