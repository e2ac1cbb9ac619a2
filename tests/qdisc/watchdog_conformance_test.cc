// The watchdog of stopped tx queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "qdisc/queue_watch.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using testing::IsEmpty;
using Watch = QueueWatch<Lab::Smp>;

// Looks once a second until `seconds` have passed; all lines.
std::vector<std::string> watch(Watch& watch, int seconds) {
  std::vector<std::string> lines;
  for (int i = 0; i < seconds; ++i) {
    ManualClock::advance(kSecond);
    for (std::string& line : watch.look(ManualClock::now(), "")) lines.push_back(std::move(line));
  }
  return lines;
}

TEST(WatchdogConformance, Check35_TheFirstExpiredQueueIsCountedAndToldOnceAPeriod) {
  Lab lab{Lab::with_limit(4, 3)};
  Watch dog{*lab.device, "eth0", 7};
  EXPECT_THAT(dog.look(ManualClock::now(), ""), IsEmpty());
  ManualClock::advance(2 * kSecond);
  lab.stop(1);
  lab.stop(2);
  // At 5 s the queues have been stopped for 3 s: not yet. At 10 s for 8.
  EXPECT_THAT(watch(dog, 7), IsEmpty());
  EXPECT_THAT(watch(dog, 1),
              ElementsAre("eth0: NETDEV WATCHDOG: CPU: 7: transmit queue 1 timed out 8000 ms"));
  EXPECT_EQ(lab.device->tx_queue(1).trans_timeout(), 1U);
  EXPECT_EQ(lab.device->tx_queue(2).trans_timeout(), 0U) << "the first expired queue only";
  EXPECT_EQ(lab.device->tx_queue(0).trans_timeout(), 0U) << "it runs";
  EXPECT_THAT(lab.link->timeouts, ElementsAre(1U)) << "one call of the driver";
  EXPECT_THAT(watch(dog, 4), IsEmpty()) << "once a period";
}

TEST(WatchdogConformance, Check35_RunningQueuesAreNotItsAffair) {
  Lab lab{Lab::with_limit(4, 2)};
  Watch dog{*lab.device, "eth0", 0};
  EXPECT_THAT(watch(dog, 30), IsEmpty()) << "nothing was ever sent";
  lab.send_one(0);
  EXPECT_THAT(watch(dog, 30), IsEmpty()) << "nothing is sent any more";
  lab.stop(0);
  EXPECT_THAT(watch(dog, 3), IsEmpty());
  lab.wake(0);
  EXPECT_THAT(watch(dog, 30), IsEmpty()) << "woken in time";
  EXPECT_EQ(lab.device->tx_queue(0).trans_timeout(), 0U);
}

TEST(WatchdogConformance, Check35_AStopByTheByteLimitExpiresToo) {
  Lab lab;
  Watch dog{*lab.device, "eth0", 0};
  dog.look(ManualClock::now(), "");
  lab.device->tx_queue_for_test(0).stop(Lab::Queue::kStackOff, ManualClock::now());
  EXPECT_EQ(watch(dog, 10).size(), 1U);
  EXPECT_EQ(lab.device->tx_queue(0).trans_timeout(), 1U);
}

TEST(WatchdogConformance, Check35_TransmittingPastTheByteLimitStartsTheTimeAnew) {
  Lab lab;
  Watch dog{*lab.device, "eth0", 0};
  dog.look(ManualClock::now(), "");
  lab.device->tx_queue_for_test(0).stop(Lab::Queue::kStackOff, ManualClock::now());
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(watch(dog, 1), IsEmpty());
    EXPECT_EQ(lab.device->start_xmit(lab.cpu, lab.make(0), 1).sent, 1U);
  }
}

TEST(WatchdogConformance, Check35_ADeviceThatIsDownIsLeftAloneAndStartsAnewWhenItIsUp) {
  Lab lab;
  Watch dog{*lab.device, "eth0", 0};
  dog.look(ManualClock::now(), "");
  lab.stop();
  lab.deactivate();
  EXPECT_THAT(watch(dog, 29), IsEmpty());
  lab.device->activate();
  EXPECT_THAT(watch(dog, 5), IsEmpty()) << "trans_start is that of the activation";
  EXPECT_EQ(watch(dog, 5).size(), 1U);
}

}  // namespace
}  // namespace qdiscsim
