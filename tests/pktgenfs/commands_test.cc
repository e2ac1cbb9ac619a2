// Every command of a device's file: what it answers, and where it is refused.
#include <gmock/gmock.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

class PktgenCommands : public test::FilesLab {
 protected:
  PktgenCommands() { add_eth0(); }
};

TEST_F(PktgenCommands, AnswerWithTheirNameAndWhatTheyKept) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"count 100000", "OK: count=100000"},
      {"count=7", "OK: count=7"},
      {"min_pkt_size 100", "OK: min_pkt_size=100"},
      {"max_pkt_size 41", "OK: max_pkt_size=42"},
      {"pkt_size 1500", "OK: pkt_size=1500"},
      {"frags 4", "OK: frags=4"},
      {"debug 1", "OK: debug=1"},
      {"delay 100", "OK: delay=100"},
      {"rate 300M", "OK: rate=300"},
      {"ratep 5", "OK: rate=5"},
      {"udp_src_min 65537", "OK: udp_src_min=1"},
      {"udp_src_max 10", "OK: udp_src_max=10"},
      {"udp_dst_min 9", "OK: udp_dst_min=9"},
      {"udp_dst_max 109", "OK: udp_dst_max=109"},
      {"src_mac_count 3", "OK: src_mac_count=3"},
      {"dst_mac_count 4294967295", "OK: dst_mac_count=-1"},
      {"flows 100000", "OK: flows=65536"},
      {"flowlen 30", "OK: flowlen=30"},
      {"spi 77", "OK: spi=77"},
      {"queue_map_min 3", "OK: queue_map_min=3"},
      {"queue_map_max 123456", "OK: queue_map_max=12345"},
      {"skb_priority 1234567890", "OK: skb_priority=123456789"},
      {"tos 1f", "OK: tos=0x1f"},
      {"tos 1", "ERROR: tos must be 00-ff"},
      {"traffic_class A0", "OK: traffic_class=0xa0"},
      {"traffic_class x", "ERROR: traffic_class must be 00-ff"},
      {"dst 10.0.0.1", "OK: dst_min=10.0.0.1"},
      {"dst_min \"10.0.0.2\"", "OK: dst_min=10.0.0.2"},
      {"dst_max 10.0.0.9", "OK: dst_max=10.0.0.9"},
      {"src_min 10.1.0.1", "OK: src_min=10.1.0.1"},
      {"src_max 10.1.0.9", "OK: src_max=10.1.0.9"},
      {"dst6 fd00:0::1", "OK: dst6=fd00::1"},
      {"dst6_min fd00::2", "OK: dst6_min=fd00::2"},
      {"dst6_max fd00::3", "OK: dst6_max=fd00::3"},
      {"src6 fd00::4", "OK: src6=fd00::4"},
      {"dst_mac 02:00:00:00:00:0A", "OK: dstmac 02:00:00:00:00:0a"},
      {"src_mac 02:00:00:00:00:0b", "OK: srcmac 02:00:00:00:00:0b"},
      {"node 0", "OK: node=0"},
      {"node 9", "ERROR: node not possible"},
      {"clone_skb 3", "OK: clone_skb=3"},
      {"clone_skb 0", "OK: clone_skb=0"},
      {"burst 32", "OK: burst=32"},
      {"xmit_mode start_xmit", "OK: xmit_mode=start_xmit"},
      {"xmit_mode netif_receive", "OK: xmit_mode=netif_receive"},
      {"xmit_mode queue_xmit", "OK: xmit_mode=queue_xmit"},
      {"xmit_mode x", "xmit_mode -:x:- unknown\nAvailable modes: start_xmit, netif_receive\n"},
      {"clear_counters", "OK: Clearing counters.\n"},
  };
  for (const auto& [command, answer] : cases) EXPECT_EQ(ask("eth0", command), answer);
}

