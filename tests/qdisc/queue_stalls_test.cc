// A consumer that is stalled: nothing leaves while it lasts, everything afterwards.
#include "qdisc/queue_stalls.h"

#include <gtest/gtest.h>

#include "qdisc/queue_watch.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;

class QueueStallsTest : public testing::Test {
 protected:
  void pass(Nanoseconds time) {
    ManualClock::advance(time);
    stalls_.look(lab_.control, Lab::Smp::now());
    lab_.control.run_softirqs();
  }
  void stall(Nanoseconds time, std::uint16_t queue = 0) {
    stalls_.begin(queue, Lab::Smp::now(), time);
  }
  QueueStalls<Lab::Smp>::Reading read(std::uint16_t queue = 0) {
    return stalls_.read(queue, Lab::Smp::now());
  }

  Lab lab_{Lab::with_limit(4, 2)};
  QueueStalls<Lab::Smp> stalls_{*lab_.device};
};

TEST_F(QueueStallsTest, KeepsBackWhatComesAndSendsItAfterwards) {
  stall(5 * kSecond);
  // One past the bands, on the requeue list; four in the band; one too many.
  EXPECT_EQ(lab_.send_many(6, 0), 5);
  EXPECT_TRUE(lab_.link->sent.empty());
  EXPECT_EQ(lab_.send(lab_.make(0, 60, 1)), Verdict::kOk) << "the other queue";
  EXPECT_EQ(lab_.link->sent.size(), 1U);
  pass(5 * kSecond - 1);
  EXPECT_TRUE(stalls_.any());
  EXPECT_EQ(lab_.link->sent.size(), 1U);
  pass(1);
  EXPECT_FALSE(stalls_.any());
  EXPECT_EQ(lab_.link->sent.size(), 6U);
  EXPECT_EQ(broken_law(lab_.account()), "");
  EXPECT_EQ(read().begun, 1U);
  EXPECT_EQ(read().total, 5 * kSecond);
  EXPECT_EQ(read().running, 0U);
  EXPECT_EQ(read(1).begun, 0U);
}

TEST_F(QueueStallsTest, AreProlongedAndNeverShortened) {
  stall(5 * kSecond);
  pass(kSecond);
  stall(kSecond);
  pass(3 * kSecond);
  EXPECT_TRUE(stalls_.any());
  stall(3 * kSecond);
  pass(2 * kSecond);
  EXPECT_EQ(read().running, 6 * kSecond);
  pass(kSecond);
  EXPECT_FALSE(stalls_.any());
  EXPECT_EQ(read().begun, 3U);
  EXPECT_EQ(read().total, 7 * kSecond);
}

TEST_F(QueueStallsTest, EndTogetherWhenTheyAreToldTo) {
  stall(60 * kSecond);
  stall(60 * kSecond, 1);
  lab_.send_many(3, 0);
  stalls_.end_all();
  pass(0);
  EXPECT_FALSE(stalls_.any());
  EXPECT_EQ(lab_.link->sent.size(), 3U);
}

TEST_F(QueueStallsTest, OutlastADeviceThatGoesDown) {
  stall(5 * kSecond);
  lab_.send_many(3, 0);
  lab_.deactivate();
  lab_.device->activate();
  EXPECT_EQ(lab_.send_one(0), Verdict::kOk);
  EXPECT_TRUE(lab_.link->sent.empty());
  pass(5 * kSecond);
  EXPECT_EQ(lab_.link->sent.size(), 1U);

  stall(kSecond);
  lab_.deactivate();
  pass(kSecond);
  lab_.device->activate();
  EXPECT_EQ(lab_.send_one(0), Verdict::kOk);
  EXPECT_EQ(lab_.link->sent.size(), 2U);
  EXPECT_EQ(broken_law(lab_.account()), "");
}

TEST_F(QueueStallsTest, AreNoneOfTheWatchsBusiness) {
  QueueWatch<Lab::Smp> watch{*lab_.device, "eth0", 0};
  stall(60 * kSecond);
  lab_.send_many(3, 0);
  for (int second = 0; second < 20; ++second) {
    pass(kSecond);
    EXPECT_TRUE(watch.look(Lab::Smp::now(), "").empty());
  }
  EXPECT_EQ(watch.stuck_for(0, Lab::Smp::now()), 0U);
}

}  // namespace
}  // namespace qdiscsim
