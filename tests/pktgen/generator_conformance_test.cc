// How pktgen sends: counts, errors, retries, copies, references. Each test says which of the two
// kinds of generator it is about: the daemon's, pktgen's own (as_pktgen), or both.
#include <gmock/gmock.h>

#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class PktgenConformance : public test::GeneratorTest {
 protected:
  static GeneratorSettings of(TransmitMode mode, bool as_pktgen) {
    GeneratorSettings settings;
    settings.mode = mode;
    settings.as_pktgen = as_pktgen;
    return settings;
  }
  // What `check` says holds for both kinds, each in a fresh world.
  template <class Check>
  void both(TransmitMode mode, Check check) {
    for (const bool as_pktgen : {false, true}) {
      SCOPED_TRACE(as_pktgen ? "as pktgen" : "as the daemon");
      if (generator_) generator_->finish();
      device_.seen.clear();
      device_.calls.clear();
      device_.script.clear();
      device_.on_call = [] {};
      check(of(mode, as_pktgen));
    }
  }
};

TEST_F(PktgenConformance, Check56_CountZeroRunsUntilStop) {
  both(TransmitMode::kQueueXmit, [this](GeneratorSettings settings) {
    settings.count = 0;
    make(settings);
    device_.on_call = [this] {
      if (device_.calls.size() == 2500) generator_->request_stop();
    };
    generator_->run();
    EXPECT_EQ(counters().sent.read(), 2500U);
    EXPECT_THAT(format_result(generator_->result()), StartsWith("OK: "));
  });
}

TEST_F(PktgenConformance, Check57_TheCountIsOfAcceptedPackets) {
  both(TransmitMode::kQueueXmit, [this](GeneratorSettings settings) {
    settings.count = 10;
    for (int i = 0; i < 40; ++i) {
      device_.script.push_back(i % 2 == 0 ? Verdict::kOk : Verdict::kDrop);
    }
    run_to_count(settings);
    EXPECT_EQ(device_.calls.size(), 19U);
    EXPECT_EQ(counters().offered.read(), 19U);
    EXPECT_EQ(generator_->result().sofar, 10U);
    EXPECT_EQ(generator_->result().errors, 9U);
    EXPECT_TRUE(generator_->done()) << "it stops by itself";
    // The sequence number counts what was accepted.
    EXPECT_EQ(sequences().back(), 10U);
  });
}

TEST_F(PktgenConformance, Check58_BusyIsNoErrorAndTheSamePacketIsTriedAgain) {
  both(TransmitMode::kStartXmit, [this](const GeneratorSettings& settings) {
    start(settings);
    device_.script = {Verdict::kBusy, Verdict::kBusy, Verdict::kBusy};
    for (int i = 0; i < 4; ++i) generator_->step();
    EXPECT_EQ(device_.calls.size(), 4U);
    EXPECT_THAT(sequences(), ElementsAre(1));
    EXPECT_EQ(counters().offered.read(), 1U);
    EXPECT_EQ(counters().sent.read(), 1U);
    EXPECT_EQ(counters().errors.read(), 0U);
  });
}

TEST_F(PktgenConformance, Check59_AnOddAnswerIsAnErrorAndTheSamePacketIsTriedAgain) {
  both(TransmitMode::kStartXmit, [this](const GeneratorSettings& settings) {
    start(settings);
    device_.script = {static_cast<Verdict>(5)};
    for (int i = 0; i < 3; ++i) generator_->step();
    EXPECT_THAT(sequences(), ElementsAre(1, 2)) << "the first one came again";
    EXPECT_EQ(counters().errors.read(), 1U);
    EXPECT_EQ(counters().sent.read(), 2U);
  });
}

TEST_F(PktgenConformance, Check60_ABurstOvershootsTheCount) {
  both(TransmitMode::kStartXmit, [this](GeneratorSettings settings) {
    settings.count = 10;
    settings.burst = 8;
    run_to_count(settings);
    EXPECT_EQ(generator_->result().sofar, 16U);
    EXPECT_THAT(device_.calls, ElementsAre(8, 8));
    EXPECT_EQ(device_.seen[0].skb, device_.seen[7].skb) << "one skb, eight times";
    EXPECT_THAT(sequences(), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9));
  });
}

TEST_F(PktgenConformance, Check61_CloneSkbSendsOnePacketSoManyTimes) {
  both(TransmitMode::kStartXmit, [this](GeneratorSettings settings) {
    settings.clone_skb = 3;
    start(settings);
    for (int i = 0; i < 7; ++i) generator_->step();
    EXPECT_THAT(sequences(), ElementsAre(1, 1, 1, 4, 4, 4, 7));
    EXPECT_EQ(counters().sent.read(), 7U);
  });
}

