// What reading a device's file prints, to the byte.
#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

class PktgenDeviceText : public test::FilesLab {
 protected:
  PktgenDeviceText() { add_eth0(); }
};

TEST_F(PktgenDeviceText, ShowsTheDefaults) {
  EXPECT_EQ(text("eth0"),
            "Params: count 1000  min_pkt_size: 0  max_pkt_size: 0\n"
            "     frags: 0  delay: 0  clone_skb: 0  ifname: eth0\n"
            "     flows: 0 flowlen: 0\n"
            "     queue_map_min: 0  queue_map_max: 0\n"
            "     dst_min:   dst_max: \n"
            "     src_min:   src_max: \n"
            "     src_mac: 02:00:00:00:00:01 dst_mac: 00:00:00:00:00:00\n"
            "     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9\n"
            "     src_mac_count: 0  dst_mac_count: 0\n"
            "     Flags: SHARED  \n"
            "Current:\n"
            "     pkts-sofar: 0  errors: 0\n"
            "     started: 0us  stopped: 0us idle: 0us\n"
            "     seq_num: 0  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"
            "     cur_saddr: 0.0.0.0  cur_daddr: 0.0.0.0\n"
            "     cur_udp_dst: 0  cur_udp_src: 0\n"
            "     cur_queue_map: 0\n"
            "     flows: 0\n"
            "Result: Idle\n");
}

TEST_F(PktgenDeviceText, ShowsEveryOptionalLineThatIsSet) {
  for (const char* command :
       {"skb_priority 6", "imix_weights 60,1 100,2", "src_mac 02:00:00:00:00:09", "vlan_id 7",
        "vlan_cfi 1", "tos 1c", "traffic_class 2e", "burst 4", "node 0", "flows 3", "flag IPSEC",
        "spi 5", "dst6 fd00::1", "src6 fd00::2", "flag UDPDST_RND", "xmit_mode netif_receive"}) {
    ask("eth0", command);
  }
  EXPECT_EQ(text("eth0").substr(0, text("eth0").find("Current:")),
            "Params: count 1000  min_pkt_size: 0  max_pkt_size: 0\n"
            "     imix_weights: 60,1 100,2 \n"
            "     frags: 0  delay: 0  clone_skb: 0  ifname: eth0\n"
            "     flows: 3 flowlen: 0\n"
            "     queue_map_min: 0  queue_map_max: 0\n"
            "     skb_priority: 6\n"
            "     saddr: fd00::2  min_saddr: ::  max_saddr: ::\n"
            "     daddr: fd00::1  min_daddr: ::  max_daddr: ::\n"
            "     src_mac: 02:00:00:00:00:09 dst_mac: 00:00:00:00:00:00\n"
            "     udp_src_min: 9  udp_src_max: 9  udp_dst_min: 9  udp_dst_max: 9\n"
            "     src_mac_count: 0  dst_mac_count: 0\n"
            "     vlan_id: 7  vlan_p: 0  vlan_cfi: 1\n"
            "     tos: 0x1c\n"
            "     traffic_class: 0x2e\n"
            "     burst: 4\n"
            "     node: 0\n"
            "     xmit_mode: netif_receive\n"
            "     Flags: IPV6  UDPDST_RND  FLOW_RND  IPSEC  spi:5  SHARED  \n");
  EXPECT_TRUE(shows("eth0", "     cur_saddr: fd00::2  cur_daddr: fd00::1\n"));
}

TEST_F(PktgenDeviceText, CallsQueueXmitByItsOtherName) {
  ask("eth0", "xmit_mode queue_xmit");
  EXPECT_TRUE(shows("eth0", "     xmit_mode: xmit_queue\n"));
}

TEST_F(PktgenDeviceText, ANewValueBecomesTheCurrentOne) {
  ask("eth0", "udp_src_min 100");
  ask("eth0", "dst 10.0.0.5");
  EXPECT_TRUE(shows("eth0", "cur_daddr: 10.0.0.5\n"));
  EXPECT_TRUE(shows("eth0", "cur_udp_src: 100\n"));
}

}  // namespace
}  // namespace qdiscsim
