// Eight senders on one queue: nothing is lost, sent twice, stuck, or out of order within a sender's
// band, and the law holds to the packet.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "qdisc/queue_stalls.h"
#include "ring/any_ring.h"
#include "tests/qdisc/stress_lab.h"

namespace qdiscsim {
namespace {

using test::StressLab;
using test::StressOptions;
using test::StressSmp;

template <class Ring>
class QdiscStress : public testing::Test {
 protected:
  void traffic(const StressOptions& options) {
    StressLab<Ring> lab{options};
    lab.run();
    lab.expect_all_accounted_for();
  }

  // As `ip link set down`, `up` and `txqueuelen` while everybody sends.
  void traffic_with_control(const StressOptions& options) {
    StressLab<Ring> lab{options};
    lab.run([&](int round) {
      auto& device = lab.device();
      if (round % 2 == 0) {
        device.deactivate(lab.control_cpu(), &StressLab<Ring>::grace, &lab);
        device.activate();
      } else {
        const std::uint32_t limit = round % 4 == 1 ? 16 : 128;
        EXPECT_TRUE(
            device.change_tx_queue_len(lab.control_cpu(), limit, &StressLab<Ring>::grace, &lab));
      }
    });
    if (options.bugs.any()) {
      // Packets of before may lie in a queue that is up again, with no sender left to find them.
      lab.device().deactivate(lab.control_cpu(), &StressLab<Ring>::grace, &lab);
      lab.device().activate();
    }
    lab.expect_all_accounted_for();
  }

  // And consumers that stall, and go on by the control thread's hand.
  void traffic_with_stalls(const StressOptions& options) {
    StressLab<Ring> lab{options};
    QueueStalls<StressSmp> stalls{lab.device()};
    Cpu<StressSmp>& control = lab.control_cpu();
    const auto end = [&] {
      stalls.end_all();
      stalls.look(control, StressSmp::now());
      while (control.softirq_pending()) control.run_softirqs();
    };
    lab.run([&](int round) {
      stalls.begin(0, StressSmp::now(), kSecond);
      StressSmp::yield();
      if (round % 3 == 0) lab.device().deactivate(control, &StressLab<Ring>::grace, &lab);
      if (round % 2 == 0) end();
      if (round % 3 == 0) lab.device().activate();
      if (round % 5 == 0) {
        EXPECT_TRUE(lab.device().change_tx_queue_len(control, round % 2 == 0 ? 16 : 128,
                                                     &StressLab<Ring>::grace, &lab));
      }
      end();
    });
    lab.expect_all_accounted_for();
  }
};

using Rings = testing::Types<PtrRing<StressSmp>, PtrRing<StressSmp, TicketLock<StressSmp>>,
                             MpscRing<StressSmp>, LaneRing<StressSmp>,
                             RteBandRing<StressSmp, RelaxedTailSync>>;
TYPED_TEST_SUITE(QdiscStress, Rings);

TYPED_TEST(QdiscStress, KeepsEverySendersOrderWithBypass) {
  this->traffic({});
}

TYPED_TEST(QdiscStress, KeepsEverySendersOrderWithoutBypass) {
  this->traffic({.bypass = false});
}

TYPED_TEST(QdiscStress, KeepsEverySendersOrderWithLists) {
  this->traffic({.lists = true});
}

TYPED_TEST(QdiscStress, NeverStrandsAPacketOnALinkThatStopsAndIsWokenByAnotherThread) {
  this->traffic({.stops = true});
}

TYPED_TEST(QdiscStress, NeverStrandsAPacketWithoutBypassOnALinkThatStops) {
  this->traffic({.bypass = false, .stops = true, .limit = 1000});
}

TYPED_TEST(QdiscStress, DrainsOnAThreadOfItsOwn) {
  this->traffic({.drain_inline = false});
}

TYPED_TEST(QdiscStress, DrainsOnAThreadOfItsOwnIntoALinkThatStops) {
  this->traffic({.drain_inline = false, .stops = true});
}

TYPED_TEST(QdiscStress, SurvivesDownUpAndNewLengthsDuringTraffic) {
  this->traffic_with_control({});
}

TYPED_TEST(QdiscStress, SurvivesDownUpAndNewLengthsOnALinkThatStops) {
  this->traffic_with_control({.stops = true});
}

TYPED_TEST(QdiscStress, SurvivesDownUpAndNewLengthsWithADrainThread) {
  this->traffic_with_control({.drain_inline = false});
}

TYPED_TEST(QdiscStress, SurvivesConsumersThatStall) {
  this->traffic_with_stalls({});
}

TYPED_TEST(QdiscStress, SurvivesConsumersThatStallOnALinkThatStops) {
  this->traffic_with_stalls({.stops = true});
}

// Two senders meet on one packet each, again and again: if the one that did not get to run relied
// on a runner that was leaving already, its packet would stay behind, with nobody to fetch it.
// Historical mistakes cost order, not packets, and no memory.
using QdiscWithBugs = QdiscStress<PtrRing<StressSmp>>;

TEST_F(QdiscWithBugs, LosesNothingWhenSeveralCpusRunIt) {
  traffic(
      {.nolock = false, .bugs = KernelBugs{KernelBug::kParallelRuns} | KernelBug::kKeptCpustats});
}

TEST_F(QdiscWithBugs, LosesNothingWhenSeveralCpusRunItAndTheLinkStops) {
  traffic({.stops = true, .nolock = false, .bugs = KernelBug::kParallelRuns});
}

TEST_F(QdiscWithBugs, LosesNothingWhenItIsEmptiedTooEarly) {
  traffic_with_control({.bugs = KernelBug::kResetBeforeGrace});
}

TEST(QdiscMeeting, LeavesNoPacketBehindWhoeverRuns) {
  using Smp = StressSmp;
#if defined(__SANITIZE_THREAD__)
  constexpr std::uint32_t kRounds = 2'000;
#else
  constexpr std::uint32_t kRounds = 30'000;
#endif
  test::CheckingSink sink;
  DeviceOptions options;
  options.qdisc.cpus = 2;
  options.qdisc.can_bypass = false;
  Device<Smp, PtrRing<Smp>> device{options, std::make_unique<test::StoppingLink>(sink, true, 1),
                                   sink};
  std::array<test::Numbered, 2> packets;
  std::atomic<std::uint32_t> arrived{0};
  std::uint64_t stranded = 0;
  // Returns when both have come to it for the n-th time.
  const auto meet = [&](std::uint32_t n) {
    arrived.fetch_add(1);
    Smp::Spinner spinner;
    while (arrived.load() < 2 * n) spinner.pause();
  };
  const auto work = [&](CpuId id) {
    Cpu<Smp> cpu{id};
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      packets[id].sender = id;
      packets[id].number = round;
      meet(2 * round + 1);
      device.queue_xmit(cpu, &packets[id]);
      cpu.run_softirqs();
      meet(2 * round + 2);
      if (id == 0 && device.account(0, true).bands[1].ring_packets != 0) {
        ++stranded;
        device.qdisc(0).try_run(cpu);
      }
    }
  };
  std::thread other{work, 1};
  work(0);
  other.join();
  EXPECT_EQ(stranded, 0U);
  EXPECT_EQ(broken_law(device.account(0, true)), "");
}

}  // namespace
}  // namespace qdiscsim
