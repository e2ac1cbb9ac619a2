// The guest behind a host that is driven by hand.
#include "qdisc/vhost_guest.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/smp_native.h"
#include "ring/vring_host.h"
#include "tests/qdisc/vhost_lab.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

class VhostGuestTest : public testing::Test {
 protected:
  static constexpr std::size_t kBuffers = 8;
  static constexpr std::uint32_t kHeader = 12;

  void SetUp() override { ASSERT_TRUE(host_.attach()); }

  // Gives the next buffer back with a packet of `bytes` in it, whose IPv4 header says `says`.
  // False when there is no buffer.
  bool give(std::uint32_t bytes, std::uint16_t says) {
    if (host_.take(buffer_) != VringTake::kBuffer) return false;
    EXPECT_EQ(buffer_.pieces[buffer_.out].length, VhostGuest<Smp>::kBufferBytes);
    std::byte* packet = buffer_.pieces[buffer_.out].host + kHeader;
    const std::uint16_t length = __builtin_bswap16(says);
    std::memcpy(packet + 16, &length, sizeof length);
    host_.add_used(buffer_.head, kHeader + bytes);
    if (host_.signal_prepare()) guest_.call().signal();
    return true;
  }

  VhostGuest<Smp> guest_{kBuffers, kHeader};
  VringHost<Smp> host_{guest_.ring(), guest_.memory(), VhostGuest<Smp>::kRingAt};
  VringBuffer buffer_;
};

TEST_F(VhostGuestTest, PostsAllItsBuffersAndPostsThemAgain) {
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kBuffers; ++i) EXPECT_TRUE(give(60, 46));
    EXPECT_FALSE(give(60, 46));
    guest_.take_rest();
  }
  EXPECT_EQ(guest_.counters().packets.read(), 3 * kBuffers);
  EXPECT_EQ(guest_.counters().bytes.read(), 3 * kBuffers * 60);
  EXPECT_EQ(guest_.counters().wrong.read(), 0U);
}

TEST_F(VhostGuestTest, NoticesAPacketThatIsNotWhole) {
  EXPECT_TRUE(give(60, 47));  // one byte more than there is
  EXPECT_TRUE(give(33, 19));  // not even an IPv4 header
  guest_.take_rest();
  EXPECT_EQ(guest_.counters().packets.read(), 2U);
  EXPECT_EQ(guest_.counters().wrong.read(), 2U);
}

TEST_F(VhostGuestTest, NoticesABufferThatItNeverPosted) {
  host_.add_used(kBuffers, kHeader + 60);
  guest_.take_rest();
  EXPECT_EQ(guest_.counters().packets.read(), 0U);
  EXPECT_EQ(guest_.counters().wrong.read(), 1U);
}

TEST_F(VhostGuestTest, IsWorkOfTheHostsThreadWhenTheyShareOne) {
  WorkList<Smp> work;
  EventCounter<Smp> kick;
  guest_.share(work, kick);
  EXPECT_EQ(work.run_all(), 1U) << "the first kick";
  EXPECT_TRUE(kick.pending());
  EXPECT_TRUE(give(60, 46));
  EXPECT_EQ(work.run_all(), 1U);
  EXPECT_EQ(guest_.counters().packets.read(), 1U);
  EXPECT_EQ(work.run_all(), 0U);
}

TEST_F(VhostGuestTest, StopsAtOnceWhetherItSleepsOrStaysAwake) {
  for (const bool busy_poll : {false, true}) {
    VhostGuest<Smp> guest{kBuffers, kHeader};
    EventCounter<Smp> kick;
    std::thread thread{[&] { guest.run(kick, busy_poll); }};
    kick.wait();  // it runs
    guest.stop();
    thread.join();
  }
}

TEST(VhostWorker, DiscardsWhatIsInHandAndInTheRingAtTheEnd) {
  test::VhostLab lab{8, 4, 4};
  lab.send(6);
  lab.worker.receive();  // no buffer: four in hand
  EXPECT_EQ(lab.worker.in_hand(), 4U);
  EXPECT_EQ(lab.tun.posted(0), 6U);
  lab.worker.discard_rest();
  EXPECT_EQ(lab.worker.in_hand(), 0U);
  EXPECT_EQ(lab.tun.posted(0), 0U);
  EXPECT_EQ(lab.tx_queue.totals().dropped, 6U);
  EXPECT_EQ(lab.sink.home.size(), 6U);
}

}  // namespace
}  // namespace qdiscsim
