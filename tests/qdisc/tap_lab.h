// A device whose driver writes frames, and a writer that keeps them and refuses as it is told.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "qdisc/device.h"
#include "qdisc/tap_link.h"
#include "ring/ptr_ring.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim::test {

// One thread.
class KeepingWriter final : public FrameWriter {
 public:
  using Frame = std::vector<std::byte>;

  explicit KeepingWriter(std::size_t queues) : frames(queues) {}

  int write(std::uint16_t queue, std::span<const std::byte> frame) noexcept override {
    ++calls;
    if (const int error = refuse ? refuse(frame) : 0) return error;
    frames[queue].emplace_back(frame.begin(), frame.end());
    return 0;
  }

  std::vector<std::vector<Frame>> frames;                       // that were taken, by queue
  std::function<int(std::span<const std::byte> frame)> refuse;  // the error number, or 0
  std::uint64_t calls = 0;
};

// One CPU, under the manual clock. Every packet begins with its number, and is full of it.
class TapLab {
 public:
  using Smp = smp::NativeManual;
  using Packet = Skb<Smp>;

  explicit TapLab(DeviceOptions options = {}) {
    ManualClock::set(kSecond);
    options.qdisc.cpus = 1;
    auto owned_writer = std::make_unique<KeepingWriter>(options.queues);
    writer = owned_writer.get();
    auto owned_link = std::make_unique<TapLink<Smp>>(sink, std::move(owned_writer));
    link = owned_link.get();
    device = std::make_unique<Device<Smp, PtrRing<Smp>>>(options, std::move(owned_link), sink);
  }

  Packet* make(std::uint32_t len = 60, std::uint16_t queue = 0, std::uint32_t priority = 0) {
    Own& own = *packets_.emplace_back(std::make_unique<Own>());
    const std::uint64_t number = made++;
    own.bytes.assign(len, static_cast<std::byte>(number));
    std::memcpy(own.bytes.data(), &number, sizeof number);
    own.skb.data = own.bytes.data();
    own.skb.len = len;
    own.skb.queue_mapping = queue;
    own.skb.priority = priority;
    return &own.skb;
  }
  Verdict send(Packet* skb) {
    const Verdict verdict = device->queue_xmit(cpu, skb);
    cpu.run_softirqs();
    return verdict;
  }

  static std::uint64_t number_of(std::span<const std::byte> frame) {
    std::uint64_t number = 0;
    std::memcpy(&number, frame.data(), sizeof number);
    return number;
  }
  // The numbers that were taken out of a queue, in order.
  std::vector<std::uint64_t> written(std::uint16_t queue = 0) const {
    std::vector<std::uint64_t> numbers;
    for (const auto& frame : writer->frames[queue]) numbers.push_back(number_of(frame));
    return numbers;
  }
  QueueAccount account(std::uint32_t index = 0) const { return device->account(index, true); }

  RecordingSink<Smp> sink;
  KeepingWriter* writer = nullptr;
  TapLink<Smp>* link = nullptr;
  std::unique_ptr<Device<Smp, PtrRing<Smp>>> device;
  Cpu<Smp> cpu{0};
  std::uint64_t made = 0;

 private:
  struct Own {
    Packet skb;
    std::vector<std::byte> bytes;
  };
  std::vector<std::unique_ptr<Own>> packets_;
};

}  // namespace qdiscsim::test