TEST_F(PktgenCommands, AnUnknownOneIsNamed) {
  EXPECT_EQ(echo("eth0", "cuont 5"), -EINVAL);
  EXPECT_EQ(result("eth0"), "No such parameter \"cuont\"");
  EXPECT_EQ(echo("eth0", "a_name_that_has_no_end"), -EINVAL);
  EXPECT_EQ(result("eth0"), "No such parameter \"a_name_that_has\"");
  EXPECT_EQ(files_->write("eth0", "", never), -EINVAL);
  EXPECT_EQ(echo("eth1", "count 5"), -ENOENT);
}

TEST_F(PktgenCommands, AWrongMacIsRefused) {
  EXPECT_EQ(echo("eth0", "dst_mac 02:00"), -EINVAL);
  EXPECT_EQ(echo("eth0", "src_mac x"), -EINVAL);
}

TEST_F(PktgenCommands, AZeroRateIsRefused) {
  EXPECT_EQ(echo("eth0", "rate 0"), -EINVAL);
  EXPECT_EQ(echo("eth0", "ratep x"), -EINVAL);
  other_kernel(KernelVersion::k6_1);
  EXPECT_EQ(echo("eth0", "rate 0"), 1) << "a short write";
  EXPECT_EQ(echo("eth0", "ratep 000"), 3);
  EXPECT_EQ(echo("eth0", "count=5"), -EINVAL);
  EXPECT_EQ(result("eth0"), "No such parameter \"count=5\"");
}

TEST_F(PktgenCommands, APktSizeThatIsTheMinimumAlreadyChangesNothing) {
  ask("eth0", "min_pkt_size 60");
  ask("eth0", "max_pkt_size 100");
  EXPECT_EQ(ask("eth0", "pkt_size 60"), "OK: pkt_size=60");
  EXPECT_TRUE(shows("eth0", "min_pkt_size: 60  max_pkt_size: 100"));
}

TEST_F(PktgenCommands, ClonesNeedASharedSkbAndADriverThatAllowsIt) {
  ask("eth0", "xmit_mode netif_receive");
  EXPECT_EQ(echo("eth0", "clone_skb 1"), -EOPNOTSUPP);
  EXPECT_EQ(echo("eth0", "clone_skb 0"), 11);
  ask("eth0", "xmit_mode start_xmit");
  ask("eth0", "clone_skb 2");
  EXPECT_EQ(echo("eth0", "xmit_mode netif_receive"), -EOPNOTSUPP);
  EXPECT_EQ(echo("eth0", "imix_weights 60,1"), -EINVAL);
  EXPECT_EQ(echo("eth0", "flag !SHARED"), -EINVAL);
  ask("eth0", "clone_skb 0");
  ask("eth0", "imix_weights 60,1");
  EXPECT_EQ(echo("eth0", "clone_skb 2"), -EINVAL);
}

TEST_F(PktgenCommands, WithoutSharingThereAreNeitherClonesNorBursts) {
  ask("eth0", "burst 2");
  EXPECT_EQ(echo("eth0", "flag !SHARED"), -EINVAL);
  ask("eth0", "burst 1");
  ask("eth0", "flag !SHARED");
  EXPECT_EQ(echo("eth0", "burst 2"), -EINVAL);
  EXPECT_EQ(echo("eth0", "clone_skb 2"), -EINVAL);

  backend_.interfaces["veth0"].shares_skbs = false;
  ask("kpktgend_0", "add_device veth0");
  EXPECT_EQ(echo("veth0", "clone_skb 1"), -EOPNOTSUPP);
  EXPECT_EQ(echo("veth0", "burst 2"), -EOPNOTSUPP);
  ask("veth0", "xmit_mode netif_receive");
  EXPECT_EQ(ask("veth0", "burst 2"), "OK: burst=2") << "receiving needs no driver";
}

