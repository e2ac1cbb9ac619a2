#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/qdisc/vhost_lab.h"

namespace qdiscsim {
namespace {

using test::VhostLab;
using testing::ElementsAre;
using testing::IsEmpty;

class VhostBatch : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Batch, VhostBatch, testing::Values(1, 2, 64));

TEST(TunLink, DropsWhatFindsItsRingFull) {
  VhostLab lab{4, 8, 1};
  EXPECT_EQ(lab.send(6), 4U);
  EXPECT_EQ(lab.tx_queue.totals().dropped, 2U);
  EXPECT_EQ(lab.tun.posted(0), 4U);
  EXPECT_EQ(lab.tun.accepted(0), 4U);
  EXPECT_EQ(lab.sink.home.size(), 2U);
}

TEST(TunLink, NeedsNoLockAndNeverStops) {
  VhostLab lab{1, 1, 1};
  EXPECT_TRUE(lab.tun.lockless_transmit());
  lab.send(10);
  EXPECT_FALSE(lab.tx_queue.stopped());
}

TEST(TunLink, WakesAReaderThatDozesOnceAndOnlyThen) {
  VhostLab lab{4, 8, 1};
  lab.send(1);
  EXPECT_FALSE(lab.tun.readable(0).pending());
  EXPECT_FALSE(lab.tun.doze(0));
  EXPECT_NE(lab.tun.take(0), nullptr);
  EXPECT_TRUE(lab.tun.doze(0));
  lab.send(2);
  EXPECT_EQ(lab.tun.readable(0).take(), 1U);
}

TEST_P(VhostBatch, MovesPacketsIntoTheGuestInOrder) {
  VhostLab lab{8, 8, GetParam()};
  lab.post(8);
  lab.send(3);
  lab.worker.receive();
  EXPECT_THAT(lab.received(), ElementsAre(0, 1, 2));
  EXPECT_EQ(lab.tx_queue.totals().packets, 3U);
  EXPECT_EQ(lab.tx_queue.totals().bytes, 180U);
  EXPECT_EQ(lab.worker.counters().packets.read(), 3U);
  EXPECT_EQ(lab.sink.home.size(), 3U);
  EXPECT_EQ(lab.tun.posted(0), 0U);
}

TEST_P(VhostBatch, KeepsPacketsForWhichThereIsNoBuffer) {
  VhostLab lab{8, 4, GetParam()};
  lab.post(2);
  lab.worker.kick().take();
  lab.send(5);
  lab.worker.receive();
  EXPECT_THAT(lab.received(), ElementsAre(0, 1));
  EXPECT_EQ(lab.tun.posted(0), 3U);
  EXPECT_EQ(lab.worker.counters().no_buffer.read(), 1U);
  EXPECT_FALSE(lab.worker.kick().pending());
  lab.post(2);
  EXPECT_TRUE(lab.worker.kick().pending());
  lab.worker.receive();
  EXPECT_THAT(lab.received(), ElementsAre(2, 3));
  lab.post(2);
  lab.worker.receive();
  EXPECT_THAT(lab.received(), ElementsAre(4));
  EXPECT_EQ(lab.tun.posted(0), 0U);
}

TEST(VhostWorker, TakesABatchOutOfTheRingBeforeTheGuestHasBuffers) {
  VhostLab one{4, 4, 1};
  VhostLab many{4, 4, 64};
  for (VhostLab* lab : {&one, &many}) {
    lab->send(4);
    lab->worker.receive();
  }
  EXPECT_EQ(one.worker.in_hand(), 0U);
  EXPECT_EQ(many.worker.in_hand(), 4U);
  EXPECT_EQ(one.send(4), 0U);
  EXPECT_EQ(many.send(4), 4U);
  EXPECT_EQ(many.tun.posted(0), 8U);
}

TEST(VhostWorker, DiscardsWhatDoesNotFitAndUsesTheBufferForTheNext) {
  VhostLab lab{4, 4, 64, 71};  // 12 bytes of header and 60 of packet need 72
  lab.post(2);
  lab.send(2);
  lab.worker.receive();
  EXPECT_THAT(lab.received(), IsEmpty());
  EXPECT_EQ(lab.worker.counters().truncated.read(), 2U);
  EXPECT_EQ(lab.tx_queue.totals().dropped, 2U);
  EXPECT_EQ(lab.tun.posted(0), 0U);
}

TEST(VhostWorker, EndsWhenTheGuestBreaksTheRing) {
  VhostLab lab{4, 4, 64};
  lab.send(1);
  lab.ring.avail_index().store(100, smp::release);
  lab.worker.receive();
  EXPECT_TRUE(lab.worker.broken());
  lab.worker.run();  // returns
}

// Every packet is in one place: dropped, in the ring or the worker's hand, or with the guest.
TEST_P(VhostBatch, LosesNoPacketWhateverHappens) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    VhostLab lab{40, 16, GetParam()};
    Prng prng{seed};
    std::uint64_t accepted = 0;
    std::uint64_t got = 0;
    std::uint64_t last = 0;
    for (int step = 0; step < 5'000; ++step) {
      switch (prng.below(3)) {
        case 0:
          accepted += lab.send(prng.below(20));
          break;
        case 1:
          lab.post(prng.below(static_cast<std::uint32_t>(lab.driver.free()) + 1));
          break;
        default:
          lab.worker.receive();
          for (const std::uint64_t number : lab.received()) {
            EXPECT_TRUE(got == 0 || number > last);
            last = number;
            ++got;
          }
      }
      const auto totals = lab.tx_queue.totals();
      ASSERT_EQ(lab.sent, accepted + totals.dropped);
      ASSERT_EQ(accepted, totals.packets + lab.tun.posted(0));
      ASSERT_EQ(lab.worker.counters().packets.read(), totals.packets);
    }
    EXPECT_GT(got, 0U);
  }
}

}  // namespace
}  // namespace qdiscsim
