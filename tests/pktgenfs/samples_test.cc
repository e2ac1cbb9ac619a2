// What the kernel's sample scripts (samples/pktgen) write, in their order.
#include <gmock/gmock.h>

#include <initializer_list>

#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

using testing::HasSubstr;

class PktgenSamples : public test::FilesLab {
 protected:
  PktgenSamples() {
    EXPECT_EQ(echo("pgctrl", "reset"), 5);
    backend_.interfaces["eth0"].tx_queues = 2;
  }

  // As their functions.sh: DEV@thread on each thread, with what all samples set.
  void set_up(std::uint32_t threads, std::initializer_list<const char*> own) {
    for (std::uint32_t i = 0; i < threads; ++i) {
      const std::string thread = std::to_string(i);
      EXPECT_EQ(ask("kpktgend_" + thread, "rem_device_all"), "OK: rem_device_all");
      EXPECT_EQ(ask("kpktgend_" + thread, "add_device eth0@" + thread),
                "OK: add_device=eth0@" + thread);
      for (const char* command :
           {"flag QUEUE_MAP_CPU", "flag NO_TIMESTAMP", "pkt_size 60", "delay 0",
            "dst_mac 90:e2:ba:ff:ff:ff", "dst_min 198.18.0.42", "dst_max 198.18.0.42",
            "flag UDPSRC_RND", "udp_src_min 9", "udp_src_max 109"}) {
        EXPECT_THAT(ask("eth0@" + thread, command), HasSubstr("OK: "));
      }
      for (const char* command : own) {
        EXPECT_THAT(ask("eth0@" + thread, command), HasSubstr("OK: "));
      }
    }
    EXPECT_EQ(echo("pgctrl", "start"), 5);
  }
};

TEST_F(PktgenSamples, Sample01SendsFromOneThread) {
  set_up(1, {"count 100000", "clone_skb 0"});
  EXPECT_THAT(result("eth0@0"), HasSubstr(" usec, 100000 (60byte,0frags)\n  1000000pps "));
  EXPECT_TRUE(shows("eth0@0", "Flags: UDPSRC_RND  NO_TIMESTAMP  QUEUE_MAP_CPU  SHARED  \n"))
      << text("eth0@0");
}

TEST_F(PktgenSamples, Sample02SendsFromAllThreadsToAQueueEach) {
  set_up(2, {"count 1000"});
  EXPECT_THAT(result("eth0@0"), HasSubstr(" usec, 1000 ("));
  EXPECT_THAT(result("eth0@1"), HasSubstr(" usec, 1000 ("));
  EXPECT_EQ(backend_.started.at(0).settings.traffic.queue.min, 0U);
  EXPECT_EQ(backend_.started.at(1).settings.traffic.queue.min, 1U);
}

TEST_F(PktgenSamples, Sample03SendsBursts) {
  set_up(1, {"count 1000", "burst 32"});
  EXPECT_THAT(result("eth0@0"), HasSubstr(" usec, 1024 (")) << "the last burst overshoots";
}

TEST_F(PktgenSamples, Sample04SendsFlows) {
  set_up(1, {"count 1000", "flows 8000", "flowlen 10", "flag FLOW_SEQ"});
  EXPECT_TRUE(shows("eth0@0", "     cur_queue_map: 0\n     flows: 100\n")) << text("eth0@0");
}

TEST_F(PktgenSamples, TheReceiveBenchDeliversBursts) {
  set_up(1, {"count 2000", "xmit_mode netif_receive", "burst 1024"});
  EXPECT_THAT(result("eth0@0"), HasSubstr(" usec, 2048 ("));
}

TEST_F(PktgenSamples, TheQueueBenchSendsThroughTheQdisc) {
  set_up(1, {"count 2000", "xmit_mode queue_xmit"});
  EXPECT_THAT(result("eth0@0"), HasSubstr(" usec, 2000 ("));
}

}  // namespace
}  // namespace qdiscsim
