// A device that is taken down and set up again, as by `ip link set`.
#include <gtest/gtest.h>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;

void resize(Lab& lab, std::uint32_t limit) {
  ASSERT_TRUE(lab.device->change_tx_queue_len(
      lab.control, limit, [](void*) {}, nullptr));
}

TEST(DeviceDown, DropsWhatIsOfferedAndDiscardsWhatWaits) {
  Lab lab;
  lab.queue_up(lab.make_many(3, 0));
  EXPECT_TRUE(lab.device->up());
  lab.deactivate();
  EXPECT_FALSE(lab.device->up());
  EXPECT_EQ(lab.send_one(0), Verdict::kCongested);
  const QueueAccount account = lab.account();
  EXPECT_EQ(account.bands[1].purged, 3U);
  EXPECT_EQ(account.bands[1].dropped_deactivated, 1U);
  EXPECT_EQ(lab.sink.home.size(), 4U);
  EXPECT_TRUE(lab.link->sent.empty());
  EXPECT_EQ(broken_law(account), "");

  lab.device->activate();
  EXPECT_TRUE(lab.device->up());
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_EQ(lab.link->sent.size(), 1U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(DeviceDown, StaysDownWhenItsQueuesChangeTheirLength) {
  Lab lab;
  lab.deactivate();
  resize(lab, 7);
  EXPECT_EQ(lab.device->tx_queue_len(), 7U);
  EXPECT_FALSE(lab.device->up());
  EXPECT_EQ(lab.send_one(0), Verdict::kCongested);
  lab.device->activate();
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
}

TEST(DeviceDown, IsNotWhatAChangeOfTheLengthLooksLike) {
  Lab lab;
  static bool up;
  up = false;
  ASSERT_TRUE(lab.device->change_tx_queue_len(
      lab.control, 7, [](void* context) { up = static_cast<Lab*>(context)->device->up(); }, &lab));
  EXPECT_TRUE(up);
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
}

TEST(DeviceDown, StopsItsTxQueuesAsDriversDo) {
  Lab lab{Lab::with_limit(10, 2)};
  lab.deactivate();
  EXPECT_EQ(lab.device->start_xmit(lab.cpu, lab.make(0), 1).last, Verdict::kBusy);
  EXPECT_TRUE(lab.device->tx_queue(1).stopped());
  EXPECT_FALSE(lab.device->tx_queue(1).waits_for_driver()) << "nothing for the watchdog";
  ManualClock::advance(9 * kSecond);
  EXPECT_FALSE(lab.device->watchdog(Lab::Smp::now(), 5 * kSecond));
  lab.device->activate();
  EXPECT_EQ(lab.device->start_xmit(lab.cpu, lab.make(0), 1).sent, 1U);
  EXPECT_EQ(lab.device->tx_queue(1).stopped_ns(Lab::Smp::now()), 9 * kSecond);
}

TEST(DeviceDown, LeavesAQueueStoppedThatTheDriverStopped) {
  Lab lab;
  lab.stop();
  lab.deactivate();
  lab.device->activate();
  EXPECT_TRUE(lab.device->tx_queue(0).stopped());
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_TRUE(lab.link->sent.empty());
  lab.wake();
  lab.cpu.run_softirqs();
  EXPECT_EQ(lab.link->sent.size(), 1U);
}

TEST(DeviceDown, ForgivesBeingTakenDownAndSetUpTwice) {
  Lab lab;
  lab.deactivate();
  lab.deactivate();
  EXPECT_FALSE(lab.device->up());
  lab.device->activate();
  lab.device->activate();
  EXPECT_EQ(lab.send_one(0), Verdict::kOk);
  EXPECT_FALSE(lab.device->tx_queue(0).stopped());
}

}  // namespace
}  // namespace qdiscsim
