// What the stress tests of qdisc/ share: packets that know their sender, a sink that checks their
// order, and a bounded amount of traffic from several threads.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/prng.h"
#include "base/smp_native.h"
#include "qdisc/device.h"
#include "ring/ptr_ring.h"

namespace qdiscsim::test {

using StressSmp = smp::Native;

inline constexpr std::uint32_t kSenders = 8;
#if defined(__SANITIZE_THREAD__)
inline constexpr std::uint32_t kMostPerSender = 2'000;
#else
inline constexpr std::uint32_t kMostPerSender = 20'000;
#endif

// Plain data beside the skb: ThreadSanitizer sees whether it is handed over.
struct Numbered : Skb<StressSmp> {
  std::uint32_t sender = 0;
  std::uint32_t number = 0;  // among the sender's packets of its band
  std::uint32_t ends = 0;    // how often it came home
};

// Takes packets home.
class CheckingSink final : public SkbSink<StressSmp> {
 public:
  void consume(Skb<StressSmp>* skb, CpuId /*cpu*/) noexcept override {
    ++static_cast<Numbered*>(skb)->ends;
  }
};

// Called by one runner at a time: the device has one queue.
class OrderCheck {
 public:
  void sent(const Skb<StressSmp>* skb) noexcept {
    const auto* packet = static_cast<const Numbered*>(skb);
    auto& next = next_[packet->sender][band_of(packet->priority)];
    if (packet->number < next) out_of_order_.fetch_add(1, std::memory_order_relaxed);
    next = packet->number + 1;
  }
  std::uint64_t out_of_order() const { return out_of_order_.load(); }

 private:
  std::array<std::array<std::uint32_t, kBandCount>, kSenders> next_{};
  std::atomic<std::uint64_t> out_of_order_{0};
};

// Instant, and checks the order. Lockless: never busy, as a dummy device. Else under the tx queue's
// lock: takes `room` packets, then stops until another thread makes room.
class StoppingLink final : public Link<StressSmp> {
 public:
  using Smp = StressSmp;

  StoppingLink(SkbSink<Smp>& sink, bool lockless, std::uint32_t room) noexcept
      : sink_{sink}, lockless_{lockless}, room_{room}, left_{room} {}

  bool lockless_transmit() const noexcept override { return lockless_; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb,
                   bool /*more*/) noexcept override {
    if (!lockless_) {
      if (left_ == 0) return Verdict::kBusy;
      if (--left_ == 0) queue.stop(TxQueue<Smp>::kDriverOff, Smp::now());
    }
    order.sent(skb);
    queue.counters(cpu.id()).packets.add(1);
    queue.counters(cpu.id()).bytes.add(skb->len);
    sink_.consume(skb, cpu.id());
    return Verdict::kOk;
  }

  // Lock held. As an interrupt that finds the ring empty.
  bool complete(Cpu<Smp>& /*cpu*/, TxQueue<Smp>& queue, Nanoseconds now) noexcept override {
    left_ = room_;
    return queue.wake(TxQueue<Smp>::kDriverOff, now);
  }
  Nanoseconds interrupt_at(std::uint16_t /*queue*/) const noexcept override {
    return lockless_ ? Link<Smp>::kNever : 0;
  }
  std::uint64_t posted(std::uint16_t /*queue*/) const noexcept override { return 0; }
  Nanoseconds catch_up_ns() const noexcept override { return 0; }
  std::uint64_t rate() const noexcept override { return 0; }
  void set_rate(std::uint64_t /*bits_per_second*/) noexcept override {}

  OrderCheck order;

 private:
  SkbSink<Smp>& sink_;
  bool lockless_;
  std::uint32_t room_;
  std::uint32_t left_;  // guarded by the tx queue's lock
};

struct StressOptions {
  bool bypass = true;
  bool drain_inline = true;
  bool stops = false;  // the link stops; one more thread wakes it
  bool lists = false;  // queue_xmit_list
  std::uint32_t limit = 64;
  bool nolock = true;
  bool helper = true;  // false: nobody wakes a link that stops
  KernelBugs bugs{};   // with any, order is not looked at
};

// CPUs: the senders, then one that polls or drains, then the control thread.
template <class RingUnderTest>
class StressLab {
 public:
  // A ticket lock on a loaded machine waits for the scheduler at almost every handover.
  static constexpr std::uint32_t kPerSender =
      std::is_same_v<RingUnderTest, PtrRing<StressSmp, TicketLock<StressSmp>>> ? kMostPerSender / 5
                                                                               : kMostPerSender;
  using Smp = StressSmp;
  using Ring = RingUnderTest;
  static constexpr CpuId kHelper = kSenders;
  static constexpr CpuId kControl = kSenders + 1;

  explicit StressLab(const StressOptions& options) : options_{options} {
    DeviceOptions device;
    device.qdisc.limit = options.limit;
    device.qdisc.cpus = kSenders + 2;
    device.qdisc.can_bypass = options.bypass;
    device.qdisc.drain_inline = options.drain_inline;
    device.qdisc.nolock = options.nolock;
    device.qdisc.bugs = options.bugs;
    auto owned = std::make_unique<StoppingLink>(sink_, !options.stops, 32);
    link_ = owned.get();
    device_ = std::make_unique<Device<Smp, Ring>>(device, std::move(owned), sink_);
    for (CpuId id = 0; id < kSenders + 2; ++id) cpus_.push_back(std::make_unique<Cpu<Smp>>(id));
    packets_.resize(kSenders);
    for (auto& own : packets_) own = std::make_unique<Numbered[]>(kPerSender);
  }

