// What each historical mistake of the transmit path looks like, and that it is gone without its
// switch: stuck packets, softirqs that spin, mass requeues, a sender's packets out of order.
#include "qdisc/kernel_bugs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;

DeviceOptions with_bugs(KernelBugs bugs, bool bypass = true) {
  DeviceOptions options = Lab::with_limit(2000);
  options.qdisc.bugs = bugs;
  options.qdisc.can_bypass = bypass;
  return options;
}

// A packet comes while another CPU runs the queue, and that CPU ends its run as the kernel does.
void come_during_a_run(Lab& lab, Lab::Packet* skb) {
  ASSERT_TRUE(lab.qdisc().state().run_begin());
  lab.device->queue_xmit(lab.cpu, skb);
  if (lab.qdisc().state().run_end()) lab.qdisc().schedule(lab.cpu);
}

TEST(KernelBugs, SingleTrylockLeavesAPacketStuckUntilTheNextOneComes) {
  Lab lab{with_bugs(KernelBug::kSingleTrylock, false)};
  come_during_a_run(lab, lab.make(0));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.counters().qlen, 1U);
  EXPECT_FALSE(lab.qdisc().attention().attended);
  EXPECT_EQ(lab.qdisc().state().hint(), 0U) << "no sign that anything waits";
  lab.send_one(0);
  EXPECT_EQ(lab.link->sent.size(), 2U);
}

TEST(KernelBugs, WithoutSingleTrylockTheRunnerComesBackForThePacket) {
  Lab lab{with_bugs({}, false)};
  come_during_a_run(lab, lab.make(0));
  EXPECT_TRUE(lab.qdisc().attention().attended);
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.counters().qlen, 0U);
}

// The sender looks at the state before its packet is in the ring; between the two the runner finds
// the ring empty.
bool runner_will_come_back(KernelBugs bugs) {
  RunState<Lab::Smp> state{bugs};
  EXPECT_TRUE(state.run_begin());
  EXPECT_FALSE(state.run_begin());  // an earlier packet: MISSED
  const std::uint32_t seen = state.admit();
  state.clear_non_empty();  // the runner's last scan
  EXPECT_FALSE(state.run_begin(seen));
  return state.run_end();
}

TEST(KernelBugs, StaleMissedReliesOnARunnerThatHasLookedAlready) {
  EXPECT_FALSE(runner_will_come_back(KernelBug::kStaleMissed));
  EXPECT_TRUE(runner_will_come_back({}));
}

// Runs of the softirq while the tx queue is stopped and nothing can be done.
int softirq_rounds_while_stopped(Lab& lab, int most) {
  lab.stop();
  lab.device->queue_xmit(lab.cpu, lab.make(0));
  int rounds = 0;
  while (lab.cpu.softirq_pending() && rounds < most) {
    lab.cpu.run_softirqs();
    ++rounds;
  }
  return rounds;
}

TEST(KernelBugs, NoDrainStateMakesTheSoftirqSpinWhileTheQueueIsStopped) {
  Lab lab{with_bugs(KernelBug::kNoDrainState)};
  EXPECT_EQ(softirq_rounds_while_stopped(lab, 1000), 1000) << "for as long as it is stopped";
  EXPECT_TRUE(lab.has(Lab::State::kMissed));
  EXPECT_FALSE(lab.has(Lab::State::kDraining));
  lab.wake();
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.counters().qlen, 0U);
  EXPECT_FALSE(lab.cpu.softirq_pending());
}

TEST(KernelBugs, WithoutNoDrainStateTheSoftirqLooksOnce) {
  Lab lab{with_bugs({})};
  EXPECT_LE(softirq_rounds_while_stopped(lab, 1000), 1);
}

// 1300 packets wait, the byte limit allows all of them, the driver takes 256. Then one of band 0.
struct Bulk {
  std::uint64_t first_batch = 0;  // dequeued in the first run
  std::uint64_t requeues = 0;
  std::size_t ahead_of_band_0 = 0;  // packets that leave before the urgent one
};
Bulk bulk(KernelBugs bugs) {
  DeviceOptions options = with_bugs(bugs);
  options.bql_min = options.bql_max = 1'000'000'000;
  Lab lab{options};
  lab.queue_up(lab.make_many(1300, 0));
  lab.link->room = 256;
  Bulk out;
  lab.qdisc().try_run(lab.cpu);
  out.first_batch = lab.account().bands[1].dequeued;
  lab.cpu.run_softirqs();
  out.requeues = lab.counters().requeues;
  Lab::Packet* urgent = lab.make(6);
  lab.device->queue_xmit(lab.cpu, urgent);
  const std::size_t before = lab.link->sent.size();
  lab.wake();
  while (lab.cpu.softirq_pending()) lab.cpu.run_softirqs();
  const auto sent = lab.sent(before);
  while (sent[out.ahead_of_band_0] != urgent) ++out.ahead_of_band_0;
  EXPECT_EQ(broken_law(lab.account()), "");
  return out;
}

