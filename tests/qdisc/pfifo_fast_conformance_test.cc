// What pfifo_fast itself answers and counts: limits, order, peek, resize.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/qdisc/fifo_lab.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Fifo;
using test::kBand0;
using test::kBand1;
using test::kBand2;
using test::kNothingLost;
using test::Lab;
using Ring = PtrRing<smp::NativeManual>;
using Packet = Fifo::Packet;

class PfifoFastConformance : public test::FifoLab {};

TEST_F(PfifoFastConformance, Check04_TheFifthPacketToABlockedBandOfFourIsDropped) {
  DeviceOptions options = Lab::with_limit(4);
  options.qdisc.can_bypass = false;
  Lab lab{options};
  lab.stop();
  EXPECT_EQ(lab.send_many(4, kBand1), 4);
  EXPECT_EQ(lab.send_one(kBand1), Verdict::kDrop);
  EXPECT_EQ(lab.account().bands[1].dropped_overlimit, 1U);
  EXPECT_EQ(lab.counters(), (Lab::Counters{.drops = 1, .qlen = 4, .backlog = 240}))
      << "overlimits and bytes do not count a drop";
  // A full band is not the others' affair.
  EXPECT_EQ(lab.send_many(5, kBand0), 4);
  EXPECT_EQ(lab.send_many(5, kBand2), 4);
  EXPECT_EQ(lab.counters().drops, 3U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST_F(PfifoFastConformance, Check05_ALimitOfZeroIsRefusedAtTheStart) {
  EXPECT_THROW((Fifo{0, 1, 0}), std::invalid_argument);
}

TEST_F(PfifoFastConformance, Check06_AFullBandStaysFullUntilSixteenWereTaken) {
  Fifo fifo{64, 1, 0};
  ASSERT_EQ(fill(fifo, 64, kBand1), 64);
  fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 1, kBand1), 0);
  for (int i = 0; i < 15; ++i) fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 17, kBand1), 16);
}

TEST_F(PfifoFastConformance, Check07_ASmallBandGivesBackEachSlotAtOnce) {
  Fifo fifo{16, 1, 0};
  ASSERT_EQ(fill(fifo, 16, kBand1), 16);
  fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 2, kBand1), 1);
}

TEST_F(PfifoFastConformance, Check08_TheFirstBandEmptiesFirstAndEachBandInOrder) {
  Fifo fifo{16, 1, 0};
  std::vector<Packet*> expected(9);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& [priority, band] : {std::pair{kBand2, 2}, {kBand1, 1}, {kBand0, 0}}) {
      Packet* skb = make(priority);
      expected[static_cast<std::size_t>(band) * 3 + i] = skb;
      ASSERT_TRUE(fifo.enqueue(skb, 0));
    }
  }
  for (Packet* skb : expected) EXPECT_EQ(fifo.dequeue(0), skb);
  EXPECT_EQ(fifo.dequeue(0), nullptr);
}

TEST_F(PfifoFastConformance, Check09_PeekShowsTheSamePacketAgainAndCountsNothing) {
  Fifo fifo{16, 1, 0};
  EXPECT_EQ(fifo.peek(), nullptr);
  fill(fifo, 1, kBand2);
  Packet* first = make(kBand0);
  ASSERT_TRUE(fifo.enqueue(first, 0));
  EXPECT_EQ(fifo.peek(), first);
  EXPECT_EQ(fifo.peek(), first);
  EXPECT_EQ(fifo.account(0).dequeued, 0U);
  EXPECT_EQ(fifo.account(0).enqueued, 1U);
}

// Fails at its third call.
int allocations_of_check_15 = 0;
std::unique_ptr<Ring::Slot[]> third_one_fails(std::size_t size) {
  return ++allocations_of_check_15 % 3 == 0 ? nullptr : std::make_unique<Ring::Slot[]>(size);
}

TEST_F(PfifoFastConformance, Check15_NoBandChangesWhenMemoryForTheLastOneIsMissing) {
  Fifo fifo{4, 1, 0};
  EXPECT_FALSE(fifo.resize(100, 0, kNothingLost, &third_one_fails));
  EXPECT_EQ(fifo.limit(), 4U);
  for (const std::uint32_t priority : {kBand0, kBand1, kBand2}) {
    EXPECT_EQ(fill(fifo, 5, priority), 4);
  }
}

}  // namespace
}  // namespace qdiscsim
