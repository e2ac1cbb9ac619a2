// Whole runs: every way to send, over every link, with few and many threads. What went in came out
// or was counted as lost, to the packet.
#include "daemon/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/accounts.h"
#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using config::Drain;
using config::LinkKind;
using config::Ring;
using config::RingKind;
using config::RingLock;
using config::XmitMode;
using test::Watcher;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPackets = 2'000;
#else
constexpr std::uint64_t kPackets = 20'000;
#endif

struct Run {
  std::uint32_t threads;
  XmitMode mode;
  LinkKind link;
  Drain drain;
  Ring ring;  // of the bands and of the page_pools
};

config::Config config_of(const Run& run) {
  config::Config config;
  config::Device device = test::a_device("eth0", run.link);
  device.drain = run.drain;
  device.ring = run.ring;
  config.devices = {device};
  config::GeneratorGroup group = test::a_group("gen", "eth0", run.threads, kPackets / run.threads);
  group.xmit_mode = run.mode;
  group.page_pool.ring = run.ring;
  if (run.mode != XmitMode::kQueueXmit) group.burst = 4;
  config.generators = {group};
  return test::with_memory(config, 64);
}

Snapshot run_to_the_end(const config::Config& config) {
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until_finished();
  engine.stop();
  return watcher.look();
}

class EngineRuns : public testing::TestWithParam<std::pair<std::uint32_t, XmitMode>> {};

TEST_P(EngineRuns, AccountForEveryPacketAtTheEnd) {
  for (const LinkKind link : {LinkKind::kDummy, LinkKind::kWire}) {
    for (const Drain drain : {Drain::kInline, Drain::kDedicated}) {
      for (const Ring& ring : {Ring{}, Ring{.lock = RingLock::kTicket}, Ring{RingKind::kMpsc},
                               Ring{RingKind::kLanes}, Ring{RingKind::kRte}}) {
        SCOPED_TRACE(std::string{link == LinkKind::kWire ? "wire" : "dummy"} +
                     (drain == Drain::kInline ? ", inline" : ", dedicated") + ", ring " +
                     std::to_string(static_cast<int>(ring.kind)) +
                     (ring.lock == RingLock::kTicket ? ", ticket" : ""));
        const auto [threads, mode] = GetParam();
        const Snapshot end = run_to_the_end(config_of({threads, mode, link, drain, ring}));
        test::expect_all_at_home(end);
        ASSERT_EQ(end.generators.size(), threads);
        for (const GeneratorSnapshot& generator : end.generators) {
          EXPECT_GE(generator.sent_packets, kPackets / threads);
          EXPECT_LT(generator.sent_packets, kPackets / threads + 4);
          EXPECT_EQ(generator.offered_packets, generator.sent_packets + generator.errors);
          EXPECT_FALSE(generator.running);
        }
        if (mode == XmitMode::kNetifReceive) {
          EXPECT_EQ(end.devices[0].received_packets, test::offered(end));
        } else {
          std::uint64_t lost = 0;
          for (const GeneratorSnapshot& generator : end.generators) lost += generator.errors;
          EXPECT_EQ(end.devices[0].queues[0].tx_packets + lost, test::offered(end));
        }
      }
    }
  }
}

#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kThreads[] = {2, 8};
#else
constexpr std::uint32_t kThreads[] = {1, 2, 8, 16};
#endif

std::vector<std::pair<std::uint32_t, XmitMode>> all_runs() {
  std::vector<std::pair<std::uint32_t, XmitMode>> runs;
  for (const std::uint32_t threads : kThreads) {
    for (const XmitMode mode :
         {XmitMode::kQueueXmit, XmitMode::kStartXmit, XmitMode::kNetifReceive}) {
      runs.emplace_back(threads, mode);
    }
  }
  return runs;
}

INSTANTIATE_TEST_SUITE_P(All, EngineRuns, testing::ValuesIn(all_runs()), [](const auto& run) {
  const std::string mode = run.param.second == XmitMode::kQueueXmit   ? "QueueXmit"
                           : run.param.second == XmitMode::kStartXmit ? "StartXmit"
                                                                      : "NetifReceive";
  return std::to_string(run.param.first) + "Threads" + mode;
});

config::Config a_config(std::uint32_t threads = 2, std::uint64_t count = kPackets / 2) {
  config::Config config;
  config.devices = {test::a_device("eth0", LinkKind::kDummy)};
  config.generators = {test::a_group("gen", "eth0", threads, count)};
  return config;
}

TEST(Engine, AccountsForListsOnSeveralQueues) {
  config::Config config = a_config(4, kPackets / 4);
  config.devices[0].link.kind = LinkKind::kWire;
  config.devices[0].queues = 3;
  config.generators[0].enqueue_burst = 16;
  config.generators[0].queue_map_max = 2;
  const Snapshot end = run_to_the_end(test::with_memory(config, 256));
  test::expect_all_at_home(end);
  for (const QueueSnapshot& queue : end.devices[0].queues) EXPECT_GT(queue.tx_packets, 0U);
}