TEST(KernelBugs, UnlimitedBulkRequeuesAThousandPacketsAndDefeatsThePriorities) {
  const Bulk had = bulk(KernelBug::kUnlimitedBulk);
  EXPECT_EQ(had.first_batch, 1300U);
  EXPECT_EQ(had.requeues, 1300U - 256U);
  EXPECT_EQ(had.ahead_of_band_0, 1300U - 256U);
}

TEST(KernelBugs, WithoutUnlimitedBulkABatchEndsAtTheQuota) {
  const Bulk has = bulk({});
  EXPECT_EQ(has.first_batch, 65U);
  EXPECT_EQ(has.requeues, 4U * 65U - 256U);
  EXPECT_EQ(has.ahead_of_band_0, 4U * 65U - 256U);
}

std::vector<Lab::Packet*> two_of_one_sender(std::vector<Lab::Packet*>& packets, Lab& lab) {
  packets = lab.make_many(2, 0);
  come_during_a_run(lab, packets[0]);
  lab.device->queue_xmit(lab.cpu, packets[1]);
  lab.cpu.run_softirqs();
  return lab.sent();
}

TEST(KernelBugs, BypassReordersLetsASendersNextPacketOvertake) {
  Lab lab{with_bugs(KernelBug::kBypassReorders)};
  std::vector<Lab::Packet*> packets;
  const auto sent = two_of_one_sender(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[1], packets[0]));
  EXPECT_EQ(lab.counters().qlen, 0U) << "late, but not stuck";
  EXPECT_EQ(lab.qdisc().state().hint(), 0U);
}

TEST(KernelBugs, WithoutBypassReordersASendersPacketsKeepTheirOrder) {
  Lab lab{with_bugs({})};
  std::vector<Lab::Packet*> packets;
  const auto sent = two_of_one_sender(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[0], packets[1]));
}

TEST(KernelBugs, DeactivatedReschedulesMakesTheSoftirqSpinUntilTheReset) {
  Lab lab{with_bugs(KernelBug::kDeactivatedReschedules)};
  come_during_a_run(lab, lab.make(0));
  lab.qdisc().state().deactivate();
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(lab.cpu.softirq_pending()) << "round " << round;
    lab.cpu.run_softirqs();
  }
  EXPECT_TRUE(lab.link->sent.empty());
  lab.qdisc().reset(1);
  lab.cpu.run_softirqs();
  EXPECT_FALSE(lab.cpu.softirq_pending());
  EXPECT_EQ(lab.sink.home.size(), 1U);
}

TEST(KernelBugs, WithoutDeactivatedReschedulesTheSoftirqLooksOnce) {
  Lab lab{with_bugs({})};
  come_during_a_run(lab, lab.make(0));
  lab.qdisc().state().deactivate();
  lab.cpu.run_softirqs();
  EXPECT_FALSE(lab.cpu.softirq_pending());
}

// A sender that was let in puts its packet into the ring after the device began to go down.
struct DownAndUp {
  std::uint64_t purged = 0;
  std::uint64_t left_over = 0;  // packets in the queue when it is up again
};
DownAndUp down_and_up(KernelBugs bugs, std::uint32_t new_limit) {
  DeviceOptions options = with_bugs(bugs);
  options.qdisc.drain_inline = false;
  Lab lab{options};
  const auto senders_leave = [](void* context) {
    auto& late = *static_cast<Lab*>(context);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(late.qdisc().fifo().enqueue(late.make(0), 0));
  };
  EXPECT_TRUE(lab.device->change_tx_queue_len(lab.control, new_limit, senders_leave, &lab));
  DownAndUp out;
  out.purged = lab.account().bands[1].purged;
  out.left_over = lab.counters().qlen;
  EXPECT_EQ(out.purged, lab.sink.home.size()) << "what is purged goes home";
  return out;
}

TEST(KernelBugs, ResetBeforeGraceLeavesPacketsOfBeforeInAQueueThatIsUpAgain) {
  EXPECT_EQ(down_and_up(KernelBug::kResetBeforeGrace, 100).left_over, 3U);
  const DownAndUp smaller = down_and_up(KernelBug::kResetBeforeGrace, 2);
  EXPECT_EQ(smaller.left_over, 2U);
  EXPECT_EQ(smaller.purged, 1U) << "what the smaller ring has no room for";
}

TEST(KernelBugs, WithoutResetBeforeGraceAQueueComesUpEmpty) {
  EXPECT_EQ(down_and_up({}, 100).left_over, 0U);
  EXPECT_EQ(down_and_up({}, 2).purged, 3U);
}

TEST(KernelBugs, ComeAndGoWhileAQueueIsUsed) {
  Lab lab{with_bugs({}, false)};
  lab.device->set_kernel_bugs(KernelBug::kSingleTrylock);
  come_during_a_run(lab, lab.make(0));
  EXPECT_FALSE(lab.cpu.softirq_pending());
  lab.device->set_kernel_bugs({});
  come_during_a_run(lab, lab.make(0));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.link->sent.size(), 2U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

}  // namespace
}  // namespace qdiscsim
