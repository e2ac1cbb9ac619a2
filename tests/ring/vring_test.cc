#include <gtest/gtest.h>

#include <cstring>

#include "tests/ring/vring_lab.h"

namespace qdiscsim {
namespace {

using test::VringLab;
using Lab = VringLab<>;

TEST(VringEvent, IsDueExactlyWhenTheIndexAfterTheEventWasPassed) {
  EXPECT_FALSE(vring_needs_event(5, 5, 4));
  EXPECT_TRUE(vring_needs_event(5, 6, 5));
  EXPECT_FALSE(vring_needs_event(5, 7, 6));
  EXPECT_TRUE(vring_needs_event(5, 9, 2));
  EXPECT_FALSE(vring_needs_event(5, 6, 6));
}

TEST(VringEvent, IsDueAcrossTheWrapOfTheIndex) {
  EXPECT_TRUE(vring_needs_event(0xffff, 0, 0xffff));
  EXPECT_TRUE(vring_needs_event(0xffff, 3, 0xfffe));
  EXPECT_TRUE(vring_needs_event(0, 1, 0));
  EXPECT_FALSE(vring_needs_event(0xffff, 2, 1));
  EXPECT_FALSE(vring_needs_event(2, 2, 0xfff0));
}

TEST(VringEvent, AgreesWithCountingStepByStep) {
  for (std::uint32_t old = 0xfff8; old < 0x10008; ++old) {
    for (std::uint32_t steps = 0; steps < 9; ++steps) {
      for (std::uint32_t event = 0xfff0; event < 0x10010; ++event) {
        bool passed = false;
        for (std::uint32_t at = old; at < old + steps; ++at) {
          passed = passed || static_cast<std::uint16_t>(at) == static_cast<std::uint16_t>(event);
        }
        EXPECT_EQ(vring_needs_event(static_cast<std::uint16_t>(event),
                                    static_cast<std::uint16_t>(old + steps),
                                    static_cast<std::uint16_t>(old)),
                  passed);
      }
    }
  }
}

TEST(Vring, CarriesABufferThereAndBack) {
  Lab lab{4, true};
  std::memset(lab.host_bytes(1), 7, Lab::kPiece);
  ASSERT_TRUE(lab.driver.add_out(lab.piece(1), Lab::token(1)));
  VringBuffer buffer;
  ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  EXPECT_EQ(buffer.out, 1);
  EXPECT_EQ(buffer.in, 0);
  EXPECT_EQ(buffer.pieces[0].host, lab.host_bytes(1));
  EXPECT_EQ(buffer.pieces[0].length, Lab::kPiece);
  EXPECT_EQ(lab.driver.get_used(), nullptr);
  lab.host.add_used(buffer.head, 12);
  std::uint32_t written = 0;
  EXPECT_EQ(lab.driver.get_used(&written), Lab::token(1));
  EXPECT_EQ(written, 12U);
  EXPECT_EQ(lab.host.take(buffer), VringTake::kEmpty);
}

TEST(Vring, TranslatesAChainOfPiecesWhatIsReadFirst) {
  Lab lab{4, true};
  const std::array<GuestPiece, 2> out{lab.piece(0), lab.piece(1)};
  const std::array<GuestPiece, 1> in{lab.piece(2)};
  ASSERT_TRUE(lab.driver.add(out, in, Lab::token(0)));
  EXPECT_EQ(lab.driver.free(), 1U);
  VringBuffer buffer;
  ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  EXPECT_EQ(buffer.out, 2);
  EXPECT_EQ(buffer.in, 1);
  EXPECT_EQ(buffer.pieces[1].host, lab.host_bytes(1));
  EXPECT_EQ(buffer.pieces[2].host, lab.host_bytes(2));
  EXPECT_FALSE(lab.driver.add(out, {}, Lab::token(1)));
  lab.host.add_used(buffer.head, 0);
  EXPECT_EQ(lab.driver.get_used(), Lab::token(0));
  EXPECT_EQ(lab.driver.free(), 4U);
}

TEST(Vring, SplitsAPieceThatLiesInTwoRegions) {
  Vring<smp::Native> ring{2, true};
  std::array<std::byte, 32> low{};
  std::array<std::byte, 32> high{};
  GuestMemory memory;
  ASSERT_TRUE(memory.add({0x10000, ring.bytes(), ring.data()}));
  ASSERT_TRUE(memory.add({0x120, 32, high.data()}));
  ASSERT_TRUE(memory.add({0x100, 32, low.data()}));
  VringDriver<smp::Native> driver{ring};
  VringHost<smp::Native> host{ring, memory, 0x10000};
  ASSERT_TRUE(host.attach());
  host.disable_notify();
  ASSERT_TRUE(driver.add_out({0x110, 24}, &ring));
  VringBuffer buffer;
  ASSERT_EQ(host.take(buffer), VringTake::kBuffer);
  ASSERT_EQ(buffer.out, 2);
  EXPECT_EQ(buffer.pieces[0].host, low.data() + 16);
  EXPECT_EQ(buffer.pieces[0].length, 16U);
  EXPECT_EQ(buffer.pieces[1].host, high.data());
  EXPECT_EQ(buffer.pieces[1].length, 8U);
}

TEST(Vring, RefusesWhatTheGuestMayNotNameOrWrite) {
  std::array<std::byte, 64> bytes{};
  for (const bool unmapped : {true, false}) {
    Vring<smp::Native> ring{2, true};
    GuestMemory memory;
    ASSERT_TRUE(memory.add({0x10000, ring.bytes(), ring.data()}));
    ASSERT_TRUE(memory.add({0x100, 64, bytes.data(), GuestAccess::kRead}));
    VringDriver<smp::Native> driver{ring};
    VringHost<smp::Native> host{ring, memory, 0x10000};
    ASSERT_TRUE(host.attach());
    ASSERT_TRUE(unmapped ? driver.add_out({0x120, 64}, &ring) : driver.add_in({0x100, 8}, &ring));
    VringBuffer buffer;
    EXPECT_EQ(host.take(buffer), VringTake::kBroken);
    EXPECT_EQ(host.counters().broken, 1U);
  }
}

TEST(Vring, RefusesAnIndexThatClaimsMoreThanTheRingHolds) {
  Lab lab{4, true};
  lab.ring.avail_index().store(5, smp::release);
  VringBuffer buffer;
  EXPECT_EQ(lab.host.take(buffer), VringTake::kBroken);
}

TEST(Vring, RefusesAHeadOutsideTheTableAndAChainWithoutEnd) {
  Lab outside{4, true};
  outside.ring.avail_entry(0).set(4);
  outside.ring.avail_index().store(1, smp::release);
  VringBuffer buffer;
  EXPECT_EQ(outside.host.take(buffer), VringTake::kBroken);

  Lab loop{4, true};
  loop.ring.descriptor(0).set({Lab::kDataAt, 8, VringDescriptor::kNext, 0});
  loop.ring.avail_index().store(1, smp::release);
  EXPECT_EQ(loop.host.take(buffer), VringTake::kBroken);
}

TEST(Vring, DoesNotAttachToMemoryThatDoesNotHoldIt) {
  Vring<smp::Native> ring{8, true};
  GuestMemory memory;
  ASSERT_TRUE(memory.add({0x10000, ring.bytes() - 1, ring.data()}));
  VringHost<smp::Native> host{ring, memory, 0x10000};
  EXPECT_FALSE(host.attach());
}

TEST(Vring, SkipsUsedElementsThatNameNoBufferInFlight) {
  Lab lab{4, true};
  ASSERT_TRUE(lab.driver.add_out(lab.piece(0), Lab::token(0)));
  VringBuffer buffer;
  ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  lab.host.add_used(3, 0);
  lab.host.add_used(buffer.head, 0);
  EXPECT_EQ(lab.driver.get_used(), Lab::token(0));
  EXPECT_EQ(lab.driver.broken(), 1U);
}

class VringBothWays : public testing::TestWithParam<bool> {};  // with and without event index
INSTANTIATE_TEST_SUITE_P(EventIndex, VringBothWays, testing::Bool());

TEST_P(VringBothWays, KicksOnceForAHostThatWaitsAndNotForOneThatWorks) {
  Lab lab{8, GetParam()};
  EXPECT_FALSE(lab.host.enable_notify());
  ASSERT_TRUE(lab.driver.add_out(lab.piece(0), Lab::token(0)));
  EXPECT_TRUE(lab.driver.kick_prepare());
  lab.host.disable_notify();
  VringBuffer buffer;
  ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  ASSERT_TRUE(lab.driver.add_out(lab.piece(1), Lab::token(1)));
  EXPECT_FALSE(lab.driver.kick_prepare());
}

TEST_P(VringBothWays, EnableNotifySaysThatWorkArrivedMeanwhile) {
  Lab lab{8, GetParam()};
  ASSERT_TRUE(lab.driver.add_out(lab.piece(0), Lab::token(0)));
  VringBuffer buffer;
  ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  ASSERT_EQ(lab.host.take(buffer), VringTake::kEmpty);
  ASSERT_TRUE(lab.driver.add_out(lab.piece(1), Lab::token(1)));
  EXPECT_TRUE(lab.host.enable_notify());
  lab.host.disable_notify();
  EXPECT_EQ(lab.host.take(buffer), VringTake::kBuffer);
  EXPECT_FALSE(lab.host.enable_notify());
}

TEST_P(VringBothWays, SignalsOnlyADriverThatAsked) {
  Lab lab{8, GetParam()};
  lab.driver.disable_callbacks();
  VringBuffer buffer;
  const auto round = [&](std::size_t number) {
    EXPECT_TRUE(lab.driver.add_out(lab.piece(number), Lab::token(number)));
    EXPECT_EQ(lab.host.take(buffer), VringTake::kBuffer);
    lab.host.add_used(buffer.head, 0);
    return lab.host.signal_prepare();
  };
  EXPECT_FALSE(round(0));
  EXPECT_FALSE(lab.driver.enable_callbacks());  // there is work
  lab.driver.disable_callbacks();
  EXPECT_EQ(lab.driver.get_used(), Lab::token(0));
  EXPECT_TRUE(lab.driver.enable_callbacks());
  EXPECT_TRUE(round(1));
}

TEST(Vring, ADelayedCallbackComesAfterThreeQuarters) {
  Lab lab{8, true};
  for (std::size_t i = 0; i < 8; ++i) ASSERT_TRUE(lab.driver.add_out(lab.piece(i), Lab::token(i)));
  EXPECT_TRUE(lab.driver.enable_callbacks_delayed());
  VringBuffer buffer;
  for (std::size_t i = 0; i < 8; ++i) {
    ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
    lab.host.add_used(buffer.head, 0);
    EXPECT_EQ(lab.host.signal_prepare(), i == 6) << i;
  }
  EXPECT_FALSE(lab.driver.enable_callbacks_delayed());
}

// Reads of the avail index by a host that turns notifications on and off before each of `buffers`.
template <class CacheAvail>
std::uint64_t reads(std::size_t buffers) {
  VringLab<CacheAvail> lab{8, true};
  VringBuffer buffer;
  for (std::size_t i = 0; i < buffers; ++i) {
    EXPECT_TRUE(lab.driver.add_out(lab.piece(i), lab.token(i)));
    EXPECT_TRUE(lab.host.enable_notify());
    lab.host.disable_notify();
    EXPECT_EQ(lab.host.take(buffer), VringTake::kBuffer);
    lab.host.add_used(buffer.head, 0);
    EXPECT_EQ(lab.driver.get_used(), lab.token(i));
  }
  return lab.host.counters().avail_index_reads;
}

TEST(VringCacheAvail, SavesTheSecondReadOfTheIndex) {
  EXPECT_EQ(reads<DropAvailIndex>(10), 20U);
  EXPECT_EQ(reads<KeepAvailIndex>(10), 10U);
}

TEST(VringCacheAvail, TellsOfBuffersThatWaitInTheCacheOnlyWhenKept) {
  VringLab<KeepAvailIndex> kept{8, true};
  VringLab<DropAvailIndex> dropped{8, true};
  const auto ask = [](auto& lab) {
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(lab.driver.add_out(lab.piece(i), lab.token(i)));
    VringBuffer buffer;
    EXPECT_EQ(lab.host.take(buffer), VringTake::kBuffer);
    return lab.host.enable_notify();
  };
  EXPECT_TRUE(ask(kept));
  EXPECT_FALSE(ask(dropped));
}

TEST(GuestMemory, FindsExactlyWhatItHolds) {
  std::array<std::byte, 16> bytes{};
  GuestMemory memory;
  EXPECT_TRUE(memory.add({100, 16, bytes.data()}));
  EXPECT_TRUE(memory.add({50, 10, bytes.data()}));
  EXPECT_FALSE(memory.add({59, 2, bytes.data()}));
  EXPECT_FALSE(memory.add({115, 4, bytes.data()}));
  EXPECT_FALSE(memory.add({90, 11, bytes.data()}));
  EXPECT_FALSE(memory.add({200, 0, bytes.data()}));
  EXPECT_FALSE(memory.add({~GuestAddress{0}, 2, bytes.data()}));
  EXPECT_EQ(memory.regions(), 2U);
  EXPECT_EQ(memory.find(49), nullptr);
  EXPECT_NE(memory.find(50), nullptr);
  EXPECT_EQ(memory.find(60), nullptr);
  EXPECT_EQ(memory.find(115)->at(115), bytes.data() + 15);
  EXPECT_EQ(memory.find(116), nullptr);
}

}  // namespace
}  // namespace qdiscsim
