// Two senders, a vhost worker and a guest on threads of their own. Worker and guest sleep when they
// have nothing to do; the senders never wait.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "tests/qdisc/vhost_lab.h"

namespace qdiscsim {
namespace {

using test::VhostLab;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPackets = 4'000;
#else
constexpr std::uint64_t kPackets = 40'000;
#endif

// Counts; called by senders and worker.
class CountingSink final : public SkbSink<smp::Native> {
 public:
  void consume(Skb<smp::Native>* /*skb*/, CpuId /*cpu*/) noexcept override {
    count.fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> count{0};
};

void run(std::size_t batch) {
  using Smp = smp::Native;
  constexpr CpuId kSenders = 2;
  constexpr std::size_t kBuffers = 32;
  constexpr std::uint32_t kBufferBytes = 128;
  struct Packet {
    Skb<Smp> skb;
    std::array<std::uint64_t, 8> words{};
  };

  CountingSink sink;
  VhostLab::Tun tun{sink, 1, 40, kSenders + 1};
  TxQueue<Smp> tx_queue{0, kSenders + 1, 0, 0};
  Vring<Smp> ring{kBuffers, true};
  std::vector<std::byte> bytes(kBuffers * kBufferBytes);
  GuestMemory memory;
  ASSERT_TRUE(memory.add({0x10000, ring.bytes(), ring.data()}));
  ASSERT_TRUE(memory.add({0x1000000, bytes.size(), bytes.data()}));
  VringDriver<Smp> driver{ring};
  VringHost<Smp> host{ring, memory, 0x10000};
  ASSERT_TRUE(host.attach());
  EventCounter<Smp> call;
  VhostLab::Worker worker{tun,  tx_queue, host,
                          call, kSenders, {.queue = 0, .batch = batch, .busy_poll = false}};

  std::thread host_thread{[&] { worker.run(); }};
  std::array<std::vector<Packet>, kSenders> packets;
  std::atomic<CpuId> sending{kSenders};
  std::vector<std::thread> senders;
  for (CpuId who = 0; who < kSenders; ++who) {
    packets.at(who) = std::vector<Packet>(kPackets);
    senders.emplace_back([&, who] {
      Cpu<Smp> cpu{who};
      for (std::uint64_t i = 0; i < kPackets; ++i) {
        Packet& packet = packets.at(who)[i];
        packet.words = {who, i};
        packet.skb.data = reinterpret_cast<std::byte*>(packet.words.data());
        packet.skb.len = sizeof packet.words;
        tun.transmit(cpu, tx_queue, &packet.skb, false);
        if (i % 64 == 0) std::this_thread::yield();  // so that the worker finds the ring empty too
      }
      sending.fetch_sub(1, std::memory_order_release);
    });
  }

  std::array<std::uint64_t, kSenders> next{};
  std::uint64_t received = 0;
  const auto post = [&](std::byte* buffer) {
    const auto at = static_cast<std::uint64_t>(buffer - bytes.data());
    ASSERT_TRUE(driver.add_in({0x1000000 + at, kBufferBytes}, buffer));
    if (driver.kick_prepare()) worker.kick().signal();
  };
  for (std::size_t i = 0; i < kBuffers; ++i) post(&bytes[i * kBufferBytes]);
  Smp::Spinner spinner;
  const Nanoseconds deadline = Smp::now() + 60 * kSecond;  // past any scheduler's delay
  for (;;) {
    driver.disable_callbacks();
    while (void* token = driver.get_used()) {
      auto* buffer = static_cast<std::byte*>(token);
      std::array<std::uint64_t, 2> words{};
      std::memcpy(words.data(), buffer + VhostLab::Worker::kHeader, sizeof words);
      ASSERT_GE(words[1], next.at(words[0]));
      next.at(words[0]) = words[1] + 1;
      ++received;
      post(buffer);
    }
    if (!driver.enable_callbacks()) continue;
    bool done = false;
    while (!call.pending() && !done) {
      done = sending.load(std::memory_order_acquire) == 0 && received == tun.accepted(0);
      spinner.stand_aside();
      if (Smp::now() > deadline) {
        ADD_FAILURE() << "packets wait and nobody moves them";
        done = true;
      }
    }
    if (done) break;
    call.take();
  }
  for (std::thread& sender : senders) sender.join();
  worker.stop();
  host_thread.join();
  EXPECT_EQ(received, tun.accepted(0));
  EXPECT_EQ(kSenders * kPackets, received + tx_queue.totals().dropped);
  EXPECT_EQ(sink.count.load(std::memory_order_relaxed), kSenders * kPackets);
  EXPECT_EQ(tun.posted(0), 0U);
  EXPECT_FALSE(worker.broken());
}

TEST(VhostStress, LosesNoPacketAndNoWakeUpOneByOne) {
  run(1);
}
TEST(VhostStress, LosesNoPacketAndNoWakeUpInBatches) {
  run(64);
}

}  // namespace
}  // namespace qdiscsim
