// Two senders on one queue in every order of their steps: enqueue, the seqlock, MISSED, the unlock,
// the softirq. A packet is stuck when nobody is in a call, the tx queue runs, and yet the ring
// holds something, with the seqlock free and SCHED clear.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/qdisc/interleaving.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::explore;
using test::Fibers;
using test::Found;
using test::Interleaved;
using test::StepRing;
using State = RunState<Interleaved>;

struct Plan {
  KernelBugs bugs{};
  bool bypass = false;
  std::array<int, 2> packets{1, 2};  // of each sender
};

class TwoSenders {
 public:
  explicit TwoSenders(const Plan& plan) : plan_{plan} {
    StepRing::made = 0;
    StepRing::name_of = [this](const void* entry) { return name(entry); };
    DeviceOptions options;
    options.qdisc.limit = 8;
    options.qdisc.cpus = 2;
    options.qdisc.sojourn_sample = 0;
    options.qdisc.can_bypass = plan.bypass;
    options.qdisc.bugs = plan.bugs;
    auto link = std::make_unique<test::FakeLink<Interleaved>>(sink_);
    link_ = link.get();
    link_->lockless = true;
    device_ = std::make_unique<Device<Interleaved, StepRing>>(options, std::move(link), sink_);
    ring_ = StepRing::used;
    Fibers::instance().watch(&state_(), 2 * sizeof(std::uint32_t));
  }

  std::array<std::function<void()>, 2> bodies() {
    return {[this] { send(0); }, [this] { send(1); }};
  }

  std::uint64_t state() const {
    std::uint64_t hash = const_cast<TwoSenders*>(this)->look();
    for (const void* entry : ring_->entries) hash = hash * 31 + name(entry);
    hash = hash * 4 + (in_call_[0] ? 1U : 0U) + (in_call_[1] ? 2U : 0U);
    for (const auto& cpu : cpus_) hash = hash * 2 + (cpu.softirq_pending() ? 1U : 0U);
    for (const auto& sent : link_->sent) hash = hash * 31 + name(sent.skb);
    return hash;
  }

  std::string wrong(bool end) {
    const std::uint64_t bits = look();
    if (!in_call_[0] && !in_call_[1] && !ring_->entries.empty() && (bits & (kHeld | 1U)) == 0) {
      return "stuck: packet " + std::to_string(name(ring_->entries.front())) +
             " waits, the seqlock is free, SCHED is clear";
    }
    std::array<std::uint64_t, 2> last{};
    for (const auto& sent : link_->sent) {
      const std::uint64_t number = name(sent.skb);
      std::uint64_t& before = last[number > kEach ? 1 : 0];
      if (number < before) return "out of order: packet " + std::to_string(before) + " overtook";
      before = number;
    }
    if (!end) return {};
    if (!ring_->entries.empty()) return "the ring is not empty when all is done";
    return broken_law(device_->account(0, true));
  }

 private:
  static constexpr std::uint64_t kEach = 4;
  static constexpr std::uint64_t kHeld = 1ULL << 32U;

  State& state_() { return device_->qdisc(0).state(); }
  // Not a step: called by nobody's fiber.
  std::uint64_t look() { return state_().hint() | (state_().running() ? kHeld : 0); }

  std::uint64_t name(const void* entry) const {
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      if (&packets_[i] == entry) return i + 1;
    }
    return 0;
  }

  // A call, and then what the softirq does, which is another.
  void send(std::size_t who) {
    for (int i = 0; i < plan_.packets[who]; ++i) {
      in_call_[who] = true;
      device_->queue_xmit(cpus_[who], &packets_[who * kEach + static_cast<std::size_t>(i)]);
      in_call_[who] = false;
      Fibers::instance().forget(static_cast<std::uint64_t>(2 * i));
      Fibers::instance().step();
      in_call_[who] = true;
      while (cpus_[who].softirq_pending()) cpus_[who].run_softirqs();
      in_call_[who] = false;
      Fibers::instance().forget(static_cast<std::uint64_t>(2 * i + 1));
    }
  }

  Plan plan_;
  test::RecordingSink<Interleaved> sink_;
  test::FakeLink<Interleaved>* link_ = nullptr;
  std::unique_ptr<Device<Interleaved, StepRing>> device_;
  StepRing* ring_ = nullptr;
  std::array<Cpu<Interleaved>, 2> cpus_{Cpu<Interleaved>{0}, Cpu<Interleaved>{1}};
  std::array<Skb<Interleaved>, 2 * kEach> packets_;
  std::array<bool, 2> in_call_{};
};

Found search(const Plan& plan) {
  return explore<TwoSenders>([&] { return std::make_unique<TwoSenders>(plan); });
}

std::string print(const Found& found) {
  std::string text = found.wrong + "\nafter " + std::to_string(found.runs) + " runs, by:\n";
  for (const std::string& line : found.schedule) text += "  " + line + '\n';
  return text;
}

TEST(InterleavingConformance, Check25_NoPacketIsEverStuckWithoutTheBypass) {
  const Found found = search({.packets = {1, 1}});
  EXPECT_EQ(found.wrong, "") << print(found);
  EXPECT_GT(found.states, 1000U) << "it was a search";
  RecordProperty("states", std::to_string(found.states));
}

TEST(InterleavingConformance, Check25_NoPacketIsEverStuckWithTheBypass) {
  const Found found = search({.bypass = true, .packets = {1, 1}});
  EXPECT_EQ(found.wrong, "") << print(found);
  EXPECT_GT(found.states, 1000U);
}

TEST(InterleavingConformance, Check25_ASingleTrylockStrandsAPacket) {
  const Found found = search({.bugs = KernelBug::kSingleTrylock});
  EXPECT_EQ(found.wrong.substr(0, 5), "stuck") << print(found);
  EXPECT_FALSE(found.schedule.empty());
  std::cout << "single_trylock: " << print(found);
}

TEST(InterleavingConformance, Check25_AStaleMissedStrandsAPacket) {
  const Found found = search({.bugs = KernelBug::kStaleMissed});
  EXPECT_EQ(found.wrong.substr(0, 5), "stuck") << print(found);
  EXPECT_FALSE(found.schedule.empty());
  std::cout << "stale_missed: " << print(found);
}

}  // namespace
}  // namespace qdiscsim