TEST(Engine, AccountsForClonesOfOnePacket) {
  config::Config config = a_config(2, kPackets / 2);
  config.devices[0].link.kind = LinkKind::kWire;
  config.generators[0].xmit_mode = XmitMode::kStartXmit;
  config.generators[0].clone_skb = 7;
  test::expect_all_at_home(run_to_the_end(test::with_memory(config)));
}

TEST(Engine, KeepsTwoDevicesApart) {
  config::Config config = a_config(2, kPackets / 4);
  config.devices.push_back(test::a_device("eth1", LinkKind::kWire));
  config.generators.push_back(test::a_group("other", "eth1", 2, kPackets / 4));
  const Snapshot end = run_to_the_end(test::with_memory(config, 64));
  test::expect_all_at_home(end);
  EXPECT_EQ(end.devices.size(), 2U);
  EXPECT_GE(end.devices[1].queues[0].tx_packets, kPackets / 2);
}

TEST(Engine, StopsInTheMiddleOfTraffic) {
  for (const LinkKind link : {LinkKind::kDummy, LinkKind::kWire}) {
    config::Config config = a_config(4, 0);
    config.devices[0].link.kind = link;
    Engine engine{test::with_memory(config, 64)};
    Watcher watcher{engine};
    engine.start();
    watcher.look_until([](const Snapshot& now) { return test::offered(now) > 1'000; });
    EXPECT_FALSE(engine.finished()) << "there is no count to reach";
    engine.stop();
    engine.stop();  // does nothing
    test::expect_all_at_home(watcher.look());
  }
}

TEST(Engine, KeepsTheLawWithPacketsLeftBehindOnASlowWire) {
  config::Config config = a_config(2, 0);
  config.devices[0].link.kind = LinkKind::kWire;
  config.devices[0].link.rate_bits_per_second = 10'000;  // less than a packet in the drain time
  Engine engine{test::with_memory(config, 64)};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until([](const Snapshot& now) { return test::offered(now) > 1'000; });
  engine.stop();
  const Snapshot end = watcher.look();
  EXPECT_TRUE(end.quiescent);
  const QueueSnapshot& queue = end.devices[0].queues[0];
  EXPECT_GT(queue.bands[0].backlog_packets, 0U);
  EXPECT_GT(queue.driver_ring_packets, 0U);
}

TEST(Engine, HasALawBeforeItStarts) {
  const config::Config config = test::with_memory(a_config());
  Engine engine{config};
  EXPECT_FALSE(engine.finished());
  const Snapshot before = engine.snapshot();
  EXPECT_TRUE(before.quiescent);
  EXPECT_TRUE(before.broken_laws.empty());
  EXPECT_EQ(before.generators[0].result, "");
}

TEST(BrokenTotals, NoticeASinglePacketOrPage) {
  config::Config config = a_config(2, 1'000);
  config.generators.push_back(test::a_group("direct", "eth0", 1, 100));
  config.generators[1].xmit_mode = XmitMode::kStartXmit;
  config.generators.push_back(test::a_group("stack", "eth0", 1, 100));
  config.generators[2].xmit_mode = XmitMode::kNetifReceive;
  const Snapshot good = run_to_the_end(test::with_memory(config, 64));
  ASSERT_TRUE(broken_totals(good).empty());
  using Field = std::function<std::uint64_t&(Snapshot&)>;
  const std::vector<std::pair<std::string, Field>> fields{
      {"generator offered", [](Snapshot & s) -> auto& {return s.generators[0].offered_packets;
}
}  // namespace
, {"received", [](Snapshot& s) -> auto& {return s.devices[0].received_packets;
}  // namespace qdiscsim
}
, {"offered", [](Snapshot& s) -> auto& {return s.devices[0].queues[0].offered_packets;
}
}
, {"direct", [](Snapshot& s) -> auto& {return s.devices[0].queues[0].direct_packets;
}
}
, {"hold", [](Snapshot& s) -> auto& {return s.pools[1].hold;
}
}
, {"release", [](Snapshot& s) -> auto& {return s.pools[1].release;
}
}
, {"inflight", [](Snapshot& s) -> auto& {return s.pools[1].inflight_pages;
}
}
, {"cache", [](Snapshot& s) -> auto& {return s.pools[0].cache_pages;
}
}
, {"ring", [](Snapshot& s) -> auto& {return s.pools[0].ring_pages;
}
}
, {"arena", [](Snapshot& s) -> auto& {return s.arena_pages;
}
}
, {
  "free", [](Snapshot & s) -> auto& {
    return s.arena_free_pages;
  }
}
}
;
for (const auto& [name, field] : fields) {
  Snapshot more = good;
  ++field(more);
  EXPECT_FALSE(broken_totals(more).empty()) << name;
  Snapshot less = good;
  --field(less);
  EXPECT_FALSE(broken_totals(less).empty()) << name;
}
}

}  // namespace
}  // namespace qdiscsim
