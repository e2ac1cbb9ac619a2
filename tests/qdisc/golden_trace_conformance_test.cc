// Two sequences recorded on a live kernel: a device that takes 256 packets and then stops, a ring
// of 8, frames of 60 bytes, and a qdisc that serves several queues, so that batches are nine at
// most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;

class GoldenTraceConformance : public testing::Test {
 protected:
  GoldenTraceConformance() : lab_{Lab::with_limit(8, 2, RootQdisc::kPfifoFast)} {
    lab_.link->room = 256;
  }

  // Up to the point where all bands hold something.
  void fill_up() {
    ASSERT_EQ(lab_.send_many(256, 0), 256);
    ASSERT_EQ(lab_.counters(), (Lab::Counters{.packets = 256}));
    ASSERT_EQ(lab_.send_one(0), Verdict::kOk);
    ASSERT_EQ(lab_.counters(),
              (Lab::Counters{.packets = 257, .requeues = 1, .qlen = 1, .backlog = 60}));
    ASSERT_EQ(lab_.send_many(12, 0), 8);
    ASSERT_EQ(
        lab_.counters(),
        (Lab::Counters{.packets = 257, .drops = 4, .requeues = 1, .qlen = 9, .backlog = 540}));
    ASSERT_EQ(lab_.send_many(3, 6), 3);
    ASSERT_EQ(lab_.send_many(3, 2), 3);
    ASSERT_EQ(
        lab_.counters(),
        (Lab::Counters{.packets = 257, .drops = 4, .requeues = 1, .qlen = 15, .backlog = 900}));
  }

  Lab lab_;
};

TEST_F(GoldenTraceConformance, Check11_OneMoreThanTheDeviceTakesIsCountedSentAndRequeued) {
  ASSERT_EQ(lab_.send_many(256, 0), 256);
  EXPECT_EQ(lab_.send_one(0), Verdict::kOk);
  const Lab::Counters counters = lab_.counters();
  EXPECT_EQ(counters.packets, 257U);
  EXPECT_EQ(counters.requeues, 1U);
  EXPECT_EQ(counters.qlen, 1U);
  EXPECT_EQ(lab_.link->sent.size(), 256U);
}

TEST_F(GoldenTraceConformance, Check08_BandZeroLeavesFirstAndTheRequeuedPacketBeforeAll) {
  fill_up();
  if (HasFatalFailure()) return;
  lab_.wake(0);
  lab_.cpu.run_softirqs();
  const std::vector<Lab::Packet*> order = lab_.sent(256);
  ASSERT_EQ(order.size(), 15U);
  EXPECT_EQ(band_of(order[0]->priority), 1U) << "the requeued one";
  std::size_t last = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_GE(band_of(order[i]->priority), last) << "packet " << i;
    last = band_of(order[i]->priority);
  }
}

TEST_F(GoldenTraceConformance, Check12_DrainsABlockedQueueInTheKernelsBatchesAndOrder) {
  fill_up();
  if (HasFatalFailure()) return;
  lab_.wake(0);
  lab_.cpu.run_softirqs();
  EXPECT_THAT(lab_.batches(256), ElementsAre(1, 9, 5));
  std::vector<std::size_t> bands;
  for (const Lab::Packet* skb : lab_.sent(257)) bands.push_back(band_of(skb->priority));
  EXPECT_THAT(bands, ElementsAre(0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2));
  EXPECT_EQ(lab_.counters(), (Lab::Counters{.packets = 271, .drops = 4, .requeues = 1}));
  // The last batch is an empty one: nothing is left that would be scheduled.
  EXPECT_EQ(lab_.qdisc().state().hint(), 0U);
  EXPECT_FALSE(lab_.cpu.softirq_pending());
  EXPECT_EQ(broken_law(lab_.account()), "");
}

TEST_F(GoldenTraceConformance, Check13_LosesWhatWaitedWhenTxQueueLenChanges) {
  fill_up();
  if (HasFatalFailure()) return;
  ASSERT_TRUE(lab_.device->change_tx_queue_len(
      lab_.control, 4, [](void*) {}, nullptr));
  EXPECT_EQ(lab_.counters(), (Lab::Counters{.packets = 257, .drops = 4, .requeues = 1}));
  EXPECT_EQ(lab_.device->tx_queue_len(), 4U);
  // The first is bypassed and requeued, four fit, one does not.
  EXPECT_EQ(lab_.send_many(6, 0), 5);
  EXPECT_EQ(lab_.counters(),
            (Lab::Counters{.packets = 258, .drops = 5, .requeues = 2, .qlen = 5, .backlog = 300}));
  // Down and up again.
  lab_.deactivate();
  lab_.device->activate();
  EXPECT_EQ(lab_.counters(), (Lab::Counters{.packets = 258, .drops = 5, .requeues = 2}));
  EXPECT_EQ(broken_law(lab_.account()), "");
}

}  // namespace
}  // namespace qdiscsim
