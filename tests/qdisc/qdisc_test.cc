// The rules of a qdisc, one by one: bypass, requeue, bulk, quota, blocked queues.
#include "qdisc/qdisc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using Packets = std::vector<Lab::Packet*>;

TEST(Qdisc, BypassesTheRingsWhenTheyAreEmpty) {
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

TEST(Qdisc, GoesThroughTheRingsWhenBypassIsOff) {
  DeviceOptions options;
  options.qdisc.can_bypass = false;
  Lab lab{options};
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  const BandAccount band = lab.account().bands[1];
  EXPECT_EQ(band.bypassed, 0U);
  EXPECT_EQ(band.enqueued, 1U);
  EXPECT_EQ(band.dequeued, 1U);
}

TEST(Qdisc, SaysSuccessWhenTheDriverDropsABypassedPacket) {
  Lab lab;
  lab.link->script = {Verdict::kDrop};
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1}));
  EXPECT_EQ(lab.account().tx_dropped, 1U);
  EXPECT_EQ(lab.sink.home.size(), 1U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(Qdisc, SaysSuccessWhenTheDriverRefusesABypassedPacketAndKeepsIt) {
  Lab lab;
  lab.link->script = {Verdict::kBusy, Verdict::kBusy, Verdict::kBusy};
  EXPECT_EQ(lab.device->queue_xmit(lab.cpu, lab.make(0)), Verdict::kOk);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1, .requeues = 1, .qlen = 1, .backlog = 60}));
  EXPECT_TRUE(lab.has(Lab::State::kSched));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1, .requeues = 3}));
  EXPECT_EQ(lab.link->sent.size(), 1U);
}

TEST(Qdisc, RequeuesWhatTheDriverDidNotTakeInOrder) {
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

TEST(Qdisc, RequeuesTheRestOfABatchWhenTheQueueStopsUnderIt) {
  DeviceOptions options;
  options.bql_min = options.bql_max = 1'000'000;
  Lab lab{options};
  const Packets five = lab.make_many(5, 0);
  lab.queue_up(five);
  lab.link->room = 2;
  lab.qdisc().try_run(lab.cpu);
  EXPECT_EQ(lab.link->calls, 2U) << "a stopped driver is not asked";
  EXPECT_EQ(lab.counters().requeues, 3U);
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.link->calls, 2U);
  lab.wake();
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.sent(), five);
}

TEST(Qdisc, LetsNothingPassARequeuedPacketThatCannotGo) {
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

TEST(Qdisc, BatchesAsManyPacketsAsTheByteLimitAllowsAndOneMore) {
  struct Case {
    std::uint32_t available;
    int batch;
  };
  for (const Case c : {Case{3000, 2}, {3001, 3}, {1500, 1}, {1501, 2}}) {
    DeviceOptions options;
    options.bql_min = options.bql_max = c.available;
    Lab lab{options};
    lab.queue_up(lab.make_many(6, 0, 1500));
    lab.qdisc().try_run(lab.cpu);
    ASSERT_FALSE(lab.batches().empty());
    EXPECT_EQ(lab.batches()[0], c.batch) << "available " << c.available;
  }
}

TEST(Qdisc, SendsOneByOneWithoutByteLimits) {
  Lab lab;
  lab.queue_up(lab.make_many(4, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(1, 1, 1, 1));
}

TEST(Qdisc, NeverBatchesMoreThanItsQuotaAndOne) {
  DeviceOptions options;
  options.bql_min = options.bql_max = 1'000'000'000;
  Lab lab{options};
  lab.queue_up(lab.make_many(200, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(65));
}

TEST(Qdisc, EndsARunAtItsQuotaAndGoesOnInTheSoftirq) {
  Lab lab;
  lab.queue_up(lab.make_many(200, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_EQ(lab.link->sent.size(), 64U);
  EXPECT_TRUE(lab.has(Lab::State::kMissed));
  EXPECT_TRUE(lab.has(Lab::State::kSched));
  EXPECT_TRUE(lab.cpu.softirq_pending());
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.link->sent.size(), 200U);
  EXPECT_EQ(lab.qdisc().state().hint(), 0U);
  EXPECT_FALSE(lab.cpu.softirq_pending());
}

TEST(Qdisc, SetsAPacketForAnotherQueueAsideAndStartsTheNextBatchWithIt) {
  Lab lab{Lab::with_limit(16, 3, RootQdisc::kPfifoFast)};
  lab.stop(1);
  const Packets skbs{lab.make(0, 60, 0), lab.make(0, 60, 0), lab.make(0, 60, 1), lab.make(0, 60, 1),
                     lab.make(0, 60, 2)};
  lab.queue_up(skbs);
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(2));
  // Still counted as waiting, and not as requeued.
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 3, .qlen = 3, .backlog = 180}));
  EXPECT_EQ(lab.account().requeue_packets, 1U);
  lab.wake(1);
  lab.cpu.run_softirqs();
  EXPECT_THAT(lab.batches(2), ElementsAre(2, 1));
  EXPECT_EQ(lab.sent(), skbs);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 5}));
}

