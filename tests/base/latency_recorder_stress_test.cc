// Recorders among running threads: many writers, or one that hands over under a lock, and a reader.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/latency_recorder.h"
#include "base/smp_native.h"

namespace qdiscsim {
namespace {

constexpr std::uint64_t kThreads = 4;
constexpr std::uint64_t kValues = 20'000;

// Threads record 1 .. kThreads * kValues between them, while count and sum are seen to grow only.
template <class Recorder, class Record>
void record_all(const Recorder& recorder, const Record& record) {
  std::atomic<std::uint64_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kValues; ++i) record(1 + t + i * kThreads);
      running.fetch_sub(1);
    });
  }
  Recording last;
  while (running.load() != 0) {
    const Recording now = recorder.read();
    EXPECT_GE(now.count, last.count);
    EXPECT_GE(now.sum, last.sum);
    EXPECT_GE(now.max, last.max);
    last = now;
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  const Recording all = recorder.read();
  constexpr std::uint64_t kAll = kThreads * kValues;
  EXPECT_EQ(all.count, kAll);
  EXPECT_EQ(all.sum, kAll * (kAll + 1) / 2);
  EXPECT_EQ(all.max, kAll);
  EXPECT_EQ(all.at_most(1024), 1024U);
}

TEST(LatencyRecorderStress, LosesNothingOfManyWriters) {
  LatencyRecorder<smp::Native, Writers::kMany> recorder;
  record_all(recorder, [&](Nanoseconds value) { recorder.record(value); });
}

TEST(LatencyRecorderStress, LosesNothingOfOneWriterAtATime) {
  LatencyRecorder<smp::Native> recorder;
  std::mutex turn;
  record_all(recorder, [&](Nanoseconds value) {
    const std::lock_guard guard{turn};
    recorder.record(value);
  });
}

}  // namespace
}  // namespace qdiscsim
