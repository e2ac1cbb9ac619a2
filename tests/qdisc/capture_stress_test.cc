// Several CPUs send through a captured link while a writer takes what they leave: every packet is
// in a record, whole and once and in its CPU's order, or it was counted as missed.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "qdisc/capture_link.h"
#include "qdisc/dummy_link.h"
#include "qdisc/tx_queue.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

constexpr std::uint32_t kCpus = 4;
constexpr std::uint32_t kQueues = 2;
constexpr std::uint32_t kBytes = 60;
#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kPackets = 3'000;
#else
constexpr std::uint32_t kPackets = 20'000;
#endif

// Packets are their sender's again at once.
class NoSink final : public SkbSink<Smp> {
 public:
  void consume(Skb<Smp>* /*skb*/, CpuId /*cpu*/) noexcept override {}
};

class CaptureStress {
 public:
  explicit CaptureStress(std::uint32_t records)
      : buffer_{{.cpus = kCpus, .queues = kQueues, .snaplen = kBytes, .records = records}},
        link_{std::make_unique<DummyLink<Smp>>(sink_), buffer_} {
    for (std::uint16_t i = 0; i < kQueues; ++i) {
      queues_.push_back(std::make_unique<TxQueue<Smp>>(i, kCpus, 0, 0));
    }
  }

  void run() {
    std::vector<std::thread> senders;
    for (CpuId cpu = 0; cpu < kCpus; ++cpu) senders.emplace_back([this, cpu] { send(cpu); });
    std::thread writer{[this] {
      while (!done_.load(smp::relaxed)) write();
    }};
    for (auto& sender : senders) sender.join();
    done_.store(true, smp::relaxed);
    writer.join();
    while (write() != 0) {
    }
    std::uint64_t missed = 0;
    std::uint64_t sent = 0;
    for (std::uint16_t i = 0; i < kQueues; ++i) {
      missed += buffer_.missed(i);
      sent += queues_[i]->totals().packets;
    }
    EXPECT_EQ(sent, std::uint64_t{kCpus} * kPackets);
    EXPECT_EQ(written_ + missed, sent);
    EXPECT_EQ(wrong_, 0U);
    EXPECT_GT(written_, 0U);
  }

 private:
  // All of the packet's bytes follow from its sender and number.
  static void fill(std::array<std::byte, kBytes>& bytes, CpuId cpu, std::uint32_t number) {
    std::memset(bytes.data(), static_cast<int>(number + cpu), bytes.size());
    std::memcpy(bytes.data(), &number, sizeof number);
  }

  void send(CpuId id) {
    Cpu<Smp> cpu{id};
    std::array<std::byte, kBytes> bytes{};
    Skb<Smp> skb;
    skb.data = bytes.data();
    skb.len = kBytes;
    for (std::uint32_t number = 1; number <= kPackets; ++number) {
      fill(bytes, id, number);
      link_.transmit(cpu, *queues_[number % kQueues], &skb, false);
      if (number % 256 == 0) Smp::yield();
    }
  }

  std::size_t write() {
    std::array<CaptureRecord*, 16> records;
    const std::size_t count = buffer_.take(std::span{records});
    for (CaptureRecord* record : std::span{records}.first(count)) {
      std::uint32_t number = 0;
      std::memcpy(&number, record->bytes(), sizeof number);
      std::array<std::byte, kBytes> wanted;
      fill(wanted, record->cpu, number);
      const bool right = record->captured == kBytes && record->queue == number % kQueues &&
                         number > last_[record->cpu] &&
                         std::memcmp(record->bytes(), wanted.data(), kBytes) == 0;
      if (!right) ++wrong_;
      last_[record->cpu] = number;
      ++written_;
      buffer_.give_back(record);
    }
    return count;
  }

  NoSink sink_;
  CaptureBuffer<Smp> buffer_;
  CaptureLink<Smp> link_;
  std::vector<std::unique_ptr<TxQueue<Smp>>> queues_;
  Smp::atomic<bool> done_{false};
  std::array<std::uint32_t, kCpus> last_{};
  std::uint64_t written_ = 0;
  std::uint64_t wrong_ = 0;
};

TEST(CaptureStressTest, EveryPacketIsCapturedOrCountedAsMissed) {
  for (const std::uint32_t records : {1U, 8U, 300U}) {
    SCOPED_TRACE(records);
    CaptureStress{records}.run();
  }
}

}  // namespace
}  // namespace qdiscsim
