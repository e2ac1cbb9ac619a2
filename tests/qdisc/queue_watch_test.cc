// A queue that nobody looks after is noticed, told once an incident, and no other is.
#include "qdisc/queue_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Nanoseconds kTick = kSecond / 4;

class QueueWatchTest : public testing::Test {
 protected:
  static DeviceOptions options() {
    DeviceOptions options = Lab::with_limit(16);
    options.qdisc.can_bypass = false;
    options.qdisc.bugs = KernelBug::kSingleTrylock;
    return options;
  }

  // Another CPU runs while these come, and goes away without looking back.
  void strand(int packets) { lab_.queue_up(lab_.make_many(packets, 0)); }

  std::vector<std::string> pass(Nanoseconds time) {
    std::vector<std::string> lines;
    for (Nanoseconds end = ManualClock::now() + time; ManualClock::now() < end;) {
      ManualClock::advance(kTick);
      for (auto& line : watch_.look(ManualClock::now(), "single_trylock")) lines.push_back(line);
    }
    return lines;
  }

  Lab lab_{options()};
  QueueWatch<Lab::Smp> watch_{*lab_.device, "eth0", 0};
};

TEST_F(QueueWatchTest, TellsOnceThatPacketsWaitWithNobodyToSendThem) {
  EXPECT_THAT(pass(10 * kSecond), IsEmpty());
  strand(3);
  EXPECT_THAT(pass(kSecond), IsEmpty());
  EXPECT_EQ(watch_.stuck_for(0, ManualClock::now()), 0U) << "not for a second yet";
  EXPECT_THAT(
      pass(kTick),
      ElementsAre("eth0 queue 0 is stuck: 3 packets have waited for 1.0 s, though its tx queue "
                  "runs, and nobody is going to send them; a packet that is enqueued there gets it "
                  "going, a change of tx_queue_len discards what waits; kernel_bugs has "
                  "single_trylock, remove it and reload"));
  EXPECT_THAT(pass(60 * kSecond), IsEmpty()) << "one incident";
  EXPECT_EQ(watch_.stuck_for(0, ManualClock::now()), 61 * kSecond);
}

TEST_F(QueueWatchTest, TellsOfTheNextIncidentAnew) {
  strand(1);
  EXPECT_EQ(pass(3 * kSecond).size(), 1U);
  lab_.send_one(0);  // gets it going
  EXPECT_EQ(lab_.counters().qlen, 0U);
  EXPECT_THAT(pass(3 * kSecond), IsEmpty());
  EXPECT_EQ(watch_.stuck_for(0, ManualClock::now()), 0U);
  strand(1);
  EXPECT_EQ(pass(3 * kSecond).size(), 1U);
}

TEST_F(QueueWatchTest, SaysNothingWhilePacketsKeepLeaving) {
  for (int i = 0; i < 20; ++i) {
    strand(2);
    EXPECT_THAT(pass(kSecond / 2), IsEmpty());
    lab_.qdisc().try_run(lab_.cpu);
    strand(1);
  }
}

TEST_F(QueueWatchTest, SaysNothingOfAQueueThatIsStoppedScheduledRunningOrDown) {
  strand(1);
  lab_.stop();
  EXPECT_THAT(pass(4 * kSecond), IsEmpty()) << "stopped";
  lab_.wake();
  EXPECT_THAT(pass(4 * kSecond), IsEmpty()) << "scheduled";
  lab_.cpu.run_softirqs();
  strand(1);
  ASSERT_TRUE(lab_.qdisc().state().run_begin());
  EXPECT_THAT(pass(4 * kSecond), IsEmpty()) << "running";
  static_cast<void>(lab_.qdisc().state().run_end());
  lab_.qdisc().state().deactivate();
  EXPECT_THAT(pass(4 * kSecond), IsEmpty()) << "down";
}

TEST(QueueWatchWithoutBugs, AsksForAReport) {
  DeviceOptions options = Lab::with_limit(16);
  options.qdisc.bugs = KernelBug::kSingleTrylock;
  Lab lab{options};
  QueueWatch<Lab::Smp> watch{*lab.device, "eth0", 0};
  lab.queue_up(lab.make_many(1, 0));
  watch.look(ManualClock::now(), "");
  ManualClock::advance(2 * kSecond);
  const auto lines = watch.look(ManualClock::now(), "");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0],
              testing::HasSubstr("1 packet has waited for 2.0 s, though its tx queue runs"));
  EXPECT_THAT(lines[0], testing::EndsWith("no kernel_bugs are set: please report this as a bug in "
                                          "qdiscsim"));
}

}  // namespace
}  // namespace qdiscsim
