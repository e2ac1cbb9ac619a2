// A wire under a clock that the test moves: what leaves when, who is stopped, who is woken.
#include "qdisc/wire_link.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "base/smp_native.h"
#include "qdisc/device.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;
using Ring = PtrRing<Smp>;
using Packet = Skb<Smp>;

constexpr std::uint64_t kGigabit = 1'000'000'000;
constexpr Nanoseconds kStart = kSecond;

// Lends packets and takes them back.
class Lender final : public SkbSink<Smp> {
 public:
  Packet* lend(std::uint32_t priority, std::uint32_t len = 60) {
    if (idle_.empty()) idle_.push_back(&all_.emplace_back());
    Packet* skb = idle_.back();
    idle_.pop_back();
    skb->priority = priority;
    skb->len = len;
    skb->timestamp = Smp::now();
    return skb;
  }
  void consume(Packet* skb, CpuId /*cpu*/) noexcept override {
    idle_.push_back(skb);
    ++consumed;
  }
  std::uint64_t consumed = 0;

 private:
  std::deque<Packet> all_;
  std::vector<Packet*> idle_;
};

class WireLinkTest : public testing::Test {
 protected:
  void make(std::uint32_t ring, std::uint32_t queues = 1, std::uint32_t bql_max = 0) {
    ManualClock::set(kStart);
    DeviceOptions options;
    options.queues = queues;
    options.qdisc.limit = 100;
    options.qdisc.cpus = 1;
    options.bql_max = bql_max;
    device_ = std::make_unique<Device<Smp, Ring>>(
        options, std::make_unique<WireLink<Smp>>(lender_, kGigabit, ring, queues), lender_);
  }
  Verdict send(std::uint32_t priority = 0, std::uint32_t len = 60, std::uint16_t queue = 0) {
    Packet* skb = lender_.lend(priority, len);
    skb->queue_mapping = queue;
    const Verdict verdict = device_->queue_xmit(cpu_, skb);
    cpu_.run_softirqs();
    return verdict;
  }
  bool poll() {
    const bool worked = device_->poll(cpu_, Smp::now());
    cpu_.run_softirqs();
    return worked;
  }
  const TxQueue<Smp>& queue(std::uint16_t index = 0) { return device_->tx_queue(index); }
  // What had left the wire by now, the completion's delay of a quarter of the ring set aside.
  std::uint64_t completed() { return queue().totals().packets; }

  Lender lender_;
  Cpu<Smp> cpu_{0};
  std::unique_ptr<Device<Smp, Ring>> device_;
};

TEST_F(WireLinkTest, CompletesAPacketWhenItsLastBitHasLeft) {
  make(8);
  EXPECT_EQ(device_->next_interrupt(), Link<Smp>::kNever);
  send();
  EXPECT_EQ(device_->link().posted(0), 1U);
  EXPECT_EQ(device_->next_interrupt(), kStart + 672);
  ManualClock::set(kStart + 671);
  EXPECT_FALSE(poll());
  ManualClock::set(kStart + 672);
  EXPECT_TRUE(poll());
  EXPECT_EQ(completed(), 1U);
  EXPECT_EQ(queue().totals().bytes, 60U);
  EXPECT_EQ(device_->link().posted(0), 0U);
  EXPECT_EQ(device_->next_interrupt(), Link<Smp>::kNever);
}

TEST_F(WireLinkTest, StopsTheQueueWithTheLastDescriptorAndWakesItAtAQuarter) {
  make(16);
  for (int i = 0; i < 15; ++i) send();
  EXPECT_FALSE(queue().stopped());
  send();
  EXPECT_TRUE(queue().stopped());
  send();
  EXPECT_EQ(device_->link().posted(0), 16U);
  ManualClock::set(kStart + 3 * 672);
  poll();
  EXPECT_TRUE(queue().stopped()) << "three of sixteen are free";
  ManualClock::set(kStart + 4 * 672);
  EXPECT_TRUE(poll());
  EXPECT_FALSE(queue().stopped());
  // The wake ran the qdisc: the packet that waited is posted.
  EXPECT_EQ(device_->link().posted(0), 13U);
  EXPECT_EQ(queue().stopped_ns(Smp::now()), 4U * 672U);
}

TEST_F(WireLinkTest, RaisesOneInterruptForAQuarterOfTheRing) {
  make(16);
  for (int i = 0; i < 10; ++i) send();
  EXPECT_EQ(device_->next_interrupt(), kStart + 4 * 672);
  ManualClock::set(kStart + 8 * 672);
  poll();
  EXPECT_EQ(device_->next_interrupt(), kStart + 10 * 672) << "only two are left";
}

