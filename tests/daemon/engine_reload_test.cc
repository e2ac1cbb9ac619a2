// Reloads among running threads: what changes live changes without losing a packet's account, and
// what is refused changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using config::LinkKind;
using test::Watcher;
using testing::ElementsAre;
using testing::HasSubstr;

// A dummy and a wire, with generators that run until they are stopped.
config::Config two_devices() {
  config::Config config;
  config.devices = {test::a_device("eth0", LinkKind::kDummy),
                    test::a_device("eth1", LinkKind::kWire)};
  config.generators = {test::a_group("fast", "eth0", 2, 0), test::a_group("slow", "eth1", 2, 0)};
  return test::with_memory(config, 8'000);
}

class EngineReload : public testing::Test {
 protected:
  // Until everybody who should send has sent so many more.
  void let_run(Engine& engine, Watcher& watcher, std::uint64_t packets = 300) {
    const std::uint64_t before = test::offered(engine.snapshot());
    watcher.look_until([&](const Snapshot& now) { return test::offered(now) > before + packets; });
  }
  static std::uint32_t running(const Snapshot& snapshot, const std::string& group) {
    std::uint32_t threads = 0;
    for (const GeneratorSnapshot& g : snapshot.generators) {
      threads += g.group == group && g.running ? 1 : 0;
    }
    return threads;
  }
  void reload(Engine& engine, const config::Config& next) {
    const ReloadOutcome outcome = engine.reload(next);
    EXPECT_TRUE(outcome.applied) << testing::PrintToString(outcome.messages);
  }
};

TEST_F(EngineReload, StartsAndStopsAGroupThatIsNotEnabled) {
  config::Config config = two_devices();
  config.generators[1].enabled = false;
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  let_run(engine, watcher);
  EXPECT_EQ(running(engine.snapshot(), "slow"), 0U);
  config.generators[1].enabled = true;
  reload(engine, config);
  watcher.look_until([&](const Snapshot& now) { return running(now, "slow") == 2; });
  config.generators[0].enabled = false;
  reload(engine, config);
  EXPECT_EQ(running(engine.snapshot(), "fast"), 0U);
  config.generators[0].enabled = true;
  reload(engine, config);
  let_run(engine, watcher);
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EngineReload, LeavesADeviceDownUntilItIsSetUp) {
  config::Config config = two_devices();
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  let_run(engine, watcher);
  for (const std::size_t i : {0U, 1U}) {
    const std::string name = config.devices[i].name;
    const auto refused = [&](const Snapshot& now) {
      std::uint64_t sum = 0;
      for (const BandSnapshot& band : now.devices[i].queues[0].bands) {
        sum += band.dropped_deactivated;
      }
      return sum;
    };
    EXPECT_THAT(engine.set_up(name, false).messages, ElementsAre(name + ": up -> down"));
    EXPECT_THAT(engine.set_up(name, false).messages, testing::IsEmpty());
    config.devices[i].tx_queue_len = 30;
    reload(engine, config);
    const std::uint64_t before = refused(watcher.look());
    watcher.look_until([&](const Snapshot& now) { return refused(now) > before; });
    EXPECT_FALSE(watcher.look().devices[i].up);
    EXPECT_THAT(engine.set_up(name, true).messages, ElementsAre(name + ": down -> up"));
    const std::uint64_t sent = watcher.look().devices[i].queues[0].tx_packets;
    watcher.look_until([&](const Snapshot& now) {
      return now.devices[i].up && now.devices[i].queues[0].tx_packets > sent;
    });
  }
  engine.set_up("eth1", false);
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EngineReload, ChangesEverythingThatIsLiveWithoutLosingAPacket) {
  config::Config config = two_devices();
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  let_run(engine, watcher);
  const std::vector<std::function<void(config::Config&)>> changes{
      [](auto& c) { c.generators[0].threads = 5; }, [](auto& c) { c.devices[0].tx_queue_len = 10; },
      [](auto& c) {
        c.generators[0].pace = {config::PaceKind::kPacketRate, 500'000};
      },
      [](auto& c) { c.devices[1].link.rate_bits_per_second = 1'000'000'000; },
      // Softirqs that spin must not keep anybody from a grace period, or from stopping.
      [](auto& c) { c.devices[1].kernel_bugs = 0b100101; },
      [](auto& c) { c.devices[1].tx_queue_len = 300; },
      [](auto& c) {
        c.generators[1].priority = {{6, 1}};
      },
      [](auto& c) { c.generators[0].threads = 1; },
      [](auto& c) { c.generators[0].enqueue_burst = 8; },
      [](auto& c) { c.generators[0].pace = {}; },
      [](auto& c) { c.devices[1].link.rate_bits_per_second = 100'000'000'000; },
      [](auto& c) {
        c.generators[1].packet_size = {config::SizeKind::kFixed, 1500, 1500, {}};
      },
      [](auto& c) { c.devices[0].sojourn_sample = 1; },
      [](auto& c) { c.generators[0].threads = 4; }};
  for (const auto& change : changes) {
    change(config);
    reload(engine, config);
    let_run(engine, watcher);
  }
  watcher.look_until([&](const Snapshot& s) { return running(s, "fast") == 4; });
  const Snapshot now = watcher.look();
  EXPECT_EQ(running(now, "slow"), 2U);
  EXPECT_EQ(now.devices[1].queues[0].bands[0].limit_packets, 300U);
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

// The metrics server and the progress line look while the control thread reloads.
TEST_F(EngineReload, IsWatchedFromAnotherThreadMeanwhile) {
  config::Config config = two_devices();
  Engine engine{config};
  engine.start();
  std::atomic<bool> stop{false};
  std::thread other{[&] {
    Watcher watcher{engine};
    while (!stop.load()) {
      watcher.look();
      EXPECT_FALSE(engine.finished());
      smp::Native::yield();
    }
  }};
  for (std::uint32_t round = 0; round < 8; ++round) {
    config.generators[0].threads = 1 + round % 4;
    config.generators[1].pace = {config::PaceKind::kPacketRate, 100'000 + round};
    config.devices[0].tx_queue_len = 20 + round;
    reload(engine, config);
  }
  stop.store(true);
  other.join();
  engine.stop();
  test::expect_all_at_home(engine.snapshot());
}

TEST_F(EngineReload, TakesAGroupAwayAndGivesItBackWithItsCounters) {
  const config::Config config = two_devices();
  config::Config without = config;
  without.generators.erase(without.generators.begin());
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  let_run(engine, watcher);
  reload(engine, without);
  const Snapshot away = watcher.look();
  EXPECT_EQ(running(away, "fast"), 0U);
  EXPECT_EQ(away.generators.size(), 4U) << "its counters stay";
  let_run(engine, watcher);
  const std::uint64_t before = watcher.look().generators[0].offered_packets;
  EXPECT_EQ(before, away.generators[0].offered_packets);
  reload(engine, config);
  watcher.look_until([&](const Snapshot& now) {
    return now.generators[0].offered_packets > before && running(now, "fast") == 2;
  });
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EngineReload, ChangesTxQueueLenUnderADrainThread) {
  config::Config config = two_devices();
  for (config::Device& device : config.devices) device.drain = config::Drain::kDedicated;
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  for (const std::uint32_t limit : {10U, 300U, 50U, 200U, 20U}) {
    for (config::Device& device : config.devices) device.tx_queue_len = limit;
    reload(engine, config);
    let_run(engine, watcher);
  }
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EngineReload, RunsAGroupThatFinishedOnceMore) {
  config::Config config = two_devices();
  config.generators = {test::a_group("gen", "eth0", 2, 500)};
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until_finished();
  config.generators[0].count = 300;
  reload(engine, config);
  // Not the end of the run before.
  watcher.look_until_finished();
  engine.stop();
  const Snapshot end = watcher.look();
  for (const GeneratorSnapshot& generator : end.generators) {
    EXPECT_EQ(generator.sent_packets, 800U);
  }
  test::expect_all_at_home(end);
}

TEST_F(EngineReload, RefusesWhatNeedsARestartAndChangesNothing) {
  const config::Config config = two_devices();
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  let_run(engine, watcher);
  const std::vector<std::pair<std::string, std::function<void(config::Config&)>>> changes{
      {"queues", [](auto& c) { c.devices[0].queues = 2; }},
      {"link", [](auto& c) { c.devices[0].link.kind = LinkKind::kWire; }},
      {"drain", [](auto& c) { c.devices[0].drain = config::Drain::kDedicated; }},
      {"memory", [](auto& c) { c.memory.limit_bytes *= 2; }},
      {"devices", [](auto& c) { c.devices.pop_back(), c.generators.pop_back(); }},
      {"needs", [](auto& c) { c.devices[0].tx_queue_len = 60'000; }},
      {"generators[1].device", [](auto& c) { c.generators[1].device = "eth0"; }}};
  for (const auto& [word, change] : changes) {
    config::Config next = config;
    next.generators[0].threads = 3;  // would be possible
    change(next);
    const ReloadOutcome outcome = engine.reload(next);
    EXPECT_FALSE(outcome.applied) << word;
    ASSERT_FALSE(outcome.messages.empty()) << word;
    EXPECT_THAT(outcome.messages[0], HasSubstr(word));
    const Snapshot now = watcher.look();
    EXPECT_EQ(now.generators.size(), 4U);
    EXPECT_EQ(now.devices[0].queues[0].bands[0].limit_packets, 100U);
  }
  let_run(engine, watcher);
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EngineReload, RefusesMoreThreadsThanItHasNumbersFor) {
  config::Config config;
  config.devices = {test::a_device("eth0", LinkKind::kDummy)};
  config.generators = {test::a_group("gen", "eth0", 1, 0)};
  config.generators[0].pace = {config::PaceKind::kDelay, kMillisecond};
  config::Config many = config;
  many.generators[0].threads = 1 + Engine::kSpareThreads + 1;
  config = test::with_memory(config, config::required_pages(many));
  many.memory = config.memory;
  Engine engine{config};
  engine.start();
  const ReloadOutcome outcome = engine.reload(many);
  EXPECT_FALSE(outcome.applied);
  EXPECT_THAT(outcome.messages, ElementsAre(HasSubstr("65")));
  EXPECT_EQ(engine.snapshot().generators.size(), 1U);
}

TEST_F(EngineReload, SaysWhatItChanged) {
  config::Config config = two_devices();
  Engine engine{config};
  engine.start();
  config.devices[1].link.rate_bits_per_second = 1'000'000'000;
  const ReloadOutcome outcome = engine.reload(config);
  EXPECT_TRUE(outcome.applied);
  EXPECT_THAT(outcome.messages,
              ElementsAre(HasSubstr("devices[1].link.rate: 100Gbit -> 1Gbit (live)")));
  EXPECT_EQ(engine.snapshot().devices[1].link_bits_per_second, 1'000'000'000U);
  EXPECT_TRUE(engine.reload(config).messages.empty()) << "nothing more to change";
}

}  // namespace
}  // namespace qdiscsim
