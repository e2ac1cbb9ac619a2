// Captures through the whole data plane: every packet of theirs is offered, once or in laps, and
// the law holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pktgen/trace.h"
#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using config::LinkKind;
using config::SpeedKind;
using test::Watcher;

// 1000 packets in 10 us, of all bands: TOS 0x10, 0 and 0x08 in turn.
std::shared_ptr<const Trace> a_trace() {
  auto trace = std::make_shared<Trace>();
  for (std::size_t i = 0; i < 1'000; ++i) {
    trace->add(i % 100 == 99 ? 1'000 : 0, 60 + i, i % 3 == 0 ? 0x10 : i % 3 == 1 ? 0 : 0x08);
  }
  return trace;
}

config::Config with_captures(config::Speed speed, LinkKind link = LinkKind::kWire) {
  config::Config config;
  config.devices = {test::a_device("eth0", link)};
  config.devices[0].tx_queue_len = 2'000;
  config::GeneratorGroup group;
  group.device = "eth0";
  group.traffic = {"/a.pcap", speed, false, a_trace()};
  group.name = "one";
  config.generators.push_back(group);
  group.name = "three";
  group.threads = 3;
  config.generators.push_back(group);
  // With what rests in the pools, too: a reload would warn of less.
  return test::with_memory(config, config::held_pages(config) - config::required_pages(config));
}

class EngineCapture : public testing::TestWithParam<config::Speed> {};

TEST_P(EngineCapture, OffersEachPacketOnceAndIsFinished) {
  for (const LinkKind link : {LinkKind::kDummy, LinkKind::kWire}) {
    Engine engine{with_captures(GetParam(), link)};
    Watcher watcher{engine};
    engine.start();
    watcher.look_until_finished();
    engine.stop();
    const Snapshot last = watcher.look();
    test::expect_all_at_home(last);
    const std::uint64_t expected[] = {1'000, 334, 333, 333};
    ASSERT_EQ(last.generators.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(last.generators[i].offered_packets, expected[i]) << i;
      EXPECT_EQ(last.generators[i].errors, 0U);
    }
    const QueueSnapshot& queue = last.devices[0].queues[0];
    EXPECT_EQ(queue.offered_packets, 2'000U);
    const std::uint64_t bands[] = {668, 666, 666};
    for (std::size_t band = 0; band < 3; ++band) {
      const BandSnapshot& seen = queue.bands[band];
      EXPECT_EQ(seen.bypassed_packets + seen.enqueued_packets, bands[band]) << band;
    }
    EXPECT_EQ(queue.tx_bytes, 2 * (1'000 * 60 + 999 * 1'000 / 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Speeds, EngineCapture,
                         testing::Values(config::Speed{SpeedKind::kFactor, 1'000},
                                         config::Speed{SpeedKind::kFactor, 1},
                                         config::Speed{SpeedKind::kMax, 0},
                                         config::Speed{SpeedKind::kPacketRate, 1'000'000}));

TEST(EngineCaptures, RunInLapsUntilTheirCount) {
  config::Config config = with_captures({SpeedKind::kMax, 0});
  for (config::GeneratorGroup& group : config.generators) {
    group.traffic.loop = true;
    group.count = 2'500;
  }
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until_finished();
  engine.stop();
  const Snapshot last = watcher.look();
  test::expect_all_at_home(last);
  for (const GeneratorSnapshot& generator : last.generators) {
    EXPECT_EQ(generator.sent_packets, 2'500U);
  }
}

TEST(EngineCaptures, AreNotFinishedWhileOneLoops) {
  config::Config config = with_captures({SpeedKind::kMax, 0}, LinkKind::kDummy);
  config.generators[0].traffic.loop = true;
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until([](const Snapshot& now) { return test::offered(now) > 20'000; });
  EXPECT_FALSE(engine.finished());
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST(EngineCaptures, StartAnewWithOtherContentsAndOnlyThen) {
  config::Config config = with_captures({SpeedKind::kMax, 0});
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until_finished();
  EXPECT_TRUE(engine.reload(config).applied);
  EXPECT_TRUE(engine.finished()) << "nothing has changed";
  config.generators[0].traffic.trace = a_trace();
  const ReloadOutcome outcome = engine.reload(config);
  EXPECT_TRUE(outcome.applied);
  EXPECT_THAT(outcome.messages, testing::ElementsAre("generators[0].traffic.pcap: /a.pcap -> the "
                                                     "same, with other contents (live)"));
  watcher.look_until_finished();
  engine.stop();
  const Snapshot last = watcher.look();
  test::expect_all_at_home(last);
  EXPECT_EQ(last.generators[0].offered_packets, 2'000U);
  EXPECT_EQ(last.generators[1].offered_packets, 334U);
}

TEST(EngineCaptures, ShowTheirMeanRateAndThatTheyPause) {
  const Engine engine{with_captures({SpeedKind::kFactor, 2'000})};
  const Snapshot snapshot = engine.snapshot();
  EXPECT_TRUE(snapshot.generators[0].keeps_gaps);
  // 1000 packets in 10 us and a mean gap of 10 ns, at twice the speed.
  EXPECT_NEAR(snapshot.generators[0].configured_pps, 2e8, 2e5);
  EXPECT_NEAR(snapshot.generators[1].configured_pps, 2e8 / 3, 1e5);
  EXPECT_FALSE(Engine{with_captures({SpeedKind::kMax, 0})}.snapshot().generators[0].keeps_gaps);
}

}  // namespace
}  // namespace qdiscsim
