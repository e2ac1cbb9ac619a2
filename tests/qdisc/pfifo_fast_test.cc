#include "qdisc/pfifo_fast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/smp_native.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;
using Ring = PtrRing<Smp>;
using Fifo = PfifoFast<Smp, Ring>;
using Packet = Skb<Smp>;

constexpr std::uint32_t kBand0 = 6;
constexpr std::uint32_t kBand1 = 0;
constexpr std::uint32_t kBand2 = 2;

class PfifoFastTest : public testing::Test {
 protected:
  Packet* make(std::uint32_t priority, std::uint32_t len = 60) {
    Packet& skb = packets_.emplace_back();
    skb.priority = priority;
    skb.len = len;
    return &skb;
  }
  // How many of count the band took.
  int fill(Fifo& fifo, int count, std::uint32_t priority) {
    int taken = 0;
    for (int i = 0; i < count; ++i) taken += fifo.enqueue(make(priority), 0) ? 1 : 0;
    return taken;
  }

 private:
  std::deque<Packet> packets_;
};

TEST_F(PfifoFastTest, LimitsEachBandByItself) {
  Fifo fifo{4, 1, 0};
  EXPECT_EQ(fill(fifo, 5, kBand1), 4);
  EXPECT_EQ(fill(fifo, 5, kBand0), 4);
  EXPECT_EQ(fill(fifo, 5, kBand2), 4);
  EXPECT_EQ(fifo.count_ring(1), 4U);
}

TEST_F(PfifoFastTest, RefusesALimitOfZeroAtTheStart) {
  EXPECT_THROW((Fifo{0, 1, 0}), std::invalid_argument);
}

TEST_F(PfifoFastTest, LeavesAFullBandFullUntilABatchOfSixteenWasTaken) {
  Fifo fifo{64, 1, 0};
  ASSERT_EQ(fill(fifo, 64, kBand1), 64);
  fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 1, kBand1), 0);
  for (int i = 0; i < 15; ++i) fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 17, kBand1), 16);
}

TEST_F(PfifoFastTest, GivesBackEachSlotOfASmallBandAtOnce) {
  Fifo fifo{16, 1, 0};
  ASSERT_EQ(fill(fifo, 16, kBand1), 16);
  fifo.dequeue(0);
  EXPECT_EQ(fill(fifo, 2, kBand1), 1);
}

TEST_F(PfifoFastTest, EmptiesTheFirstBandFirstAndEachBandInOrder) {
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

TEST_F(PfifoFastTest, PeeksAtTheSamePacketAndCountsNothing) {
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

TEST_F(PfifoFastTest, CountsPacketsAndBytesByBand) {
  Fifo fifo{2, 1, 0};
  ASSERT_TRUE(fifo.enqueue(make(kBand1, 100), 0));
  ASSERT_TRUE(fifo.enqueue(make(kBand1, 30), 0));
  ASSERT_FALSE(fifo.enqueue(make(kBand1, 9), 0));
  fifo.count_drops(1, 1, 0);
  fifo.dequeue(0);
  const BandAccount band = fifo.account(1);
  EXPECT_EQ(band.enqueued, 2U);
  EXPECT_EQ(band.enqueued_bytes, 130U);
  EXPECT_EQ(band.dequeued, 1U);
  EXPECT_EQ(band.dequeued_bytes, 100U);
  EXPECT_EQ(band.dropped_overlimit, 1U);
  EXPECT_EQ(band.sent(), 1U);
  EXPECT_EQ(fifo.account(0).enqueued, 0U);
}

TEST_F(PfifoFastTest, PurgesEveryPacketOnceAndDropsNone) {
  Fifo fifo{8, 1, 0};
  for (const std::uint32_t priority : {kBand0, kBand1, kBand2}) fill(fifo, 5, priority);
  fifo.dequeue(0);
  std::vector<Packet*> gone;
  fifo.purge(0, [&](Packet* skb) { gone.push_back(skb); });
  EXPECT_EQ(gone.size(), 14U);
  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(std::unique(gone.begin(), gone.end()), gone.end());
  for (std::size_t band = 0; band < kBandCount; ++band) {
    const BandAccount account = fifo.account(band);
    EXPECT_EQ(account.enqueued, account.dequeued);
    EXPECT_EQ(account.enqueued_bytes, account.dequeued_bytes);
    EXPECT_EQ(account.dropped(), 0U);
    EXPECT_EQ(account.sent(), band == 0 ? 1U : 0U);
  }
  EXPECT_EQ(fifo.dequeue(0), nullptr);
}

TEST_F(PfifoFastTest, ResizesAllBandsAtOnce) {
  Fifo fifo{8, 1, 0};
  ASSERT_TRUE(fifo.resize(4));
  EXPECT_EQ(fifo.limit(), 4U);
  for (const std::uint32_t priority : {kBand0, kBand1, kBand2}) {
    EXPECT_EQ(fill(fifo, 5, priority), 4);
  }
}

TEST_F(PfifoFastTest, DropsEverythingWithALimitOfZeroSetLater) {
  Fifo fifo{8, 1, 0};
  ASSERT_TRUE(fifo.resize(0));
  EXPECT_EQ(fill(fifo, 3, kBand1), 0);
  EXPECT_EQ(fifo.dequeue(0), nullptr);
}

// Fails at its third call.
int allocations = 0;
std::unique_ptr<Ring::Slot[]> third_one_fails(std::size_t size) {
  return ++allocations % 3 == 0 ? nullptr : std::make_unique<Ring::Slot[]>(size);
}

TEST_F(PfifoFastTest, ChangesNoBandWhenMemoryForTheLastOneIsMissing) {
  Fifo fifo{4, 1, 0};
  EXPECT_FALSE(fifo.resize(100, &third_one_fails));
  EXPECT_EQ(fifo.limit(), 4U);
  for (const std::uint32_t priority : {kBand0, kBand1, kBand2}) {
    EXPECT_EQ(fill(fifo, 5, priority), 4);
  }
}

TEST_F(PfifoFastTest, TimesEveryNthPacketOfABand) {
  Fifo fifo{64, 1, 4};
  ManualClock::set(kSecond);
  ASSERT_EQ(fill(fifo, 16, kBand1), 16);
  ManualClock::advance(15'000);
  for (int i = 0; i < 16; ++i) ASSERT_NE(fifo.dequeue(0), nullptr);
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i <= kSojournBounds.size(); ++i) samples += fifo.sojourn_bucket(1, i);
  EXPECT_EQ(samples, 4U);
  EXPECT_EQ(fifo.sojourn_bucket(1, 4), 4U);  // up to 20 microseconds
  EXPECT_EQ(fifo.sojourn_sum(1), 4U * 15'000U);
}

TEST_F(PfifoFastTest, TimesNothingWhenSamplingIsOff) {
  Fifo fifo{64, 1, 0};
  fill(fifo, 16, kBand1);
  while (fifo.dequeue(0) != nullptr) {
  }
  for (std::size_t i = 0; i <= kSojournBounds.size(); ++i) EXPECT_EQ(fifo.sojourn_bucket(1, i), 0U);
}

}  // namespace
}  // namespace qdiscsim
