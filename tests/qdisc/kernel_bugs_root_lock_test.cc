// Historical mistakes of queues with a root lock: a sender's packets out of order, and in order
// without the switch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "qdisc/kernel_bugs.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;
using testing::ElementsAre;

DeviceOptions root_lock(KernelBugs bugs) {
  DeviceOptions options = Lab::with_limit(2000);
  options.qdisc.bugs = bugs;
  options.qdisc.nolock = false;
  return options;
}

// Two packets of one sender; the first has to wait in the ring.
std::vector<Lab::Packet*> second_while_one_waits(std::vector<Lab::Packet*>& packets, Lab& lab) {
  packets = lab.make_many(2, 0);
  EXPECT_TRUE(lab.qdisc().state().try_run());
  lab.device->queue_xmit(lab.cpu, packets[0]);
  static_cast<void>(lab.qdisc().state().run_end());
  lab.device->queue_xmit(lab.cpu, packets[1]);
  lab.qdisc().try_run(lab.cpu);
  EXPECT_EQ(broken_law(lab.account()), "");
  return lab.sent();
}

TEST(KernelBugs, KeptCpustatsLetsTheBypassOvertakeWhatWaits) {
  Lab lab{root_lock(KernelBug::kKeptCpustats)};
  std::vector<Lab::Packet*> packets;
  const auto sent = second_while_one_waits(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[1], packets[0]));
}

TEST(KernelBugs, WithoutKeptCpustatsTheBypassSeesWhatWaits) {
  Lab lab{root_lock({})};
  std::vector<Lab::Packet*> packets;
  const auto sent = second_while_one_waits(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[0], packets[1]));
}

// While the driver has the first packet in hand, another CPU sends the second one.
std::vector<Lab::Packet*> second_while_one_is_sent(std::vector<Lab::Packet*>& packets, Lab& lab) {
  packets = lab.make_many(2, 0);
  lab.link->meanwhile = [&] { lab.device->queue_xmit(lab.control, packets[1]); };
  lab.device->queue_xmit(lab.cpu, packets[0]);
  EXPECT_EQ(lab.counters().qlen, 0U);
  EXPECT_EQ(broken_law(lab.account()), "");
  return lab.sent();
}

TEST(KernelBugs, ParallelRunsSendsTwoPacketsInTheOrderInWhichTheirCpusGetOn) {
  Lab lab{root_lock(KernelBug::kParallelRuns), true};
  std::vector<Lab::Packet*> packets;
  const auto sent = second_while_one_is_sent(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[1], packets[0]));
}

TEST(KernelBugs, WithoutParallelRunsTheSecondCpuLeavesItsPacketToTheFirst) {
  Lab lab{root_lock({}), true};
  std::vector<Lab::Packet*> packets;
  const auto sent = second_while_one_is_sent(packets, lab);
  EXPECT_THAT(sent, ElementsAre(packets[0], packets[1]));
}

}  // namespace
}  // namespace qdiscsim
