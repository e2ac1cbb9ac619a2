// Whole runs into a guest: tun's ring drops what the vhost worker cannot carry, and that is all
// that is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/accounts.h"
#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using config::Consume;
using config::Drain;
using config::LinkKind;
using config::RingClear;
using config::XmitMode;
using test::Watcher;
using testing::HasSubstr;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPackets = 500;
constexpr std::uint32_t kThreads[] = {2, 4};
constexpr RingClear kClears[] = {RingClear::kZeroBatch, RingClear::kClearAfterHeadBarriers};
#else
constexpr std::uint64_t kPackets = 8'000;
constexpr std::uint32_t kThreads[] = {1, 2, 4, 8};
constexpr RingClear kClears[] = {RingClear::kZeroEach, RingClear::kZeroBatch,
                                 RingClear::kClearAfterHead, RingClear::kClearAfterHeadBarriers,
                                 RingClear::kFlushOnEmpty};
#endif

config::Config a_guest(std::uint32_t threads, std::uint64_t count) {
  config::Config config;
  config::Device device = test::a_device("tun0", LinkKind::kVhostNet);
  device.link.tun_ring = 64;
  device.link.vring = 32;
  config.devices = {device};
  config.generators = {test::a_group("gen", "tun0", threads, count)};
  return config;
}

// Pages come home through the rings of the pools, where other generators cannot have them: each may
// have filled the bands, tun's ring and the worker's hands once by itself, before another starts.
config::Config with_ample_memory(const config::Config& config) {
  constexpr std::uint64_t kPagesOfOne = 600;
  std::uint64_t threads = 0;
  for (const config::GeneratorGroup& group : config.generators) threads += group.threads;
  return test::with_memory(config, threads * kPagesOfOne);
}

struct Sums {
  std::uint64_t offered = 0;  // to the qdisc and past it
  std::uint64_t dropped = 0;  // by bands and by tun
  std::uint64_t sent = 0;
  std::uint64_t guest = 0;
};

Sums sums_of(const DeviceSnapshot& device) {
  Sums sums;
  for (const QueueSnapshot& queue : device.queues) {
    sums.offered += queue.offered_packets + queue.direct_packets;
    sums.dropped += queue.tx_dropped_packets;
    for (const BandSnapshot& band : queue.bands) {
      sums.dropped += band.dropped_overlimit + band.dropped_deactivated + band.purged_packets;
    }
    sums.dropped += queue.requeue_purged_packets;
    sums.sent += queue.tx_packets;
    sums.guest += queue.vhost->guest_packets;
  }
  return sums;
}

void expect_every_packet(const Snapshot& end) {
  test::expect_all_at_home(end);
  const Sums sums = sums_of(end.devices.at(0));
  EXPECT_EQ(sums.offered, test::offered(end) - end.devices[0].received_packets);
  EXPECT_EQ(sums.offered, sums.sent + sums.dropped);
  EXPECT_EQ(sums.sent, sums.guest);
  for (const QueueSnapshot& queue : end.devices[0].queues) {
    EXPECT_EQ(queue.vhost->guest_bytes, queue.tx_bytes);
    EXPECT_EQ(queue.vhost->guest_wrong, 0U);
  }
}

Snapshot run_to_the_end(const config::Config& config) {
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until_finished();
  engine.stop();
  return watcher.look();
}

class EngineVhost : public testing::TestWithParam<std::pair<std::uint32_t, XmitMode>> {};

TEST_P(EngineVhost, AccountsForEveryPacketOnItsWayToTheGuest) {
  const auto [threads, mode] = GetParam();
  for (const Drain drain : {Drain::kInline, Drain::kDedicated}) {
    for (const Drain guest : {Drain::kInline, Drain::kDedicated}) {
      for (const Consume consume : {Consume::kOne, Consume::kBatched}) {
        SCOPED_TRACE(std::string{drain == Drain::kInline ? "inline" : "dedicated"} + ", guest " +
                     (guest == Drain::kInline ? "inline" : "dedicated") +
                     (consume == Consume::kOne ? ", one by one" : ", batched"));
        config::Config config = a_guest(threads, kPackets / threads);
        config.devices[0].drain = drain;
        config.devices[0].link.guest = guest;
        config.devices[0].link.consume = consume;
        config.generators[0].xmit_mode = mode;
        if (mode != XmitMode::kQueueXmit) config.generators[0].burst = 4;
        const Snapshot end = run_to_the_end(with_ample_memory(config));
        expect_every_packet(end);
        EXPECT_EQ(end.devices[0].link, "vhost_net");
        EXPECT_EQ(end.devices[0].queues[0].vhost->ring_capacity, 64U);
        EXPECT_EQ(sums_of(end.devices[0]).guest == 0, mode == XmitMode::kNetifReceive);
      }
    }
  }
}

