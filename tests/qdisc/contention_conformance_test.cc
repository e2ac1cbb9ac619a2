// Eight producers on one queue: the counters of all CPUs, summed, are what is there, and every
// sender's packets of a band stay in order.
#include <gtest/gtest.h>

#include "ring/ptr_ring.h"
#include "tests/qdisc/stress_lab.h"

namespace qdiscsim {
namespace {

using test::StressLab;
using test::StressOptions;
using Ring = PtrRing<test::StressSmp>;

// After traffic, with what waits left in place.
void expect_sums_to_be_what_waits(const StressOptions& options) {
  StressLab<Ring> lab{options};
  lab.run();
  const QueueAccount account = lab.device().account(0, true);
  std::uint64_t qlen = account.requeued - account.unrequeued;
  std::uint64_t waiting = account.requeue_packets;  // counted on the lists
  for (const BandAccount& band : account.bands) {
    qlen += band.enqueued - band.dequeued;
    waiting += band.ring_packets;  // counted in the rings
  }
  EXPECT_EQ(qlen, waiting);
  EXPECT_EQ(broken_law(account), "");
}

TEST(ContentionConformance, Check31_TheSumOfAllCpusIsWhatRingsAndListsHold) {
  expect_sums_to_be_what_waits({});
  expect_sums_to_be_what_waits({.bypass = false});
  expect_sums_to_be_what_waits({.stops = true});
}

TEST(ContentionConformance, Check31_TheSumIsRightWithPacketsThatWait) {
  // Nobody drains, and nobody wakes the link: everything that fits waits.
  StressLab<Ring> lab{{.bypass = false, .stops = true, .limit = 1000, .helper = false}};
  lab.run();
  const QueueAccount account = lab.device().account(0, true);
  std::uint64_t qlen = account.requeued - account.unrequeued;
  std::uint64_t waiting = account.requeue_packets;
  for (const BandAccount& band : account.bands) {
    qlen += band.enqueued - band.dequeued;
    waiting += band.ring_packets;
    EXPECT_GT(band.ring_packets, 0U);
  }
  EXPECT_EQ(qlen, waiting);
  EXPECT_EQ(broken_law(account), "");
}

TEST(ContentionConformance, Check30_TheSumIsRightUnderARootLockToo) {
  expect_sums_to_be_what_waits({.nolock = false});
  expect_sums_to_be_what_waits({.stops = true, .nolock = false});
}

TEST(ContentionConformance, Check32_EverySendersPacketsOfABandStayInOrder) {
  for (const bool bypass : {true, false}) {
    for (const bool stops : {true, false}) {
      StressLab<Ring> lab{{.bypass = bypass, .stops = stops}};
      lab.run();
      lab.expect_all_accounted_for();
    }
  }
}

TEST(ContentionConformance, Check32_AndSoTheyDoUnderARootLock) {
  StressLab<Ring> lab{{.nolock = false}};
  lab.run();
  lab.expect_all_accounted_for();
}

}  // namespace
}  // namespace qdiscsim
