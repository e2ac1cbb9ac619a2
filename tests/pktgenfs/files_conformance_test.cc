// The numbered checks of pktgen's control files.
#include <gmock/gmock.h>

#include <cerrno>

#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class PktgenFilesConformance : public test::FilesLab {
 protected:
  PktgenFilesConformance() { add_eth0(); }

  // The Result line after a run of the present settings.
  std::string run() {
    EXPECT_EQ(echo("pgctrl", "start"), 5);
    return result("eth0");
  }
};

TEST_F(PktgenFilesConformance, Check56_CountZeroRunsUntilStop) {
  EXPECT_EQ(ask("eth0", "count 0"), "OK: count=0");
  int looks = 0;
  backend_.on_wait = [&] {
    if (++looks == 5) {
      EXPECT_EQ(files_->write("pgctrl", "stop\n", never), 5);
    }
  };
  EXPECT_THAT(run(), StartsWith("OK: "));
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 425000  errors: 0")) << text("eth0");
}

TEST_F(PktgenFilesConformance, Check57_TheCountIsOfAcceptedPackets) {
  ask("eth0", "xmit_mode queue_xmit");
  ask("eth0", "count 10");
  std::size_t calls = 0;
  backend_.on_start = [&](test::FakeBackend::Job& job) {
    for (int i = 0; i < 40; ++i) {
      job.device.script.push_back(i % 2 == 0 ? Verdict::kOk : Verdict::kDrop);
    }
    job.device.on_call = [&] { ++calls; };
  };
  EXPECT_THAT(run(), HasSubstr(" usec, 10 (58byte,0frags)"));
  EXPECT_THAT(result("eth0"), HasSubstr("errors: 9"));
  EXPECT_EQ(calls, 19U);
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 10  errors: 9"));
  EXPECT_TRUE(shows("kpktgend_0", "Stopped: eth0 "));
}

TEST_F(PktgenFilesConformance, Check60_ABurstOvershootsTheCount) {
  ask("eth0", "count 10");
  EXPECT_EQ(ask("eth0", "burst 8"), "OK: burst=8");
  EXPECT_THAT(run(), HasSubstr(" usec, 16 (58byte,0frags)"));
}

TEST_F(PktgenFilesConformance, Check62_TheLongestDelayMeansNever) {
  EXPECT_EQ(ask("eth0", "delay 2147483647"), "OK: delay=18446744073709551615");
  int looks = 0;
  backend_.on_wait = [&] {
    if (++looks == 4) files_->write("pgctrl", "stop\n", never);
  };
  EXPECT_THAT(run(), HasSubstr(" usec, 0 ("));
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 0  errors: 0"));
}

TEST_F(PktgenFilesConformance, Check63_RatesBecomeDelays) {
  EXPECT_EQ(ask("eth0", "pkt_size 60"), "OK: pkt_size=60");
  EXPECT_EQ(ask("eth0", "rate 300"), "OK: rate=300");
  EXPECT_TRUE(shows("eth0", "  delay: 1600  "));
  EXPECT_EQ(ask("eth0", "ratep 1000000"), "OK: rate=1000000");
  EXPECT_TRUE(shows("eth0", "  delay: 1000  "));
}

TEST_F(PktgenFilesConformance, Check64_ASizeIsAtLeast42AndThePacket58) {
  EXPECT_EQ(ask("eth0", "pkt_size 10"), "OK: pkt_size=42");
  EXPECT_TRUE(shows("eth0", "min_pkt_size: 42  max_pkt_size: 42"));
  ask("eth0", "count 1");
  std::uint32_t length = 0;
  backend_.on_start = [&](test::FakeBackend::Job& job) {
    job.generator.step();
    length = job.device.seen.at(0).len;
  };
  run();
  EXPECT_EQ(length, 58U);
}

TEST_F(PktgenFilesConformance, Check65_66_67_TheSettingsAskForPktgensRanges) {
  for (const char* command :
       {"udp_src_min 9", "udp_src_max 12", "dst_min 10.0.0.1", "dst_max 10.0.0.3",
        "queue_map_min 0", "queue_map_max 3", "count 1"}) {
    ask("eth0", command);
  }
  run();
  Traffic traffic{backend_.started.at(0).settings.traffic};
  std::vector<std::uint32_t> ports;
  std::vector<std::uint32_t> addresses;
  std::vector<std::uint32_t> queues;
  for (int i = 0; i < 4; ++i) {
    traffic.advance();
    ports.push_back(traffic.current().udp_source);
    addresses.push_back(traffic.current().destination & 0xffU);
    queues.push_back(traffic.current().queue);
  }
  EXPECT_THAT(ports, ElementsAre(10, 11, 9, 10));
  EXPECT_THAT(addresses, ElementsAre(2, 3, 1, 2));
  EXPECT_THAT(queues, ElementsAre(1, 2, 3, 0));
  EXPECT_TRUE(shows("eth0", "cur_daddr: 10.0.0.2\n")) << text("eth0");
  EXPECT_TRUE(shows("eth0", "cur_udp_src: 10\n"));
  EXPECT_TRUE(shows("eth0", "cur_queue_map: 1\n"));
}