std::vector<std::pair<std::uint32_t, XmitMode>> all_runs() {
  std::vector<std::pair<std::uint32_t, XmitMode>> runs;
  for (const std::uint32_t threads : kThreads) {
    for (const XmitMode mode : {XmitMode::kQueueXmit, XmitMode::kStartXmit}) {
      runs.emplace_back(threads, mode);
    }
  }
  runs.emplace_back(2, XmitMode::kNetifReceive);
  return runs;
}

INSTANTIATE_TEST_SUITE_P(All, EngineVhost, testing::ValuesIn(all_runs()), [](const auto& run) {
  const std::string mode = run.param.second == XmitMode::kQueueXmit   ? "QueueXmit"
                           : run.param.second == XmitMode::kStartXmit ? "StartXmit"
                                                                      : "NetifReceive";
  return std::to_string(run.param.first) + "Threads" + mode;
});

TEST(EngineVhostLink, LosesNothingInAnyGenerationOfTunsRing) {
  for (const RingClear clear : kClears) {
    SCOPED_TRACE(static_cast<int>(clear));
    config::Config config = a_guest(2, kPackets / 2);
    config.devices[0].link.clear = clear;
    expect_every_packet(run_to_the_end(with_ample_memory(config)));
  }
}

// On a shared CPU a thread that only polls may be put off for longer than a stop waits: what it has
// not carried is then accounted for as posted.
TEST(EngineVhostLink, KeepsTheLawWhenWorkerAndGuestStayAwake) {
  for (const Drain guest : {Drain::kInline, Drain::kDedicated}) {
    config::Config config = a_guest(1, kPackets / 4);
    config.devices[0].link.guest = guest;
    config.devices[0].link.busy_poll = true;
    const Snapshot end = run_to_the_end(with_ample_memory(config));
    EXPECT_EQ(end.account_violations, 0U);
    const QueueSnapshot& queue = end.devices[0].queues[0];
    const Sums sums = sums_of(end.devices[0]);
    EXPECT_EQ(sums.offered, sums.sent + sums.dropped + queue.driver_ring_packets +
                                queue.bands[0].backlog_packets + queue.bands[1].backlog_packets +
                                queue.bands[2].backlog_packets);
    EXPECT_EQ(sums.sent, sums.guest);
  }
}

TEST(EngineVhostLink, HasAWorkerAndAGuestForEachQueue) {
  config::Config config = a_guest(3, kPackets / 3);
  config.devices[0].queues = 3;
  config.devices[0].drain = Drain::kDedicated;
  config.generators[0].queue_map_cpu = true;
  config.devices.push_back(test::a_device("eth1", LinkKind::kWire));
  config.devices.push_back(test::a_device("tun1", LinkKind::kVhostNet));
  config.generators.push_back(test::a_group("more", "tun1", 1, kPackets / 4));
  const Snapshot end = run_to_the_end(with_ample_memory(config));
  test::expect_all_at_home(end);
  for (const QueueSnapshot& queue : end.devices[0].queues) {
    EXPECT_GT(queue.vhost->guest_packets, 0U);
    EXPECT_EQ(queue.vhost->guest_packets, queue.tx_packets);
  }
  EXPECT_FALSE(end.devices[1].queues[0].vhost.has_value());
  EXPECT_GT(end.devices[2].queues[0].vhost->guest_packets, 0U);
}

