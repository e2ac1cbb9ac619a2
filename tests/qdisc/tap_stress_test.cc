// Four senders on two queues of a driver that writes frames and now and then cannot: nothing is
// lost, out of order within a sender's band, or counted wrong.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/prng.h"
#include "base/smp_native.h"
#include "qdisc/device.h"
#include "qdisc/tap_link.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

constexpr std::uint32_t kSenders = 4;
constexpr std::uint16_t kQueues = 2;
constexpr CpuId kFirstDrain = kSenders;
#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kPerSender = 2'000;
#else
constexpr std::uint32_t kPerSender = 20'000;
#endif

struct Label {
  std::uint32_t sender;
  std::uint32_t band;
  std::uint32_t number;  // among the sender's packets of its band and queue
};
bool is_refused(const Label& label) {
  return label.number % 7 == 3;
}

// Looks at the order of each queue without a lock: one CPU at a time runs it, and ThreadSanitizer
// sees whether that is so. With several at once (start_xmit) it only counts.
class CheckingWriter final : public FrameWriter {
 public:
  explicit CheckingWriter(bool in_order) : in_order_{in_order} {}

  int write(std::uint16_t queue, std::span<const std::byte> frame) noexcept override {
    Label label{};
    std::memcpy(&label, frame.data(), sizeof label);
    if (in_order_) {
      std::uint32_t& next = next_[queue][label.sender][label.band];
      if (label.number < next) out_of_order.fetch_add(1, std::memory_order_relaxed);
      next = label.number + 1;
    }
    if (is_refused(label)) return ENOBUFS;
    taken.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }

  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> out_of_order{0};

 private:
  bool in_order_;
  std::array<std::array<std::array<std::uint32_t, kBandCount>, kSenders>, kQueues> next_{};
};

class Counting final : public SkbSink<Smp> {
 public:
  void consume(Skb<Smp>* /*skb*/, CpuId /*cpu*/) noexcept override {
    home.fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> home{0};
};

struct Packet {
  Skb<Smp> skb;
  Label label{};
  std::array<std::byte, 60> bytes{};
};

class TapStress : public testing::Test {
 protected:
  void make(bool drain_inline, bool direct) {
    direct_ = direct;
    DeviceOptions options;
    options.queues = kQueues;
    options.qdisc.limit = 64;
    options.qdisc.cpus = kSenders + kQueues;
    options.qdisc.drain_inline = drain_inline;
    auto writer = std::make_unique<CheckingWriter>(!direct);
    writer_ = writer.get();
    auto link = std::make_unique<TapLink<Smp>>(sink_, std::move(writer));
    link_ = link.get();
    device_ = std::make_unique<Device<Smp, PtrRing<Smp>>>(options, std::move(link), sink_);
    for (CpuId id = 0; id < options.qdisc.cpus; ++id) {
      cpus_.push_back(std::make_unique<Cpu<Smp>>(id));
    }
    if (!drain_inline) {
      for (std::uint16_t queue = 0; queue < kQueues; ++queue) {
        drains_.emplace_back([this, queue] { drain(queue); });
      }
    }
  }

  void run() {
    std::vector<std::thread> senders;
    for (CpuId id = 0; id < kSenders; ++id) senders.emplace_back([this, id] { send(id); });
    for (std::thread& sender : senders) sender.join();
    sent_.store(true);
    for (std::thread& thread : drains_) thread.join();
    check();
  }

 private:
  void send(CpuId id) {
    constexpr std::array<std::uint32_t, kBandCount> kPriorities{6, 0, 2};
    Cpu<Smp>& cpu = *cpus_[id];
    Prng prng{id + 1};
    std::array<std::array<std::uint32_t, kBandCount>, kQueues> numbers{};
    std::vector<Packet>& packets = packets_[id];
    packets = std::vector<Packet>(kPerSender);
    for (Packet& packet : packets) {
      const auto queue = static_cast<std::uint16_t>(prng.below(kQueues));
      const std::uint32_t band = prng.below(kBandCount);
      packet.label = {id, band, numbers[queue][band]++};
      std::memcpy(packet.bytes.data(), &packet.label, sizeof packet.label);
      packet.skb.data = packet.bytes.data();
      packet.skb.len = static_cast<std::uint32_t>(packet.bytes.size());
      packet.skb.priority = kPriorities[band];
      packet.skb.queue_mapping = queue;
      if (direct_) {
        device_->start_xmit(cpu, &packet.skb, 1);
      } else {
        device_->queue_xmit(cpu, &packet.skb);
      }
      cpu.run_softirqs();
    }
    while (cpu.softirq_pending()) cpu.run_softirqs();
  }

  void drain(std::uint16_t queue) {
    Cpu<Smp>& cpu = *cpus_[kFirstDrain + queue];
    Smp::Spinner spinner;
    for (bool last = false; !last;) {
      last = sent_.load();  // one more turn after everything was sent
      while (device_->drain(cpu, queue) || (last && device_->qdisc(queue).has_work())) {
      }
      cpu.run_softirqs();
      spinner.pause();
    }
  }

  void check() {
    std::uint64_t offered = 0;
    std::uint64_t overlimit = 0;
    std::uint64_t dropped = 0;
    std::uint64_t sent = 0;
    for (std::uint32_t queue = 0; queue < kQueues; ++queue) {
      const QueueAccount account = device_->account(queue, true);
      EXPECT_EQ(broken_law(account), "") << "queue " << queue;
      offered += account.offered + account.direct;
      for (const BandAccount& band : account.bands) {
        EXPECT_EQ(band.ring_packets, 0U) << "stuck";
        overlimit += band.dropped();
      }
      dropped += account.tx_dropped;
      sent += account.tx_packets;
    }
    EXPECT_EQ(offered, std::uint64_t{kSenders} * kPerSender);
    EXPECT_EQ(offered, sent + dropped + overlimit);
    EXPECT_EQ(sent, writer_->taken.load());
    EXPECT_GT(dropped, 0U);
    EXPECT_EQ(link_->first_error(), ENOBUFS);
    EXPECT_EQ(sink_.home.load(), offered);
    EXPECT_EQ(writer_->out_of_order.load(), 0U);
  }

  bool direct_ = false;
  Counting sink_;
  CheckingWriter* writer_ = nullptr;
  TapLink<Smp>* link_ = nullptr;
  std::unique_ptr<Device<Smp, PtrRing<Smp>>> device_;
  std::vector<std::unique_ptr<Cpu<Smp>>> cpus_;
  std::array<std::vector<Packet>, kSenders> packets_;
  std::vector<std::thread> drains_;
  std::atomic<bool> sent_{false};
};

TEST_F(TapStress, KeepsEverySendersOrderWhenTheSendersDrain) {
  make(true, false);
  run();
}

TEST_F(TapStress, KeepsEverySendersOrderWithAThreadForEachQueue) {
  make(false, false);
  run();
}

TEST_F(TapStress, TakesFramesFromSeveralCpusAtOncePastTheQdisc) {
  make(true, true);
  run();
}

}  // namespace
}  // namespace qdiscsim
