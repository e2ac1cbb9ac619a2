// A generator that goes through a trace: each packet at its time, as it stands there, to the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

class GeneratorReplay : public test::GeneratorTest {
 protected:
  // 60 bytes of TOS 0x10 at 0, 1514 of 0 at 1 us, 100 of 0xb8 at 1 us, 200 of 0x08 at 5 us.
  static GeneratorSettings settings() {
    auto trace = std::make_shared<Trace>();
    trace->add(0, 60, 0x10);
    trace->add(1'000, 1514, 0);
    trace->add(0, 100, 0xb8);
    trace->add(4'000, 200, 0x08);
    GeneratorSettings made;
    made.traffic.replay.trace = trace;
    return made;
  }
  // Steps and, when nothing is due, goes on by a nanosecond; as run() would do.
  void replay(Nanoseconds until) {
    while (ManualClock::now() < until) {
      if (!generator_->step()) ManualClock::advance(1);
    }
  }
  std::vector<std::tuple<Nanoseconds, std::uint32_t, std::uint32_t>> seen() const {
    std::vector<std::tuple<Nanoseconds, std::uint32_t, std::uint32_t>> all;
    for (const auto& one : device_.seen) {
      all.emplace_back(one.timestamp - kStart, one.len, one.priority);
    }
    return all;
  }
};

TEST_F(GeneratorReplay, SendsEachPacketAtItsTimeWithItsSizePriorityAndTos) {
  GeneratorSettings wanted = settings();
  wanted.traffic.replay.loop = true;
  std::vector<Nanoseconds> sent;
  start(wanted);
  device_.on_call = [&] { sent.push_back(ManualClock::now() - kStart); };
  replay(kStart + 8'000);
  EXPECT_THAT(seen(), ElementsAre(std::tuple{0, 60, 6}, std::tuple{1'000, 1514, 0},
                                  std::tuple{1'000, 100, 4}, std::tuple{5'000, 200, 2},
                                  std::tuple{6'666, 60, 6}, std::tuple{7'666, 1514, 0},
                                  std::tuple{7'666, 100, 4}));
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i], std::get<0>(seen()[i])) << "packet " << i;
  }
  EXPECT_EQ(counters().sent_bytes.read(), 60U + 1514 + 100 + 200 + 60 + 1514 + 100);
  EXPECT_TRUE(generator_->result().mixed_sizes);
}

TEST_F(GeneratorReplay, WritesTheTosOfThePacketIntoItsHeader) {
  GeneratorProgram program{settings()};
  std::vector<std::byte> bytes(PacketTemplate::kMost);
  std::uint16_t written = PacketTemplate::kPlain;
  for (const int tos : {0x10, 0x00, 0xb8, 0x08}) {
    ASSERT_TRUE(program.traffic.advance());
    program.rebuild();
    program.packet.write(bytes.data(), written, 1, 0);
    EXPECT_EQ(std::to_integer<int>(bytes[15]), tos);
    std::uint32_t sum = 0;  // of the IP header, with its checksum
    for (std::size_t i = 14; i < 34; i += 2) {
      sum +=
          std::to_integer<std::uint32_t>(bytes[i]) << 8U | std::to_integer<unsigned>(bytes[i + 1]);
    }
    EXPECT_EQ((sum & 0xffffU) + (sum >> 16U), 0xffffU);
  }
}

TEST_F(GeneratorReplay, WritesTheTosOfThePacketIntoTheTrafficClassOfIpv6) {
  GeneratorSettings six = settings();
  six.traffic.frame.ipv6 = true;
  GeneratorProgram program{six};
  std::vector<std::byte> bytes(PacketTemplate::kMost);
  std::uint16_t written = PacketTemplate::kPlain;
  for (const int tos : {0x10, 0x00, 0xb8, 0x08}) {
    ASSERT_TRUE(program.traffic.advance());
    program.rebuild();
    program.packet.write(bytes.data(), written, 1, 0);
    EXPECT_EQ(std::to_integer<int>(bytes[14]) << 8 | std::to_integer<int>(bytes[15]),
              0x6000 | tos << 4);
  }
}

TEST_F(GeneratorReplay, CatchesUpWhenItWasLateAndKeepsTheIntendedTimes) {
  start(settings());
  ManualClock::advance(100'000);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(generator_->step());
  EXPECT_THAT(seen(), ElementsAre(std::tuple{0, 60, 6}, std::tuple{1'000, 1514, 0},
                                  std::tuple{1'000, 100, 4}, std::tuple{5'000, 200, 2}));
  EXPECT_EQ(counters().most_behind.load(smp::relaxed), 100'000U);
}

TEST_F(GeneratorReplay, StartsWithTheOthersWhenItIsToldWhen) {
  GeneratorSettings wanted = settings();
  wanted.starts_at = kStart + 300;
  start(wanted);
  EXPECT_FALSE(generator_->step());
  EXPECT_EQ(counters().due.load(smp::relaxed), kStart + 300);
  ManualClock::advance(300);
  EXPECT_TRUE(generator_->step());
}

TEST_F(GeneratorReplay, IsDoneBehindTheLastPacket) {
  GeneratorSettings wanted = settings();
  wanted.traffic.replay.pace = ReplayPace::kUnlimited;
  run_to_count(wanted);
  EXPECT_EQ(device_.seen.size(), 4U);
  EXPECT_EQ(counters().offered.read(), 4U);
  EXPECT_FALSE(counters().running.load(smp::relaxed));
}

TEST_F(GeneratorReplay, IsDoneEvenIfPacketsWereRefused) {
  GeneratorSettings wanted = settings();
  wanted.traffic.replay.pace = ReplayPace::kUnlimited;
  device_.script = {Verdict::kDrop, Verdict::kOk, Verdict::kDrop, Verdict::kDrop};
  run_to_count(wanted);
  EXPECT_EQ(counters().offered.read(), 4U);
  EXPECT_EQ(counters().sent.read(), 1U);
  EXPECT_EQ(counters().errors.read(), 3U);
}

TEST_F(GeneratorReplay, IsDoneAtOnceWhenThereIsNoPacketForItsThread) {
  GeneratorSettings wanted = settings();
  wanted.traffic.replay.thread = 4;
  wanted.traffic.replay.threads = 5;
  run_to_count(wanted);
  EXPECT_EQ(counters().offered.read(), 0U);
}

TEST_F(GeneratorReplay, StopsAtItsCountBeforeTheEnd) {
  GeneratorSettings wanted = settings();
  wanted.traffic.replay.pace = ReplayPace::kUnlimited;
  wanted.traffic.replay.loop = true;
  wanted.count = 6;
  run_to_count(wanted);
  EXPECT_EQ(device_.seen.size(), 6U);
  EXPECT_EQ(device_.seen[4].len, 60U);
}

TEST_F(GeneratorReplay, OffersARefusedPacketAgainToADriverAndSendsTheLastOne) {
  GeneratorSettings wanted = settings();
  wanted.mode = TransmitMode::kStartXmit;
  wanted.traffic.replay.pace = ReplayPace::kUnlimited;
  device_.script = {Verdict::kBusy, Verdict::kOk,   Verdict::kOk, Verdict::kOk,
                    Verdict::kBusy, Verdict::kBusy, Verdict::kOk};
  run_to_count(wanted);
  std::vector<std::uint32_t> lengths;
  for (const auto& one : device_.seen) lengths.push_back(one.len);
  EXPECT_THAT(lengths, ElementsAre(60, 1514, 100, 200));
  EXPECT_EQ(counters().sent.read(), 4U);
}

TEST_F(GeneratorReplay, PutsOnlyThoseIntoAListThatAreDue) {
  GeneratorSettings wanted = settings();
  wanted.enqueue_burst = 32;
  start(wanted);
  ManualClock::advance(1'000);
  EXPECT_TRUE(generator_->step());
  EXPECT_FALSE(generator_->step());
  EXPECT_EQ(counters().due.load(smp::relaxed), kStart + 5'000);
  ManualClock::advance(4'000);
  EXPECT_TRUE(generator_->step());
  EXPECT_THAT(device_.calls, ElementsAre(3, 1));
  EXPECT_THAT(seen(), ElementsAre(std::tuple{0, 60, 6}, std::tuple{1'000, 1514, 0},
                                  std::tuple{1'000, 100, 4}, std::tuple{5'000, 200, 2}));
}

TEST_F(GeneratorReplay, EndsAListWithTheTrace) {
  GeneratorSettings wanted = settings();
  wanted.enqueue_burst = 3;
  wanted.traffic.replay.pace = ReplayPace::kUnlimited;
  run_to_count(wanted);
  EXPECT_THAT(device_.calls, ElementsAre(3, 1));
}

TEST_F(GeneratorReplay, KeepsItsTimesWhenMemoryIsShort) {
  while (Page<Smp>* page = pool_.alloc()) held_.push_back(page);
  start(settings());
  EXPECT_TRUE(generator_->step());
  EXPECT_EQ(counters().no_memory.read(), 1U);
  EXPECT_EQ(counters().due.load(smp::relaxed), kStart);
  for (Page<Smp>* page : held_) pool_.put(page, 0);
  held_.clear();
  replay(kStart + 1'500);
  EXPECT_THAT(seen(), ElementsAre(std::tuple{0, 60, 6}, std::tuple{1'000, 1514, 0},
                                  std::tuple{1'000, 100, 4}));
}

}  // namespace
}  // namespace qdiscsim
