#include "qdisc/pfifo_fast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/qdisc/fifo_lab.h"

namespace qdiscsim {
namespace {

using test::Fifo;
using test::kBand0;
using test::kBand1;
using test::kBand2;
using test::kNothingLost;
using Packet = Fifo::Packet;

class PfifoFastTest : public test::FifoLab {};

TEST_F(PfifoFastTest, LimitsEachBandByItself) {
  Fifo fifo{4, 1, 0};
  EXPECT_EQ(fill(fifo, 5, kBand1), 4);
  EXPECT_EQ(fill(fifo, 5, kBand0), 4);
  EXPECT_EQ(fill(fifo, 5, kBand2), 4);
  EXPECT_EQ(fifo.count_ring(1), 4U);
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
  ASSERT_TRUE(fifo.resize(4, 0, kNothingLost));
  EXPECT_EQ(fifo.limit(), 4U);
  for (const std::uint32_t priority : {kBand0, kBand1, kBand2}) {
    EXPECT_EQ(fill(fifo, 5, priority), 4);
  }
}

TEST_F(PfifoFastTest, DropsEverythingWithALimitOfZeroSetLater) {
  Fifo fifo{8, 1, 0};
  ASSERT_TRUE(fifo.resize(0, 0, kNothingLost));
  EXPECT_EQ(fill(fifo, 3, kBand1), 0);
  EXPECT_EQ(fifo.dequeue(0), nullptr);
}

TEST_F(PfifoFastTest, TimesEachPacketOfABandWhenAllAreAskedFor) {
  Fifo fifo{64, 1, 1};
  ManualClock::set(kSecond);
  ASSERT_EQ(fill(fifo, 16, kBand1), 16);
  ManualClock::advance(15'000);
  for (int i = 0; i < 16; ++i) ASSERT_NE(fifo.dequeue(0), nullptr);
  const Recording sojourn = fifo.sojourn(1);
  EXPECT_EQ(sojourn.count, 16U);
  EXPECT_EQ(sojourn.sum, 16U * 15'000U);
  EXPECT_EQ(sojourn.max, 15'000U);
  EXPECT_EQ(fifo.sojourn(0).count + fifo.sojourn(2).count, 0U);
}

TEST_F(PfifoFastTest, TimesAboutOneInNPacketsWhateverTheirPattern) {
  Fifo fifo{64, 1, 4};
  ManualClock::set(kSecond);
  // Batches of four, of which the last waits longest: every fourth packet would see one of them.
  for (int batch = 0; batch < 4'000; ++batch) {
    ASSERT_EQ(fill(fifo, 4, kBand1), 4);
    for (int i = 0; i < 4; ++i) {
      ManualClock::advance(1'000);
      ASSERT_NE(fifo.dequeue(0), nullptr);
    }
  }
  const Recording sojourn = fifo.sojourn(1);
  EXPECT_NEAR(static_cast<double>(sojourn.count), 4'000, 300);
  EXPECT_NEAR(sojourn.mean(), 2'500, 100);
}

TEST_F(PfifoFastTest, TimesNothingWhenSamplingIsOff) {
  Fifo fifo{64, 1, 0};
  ManualClock::set(kSecond);
  fill(fifo, 16, kBand1);
  while (fifo.dequeue(0) != nullptr) {
  }
  EXPECT_EQ(fifo.sojourn(1).count, 0U);
  fifo.set_sojourn_sample(1);
  for (std::uint64_t i = 0; i < Sampler::kLook; ++i) {
    fill(fifo, 1, kBand1);
    ASSERT_NE(fifo.dequeue(0), nullptr);
  }
  EXPECT_GE(fifo.sojourn(1).count, 1U) << "the change is live";
}

}  // namespace
}  // namespace qdiscsim
