// A pfifo_fast without NOLOCK, as below tbf: a root lock, plain counters, the same figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;

// What a lab has seen of a run, to be compared.
struct Story {
  std::vector<Lab::Counters> counters;
  std::vector<int> batches;
  std::vector<std::uint32_t> order;
};

// Bypass, a full driver, drops, all bands, a wake, a reset: the golden trace and its end.
Story tell(bool nolock) {
  DeviceOptions options = Lab::with_limit(8, 2, RootQdisc::kPfifoFast);
  options.qdisc.nolock = nolock;
  Lab lab{options};
  Story story;
  const auto note = [&] { story.counters.push_back(lab.counters()); };
  lab.link->room = 256;
  lab.send_many(257, 0);
  note();
  lab.send_many(12, 0);
  lab.send_many(3, 6);
  lab.send_many(3, 2);
  note();
  lab.wake(0);
  lab.cpu.run_softirqs();
  note();
  story.batches = lab.batches(256);
  for (const Lab::Packet* skb : lab.sent(256)) story.order.push_back(skb->priority);
  lab.stop(0);
  lab.send_many(5, 0);
  note();
  lab.deactivate();
  EXPECT_EQ(lab.send_one(0), Verdict::kCongested);
  note();
  lab.device->activate();
  lab.send_one(2);
  note();
  EXPECT_EQ(broken_law(lab.account()), "");
  EXPECT_FALSE(lab.cpu.softirq_pending());
  return story;
}

TEST(RootLockConformance, Check30_TheFiguresAreThoseOfTheLocklessQueue) {
  const Story lockless = tell(true);
  const Story locked = tell(false);
  EXPECT_EQ(locked.counters, lockless.counters);
  EXPECT_EQ(locked.batches, lockless.batches);
  EXPECT_EQ(locked.order, lockless.order);
}

TEST(RootLockConformance, Check30_OneSetOfCountersServesEveryCpu) {
  DeviceOptions options;
  options.qdisc.nolock = false;
  Lab lab{options};
  lab.stop();
  lab.device->queue_xmit(lab.control, lab.make(0));  // CPU 1
  lab.device->queue_xmit(lab.control, lab.make(0));
  lab.device->queue_xmit(lab.cpu, lab.make(0));  // CPU 0
  // Nothing on CPU 1: a reader of the plain counters misses nothing, one by one or in sum.
  EXPECT_EQ(lab.qdisc().fifo().counters(1)[1].enqueued.read(), 0U);
  EXPECT_EQ(lab.qdisc().fifo().counters(0)[1].enqueued.read(), 2U);
  EXPECT_EQ(lab.qdisc().fifo().counters(0)[1].bypassed.read(), 1U);
  EXPECT_EQ(lab.counters(),
            (Lab::Counters{.packets = 1, .requeues = 1, .qlen = 3, .backlog = 180}));
}

TEST(RootLockConformance, Check30_NothingOfTheLocklessProtocolIsUsed) {
  DeviceOptions options;
  options.qdisc.nolock = false;
  Lab lab{options};
  EXPECT_EQ(lab.qdisc().state().hint(), Lab::State::kRootLock);
  lab.stop();
  lab.send_many(3, 0);
  EXPECT_EQ(lab.qdisc().state().hint(), Lab::State::kRootLock) << "neither MISSED nor DRAINING";
  lab.wake();
  EXPECT_TRUE(lab.has(Lab::State::kSched));
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.link->sent.size(), 3U);
  EXPECT_EQ(lab.qdisc().state().hint(), Lab::State::kRootLock);
}

TEST(RootLockConformance, Check30_ListsQuotaAndDrainThreadsWorkAlike) {
  DeviceOptions options;
  options.qdisc.nolock = false;
  options.qdisc.drain_inline = false;
  options.qdisc.can_bypass = false;
  Lab lab{options};
  const auto packets = lab.make_many(64, 0);
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, packets), 64U);
  EXPECT_EQ(lab.device->queue_xmit_list(lab.cpu, lab.make_many(64, 6)), 64U);
  EXPECT_TRUE(lab.device->drain(lab.control, 0));
  EXPECT_EQ(lab.link->sent.size(), 64U) << "the quota";
  EXPECT_TRUE(lab.control.softirq_pending());
  lab.control.run_softirqs();
  EXPECT_EQ(lab.link->sent.size(), 128U);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.packets = 128}));
  EXPECT_FALSE(lab.device->drain(lab.control, 0));
  EXPECT_EQ(broken_law(lab.account()), "");
}

}  // namespace
}  // namespace qdiscsim
