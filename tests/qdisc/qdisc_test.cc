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

TEST(Qdisc, BatchesNinePacketsOfOneQueueAtMostWhenItServesSeveral) {
  Lab lab{Lab::with_limit(64, 2, RootQdisc::kPfifoFast)};
  lab.queue_up(lab.make_many(20, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(9, 9, 2));
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
