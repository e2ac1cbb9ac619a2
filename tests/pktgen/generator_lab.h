// A generator against a device that answers as it is told, with a clock that the test holds.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "pktgen/generator.h"
#include "tests/pktgen/fake_device.h"

namespace qdiscsim::test {

class GeneratorTest : public testing::Test {
 protected:
  using Smp = smp::NativeManual;
  using Memory = PacketMemory<Smp>;

  GeneratorTest() { ManualClock::set(kStart); }
  ~GeneratorTest() override {
    if (generator_) generator_->finish();
    // Every page is at home again.
    EXPECT_EQ(pool_.hold() - pool_.release(), pool_.cache_pages() + pool_.ring_pages());
  }

  static constexpr Nanoseconds kStart = 5 * kSecond;

  Generator<Smp>& make(const GeneratorSettings& settings) {
    generator_ = std::make_unique<Generator<Smp>>(cpu_, device_, pool_, memory_, epoch_, settings);
    return *generator_;
  }
  Generator<Smp>& start(const GeneratorSettings& settings) {
    make(settings).start();
    return *generator_;
  }
  // As run() does.
  void step_until_count(std::uint64_t count) {
    for (int i = 0; i < 1000 && counters().sent.read() < count; ++i) generator_->step();
  }
  const GeneratorCounters<Smp>& counters() { return generator_->counters(); }
  // With a thread of its own, until the count is reached; then it is told to end.
  void run_to_count(const GeneratorSettings& settings) {
    make(settings);
    std::thread thread{[this] { generator_->run(); }};
    while (!generator_->done()) Smp::yield();
    generator_->request_stop();
    thread.join();
  }
  std::vector<std::uint32_t> sequences() {
    std::vector<std::uint32_t> numbers;
    for (const auto& seen : device_.seen) numbers.push_back(seen.sequence);
    return numbers;
  }

  PageArena<Smp> arena_{512, HugePages::kNever};
  Memory::Pool::Allocator allocator_{arena_};
  Memory memory_{arena_};
  Memory::Pool pool_{allocator_, {.pool_size = 64, .owner_cpu = 0, .cpus = 1}};
  FakeDevice<Smp> device_{memory_};
  QuiescentEpoch<Smp> epoch_;
  Cpu<Smp> cpu_{0};
  std::unique_ptr<Generator<Smp>> generator_;
  std::vector<Page<Smp>*> held_;  // by the test, so that memory is short
};

}  // namespace qdiscsim::test
