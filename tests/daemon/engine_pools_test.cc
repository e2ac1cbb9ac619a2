// page_pools of the engine: pages that a leak keeps, and the end of a pool whose generator goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "daemon/accounts.h"
#include "tests/daemon/engine_lab.h"

namespace qdiscsim {
namespace {

using config::LinkKind;
using test::Watcher;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EnginePools : public testing::Test {
 protected:
  static constexpr std::uint64_t kKept = 20;

  // "leaks" keeps pages, "clean" does not.
  static config::Config two_groups(LinkKind link = LinkKind::kDummy) {
    config::Config config;
    config.devices = {test::a_device("eth0", link)};
    config.generators = {test::a_group("leaks", "eth0", 1, 0),
                         test::a_group("clean", "eth0", 1, 0)};
    config.generators[0].leak = {7, kKept};
    return test::with_memory(config, 4'000);
  }
  static config::Config without(config::Config config, const std::string& group) {
    std::erase_if(config.generators, [&](const auto& one) { return one.name == group; });
    return config;
  }
  static const PoolSnapshot& pool(const Snapshot& snapshot, const std::string& name) {
    return *std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                         [&](const PoolSnapshot& one) { return one.name == name; });
  }
  static bool all_kept(const Snapshot& now) { return pool(now, "leaks/0").leaked_pages == kKept; }
  static void reload(Engine& engine, const config::Config& next) {
    const ReloadOutcome outcome = engine.reload(next);
    EXPECT_TRUE(outcome.applied) << testing::PrintToString(outcome.messages);
  }
};

// Until 6.1 a page that its own CPU frees goes through the ring, like everybody else's.
TEST_F(EnginePools, RecycleDirectlyInNewerKernelsOnly) {
  for (const KernelVersion kernel : {KernelVersion::k6_1, KernelVersion::k6_18}) {
    config::Config config = without(two_groups(), "leaks");
    config.kernel = kernel;
    config.generators[0].count = 10'000;
    Engine engine{config};
    Watcher watcher{engine};
    engine.start();
    watcher.look_until([&](const Snapshot&) { return engine.finished(); });
    engine.stop();
    const PagePoolStats stats = pool(watcher.look(), "clean/0").stats;
    EXPECT_EQ(stats.recycle_cached != 0, kernel == KernelVersion::k6_18);
    EXPECT_EQ(stats.recycle_ring != 0, kernel == KernelVersion::k6_1);
  }
}

TEST_F(EnginePools, ALeakStaysInFlightAndBreaksNoLaw) {
  Engine engine{two_groups()};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until(all_kept);
  engine.stop();
  const Snapshot end = watcher.look();
  test::expect_all_at_home(end);
  const PoolSnapshot& leaks = pool(end, "leaks/0");
  EXPECT_EQ(leaks.leaked_alone_pages, kKept);
  EXPECT_EQ(leaks.inflight_pages, leaks.cache_pages + leaks.ring_pages + kKept);
  EXPECT_EQ(pool(end, "clean/0").leaked_pages, 0U);
}

TEST_F(EnginePools, APageMoreOrLessOutThanTheLeakKeepsIsABrokenLaw) {
  Engine engine{two_groups()};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until(all_kept);
  engine.stop();
  for (const std::uint64_t kept : {kKept - 1, kKept + 1}) {
    Snapshot end = engine.snapshot();
    ASSERT_THAT(broken_totals(end), IsEmpty());
    end.pools[0].leaked_alone_pages = kept;
    EXPECT_THAT(broken_totals(end), ElementsAre(HasSubstr("pages that leaks keep: 20 against ")));
  }
}

// A page can be kept and its packet wait: it is out once.
TEST_F(EnginePools, TheLawHoldsWhenPacketsWaitInPagesThatAreKept) {
  config::Config config = two_groups(LinkKind::kWire);
  config.devices[0].link.rate_bits_per_second = 10'000;
  config.generators[0].leak.every = 3;
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until(
      [](const Snapshot& now) { return all_kept(now) && test::offered(now) > 1'000; });
  engine.stop();
  const Snapshot end = watcher.look();
  EXPECT_EQ(end.account_violations, 0U);
  EXPECT_GT(end.devices[0].queues[0].driver_ring_packets, 0U);
}

TEST_F(EnginePools, APoolThatWaitsForALeakSaysSoOnceAMinute) {
  const config::Config config = two_groups();
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until(all_kept);
  reload(engine, without(config, "leaks"));
  // All but what is kept comes home, at the next try at the latest.
  const Nanoseconds ended = *pool(watcher.look(), "leaks/0").detached_at;
  Nanoseconds now = ended;
  const auto in_a_second = [&] { return engine.retry_teardowns(now += kSecond); };
  do {
    EXPECT_THAT(in_a_second(), IsEmpty());
  } while (pool(watcher.look(), "leaks/0").inflight_pages > kKept && now < ended + 50 * kSecond);
  EXPECT_EQ(pool(watcher.look(), "leaks/0").inflight_pages, kKept);
  const std::string stalled =
      "leaks/0: page_pool_release_retry() stalled pool shutdown: id 1, 20 "
      "inflight ";
  std::vector<std::string> lines;
  while (now < ended + 125 * kSecond) {
    for (std::string& line : in_a_second()) lines.push_back(std::move(line));
  }
  EXPECT_THAT(lines, ElementsAre(stalled + "60 sec", stalled + "120 sec"));

  const Snapshot away = watcher.look();
  EXPECT_FALSE(pool(away, "clean/0").detached_at.has_value());

  // Back: the pool works as before, and its end is called off.
  reload(engine, config);
  const std::uint64_t before = away.generators[0].sent_packets;
  watcher.look_until(
      [&](const Snapshot& s) { return s.generators[0].sent_packets > before + 1'000; });
  EXPECT_EQ(pool(watcher.look(), "leaks/0").id, 1U);
  EXPECT_FALSE(pool(watcher.look(), "leaks/0").detached_at.has_value());
  EXPECT_THAT(engine.retry_teardowns(now + 1'000 * kSecond), IsEmpty());
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EnginePools, APoolWhoseGeneratorGoesGivesItsPagesBackAndComesBackAsAnother) {
  const config::Config config = two_groups(LinkKind::kWire);
  Engine engine{config};
  Watcher watcher{engine};
  engine.start();
  watcher.look_until([](const Snapshot& now) { return test::offered(now) > 1'000; });
  reload(engine, without(config, "clean"));
  EXPECT_TRUE(pool(watcher.look(), "clean/0").detached_at.has_value());
  Nanoseconds now = smp::Native::now();
  watcher.look_until([&](const Snapshot& snapshot) {
    EXPECT_THAT(engine.retry_teardowns(now += kSecond), Each(Not(HasSubstr("clean"))));
    return pool(snapshot, "clean/0").freed;
  });
  const Snapshot away = watcher.look();
  EXPECT_EQ(pool(away, "clean/0").inflight_pages, 0U);
  EXPECT_GT(pool(away, "clean/0").hold, 0U) << "its series stay";

  reload(engine, config);
  const std::uint64_t before = away.generators[1].sent_packets;
  watcher.look_until(
      [&](const Snapshot& s) { return s.generators[1].sent_packets > before + 500; });
  EXPECT_EQ(pool(watcher.look(), "clean/0").id, 3U);
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EnginePools, WhatALeakKeepsCountsWhenANewConfigurationAsksForMemory) {
  config::Config config = two_groups();
  config.generators[0].leak.at_most = 200;
  config = test::with_memory(config);  // to the page
  Engine engine{config};
  engine.start();
  Watcher watcher{engine};
  watcher.look_until([](const Snapshot& now) { return pool(now, "leaks/0").leaked_pages == 200; });
  config::Config next = without(config, "leaks");
  next.generators[0].threads = 3;  // 192 pages more, in place of the 200
  const ReloadOutcome outcome = engine.reload(next);
  EXPECT_FALSE(outcome.applied);
  EXPECT_THAT(outcome.messages,
              ElementsAre(HasSubstr("memory.limit: the new configuration needs")));
  engine.stop();
  test::expect_all_at_home(watcher.look());
}

TEST_F(EnginePools, AReloadSaysWhenRestingPagesCanStarveAGenerator) {
  config::Config config = two_groups();
  Engine engine{config};
  engine.start();
  config.generators[1].threads = 12;
  const ReloadOutcome outcome = engine.reload(config);
  EXPECT_TRUE(outcome.applied);
  EXPECT_THAT(outcome.messages.back(), HasSubstr("set memory.limit to "));
}

// What held_pages() promises, with memory to the page: full bands, then all pages at rest in the
// pools of those who sent, then others who come late.
TEST_F(EnginePools, NobodyEverLacksAPageWhereMemoryCoversWhatCanRest) {
  for (const LinkKind link : {LinkKind::kDummy, LinkKind::kWire}) {
    config::Config config;
    config.devices = {test::a_device("eth0", link)};
    config.devices[0].bypass = false;
    config.devices[0].drain = config::Drain::kDedicated;
    config.generators = {test::a_group("early", "eth0", 5, 2'000),
                         test::a_group("late", "eth0", 3, 1'000)};
    config.generators[1].enqueue_burst = 64;
    config.memory.huge_pages = config::HugePages::kNever;
    config.memory.limit_bytes = config::held_pages(config) * config::kPageBytes;
    Engine engine{without(config, "late")};
    Watcher watcher{engine};
    engine.start();
    watcher.look_until_finished();
    reload(engine, config);
    watcher.look_until_finished();
    engine.stop();
    const Snapshot end = watcher.look();
    test::expect_all_at_home(end);
    ASSERT_EQ(end.generators.size(), 8U);
    for (const GeneratorSnapshot& generator : end.generators) {
      EXPECT_EQ(generator.no_memory, 0U) << generator.group << "/" << generator.thread;
    }
  }
}

}  // namespace
}  // namespace qdiscsim
