// A seeded random walk over a capture's buffer, compared with counts and a queue after each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "base/prng.h"
#include "base/smp_native.h"
#include "qdisc/capture_buffer.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;

constexpr std::uint32_t kCaptureCpus = 3;
constexpr std::uint32_t kCaptureQueues = 2;

class CaptureWalk {
 public:
  CaptureWalk(Prng& random, std::uint32_t records)
      : random_{random},
        records_{records},
        buffer_{
            {.cpus = kCaptureCpus, .queues = kCaptureQueues, .snaplen = 64, .records = records}} {
    free_.fill(records);
  }

  void step() {
    switch (random_.between(0, 3)) {
      case 0:
      case 1:
        send();
        break;
      case 2:
        take();
        break;
      default:
        give_back();
    }
    for (std::uint16_t queue = 0; queue < kCaptureQueues; ++queue) {
      ASSERT_EQ(buffer_.missed(queue), missed_[queue]);
    }
  }

 private:
  void send() {
    const CpuId cpu = random_.between(0, kCaptureCpus - 1);
    const auto queue = static_cast<std::uint16_t>(random_.between(0, kCaptureQueues - 1));
    std::array<std::byte, 64> bytes;
    const std::uint32_t number = ++number_;
    std::memcpy(bytes.data(), &number, sizeof number);
    Skb<Smp> skb;
    skb.data = bytes.data();
    skb.len = sizeof number;
    CaptureRecord* const record = buffer_.claim(cpu, skb, queue, number);
    ASSERT_EQ(record == nullptr, free_[cpu] == 0);
    if (random_.between(0, 3) == 0) return;  // the link refused the packet
    if (record == nullptr) {
      buffer_.miss(cpu, queue);
      ++missed_[queue];
      return;
    }
    buffer_.publish(record);
    --free_[cpu];
    published_.push_back(number);
  }

  void take() {
    std::array<CaptureRecord*, 8> out;
    const std::size_t wanted = random_.between(1, out.size());
    const std::size_t count = buffer_.take(std::span{out}.first(wanted));
    ASSERT_EQ(count, std::min(wanted, published_.size()));
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t number = 0;
      ASSERT_EQ(out[i]->captured, sizeof number);
      std::memcpy(&number, out[i]->bytes(), sizeof number);
      ASSERT_EQ(number, published_.front());
      ASSERT_EQ(out[i]->time, number);
      published_.pop_front();
      taken_.push_back(out[i]);
    }
  }

  void give_back() {
    if (taken_.empty()) return;
    const std::size_t at = random_.between(0, static_cast<std::uint32_t>(taken_.size()) - 1);
    ++free_[taken_[at]->cpu];
    ASSERT_LE(free_[taken_[at]->cpu], records_);
    buffer_.give_back(taken_[at]);
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Prng& random_;
  std::uint32_t records_;
  CaptureBuffer<Smp> buffer_;
  std::array<std::uint32_t, kCaptureCpus> free_{};
  std::array<std::uint64_t, kCaptureQueues> missed_{};
  std::deque<std::uint32_t> published_;
  std::vector<CaptureRecord*> taken_;
  std::uint32_t number_ = 0;
};

TEST(CaptureBufferModel, GivesEveryRecordOutOnceAndInTheOrderOfPublication) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng random{seed};
    for (const std::uint32_t records : {1U, 2U, 7U, 64U}) {
      CaptureWalk walk{random, records};
      for (int i = 0; i < 10'000; ++i) {
        walk.step();
        if (testing::Test::HasFatalFailure()) FAIL() << "records " << records << " step " << i;
      }
    }
  }
}

}  // namespace
}  // namespace qdiscsim
