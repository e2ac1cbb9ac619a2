// Runs: what a start does with the settings, and how it ends.
#include <gmock/gmock.h>

#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

using testing::HasSubstr;

class PktgenRuns : public test::FilesLab {
 protected:
  PktgenRuns() {
    add_eth0();
    ask("eth0", "count 100");
  }
  const GeneratorSettings& settings_of_a_run() {
    EXPECT_EQ(echo("pgctrl", "start"), 5);
    return backend_.started.back().settings;
  }
};

TEST_F(PktgenRuns, StartWaitsForAllDevices) {
  ask("kpktgend_1", "add_device eth0@1");
  ask("eth0@1", "count 500000");
  EXPECT_EQ(echo("pgctrl", "start"), 5);
  EXPECT_THAT(result("eth0"), HasSubstr(" usec, 100 ("));
  EXPECT_THAT(result("eth0@1"), HasSubstr(" usec, 500000 ("));
  EXPECT_TRUE(backend_.jobs.empty());
  EXPECT_EQ(backend_.started.at(0).thread, 0U);
  EXPECT_EQ(backend_.started.at(1).thread, 1U);
  EXPECT_EQ(backend_.started.at(1).interface, "eth0");
  EXPECT_EQ(backend_.started.at(1).file, "eth0@1");
}

TEST_F(PktgenRuns, ASignalStopsThem) {
  ask("eth0", "count 0");
  int asked = 0;
  EXPECT_EQ(files_->write("pgctrl", "start\n", [&] { return ++asked == 3; }), 6);
  EXPECT_EQ(asked, 3);
  backend_.wait(kSecond);
  EXPECT_THAT(result("eth0"), testing::StartsWith("OK: "));
  EXPECT_TRUE(shows("kpktgend_0", "Stopped: eth0 "));
}

TEST_F(PktgenRuns, TheResultSaysStartingMeanwhileAndTheCountersAreShown) {
  ask("eth0", "count 200000");
  std::string seen;
  backend_.on_wait = [&] { seen = text("eth0"); };
  echo("pgctrl", "start");
  EXPECT_THAT(seen, HasSubstr("pkts-sofar: 125000  errors: 0\n"
                              "     started: 1000000us  stopped: 1125000us idle: 0us\n"
                              "     seq_num: 125001  "));
  EXPECT_THAT(seen, HasSubstr("Result: Starting\n"));
}

TEST_F(PktgenRuns, AnotherStartBeginsAnew) {
  echo("pgctrl", "start");
  echo("pgctrl", "start");
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 100  errors: 0"));
  EXPECT_EQ(backend_.started.size(), 2U);
}

TEST_F(PktgenRuns, ClearingTakesOffWhatWasCounted) {
  echo("pgctrl", "start");
  EXPECT_EQ(ask("eth0", "clear_counters"), "OK: Clearing counters.\n");
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 0  errors: 0"));
  EXPECT_TRUE(shows("eth0", "seq_num: 1  "));

  ask("eth0", "count 200000");
  int looks = 0;
  backend_.on_wait = [&] {
    if (++looks == 2) ask("eth0", "clear_counters");
  };
  echo("pgctrl", "start");
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 75000  errors: 0")) << text("eth0");
}

TEST_F(PktgenRuns, AnUnsetSizeIsWhatTheHeadersNeed) {
  EXPECT_EQ(settings_of_a_run().traffic.size.min, 58U);
  EXPECT_TRUE(shows("eth0", "min_pkt_size: 58  max_pkt_size: 58"));
}

TEST_F(PktgenRuns, TagsAndIpv6MakeAnUnsetSizeLonger) {
  ask("eth0", "vlan_id 1");
  ask("eth0", "svlan_id 2");
  ask("eth0", "dst6 fd00::1");
  EXPECT_EQ(settings_of_a_run().traffic.size.min, 86U);
}

TEST_F(PktgenRuns, QueuesThatAreNotThereAreCut) {
  ask("eth0", "queue_map_min 7");
  ask("eth0", "queue_map_max 9");
  settings_of_a_run();
  EXPECT_TRUE(shows("eth0", "queue_map_min: 3  queue_map_max: 3"));
}

