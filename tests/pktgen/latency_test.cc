// How long packets take from when they were due until they have left, under a clock that the test
// holds: late generators, dropped packets, a link that sends later.
#include <gtest/gtest.h>

#include "qdisc/wire_link.h"
#include "ring/ptr_ring.h"
#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

constexpr Nanoseconds kMillisecond = 1'000 * kMicrosecond;

class LatencyTest : public test::GeneratorTest {
 protected:
  static GeneratorSettings every_millisecond(std::uint32_t sample = 1) {
    GeneratorSettings settings;
    settings.period = Pacer::delay(kMillisecond);
    settings.latency_sample = sample;
    return settings;
  }
  // As run() does with a thread that is never preempted.
  void send_punctually(int packets) {
    for (int i = 0; i < packets; ++i) {
      ASSERT_TRUE(generator_->step());
      ManualClock::advance(kMillisecond);
    }
  }
};

TEST_F(LatencyTest, IsNothingForAPacketThatLeavesWhenItIsDue) {
  start(every_millisecond());
  send_punctually(50);
  const Recording latency = generator_->latency();
  EXPECT_EQ(latency.count, 50U);
  EXPECT_EQ(latency.max, 0U);
}

// Coordinated omission would show one slow packet: the first one after the pause. Each of the
// hundred that were due meanwhile waited, the first 100 ms, the last 1 ms.
TEST_F(LatencyTest, OfAGeneratorThatStoodStillIsARampAndNotOneSlowPacket) {
  start(every_millisecond());
  send_punctually(100);
  ManualClock::advance(100 * kMillisecond);
  while (generator_->step()) {
  }
  const Recording latency = generator_->latency();
  ASSERT_EQ(latency.count, 201U) << "100, then those due from 100 to 200 ms";
  EXPECT_EQ(latency.max, 100 * kMillisecond);
  EXPECT_EQ(latency.sum, 5'050 * kMillisecond) << "100 + 99 + ... + 1";
  EXPECT_EQ(latency.at_most(kMillisecond / 2), 101U);
  EXPECT_NEAR(static_cast<double>(latency.quantile(0.75)), 50e6, 2e6);
}

TEST_F(LatencyTest, CountsFromTheDueTimeWhenMemoryWasShort) {
  start(every_millisecond());
  while (Page<Smp>* page = pool_.alloc()) held_.push_back(page);
  ASSERT_TRUE(generator_->step());
  EXPECT_EQ(counters().no_memory.read(), 1U);
  ManualClock::advance(7 * kMillisecond);
  for (Page<Smp>* page : held_) pool_.put(page, 0);
  ASSERT_TRUE(generator_->step());
  EXPECT_EQ(generator_->latency().max, 7 * kMillisecond);
}

TEST_F(LatencyTest, LeavesOutPacketsThatWereDropped) {
  Device<Smp, PtrRing<Smp>> device{
      DeviceOptions{}, std::make_unique<WireLink<Smp>>(memory_, 1'000'000'000, 8, 1), memory_};
  device.deactivate(
      cpu_, [](void*) {}, nullptr);
  Generator<Smp> generator{cpu_, device, pool_, memory_, epoch_, every_millisecond()};
  generator.start();
  ManualClock::advance(20 * kMillisecond);
  while (generator.step()) {
  }
  EXPECT_EQ(generator.counters().errors.read(), 21U);
  EXPECT_EQ(generator.latency().count, 0U);
  generator.finish();
}

TEST_F(LatencyTest, OfAWireReachesToItsLastBitAndKnowsThatTheHostWasLate) {
  Device<Smp, PtrRing<Smp>> device{
      DeviceOptions{}, std::make_unique<WireLink<Smp>>(memory_, 1'000'000'000, 8, 1), memory_};
  Generator<Smp> generator{cpu_, device, pool_, memory_, epoch_, every_millisecond()};
  generator.start();
  generator.step();
  ManualClock::advance(kMillisecond);
  generator.step();
  ManualClock::advance(kMicrosecond);
  device.poll(cpu_, Smp::now());
  EXPECT_EQ(generator.latency().count, 2U);
  EXPECT_EQ(generator.latency().max, 672U) << "84 bytes at 1 Gbit/s";
  ManualClock::advance(6 * kMillisecond);
  while (generator.step()) {
  }
  ManualClock::advance(kMillisecond);
  device.poll(cpu_, Smp::now());
  generator.finish();
  // Due at 2 .. 7 ms, sent at 7.001 ms; the wire makes up for it, the packet was late all the same.
  const Recording latency = generator.latency();
  EXPECT_EQ(latency.count, 8U);
  EXPECT_EQ(latency.max, 5 * kMillisecond + kMicrosecond);
  EXPECT_EQ(latency.at_most(kMillisecond / 2), 3U);
}

TEST_F(LatencyTest, IsCountedFromTheBuildingOfThePacketWithoutASchedule) {
  GeneratorSettings settings;
  settings.latency_sample = 1;
  start(settings);
  device_.on_call = [] { ManualClock::advance(300); };
  for (int i = 0; i < 20; ++i) generator_->step();
  const Recording latency = generator_->latency();
  EXPECT_EQ(latency.count, 20U);
  EXPECT_EQ(latency.sum, 20U * 300U);
}

TEST_F(LatencyTest, OfASampleHasTheSameShape) {
  start(every_millisecond(8));
  for (int round = 0; round < 200; ++round) {
    ManualClock::advance(100 * kMillisecond);
    while (generator_->step()) {
    }
  }
  const Recording latency = generator_->latency();
  EXPECT_NEAR(static_cast<double>(latency.count), 20'000.0 / 8, 150);
  EXPECT_NEAR(latency.mean(), 49.5e6, 2e6) << "0 to 99 ms, all as often";
  EXPECT_NEAR(static_cast<double>(latency.quantile(0.9)), 90e6, 3e6);
}

TEST_F(LatencyTest, IsNotMeasuredWhenOffNorOfCopiesOfOnePacket) {
  start(every_millisecond(0));
  send_punctually(1'000);
  EXPECT_EQ(generator_->latency().count, 0U);
  GeneratorSettings copies = every_millisecond();
  copies.mode = TransmitMode::kStartXmit;
  copies.burst = 4;
  generator_->finish();
  start(copies);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(generator_->step());
    ManualClock::advance(4 * kMillisecond);
  }
  EXPECT_EQ(counters().sent.read(), 80U);
  EXPECT_EQ(generator_->latency().count, 0U);
}

}  // namespace
}  // namespace qdiscsim
