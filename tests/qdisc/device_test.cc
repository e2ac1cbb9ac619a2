// A device: mq, start_xmit, receive, lists of packets, the softirq list.
#include "qdisc/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Packets = std::vector<Lab::Packet*>;

TEST(Device, GivesEachTxQueueAQdiscOfItsOwnUnderMq) {
  Lab lab{Lab::with_limit(4, 4)};
  EXPECT_EQ(lab.device->qdisc_count(), 4U);
  for (std::uint16_t queue = 0; queue < 4; ++queue) {
    for (int i = 0; i <= queue; ++i) lab.send(lab.make(0, 60, queue));
  }
  QueueAccount sum;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const QueueAccount account = lab.account(i);
    EXPECT_EQ(account.offered, i + 1);
    EXPECT_EQ(account.tx_packets, i + 1);
    EXPECT_EQ(broken_law(account), "");
    sum.offered += account.offered;
    sum.tx_packets += account.tx_packets;
  }
  EXPECT_EQ(sum.offered, 10U);
  EXPECT_EQ(sum.tx_packets, lab.link->sent.size());
}

TEST(Device, StopsOneQueueOfMqWithoutTheOthers) {
  Lab lab{Lab::with_limit(4, 2)};
  lab.stop(0);
  lab.send(lab.make(0, 60, 0));
  lab.send(lab.make(0, 60, 1));
  EXPECT_EQ(lab.link->sent.size(), 1U);
  EXPECT_EQ(lab.link->sent[0].queue, 1U);
  EXPECT_EQ(lab.counters(0).qlen, 1U);
}

TEST(Device, SendsPastTheQdiscWithStartXmit) {
  Lab lab;
  const auto result = lab.device->start_xmit(lab.cpu, lab.make(0), 3);
  EXPECT_EQ(result.sent, 3U);
  EXPECT_EQ(result.last, Verdict::kOk);
  EXPECT_EQ(lab.account().direct, 3U);
  EXPECT_EQ(lab.account().offered, 0U);
  EXPECT_THAT(lab.batches(), ElementsAre(3)) << "more follows but behind the last";
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(Device, StopsStartXmitWhereTheDriverStopped) {
  Lab lab;
  lab.link->room = 2;
  Lab::Packet* skb = lab.make(0);
  EXPECT_EQ(lab.device->start_xmit(lab.cpu, skb, 5).sent, 2U);
  const auto again = lab.device->start_xmit(lab.cpu, skb, 3);
  EXPECT_EQ(again.sent, 0U);
  EXPECT_EQ(again.last, Verdict::kBusy);
  EXPECT_EQ(lab.link->calls, 2U);
  EXPECT_EQ(lab.account().direct, 2U);
}

TEST(Device, DoesNotLetTheByteLimitStopStartXmit) {
  Lab lab;
  lab.device->tx_queue_for_test(0).stop(Lab::Queue::kStackOff, 0);
  EXPECT_EQ(lab.device->start_xmit(lab.cpu, lab.make(0), 1).sent, 1U);
}

TEST(Device, CountsEveryCopyThatItReceives) {
  Lab lab;
  lab.device->receive(lab.cpu, lab.make(0), 7);
  EXPECT_EQ(lab.device->received(), 7U);
  EXPECT_EQ(lab.sink.home.size(), 7U);
}

// ---- the enqueue_burst extension ----

TEST(DeviceList, SendsAListBandByBandAndEachBandInOrder) {
  Lab lab;
  const Packets list{lab.make(0), lab.make(6), lab.make(2), lab.make(0), lab.make(6)};
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, list), 5U);
  lab.cpu.run_softirqs();
  EXPECT_THAT(lab.sent(), ElementsAre(list[1], list[4], list[0], list[3], list[2]));
  EXPECT_EQ(lab.account().offered, 5U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(DeviceList, AcceptsTheFirstOfAListThatFitAndDropsTheRest) {
  DeviceOptions options = Lab::with_limit(4);
  options.qdisc.can_bypass = false;
  Lab lab{options};
  lab.stop();
  ASSERT_EQ(lab.send_many(2, 0), 2);
  const Packets list{lab.make(0), lab.make(0), lab.make(6), lab.make(0), lab.make(0)};
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, list), 3U);
  EXPECT_EQ(lab.account().bands[1].dropped_overlimit, 2U);
  EXPECT_EQ(lab.account().bands[1].ring_packets, 4U);
  EXPECT_THAT(lab.sink.home, UnorderedElementsAre(list[3], list[4]));
  lab.wake();
  lab.cpu.run_softirqs();
  EXPECT_THAT(lab.sent(1), testing::Not(testing::Contains(list[3])));
  EXPECT_EQ(lab.sent()[0], list[2]);
  EXPECT_EQ(lab.sent()[3], list[0]);
  EXPECT_EQ(lab.sent()[4], list[1]);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(DeviceList, DropsAWholeListWhenTheQueueIsDown) {
  Lab lab;
  lab.qdisc().state().deactivate();
  const Packets list{lab.make(0), lab.make(6)};
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, list), 0U);
  EXPECT_EQ(lab.account().bands[0].dropped_deactivated, 1U);
  EXPECT_EQ(lab.account().bands[1].dropped_deactivated, 1U);
  EXPECT_EQ(lab.sink.home.size(), 2U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(DeviceList, TakesTheLongestListThatIsAllowed) {
  Lab lab;
  const Packets list = lab.make_many(64, 0);
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, list), 64U);
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.sent(), list);
}

// ---- the softirq list ----

class Item : public Schedulable<Lab::Smp> {
 public:
  Item(std::vector<int>& log, int name, int again) : log_{log}, name_{name}, again_{again} {}
  void run_from_softirq(Cpu<Lab::Smp>& cpu) noexcept override {
    log_.push_back(name_);
    if (again_-- > 0) cpu.raise(*this);
  }

 private:
  std::vector<int>& log_;
  int name_;
  int again_;
};

TEST(Softirq, RunsWhatWasRaisedInOrderAndWhatIsRaisedMeanwhileInTheNextRound) {
  Cpu<Lab::Smp> cpu{0};
  std::vector<int> log;
  Item first{log, 1, 1};
  Item second{log, 2, 0};
  cpu.raise(first);
  cpu.raise(second);
  cpu.run_softirqs();
  EXPECT_THAT(log, ElementsAre(1, 2, 1));
  EXPECT_FALSE(cpu.softirq_pending());
}

TEST(Softirq, LeavesAStubbornItemForTheNextCall) {
  Cpu<Lab::Smp> cpu{0};
  std::vector<int> log;
  Item stubborn{log, 1, 1000};
  cpu.raise(stubborn);
  cpu.run_softirqs();
  EXPECT_EQ(log.size(), Cpu<Lab::Smp>::kMaxRounds);
  EXPECT_TRUE(cpu.softirq_pending());
}

}  // namespace
}  // namespace qdiscsim
