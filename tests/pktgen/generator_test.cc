// A generator against a device that answers as it is told, one step at a time.
#include "pktgen/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;
using testing::ElementsAre;

using test::GeneratorTest;

TEST_F(GeneratorTest, SendsWhatItsTrafficSays) {
  GeneratorSettings settings;
  settings.traffic.size = {60, 62};
  settings.traffic.priority = {{6, 1}};
  settings.traffic.queue = {0, 1};
  start(settings);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(generator_->step());
  EXPECT_THAT(sequences(), ElementsAre(1, 2, 3, 4));
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> queues;
  for (const auto& seen : device_.seen) {
    lengths.push_back(seen.len);
    queues.push_back(seen.queue);
    EXPECT_EQ(seen.priority, 6U);
  }
  EXPECT_THAT(lengths, ElementsAre(60, 61, 62, 60));
  EXPECT_THAT(queues, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(counters().sent_bytes.read(), 243U);
}

TEST_F(GeneratorTest, CountsCongestionAsAnError) {
  start({});
  device_.script = {Verdict::kCongested};
  generator_->step();
  EXPECT_EQ(counters().errors.read(), 1U);
  EXPECT_EQ(counters().sent.read(), 0U);
}

TEST_F(GeneratorTest, GoesOnInAClonesBurstWhereTheDriverStopped) {
  GeneratorSettings settings;
  settings.mode = TransmitMode::kStartXmit;
  settings.burst = 4;
  start(settings);
  device_.script = {Verdict::kOk, Verdict::kBusy, Verdict::kOk, Verdict::kOk, Verdict::kOk};
  for (int i = 0; i < 3; ++i) generator_->step();
  EXPECT_THAT(device_.calls, ElementsAre(4, 3, 4));
  EXPECT_THAT(sequences(), ElementsAre(1, 1, 1, 1, 5, 5, 5, 5));
  EXPECT_EQ(counters().sent.read(), 8U);
}

TEST_F(GeneratorTest, DeliversToTheStackInReceiveMode) {
  GeneratorSettings settings;
  settings.mode = TransmitMode::kNetifReceive;
  settings.burst = 5;
  start(settings);
  generator_->step();
  generator_->step();
  EXPECT_THAT(device_.calls, ElementsAre(5, 5));
  EXPECT_EQ(counters().sent.read(), 10U);
  EXPECT_EQ(counters().offered.read(), 10U);
}

TEST_F(GeneratorTest, KeepsItsScheduleAndShowsHowFarItIsBehind) {
  GeneratorSettings settings;
  settings.period = Pacer::packets_per_second(1'000'000);
  start(settings);
  EXPECT_EQ(counters().due.load(smp::relaxed), kStart);
  EXPECT_TRUE(generator_->step());
  EXPECT_FALSE(generator_->step()) << "the next is due in a microsecond";
  EXPECT_EQ(counters().due.load(smp::relaxed), kStart + 1'000);
  ManualClock::advance(5'500);
  int sent = 0;
  while (generator_->step()) ++sent;
  EXPECT_EQ(sent, 5) << "it catches up";
  EXPECT_EQ(counters().most_behind.load(smp::relaxed), 4'500U);
  // Each packet carries the time at which it was due.
  EXPECT_EQ(device_.seen[5].timestamp, kStart + 5'000);
}

TEST_F(GeneratorTest, CountsALostPacketAsSentOnItsSchedule) {
  GeneratorSettings settings;
  settings.period = Pacer::delay(1'000);
  start(settings);
  device_.script = {Verdict::kDrop};
  EXPECT_TRUE(generator_->step());
  EXPECT_FALSE(generator_->step());
}

TEST_F(GeneratorTest, SendsNothingWhenItsShareOfTheRateIsNothing) {
  GeneratorSettings settings;
  settings.period = Pacer::delay(Pacer::kNever);
  start(settings);
  ManualClock::advance(1'000'000 * kSecond);
  EXPECT_FALSE(generator_->step());
  EXPECT_TRUE(device_.calls.empty());
}

TEST_F(GeneratorTest, HandsOverListsOfEnqueueBurstPackets) {
  GeneratorSettings settings;
  settings.enqueue_burst = 32;
  settings.count = 40;
  start(settings);
  step_until_count(40);
  EXPECT_THAT(device_.calls, ElementsAre(32, 8)) << "the count is not overshot";
  EXPECT_EQ(counters().offered.read(), 40U);
  EXPECT_EQ(sequences().back(), 40U);
}

TEST_F(GeneratorTest, CountsTheRestOfAListAsErrors) {
  GeneratorSettings settings;
  settings.enqueue_burst = 8;
  start(settings);
  device_.accept_of_list = 3;
  generator_->step();
  EXPECT_EQ(counters().offered.read(), 8U);
  EXPECT_EQ(counters().sent.read(), 3U);
  EXPECT_EQ(counters().errors.read(), 5U);
  EXPECT_EQ(counters().sent_bytes.read(), 180U);
}

TEST_F(GeneratorTest, SendsAListToOneQueueEvenWhenTheTrafficChangesQueues) {
  GeneratorSettings settings;
  settings.enqueue_burst = 4;
  settings.traffic.queue = {0, 3};
  start(settings);
  generator_->step();
  for (const auto& seen : device_.seen) EXPECT_EQ(seen.queue, device_.seen[0].queue);
}

TEST_F(GeneratorTest, CountsMissingMemoryAndTriesAgain) {
  for (const TransmitMode mode :
       {TransmitMode::kQueueXmit, TransmitMode::kStartXmit, TransmitMode::kNetifReceive}) {
    GeneratorSettings settings;
    settings.mode = mode;
    start(settings);
    while (Page<Smp>* page = pool_.alloc()) held_.push_back(page);
    EXPECT_TRUE(generator_->step());
    EXPECT_EQ(counters().no_memory.read(), 1U);
    EXPECT_EQ(counters().offered.read(), 0U);
    for (Page<Smp>* page : held_) pool_.put(page, 0);
    held_.clear();
    EXPECT_TRUE(generator_->step());
    EXPECT_EQ(counters().sent.read(), 1U);
    generator_->finish();
  }
}

TEST_F(GeneratorTest, SendsAShorterListWhenMemoryRunsOut) {
  GeneratorSettings settings;
  settings.enqueue_burst = 32;
  start(settings);
  while (Page<Smp>* page = pool_.alloc()) held_.push_back(page);
  EXPECT_TRUE(generator_->step());
  EXPECT_EQ(counters().no_memory.read(), 1U);
  for (int i = 0; i < 5; ++i) {
    pool_.put(held_.back(), 0);
    held_.pop_back();
  }
  generator_->step();
  EXPECT_THAT(device_.calls, ElementsAre(5));
  for (Page<Smp>* page : held_) pool_.put(page, 0);
}

TEST_F(GeneratorTest, TakesNewSettingsBetweenTwoPackets) {
  GeneratorSettings settings;
  settings.traffic.priority = {{0, 1}};
  make(settings);
  settings.traffic.priority = {{6, 1}};
  device_.on_call = [&] {
    if (device_.calls.size() == 3) generator_->apply(settings);
    if (device_.calls.size() == 5) generator_->request_stop();
  };
  generator_->run();
  std::vector<std::uint32_t> priorities;
  for (const auto& seen : device_.seen) priorities.push_back(seen.priority);
  EXPECT_THAT(priorities, ElementsAre(0, 0, 0, 6, 6));
  EXPECT_EQ(counters().sent.read(), 5U) << "counters go on";
  EXPECT_EQ(generator_->result().sofar, 2U) << "the result starts anew";
  EXPECT_TRUE(generator_->done());
}

TEST_F(GeneratorTest, IsNotBehindAScheduleThatWasTakenFromIt) {
  GeneratorSettings settings;
  settings.period = Pacer::delay(1'000);
  make(settings);
  device_.on_call = [&] {
    if (device_.calls.size() == 1) generator_->apply({});
    if (device_.calls.size() == 2) {
      EXPECT_EQ(counters().due.load(smp::relaxed), 0U);
      generator_->request_stop();
    }
  };
  generator_->run();
}

TEST_F(GeneratorTest, LetsTheLastOfSeveralNewSettingsWin) {
  make({});
  device_.on_call = [&] {
    if (device_.calls.size() == 1) {
      for (std::uint32_t priority = 1; priority <= 3; ++priority) {
        GeneratorSettings settings;
        settings.traffic.priority = {{priority, 1}};
        generator_->apply(settings);
      }
    }
    if (device_.calls.size() == 2) generator_->request_stop();
  };
  generator_->run();
  EXPECT_EQ(device_.seen[1].priority, 3U);
}

TEST_F(GeneratorTest, FinishesAtItsCountAndGoesOnWithNewSettings) {
  GeneratorSettings settings;
  settings.count = 7;
  make(settings);
  EXPECT_FALSE(generator_->done());
  std::thread thread{[&] { generator_->run(); }};
  while (!generator_->done()) Smp::yield();
  EXPECT_EQ(counters().sent.read(), 7U);
  settings.count = 5;
  generator_->apply(settings);
  // From here on, not only once the generator has noticed.
  EXPECT_FALSE(generator_->done() && counters().sent.read() == 7);
  while (!generator_->done()) Smp::yield();
  EXPECT_EQ(counters().sent.read(), 12U);
  EXPECT_EQ(generator_->result().sofar, 5U);
  generator_->request_stop();
  thread.join();
  EXPECT_TRUE(generator_->done());
  generator_->restart(settings);
  EXPECT_FALSE(generator_->done()) << "it is about to run again";
}

TEST_F(GeneratorTest, ReportsItsRunInTheKernelsTerms) {
  GeneratorSettings settings;
  settings.traffic.size = {100, 100};
  start(settings);
  for (int i = 0; i < 10; ++i) generator_->step();
  ManualClock::advance(kMillisecond);
  generator_->finish();
  EXPECT_EQ(format_result(generator_->result()),
            "OK: 1000(c1000+d0) usec, 10 (100byte,0frags)\n"
            "  10000pps 8Mb/sec (8000000bps) errors: 0");
}

}  // namespace
}  // namespace qdiscsim
