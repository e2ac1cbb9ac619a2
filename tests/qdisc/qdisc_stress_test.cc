// Eight senders on one queue: nothing is lost, sent twice, stuck, or out of order within a sender's
// band, and the law holds to the packet.
#include <gtest/gtest.h>

#include "tests/qdisc/stress_lab.h"

namespace qdiscsim {
namespace {

using test::StressLab;
using test::StressOptions;
using test::StressSmp;

template <class Lock>
class QdiscStress : public testing::Test {
 protected:
  void traffic(const StressOptions& options) {
    StressLab<Lock> lab{options};
    lab.run();
    lab.expect_all_accounted_for();
  }

  // As `ip link set down`, `up` and `txqueuelen` while everybody sends.
  void traffic_with_control(const StressOptions& options) {
    StressLab<Lock> lab{options};
    lab.run([&](int round) {
      auto& device = lab.device();
      if (round % 2 == 0) {
        device.deactivate(lab.control_cpu(), &StressLab<Lock>::grace, &lab);
        device.activate();
      } else {
        const std::uint32_t limit = round % 4 == 1 ? 16 : 128;
        EXPECT_TRUE(
            device.change_tx_queue_len(lab.control_cpu(), limit, &StressLab<Lock>::grace, &lab));
      }
    });
    lab.expect_all_accounted_for();
  }
};

using Locks = testing::Types<TestAndSetLock<StressSmp>, TicketLock<StressSmp>>;
TYPED_TEST_SUITE(QdiscStress, Locks);

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

}  // namespace
}  // namespace qdiscsim