TEST_F(PktgenRuns, TheNextRunGoesOnWithTheNextQueue) {
  ask("eth0", "queue_map_max 3");
  ask("eth0", "count 2");
  settings_of_a_run();
  EXPECT_TRUE(shows("eth0", "cur_queue_map: 2\n"));
  settings_of_a_run();
  EXPECT_TRUE(shows("eth0", "cur_queue_map: 0\n"));
}

TEST_F(PktgenRuns, TheSourceIsTheInterfacesUnlessItIsSet) {
  EXPECT_EQ(settings_of_a_run().traffic.source.min, 0x0a000063U);
  EXPECT_TRUE(shows("eth0", "cur_saddr: 10.0.0.99  "));
  ask("eth0", "src_min 10.0.0.7");
  EXPECT_EQ(settings_of_a_run().traffic.source.min, 0x0a000007U);
}

TEST_F(PktgenRuns, SettingsReachTheGenerator) {
  for (const char* command : {"flag QUEUE_MAP_CPU", "flag NO_TIMESTAMP", "flag UDPCSUM",
                              "flag FLOW_SEQ", "flows 8", "flowlen 10", "skb_priority 6", "tos 10",
                              "delay 500", "clone_skb 2", "xmit_mode start_xmit"}) {
    ask("eth0", command);
  }
  const GeneratorSettings& settings = settings_of_a_run();
  EXPECT_EQ(settings.traffic.queue.min, 0U);
  EXPECT_FALSE(settings.traffic.timestamp);
  EXPECT_TRUE(settings.traffic.udp_checksum);
  EXPECT_EQ(settings.traffic.flow_order, FlowOrder::kPktgenSequence);
  EXPECT_EQ(settings.traffic.flows, 8U);
  EXPECT_EQ(settings.traffic.flow_length, 10U);
  EXPECT_EQ(settings.traffic.priority.at(0).value, 6U);
  EXPECT_EQ(settings.traffic.tos, 0x10);
  EXPECT_EQ(settings.period.ns, 500U);
  EXPECT_EQ(settings.clone_skb, 2U);
  EXPECT_TRUE(settings.as_pktgen);
  EXPECT_TRUE(settings.shared);
}

TEST_F(PktgenRuns, OneSkbIsNotQueuedTwice) {
  ask("eth0", "clone_skb 2");
  ask("eth0", "xmit_mode queue_xmit");
  EXPECT_EQ(echo("pgctrl", "start"), 5);
  EXPECT_EQ(result("eth0"),
            "ERROR: clone_skb with queue_xmit would queue one skb twice; set clone_skb 0");
  EXPECT_TRUE(backend_.started.empty());
}

TEST_F(PktgenRuns, AnInterfaceThatIsGoneOrDownDoesNotRun) {
  backend_.interfaces["eth0"].up = false;
  EXPECT_EQ(echo("pgctrl", "start"), 5);
  EXPECT_THAT(result("eth0"), HasSubstr(" usec, 0 (58byte,-1frags)"));
  backend_.interfaces.clear();
  EXPECT_EQ(echo("pgctrl", "start"), 5);
  EXPECT_EQ(result("eth0"), "Error starting");
}

TEST_F(PktgenRuns, WhatTheMachineRefusesIsTheResult) {
  backend_.refusal = "no free CPU number";
  EXPECT_EQ(echo("pgctrl", "start"), 5);
  EXPECT_EQ(result("eth0"), "ERROR: no free CPU number");
}

TEST_F(PktgenRuns, AnImixCountsItsPacketsAndTakesTheBitRateFromItsSizes) {
  ask("eth0", "imix_weights 40,1");
  echo("pgctrl", "start");
  EXPECT_TRUE(shows("eth0", "     imix_size_counts: 42,100 \n")) << text("eth0");
  EXPECT_EQ(result("eth0"),
            "OK: 100(c100+d0) usec, 100 (42byte,0frags)\n"
            "  1000000pps 336Mb/sec (336000000bps) errors: 0");
}

TEST_F(PktgenRuns, FragmentsAreCountedAsTheKernelWouldSpreadThem) {
  ask("eth0", "pkt_size 1000");
  ask("eth0", "frags 99");
  echo("pgctrl", "start");
  EXPECT_THAT(result("eth0"), HasSubstr("(1000byte,17frags)"));
}

}  // namespace
}  // namespace qdiscsim