TEST_F(PktgenFilesConformance, Check68_TheFlagIsCalledNodeAndIpv6CannotBeSet) {
  EXPECT_THAT(ask("eth0", "flag NODE_ALLOC"),
              StartsWith("Flag -:NODE_ALLOC:- unknown\n"
                         "Available flags, (prepend ! to un-set flag):\nIPV6, IPSRC_RND, "));
  EXPECT_EQ(ask("eth0", "flag NODE"), "OK: flags=0x60000");
  EXPECT_THAT(ask("eth0", "flag IPV6"), StartsWith("Flag -:IPV6:- unknown\n"));
  EXPECT_EQ(ask("eth0", "flag !IPV6"), "OK: flags=0x60000");
}

TEST_F(PktgenFilesConformance, Check69_FlagsAreShownAsANumber) {
  EXPECT_EQ(ask("eth0", "flag NO_TIMESTAMP"), "OK: flags=0x40080");
  other_kernel(KernelVersion::k6_1);
  EXPECT_EQ(ask("eth0", "flag NO_TIMESTAMP"), "OK: flags=0x80");
}

TEST_F(PktgenFilesConformance, Check70_ABurstIsRefusedInQueueXmit) {
  EXPECT_EQ(ask("eth0", "xmit_mode queue_xmit"), "OK: xmit_mode=queue_xmit");
  EXPECT_EQ(echo("eth0", "burst 2"), -95);
  EXPECT_EQ(result("eth0"), "OK: xmit_mode=queue_xmit") << "the line does not change";
  other_kernel(KernelVersion::k6_1);
  ask("eth0", "xmit_mode queue_xmit");
  EXPECT_EQ(echo("eth0", "burst 2"), -524);
  EXPECT_EQ(ask("eth0", "burst 0"), "OK: burst=1");
}

TEST_F(PktgenFilesConformance, Check71_ADeviceCanBeAddedOnceOnly) {
  EXPECT_EQ(echo("kpktgend_0", "add_device eth0"), -EBUSY);
  EXPECT_EQ(result("kpktgend_0"), "ERROR: can not add device eth0");
  EXPECT_EQ(echo("kpktgend_1", "add_device eth0"), -EBUSY) << "nor to another thread";
  EXPECT_EQ(result("kpktgend_1"), "ERROR: can not add device eth0");
  EXPECT_EQ(ask("kpktgend_1", "add_device eth0@1"), "OK: add_device=eth0@1");
}

TEST_F(PktgenFilesConformance, Check73_AnSkbThatIsNotSharedIsNotHeldAtTheEnd) {
  ask("eth0", "count 5");
  EXPECT_THAT(run(), HasSubstr(" usec, 5 (58byte,0frags)"));
  EXPECT_EQ(ask("eth0", "flag !SHARED"), "OK: flags=0x0");
  EXPECT_THAT(run(), HasSubstr(" usec, 5 (58byte,-1frags)"));
}

TEST_F(PktgenFilesConformance, Check74_PgctrlKnowsThreeWordsAndDropsTheLastByte) {
  EXPECT_EQ(echo("pgctrl", "go"), -EINVAL);
  EXPECT_EQ(echo("pgctrl", "starts"), -EINVAL);
  for (const char* word : {"start", "stop", "reset"}) {
    EXPECT_EQ(files_->write("pgctrl", word, never), -EINVAL) << word;
  }
  EXPECT_TRUE(backend_.started.empty());
  EXPECT_EQ(files_->write("pgctrl", "", never), -EINVAL);
  EXPECT_EQ(files_->write("pgctrl", "stopX", never), 5) << "whatever the last byte is";
  EXPECT_EQ(files_->write("pgctrl", "start\n", never), 6);
  EXPECT_EQ(backend_.started.size(), 1U);
}

TEST_F(PktgenFilesConformance, Check75_AStopGivesTheResultOfWhatWasSentByThen) {
  ask("eth0", "count 1000000");
  backend_.on_wait = [&] { files_->write("pgctrl", "stop\n", never); };
  backend_.on_start = [&](test::FakeBackend::Job& job) {
    for (int i = 0; i < 300; ++i) {
      job.generator.step();
      ManualClock::advance(kMicrosecond);
    }
  };
  EXPECT_EQ(run(),
            "OK: 300(c300+d0) usec, 300 (58byte,0frags)\n"
            "  1000000pps 464Mb/sec (464000000bps) errors: 0");
  EXPECT_TRUE(shows("eth0", "pkts-sofar: 300  errors: 0"));
}

TEST_F(PktgenFilesConformance, Check76_AnImixKeepsItsSizesFrom42On) {
  const std::string before = result("eth0");
  EXPECT_EQ(ask("eth0", "imix_weights 40,7 576,4 1500,1"), before) << "it answers nothing";
  EXPECT_TRUE(shows("eth0", "     imix_weights: 42,7 576,4 1500,1 \n")) << text("eth0");
  ask("eth0", "count 1");
  run();
  const TrafficOptions& traffic = backend_.started.at(0).settings.traffic;
  const WeightedChoice imix{traffic.imix, Traffic::kImixSlots};
  EXPECT_EQ(imix.slots(0), 58U);
  EXPECT_EQ(imix.slots(1), 33U);
  EXPECT_EQ(imix.slots(2), 9U);
}

}  // namespace
}  // namespace qdiscsim
