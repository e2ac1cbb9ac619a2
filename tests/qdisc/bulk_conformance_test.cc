// How many packets go to the driver at once, and in one run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;
using Packets = std::vector<Lab::Packet*>;

TEST(BulkConformance, Check20_ABatchIsWhatTheByteLimitAllowsAndOneMore) {
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

TEST(BulkConformance, Check21_WithoutByteLimitsABatchIsOnePacket) {
  Lab lab;
  lab.queue_up(lab.make_many(4, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(1, 1, 1, 1));
}

TEST(BulkConformance, Check22_APacketForAnotherQueueIsSetAsideAndHeadsTheNextBatch) {
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

TEST(BulkConformance, Check23_ARunEndsAtItsQuotaAndTheSoftirqGoesOn) {
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

TEST(BulkConformance, Check24_ABatchIsNeverLongerThanTheQuotaAndOne) {
  DeviceOptions options;
  options.bql_min = options.bql_max = 1'000'000'000;
  Lab lab{options};
  lab.queue_up(lab.make_many(200, 0));
  lab.qdisc().try_run(lab.cpu);
  EXPECT_THAT(lab.batches(), ElementsAre(65));
}

}  // namespace
}  // namespace qdiscsim