  // Sends everything. control(round), on this thread, is called until the senders are done.
  template <class Control>
  void run(Control&& control) {
    std::thread helper;
    if (needs_helper()) helper = std::thread{[this] { help(); }};
    std::vector<std::thread> senders;
    for (CpuId id = 0; id < kSenders; ++id) senders.emplace_back([this, id] { send(id); });
    for (int round = 0; done_.load() < kSenders; ++round) {
      control(round);
      Smp::yield();
    }
    for (std::thread& sender : senders) sender.join();
    stop_helper_.store(true);
    if (helper.joinable()) helper.join();
  }
  void run() {
    run([](int) {});
  }

  static void grace(void* lab) noexcept { static_cast<StressLab*>(lab)->grace_period(); }
  void grace_period() noexcept {
    std::vector<QuiescentReader<Smp>*> readers;
    for (const auto& cpu : cpus_) readers.push_back(&cpu->quiescence);
    epoch_.synchronize(readers);
  }
  Device<Smp, Ring>& device() { return *device_; }
  Cpu<Smp>& control_cpu() { return *cpus_[kControl]; }

  // Nothing lost, nothing twice, nothing out of order, and every count agrees.
  void expect_all_accounted_for() {
    const QueueAccount account = device_->account(0, true);
    EXPECT_EQ(broken_law(account), "");
    EXPECT_EQ(account.offered, std::uint64_t{kSenders} * kPerSender);
    EXPECT_EQ(account.requeue_packets, 0U);
    std::uint64_t dropped = 0;
    std::uint64_t purged = account.requeue_purged;
    for (const BandAccount& band : account.bands) {
      EXPECT_EQ(band.ring_packets, 0U) << "stuck";
      dropped += band.dropped();
      purged += band.purged;
    }
    EXPECT_EQ(account.tx_packets + dropped + purged, account.offered);
    if (!options_.bugs.any()) {
      EXPECT_EQ(link_->order.out_of_order(), 0U);
    }
    EXPECT_EQ(device_->qdisc(0).state().hint() & RunState<Smp>::kSched, 0U);
    std::uint64_t wrong = 0;
    for (const auto& own : packets_) {
      for (std::uint32_t i = 0; i < kPerSender; ++i) wrong += own[i].ends == 1 ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U) << "packets that did not come home once";
  }

 private:
  bool needs_helper() const {
    return options_.helper && (options_.stops || !options_.drain_inline);
  }

  void prepare(Numbered& skb, CpuId id, Prng& prng,
               std::array<std::uint32_t, kBandCount>& numbers) {
    constexpr std::array<std::uint32_t, kBandCount> kPriorities{6, 0, 2};
    const std::uint32_t band = prng.below(kBandCount);
    skb.priority = kPriorities[band];
    skb.len = prng.between(60, 1500);
    skb.sender = id;
    skb.number = numbers[band]++;
  }

  void send(CpuId id) {
    Cpu<Smp>& cpu = *cpus_[id];
    Prng prng{id + 1};
    std::array<std::uint32_t, kBandCount> numbers{};
    cpu.quiescence.go_online(epoch_);
    constexpr std::uint32_t kList = 16;
    const std::uint32_t step = options_.lists ? kList : 1;
    std::array<Skb<Smp>*, kList> list{};
    for (std::uint32_t i = 0; i < kPerSender; i += step) {
      cpu.quiescence.quiescent(epoch_);
      for (std::uint32_t j = 0; j < step; ++j) {
        prepare(packets_[id][i + j], id, prng, numbers);
        list[j] = &packets_[id][i + j];
      }
      if (options_.lists) {
        device_->queue_xmit_list(cpu, list);
      } else {
        device_->queue_xmit(cpu, list[0]);
      }
      cpu.run_softirqs();
    }
    while (cpu.softirq_pending()) cpu.run_softirqs();
    cpu.quiescence.go_offline();
    done_.fetch_add(1);
  }

  void help() {
    Cpu<Smp>& cpu = *cpus_[kHelper];
    cpu.quiescence.go_online(epoch_);
    Smp::Spinner spinner;
    for (bool last = false; !last;) {
      // One more turn after everything was sent, with everything to be seen.
      last = stop_helper_.load();
      bool worked = true;
      while (worked) {
        cpu.quiescence.quiescent(epoch_);
        worked = !options_.drain_inline && device_->drain(cpu, 0);
        if (options_.stops) device_->poll(cpu, Smp::now());
        cpu.run_softirqs();
        worked = worked || cpu.softirq_pending() ||
                 (last && device_->qdisc(0).has_work() && !device_->qdisc(0).state().deactivated());
        spinner.pause();
      }
    }
    cpu.quiescence.go_offline();
  }

  StressOptions options_;
  CheckingSink sink_;
  StoppingLink* link_ = nullptr;
  std::unique_ptr<Device<Smp, Ring>> device_;
  QuiescentEpoch<Smp> epoch_;
  std::vector<std::unique_ptr<Cpu<Smp>>> cpus_;
  std::vector<std::unique_ptr<Numbered[]>> packets_;
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> stop_helper_{false};
};

}  // namespace qdiscsim::test