TEST_F(PktgenCommands, FlagsAreSetAndClearedByName) {
  EXPECT_EQ(ask("eth0", "flag UDPSRC_RND"), "OK: flags=0x40010");
  EXPECT_EQ(ask("eth0", "flag !UDPSRC_RND"), "OK: flags=0x40000");
  EXPECT_EQ(ask("eth0", "flag FLOW_SEQ"), "OK: flags=0x40800");
  EXPECT_EQ(ask("eth0", "flag FLOW_RND"), "OK: flags=0x40000");
  EXPECT_EQ(ask("eth0", "flag !FLOW_RND"), "OK: flags=0x40800");
  other_kernel(KernelVersion::k6_1);
  EXPECT_THAT(ask("eth0", "flag SHARED"), testing::StartsWith("Flag -:SHARED:- unknown"));
}

TEST_F(PktgenCommands, TagsTurnEachOtherOff) {
  EXPECT_EQ(ask("eth0", "vlan_p 3"), "ERROR: vlan_p must be 0-7") << "there is no tag";
  EXPECT_EQ(ask("eth0", "vlan_id 4095"), "OK: vlan_id=4095");
  EXPECT_EQ(ask("eth0", "vlan_p 7"), "OK: vlan_p=7");
  EXPECT_EQ(ask("eth0", "vlan_p 8"), "ERROR: vlan_p must be 0-7");
  EXPECT_EQ(ask("eth0", "vlan_cfi 2"), "ERROR: vlan_cfi must be 0-1");
  EXPECT_EQ(ask("eth0", "svlan_cfi 1"), "ERROR: svlan_cfi must be 0-1");
  EXPECT_EQ(ask("eth0", "svlan_id 22"), "OK: svlan_id=22");
  EXPECT_EQ(ask("eth0", "svlan_p 1"), "OK: svlan_p=1");
  EXPECT_TRUE(shows("eth0",
                    "     vlan_id: 4095  vlan_p: 7  vlan_cfi: 0\n"
                    "     svlan_id: 22  vlan_p: 1  vlan_cfi: 0\n"));
  EXPECT_EQ(ask("eth0", "vlan_id 4096"), "OK: svlan_p=1") << "off, without a word";
  EXPECT_FALSE(shows("eth0", "vlan_id"));
  EXPECT_EQ(ask("eth0", "svlan_id 1"), "OK: svlan_p=1") << "no outer tag without an inner one";
  EXPECT_FALSE(shows("eth0", "vlan_id"));
}

TEST_F(PktgenCommands, MplsTurnsVlanOffAndTheOtherWayRound) {
  ask("eth0", "vlan_id 5");
  EXPECT_EQ(ask("eth0", "mpls 0001000a,0002000a"), "OK: mpls=0001000a,0002000a");
  EXPECT_FALSE(shows("eth0", "vlan_id"));
  EXPECT_TRUE(shows("eth0", "     mpls: 0001000a, 0002000a\n"));
  EXPECT_FALSE(shows("eth0", "MPLS_RND"));
  ask("eth0", "mpls 00000100");
  EXPECT_TRUE(shows("eth0", "MPLS_RND")) << "the bottom of the stack asks for random labels";
  EXPECT_EQ(ask("eth0", "mpls 0"), "OK: mpls=");
  EXPECT_FALSE(shows("eth0", "     mpls: "));
  ask("eth0", "mpls 1");
  ask("eth0", "vlan_id 5");
  EXPECT_FALSE(shows("eth0", "     mpls: "));
  std::string many = "mpls 1";
  for (int i = 1; i < 16; ++i) many += ",1";
  EXPECT_EQ(echo("eth0", many), static_cast<long>(many.size()));
  EXPECT_EQ(echo("eth0", many + ",1"), -E2BIG);
}

TEST_F(PktgenCommands, AnImixHasTwentyEntriesWithAWeight) {
  std::string many = "imix_weights 60,1";
  for (int i = 1; i < 20; ++i) many += " 60,1";
  EXPECT_EQ(echo("eth0", many), static_cast<long>(many.size()));
  EXPECT_EQ(echo("eth0", many + " 60,1"), -E2BIG);
  for (const char* wrong :
       {"imix_weights", "imix_weights 60", "imix_weights 60,0", "imix_weights 60;1"}) {
    EXPECT_EQ(echo("eth0", wrong), -EINVAL) << wrong;
  }
}

}  // namespace
}  // namespace qdiscsim