TEST_F(WireLinkTest, StopsTheStackAtTheByteLimitAndWakesItOnCompletion) {
  make(64, 1, Bql<Smp>::kMaxLimit);
  send(0, 1500);
  EXPECT_TRUE(queue().stopped());
  EXPECT_FALSE(queue().stopped_by_driver());
  send(0, 1500);
  EXPECT_EQ(device_->link().posted(0), 1U);
  ManualClock::advance((1500 + 24) * 8);
  EXPECT_TRUE(poll());
  EXPECT_EQ(completed(), 1U);
  EXPECT_EQ(device_->link().posted(0), 1U) << "the second was posted by the wake";
  EXPECT_GE(queue().bql.limit_bytes(), 1500U) << "the wire ran dry: the limit grew";
}

TEST_F(WireLinkTest, SharesTheWireAmongItsQueuesInOrderOfPosting) {
  make(16, 2);
  send(0, 60, 0);
  send(0, 60, 1);
  send(0, 60, 0);
  ManualClock::set(kStart + 2 * 672);
  EXPECT_EQ(device_->link().interrupt_at(1), kStart + 2 * 672);
  EXPECT_EQ(device_->link().interrupt_at(0), kStart + 3 * 672);
}

TEST_F(WireLinkTest, TakesANewRateForThePacketsThatFollow) {
  make(16);
  send();
  device_->link().set_rate(kGigabit / 10);
  EXPECT_EQ(device_->link().rate(), kGigabit / 10);
  send();
  EXPECT_EQ(device_->next_interrupt(), kStart + 672 + 6720);
}

TEST_F(WireLinkTest, MakesUpForTheTimeThatTheHostCameLate) {
  make(8);
  for (int i = 0; i < 20; ++i) send();  // 8 posted, 12 wait
  ManualClock::set(kStart + 30 * 672);  // the wire ran dry after eight
  EXPECT_EQ(completed(), 0U);
  while (completed() < 20) ASSERT_TRUE(poll());  // as if it had been fed in time
  EXPECT_EQ(device_->link().catch_up_ns(), 12U * 672U);
  // The next one is new: the time that the wire stood idle is lost to it.
  send();
  EXPECT_EQ(device_->next_interrupt(), kStart + 31 * 672);
  EXPECT_EQ(device_->link().catch_up_ns(), 12U * 672U);
}

TEST_F(WireLinkTest, GivesEverythingBackWhenItsRingsAreFlushed) {
  make(8);
  for (int i = 0; i < 20; ++i) send();
  device_->deactivate(
      cpu_, [](void*) {}, nullptr);
  device_->flush_rings(cpu_);
  EXPECT_EQ(lender_.consumed, 20U);
  EXPECT_EQ(broken_law(device_->account(0, true)), "");
}

// Senders offer more than the wire takes, band 0 a tenth of it. The completion looks every quarter
// of the ring. Five seconds of wire time.
TEST_F(WireLinkTest, LeavesExactlyAtLineRateUnderOverload) {
  make(256, 1, Bql<Smp>::kMaxLimit);
  constexpr Nanoseconds kStep = 16 * 672;
  std::uint64_t urgent_drops = 0;
  std::uint64_t drops = 0;
  std::uint64_t before_second = 0;
  for (Nanoseconds second = 1; second <= 5; ++second) {
    while (Smp::now() < kStart + second * kSecond) {
      for (int i = 0; i < 20; ++i) {
        const bool urgent = i % 10 == 0;
        if (send(urgent ? 6 : 0) != Verdict::kOk) ++(urgent ? urgent_drops : drops);
      }
      ManualClock::advance(kStep);
      poll();
    }
    // All that has left by now, also what no interrupt has reported yet.
    const Nanoseconds now = Smp::now();
    const std::uint64_t left = completed() + device_->link().posted(0);
    // The newest departure lies ahead by what is posted: count back from it.
    const std::uint64_t by_rate = (now - kStart) / 672;
    EXPECT_NEAR(static_cast<double>(completed()), static_cast<double>(by_rate), 64.0);
    EXPECT_GE(left, by_rate) << "the wire was never idle";
    EXPECT_NEAR(static_cast<double>(completed() - before_second), 1'488'095.0, 80.0);
    before_second = completed();
  }
  EXPECT_EQ(urgent_drops, 0U);
  EXPECT_GT(drops, 0U);
  // Only while the byte limit grew did the wire wait for the stack.
  EXPECT_LT(device_->link().catch_up_ns(), kMillisecond);
  EXPECT_EQ(broken_law(device_->account(0, true)), "");
}

}  // namespace
}  // namespace qdiscsim