TEST(Qdisc, BatchesNinePacketsOfOneQueueAtMostWhenItServesSeveral) {
  Lab lab{Lab::with_limit(64, 2, RootQdisc::kPfifoFast)};
  lab.queue_up(lab.make_many(20, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(9, 9, 2));
}

TEST(Qdisc, WaitsForAStoppedQueueWithoutSpinning) {
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

TEST(Qdisc, QueuesNewcomersWhileOthersWaitForTheQueue) {
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

TEST(Qdisc, IsKickedEvenByAPacketThatWasDropped) {
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

TEST(Qdisc, RefusesPacketsWhenDeactivatedAndOnlyForgetsItsSchedule) {
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

TEST(Qdisc, DiscardsWhatWaitsOnResetAndKeepsItsStatistics) {
  Lab lab{Lab::with_limit(4)};
  lab.stop();
  lab.send_one(0);  // to the requeue list
  EXPECT_EQ(lab.send_many(6, 0), 4);
  EXPECT_EQ(lab.send_many(2, 6), 2);
  const Lab::Counters before = lab.counters();
  EXPECT_EQ(before,
            (Lab::Counters{.packets = 1, .drops = 2, .requeues = 1, .qlen = 7, .backlog = 420}));
  lab.deactivate();
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 1, .drops = 2, .requeues = 1}));
  EXPECT_EQ(lab.sink.home.size(), 9U) << "every packet came home once";
  const QueueAccount account = lab.account();
  EXPECT_EQ(account.requeue_purged, 1U);
  EXPECT_EQ(account.bands[1].purged, 4U);
  EXPECT_EQ(account.bands[0].purged, 2U);
  EXPECT_EQ(broken_law(account), "");
  lab.device->activate();
  EXPECT_EQ(lab.qdisc().state().hint(), 0U);
}

TEST(Qdisc, HasNothingToDoForItsDrainThreadWhenEmptyBlockedOrDown) {
  DeviceOptions options;
  options.qdisc.drain_inline = false;
  Lab lab{options};
  EXPECT_FALSE(lab.device->drain(lab.cpu, 0)) << "empty";
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_TRUE(lab.link->sent.empty()) << "senders only enqueue";
  EXPECT_TRUE(lab.device->drain(lab.cpu, 0));
  EXPECT_EQ(lab.link->sent.size(), 1U);
  EXPECT_FALSE(lab.device->drain(lab.cpu, 0)) << "empty again";
  lab.stop();
  lab.send_one(0);
  EXPECT_FALSE(lab.device->drain(lab.cpu, 0)) << "blocked: the wake will come back to it";
  lab.qdisc().state().deactivate();
  EXPECT_FALSE(lab.device->drain(lab.cpu, 0)) << "down: the control thread has the rings";
}

}  // namespace
}  // namespace qdiscsim
