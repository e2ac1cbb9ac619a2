// A packet through the qdisc: bypass, drops, requeues, stopped and deactivated queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using Packets = std::vector<Lab::Packet*>;

TEST(TransmitConformance, Check10_AResetDiscardsWhatWaitsOnceAndKeepsTheStatistics) {
  Lab lab{Lab::with_limit(4)};
  lab.stop();
  lab.send_one(0);  // to the requeue list
  EXPECT_EQ(lab.send_many(6, 0), 4);
  EXPECT_EQ(lab.send_many(2, 6), 2);
  const Lab::Counters before = lab.counters();
  const std::uint64_t bytes = lab.account().bands[1].sent_bytes();
  EXPECT_EQ(before,
            (Lab::Counters{.packets = 1, .drops = 2, .requeues = 1, .qlen = 7, .backlog = 420}));
  lab.deactivate();
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1, .drops = 2, .requeues = 1}));
  const std::set<Lab::Packet*> home{lab.sink.home.begin(), lab.sink.home.end()};
  EXPECT_EQ(lab.sink.home.size(), 9U);
  EXPECT_EQ(home.size(), 9U) << "every packet came home once";
  const QueueAccount account = lab.account();
  EXPECT_EQ(account.bands[1].sent_bytes(), bytes);
  EXPECT_EQ(account.requeue_purged, 1U);
  EXPECT_EQ(account.bands[1].purged, 4U);
  EXPECT_EQ(account.bands[0].purged, 2U);
  EXPECT_EQ(broken_law(account), "");
  lab.device->activate();
  EXPECT_EQ(lab.qdisc().state().hint(), 0U);
}

TEST(TransmitConformance, Check16_AnEmptyQueueIsBypassed) {
  Lab lab;
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  const BandAccount band = lab.account().bands[1];
  EXPECT_EQ(band.bypassed, 1U);
  EXPECT_EQ(band.bypassed_bytes, 60U);
  EXPECT_EQ(band.enqueued, 0U);
  EXPECT_EQ(band.dequeued, 0U);
  EXPECT_EQ(band.sent(), 1U);
  EXPECT_EQ(lab.link->sent.size(), 1U);
}

TEST(TransmitConformance, Check17_ADriverThatDropsABypassedPacketIsASuccess) {
  Lab lab;
  lab.link->script = {Verdict::kDrop};
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1}));
  EXPECT_EQ(lab.account().tx_dropped, 1U);
  EXPECT_EQ(lab.sink.home.size(), 1U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(TransmitConformance, Check18_WhatABusyDriverDidNotTakeIsRequeuedInOrder) {
  DeviceOptions options;
  options.bql_min = options.bql_max = 1'000'000;  // a batch may be long
  Lab lab{options};
  const Packets five = lab.make_many(5, 0);
  lab.queue_up(five);
  lab.link->script = {Verdict::kOk, Verdict::kOk, Verdict::kBusy};
  lab.qdisc().try_run(lab.cpu);
  EXPECT_EQ(lab.counters(),
            (Lab::Counters{.packets = 5, .requeues = 3, .qlen = 3, .backlog = 180}));
  EXPECT_TRUE(lab.has(Lab::State::kMissed));
  EXPECT_TRUE(lab.has(Lab::State::kSched));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.sent(), five);
  EXPECT_THAT(lab.batches(2), ElementsAre(1, 1, 1)) << "requeued packets go one by one";
}

TEST(TransmitConformance, Check19_NothingPassesARequeuedPacketThatCannotGo) {
  Lab lab{Lab::with_limit(16, 2, RootQdisc::kPfifoFast)};
  lab.stop(0);
  Lab::Packet* head = lab.make(0, 60, 0);
  lab.send(head);
  EXPECT_EQ(lab.counters().requeues, 1U);
  // A packet of the first band, for a queue that runs.
  Lab::Packet* urgent = lab.make(6, 60, 1);
  EXPECT_EQ(lab.send(urgent), Verdict::kOk);
  EXPECT_TRUE(lab.link->sent.empty());
  lab.wake(0);
  lab.cpu.run_softirqs();
  EXPECT_THAT(lab.sent(), ElementsAre(head, urgent));
}

TEST(TransmitConformance, Check26_AStoppedQueueIsWaitedForWithoutSpinning) {
  Lab lab;
  lab.stop();
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_FALSE(lab.has(Lab::State::kMissed));
  EXPECT_TRUE(lab.has(Lab::State::kDraining));
  EXPECT_FALSE(lab.has(Lab::State::kSched));
  EXPECT_FALSE(lab.cpu.softirq_pending());
  // The first packet was bypassed before anyone looked at the queue, and counted as sent.
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1, .requeues = 1, .qlen = 1, .backlog = 60}));
  lab.wake();
  EXPECT_TRUE(lab.has(Lab::State::kSched));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.qdisc().state().hint(), 0U);
  EXPECT_EQ(lab.link->sent.size(), 1U);
}

TEST(TransmitConformance, Check27_NewcomersQueueUpWhileDraining) {
  Lab lab;
  lab.stop();
  lab.send_one(0);
  ASSERT_TRUE(lab.has(Lab::State::kDraining));
  lab.send_one(0);
  lab.send_one(6);
  EXPECT_EQ(lab.account().bands[1].bypassed, 1U);
  EXPECT_EQ(lab.account().bands[1].enqueued, 1U);
  EXPECT_EQ(lab.account().bands[0].enqueued, 1U);
}

TEST(TransmitConformance, Check28_APacketThatIsDroppedStillTriggersARun) {
  DeviceOptions options = Lab::with_limit(2);
  options.qdisc.can_bypass = false;
  Lab lab{options};
  lab.queue_up(lab.make_many(2, 0));
  ASSERT_TRUE(lab.link->sent.empty());
  EXPECT_EQ(lab.send_one(0), Verdict::kDrop);
  EXPECT_EQ(lab.link->sent.size(), 2U);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 2, .drops = 1}));
  EXPECT_EQ(lab.sink.home.size(), 3U);
}

TEST(TransmitConformance, Check29_ADeactivatedQueueRefusesAndTheSoftirqClearsSchedOnly) {
  Lab lab;
  lab.queue_up(lab.make_many(2, 0));
  ASSERT_TRUE(lab.has(Lab::State::kMissed));
  lab.qdisc().schedule(lab.cpu);
  lab.qdisc().state().deactivate();
  lab.cpu.run_softirqs();
  EXPECT_FALSE(lab.has(Lab::State::kSched));
  EXPECT_TRUE(lab.has(Lab::State::kMissed));
  EXPECT_TRUE(lab.link->sent.empty());
  EXPECT_EQ(lab.send_one(0), Verdict::kCongested);
  EXPECT_EQ(lab.account().bands[1].dropped_deactivated, 1U);
  EXPECT_EQ(lab.sink.home.size(), 1U);
}

}  // namespace
}  // namespace qdiscsim