TEST_F(PktgenConformance, Check73_AnSkbThatIsNotSharedIsNotHeldAtTheEnd) {
  for (const TransmitMode mode :
       {TransmitMode::kQueueXmit, TransmitMode::kStartXmit, TransmitMode::kNetifReceive}) {
    for (const bool shared : {false, true}) {
      GeneratorSettings settings = of(mode, true);
      settings.count = 5;
      settings.shared = shared;
      run_to_count(settings);
      EXPECT_EQ(generator_->result().sofar, 5U);
      EXPECT_THAT(format_result(generator_->result()),
                  testing::HasSubstr(shared ? "(60byte,0frags)" : "(60byte,-1frags)"));
    }
  }
}

TEST_F(PktgenConformance, Check75_AStopGivesTheResultOfWhatWasSentByThen) {
  both(TransmitMode::kQueueXmit, [this](GeneratorSettings settings) {
    settings.count = 1000;
    make(settings);
    device_.on_call = [this] {
      ManualClock::advance(kMicrosecond);
      if (device_.calls.size() == 300) generator_->request_stop();
    };
    generator_->run();
    EXPECT_EQ(format_result(generator_->result()),
              "OK: 300(c300+d0) usec, 300 (60byte,0frags)\n"
              "  1000000pps 480Mb/sec (480000000bps) errors: 0");
  });
}

// ---- what belongs to the transmit step beside the numbered checks ----

TEST_F(PktgenConformance, ADropByTheDriverIsAnErrorAndEndsTheBurst) {
  both(TransmitMode::kStartXmit, [this](GeneratorSettings settings) {
    settings.burst = 4;
    start(settings);
    device_.script = {Verdict::kOk, Verdict::kDrop};
    generator_->step();
    EXPECT_EQ(counters().sent.read(), 1U);
    EXPECT_EQ(counters().errors.read(), 1U);
    EXPECT_EQ(counters().offered.read(), 2U) << "the dropped copy was taken";
  });
}

TEST_F(PktgenConformance, PktgenStartsABurstAnewWhereTheDriverStopped) {
  GeneratorSettings settings = of(TransmitMode::kStartXmit, true);
  settings.burst = 4;
  start(settings);
  device_.script = {Verdict::kOk, Verdict::kBusy};
  generator_->step();
  generator_->step();
  EXPECT_THAT(device_.calls, ElementsAre(4, 4));
  EXPECT_THAT(sequences(), ElementsAre(1, 1, 1, 1, 1));
}

TEST_F(PktgenConformance, ReceivingCountsDropsAsErrorsToo) {
  both(TransmitMode::kNetifReceive, [this](GeneratorSettings settings) {
    settings.burst = 3;
    start(settings);
    device_.script = {Verdict::kOk, Verdict::kDrop, Verdict::kOk};
    generator_->step();
    EXPECT_EQ(counters().sent.read(), 3U);
    EXPECT_EQ(counters().errors.read(), 1U);
  });
}

TEST_F(PktgenConformance, ReceivingEndsABurstWhenSomebodyKeepsAReference) {
  GeneratorSettings settings = of(TransmitMode::kNetifReceive, true);
  settings.burst = 8;
  start(settings);
  device_.receive_at_most = 1;
  generator_->step();
  generator_->step();
  EXPECT_EQ(counters().sent.read(), 2U);
  EXPECT_THAT(sequences(), ElementsAre(1, 2)) << "each burst has a packet of its own";
}

TEST_F(PktgenConformance, PktgenWaitsForItsLastPacketToComeBack) {
  for (const TransmitMode mode : {TransmitMode::kQueueXmit, TransmitMode::kStartXmit}) {
    GeneratorSettings settings = of(mode, true);
    settings.count = 4;
    device_.holds = true;
    run_to_count(settings);
    EXPECT_TRUE(device_.held.empty()) << "the driver gave it back before the run ended";
    EXPECT_EQ(generator_->result().frags, 0) << "and pktgen held it then";
  }
}

TEST_F(PktgenConformance, PktgenDelaysBurstsNotPackets) {
  GeneratorSettings settings = of(TransmitMode::kStartXmit, true);
  settings.burst = 4;
  settings.period = Pacer::delay(1'000);
  start(settings);
  EXPECT_TRUE(generator_->step());
  EXPECT_FALSE(generator_->step());
  ManualClock::advance(1'000);
  EXPECT_TRUE(generator_->step());
  EXPECT_EQ(counters().sent.read(), 8U);
}

TEST_F(PktgenConformance, PktgenShowsItsCurrentValues) {
  GeneratorSettings settings = of(TransmitMode::kQueueXmit, true);
  settings.traffic.size = pktgen_range(60, 64, false);
  settings.traffic.destination = pktgen_range(10, 20, false);
  settings.traffic.udp_source = pktgen_ports(9, 99, false);
  settings.traffic.queue = pktgen_queues(0, 3, false);
  start(settings);
  generator_->step();
  generator_->step();
  const PacketFields now = counters().current.fields();
  EXPECT_EQ(now.size, 62U);
  EXPECT_EQ(now.destination, 12U);
  EXPECT_EQ(now.udp_source, 11U);
  EXPECT_EQ(now.udp_destination, 9U);
  EXPECT_EQ(now.queue, 2U);
}

}  // namespace
}  // namespace qdiscsim