TEST(EngineVhostLink, StopsInTheMiddleOfTraffic) {
  for (const XmitMode mode : {XmitMode::kQueueXmit, XmitMode::kStartXmit}) {
    config::Config config = a_guest(4, 0);
    config.generators[0].xmit_mode = mode;
    config.generators[0].clone_skb = mode == XmitMode::kStartXmit ? 7 : 0;
    Engine engine{with_ample_memory(config)};
    Watcher watcher{engine};
    engine.start();
    watcher.look_until([](const Snapshot& now) { return test::offered(now) > 1'000; });
    engine.stop();
    engine.stop();  // does nothing
    expect_every_packet(watcher.look());
  }
}

TEST(EngineVhostLink, EndsWithoutEverHavingStarted) {
  const Engine engine{with_ample_memory(a_guest(1, 1))};
  EXPECT_TRUE(engine.snapshot().broken_laws.empty());
}

TEST(EngineVhostLink, ReloadsDuringTraffic) {
  config::Config config = test::with_memory(a_guest(2, 0), 4'000);
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  const std::vector<std::function<void(config::Config&)>> changes{
      [](auto& c) { c.generators[0].threads = 4; },
      [](auto& c) { c.devices[0].tx_queue_len = 10; },
      [](auto& c) {
        c.generators.push_back(test::a_group("direct", "tun0", 2, 0));
        c.generators[1].xmit_mode = XmitMode::kStartXmit;
      },
      [](auto& c) { c.devices[0].tx_queue_len = 200; },
      [](auto& c) {
        c.generators[0].pace = {config::PaceKind::kPacketRate, 500'000};
      },
      [](auto& c) { c.generators.pop_back(); },
      [](auto& c) { c.generators[0].threads = 1; }};
  for (const auto& change : changes) {
    change(config);
    const ReloadOutcome outcome = engine.reload(config);
    EXPECT_TRUE(outcome.applied) << testing::PrintToString(outcome.messages);
    const std::uint64_t before = sums_of(engine.snapshot().devices[0]).guest;
    watcher.look_until(
        [&](const Snapshot& now) { return sums_of(now.devices[0]).guest > before + 200; });
  }
  engine.stop();
  expect_every_packet(watcher.look());
}

TEST(EngineVhostLink, RefusesToChangeWhatIsBehindItWithoutARestart) {
  const config::Config config = test::with_memory(a_guest(1, 0), 4'000);
  Engine engine{config};
  engine.start();
  const std::vector<std::pair<std::string, std::function<void(config::Link&)>>> changes{
      {"link.kind", [](auto& link) { link.kind = LinkKind::kDummy; }},
      {"link.tun_ring", [](auto& link) { link.tun_ring = 100; }},
      {"link.clear", [](auto& link) { link.clear = RingClear::kZeroEach; }},
      {"link.consume", [](auto& link) { link.consume = Consume::kOne; }},
      {"link.vring", [](auto& link) { link.vring = 64; }},
      {"link.guest", [](auto& link) { link.guest = Drain::kDedicated; }},
      {"link.busy_poll", [](auto& link) { link.busy_poll = true; }}};
  for (const auto& [key, change] : changes) {
    config::Config next = config;
    change(next.devices[0].link);
    const ReloadOutcome outcome = engine.reload(next);
    EXPECT_FALSE(outcome.applied) << key;
    ASSERT_FALSE(outcome.messages.empty()) << key;
    EXPECT_THAT(outcome.messages[0], HasSubstr(key));
  }
  engine.stop();
  test::expect_all_at_home(engine.snapshot());
}

TEST(BrokenTotals, NoticeASinglePacketOrByteThatTheGuestMissed) {
  const Snapshot good = run_to_the_end(with_ample_memory(a_guest(1, 500)));
  ASSERT_TRUE(broken_totals(good).empty());
  const std::vector<std::function<void(VhostSnapshot&)>> changes{
      [](auto& guest) { --guest.guest_packets; }, [](auto& guest) { ++guest.guest_packets; },
      [](auto& guest) { --guest.guest_bytes; }, [](auto& guest) { ++guest.guest_wrong; }};
  for (const auto& change : changes) {
    Snapshot bad = good;
    change(*bad.devices[0].queues[0].vhost);
    EXPECT_EQ(broken_totals(bad).size(), 1U);
  }
}

}  // namespace
}  // namespace qdiscsim
