// Wrong configurations and exactly what is said about them: rules about several keys.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

// clang-format off: one message, one line
const std::vector<Wrong> kRules{
    {"two devices of one name",
     "devices: [{name: eth0}, {name: eth0}]\n",
     {"c.yaml:1:32: devices[1].name: \"eth0\" is already the name of devices[0]"}},
    {"two devices without a name",
     "devices: [{queues: 1}, {queues: 2}]\n",
     {"c.yaml:1:24: devices[1].name: missing, and the default \"eth0\" is already the name of "
      "devices[0]"}},
    {"two generators of one name",
     "devices: [{name: eth0}]\ngenerators: [{name: a}, {name: b}, {name: a}]\n",
     {"c.yaml:2:43: generators[2].name: \"a\" is already the name of generators[0]"}},
    {"a generator on an unknown device",
     "devices: [{name: eth0}]\ngenerators:\n  - {device: eth1}\n",
     {"c.yaml:3:14: generators[0].device: there is no device \"eth1\"; allowed: eth0"}},
    {"a generator on a misspelt device",
     "devices: [{name: left}, {name: right}]\ngenerators: [{device: rihgt}]\n",
     {"c.yaml:2:23: generators[0].device: there is no device \"rihgt\"; allowed: left or right; "
      "did you mean right?"}},
    {"a generator whose default device does not exist",
     "devices: [{name: left}]\ngenerators: [{name: a}]\n",
     {"c.yaml:2:14: generators[0].device: missing, and there is no device with the default name "
      "\"eth0\"; allowed: left"}},
    {"threads of control files that are nowhere",
     "pktgen: {threads: 4}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:19: pktgen.threads: has no effect without pktgen.control_fs; name a directory, or "
      "remove it"}},
    {"a generator called as a thread of the control files",
     "pktgen: {control_fs: /run/p}\ndevices: [{name: eth0}]\ngenerators: [{name: kpktgend_0}]\n",
     {"c.yaml:3:21: generators[0].name: kpktgend_... is what the threads of pktgen.control_fs are "
      "called in the metrics; choose another name"}},
    {"a capture without a file",
     "devices:\n  - {name: eth0, capture: {limit: 1MiB}}\n",
     {"c.yaml:2:27: devices[0].capture: captures nothing without a file; set capture.file, or "
      "remove it"}},
    {"two captures to one file",
     "devices: [{name: a, capture: {file: x/y}}, {name: b}, {name: c, capture: {file: x/./y}}]\n",
     {"c.yaml:1:81: devices[2].capture.file: \"x/./y\" is already the file of devices[0]; choose "
      "another one"}},
    {"burst in queue_xmit mode",
     "devices: [{name: eth0}]\ngenerators:\n  - {burst: 8}\n",
     {"c.yaml:3:13: generators[0].burst: must be 1 with xmit_mode: queue_xmit, as in the kernel; "
      "set enqueue_burst to hand the qdisc several packets at once, or another xmit_mode"}},
    {"enqueue_burst in start_xmit mode",
     "devices: [{name: eth0}]\ngenerators:\n  - {xmit_mode: start_xmit, enqueue_burst: 8}\n",
     {"c.yaml:3:44: generators[0].enqueue_burst: must be 1 unless xmit_mode is queue_xmit: the "
      "other modes pass the qdisc; set burst, or xmit_mode: queue_xmit"}},
    {"enqueue_burst in netif_receive mode",
     "devices: [{name: eth0}]\ngenerators:\n  - {xmit_mode: netif_receive, enqueue_burst: 2}\n",
     {"c.yaml:3:47: generators[0].enqueue_burst: must be 1 unless xmit_mode is queue_xmit: the "
      "other modes pass the qdisc; set burst, or xmit_mode: queue_xmit"}},
    {"clone_skb in queue_xmit mode",
     "devices: [{name: eth0}]\ngenerators:\n  - {clone_skb: 10}\n",
     {"c.yaml:3:17: generators[0].clone_skb: must be 0 with xmit_mode: queue_xmit: a packet that "
      "the receiver owns cannot be sent again; remove it, or set xmit_mode: start_xmit"}},
    {"clone_skb in netif_receive mode",
     "devices: [{name: eth0}]\ngenerators:\n  - {xmit_mode: netif_receive, clone_skb: 1}\n",
     {"c.yaml:3:43: generators[0].clone_skb: must be 0 with xmit_mode: netif_receive: a packet "
      "that the receiver owns cannot be sent again; remove it, or set xmit_mode: start_xmit"}},
    {"clone_skb with a mix of sizes",
     R"(devices: [{name: eth0}]
generators:
  - {xmit_mode: start_xmit, clone_skb: 2, packet_size: {imix: [{size: 60}]}}
)",
     {"c.yaml:3:40: generators[0].clone_skb: must be 0 with packet_size.imix: copies all have one "
      "size; remove one"}},
    {"two paces",
     "devices: [{name: eth0}]\ngenerators:\n  - {delay: 1us, ratep: 1Mpps}\n",
     {"c.yaml:3:25: generators[0].ratep: excludes delay, which is also given; keep one of delay, "
      "rate and ratep"}},
    {"three paces",
     "devices: [{name: eth0}]\ngenerators:\n  - {ratep: 1Mpps, delay: 1us, rate: 1Gbit}\n",
     {"c.yaml:3:13: generators[0].ratep: excludes delay, which is also given; keep one of delay, "
      "rate and ratep",
      "c.yaml:3:38: generators[0].rate: excludes delay, which is also given; keep one of delay, "
      "rate and ratep"}},
    {"fewer packets per second than threads",
     "devices: [{name: eth0}]\ngenerators:\n  - {threads: 4, ratep: 3pps}\n",
     {"c.yaml:3:25: generators[0].ratep: 3pps cannot be split over 4 threads; allowed: at least "
      "1pps for each thread"}},
    {"a size range with its ends swapped",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: {min: 1500, max: 60}}\n",
     {"c.yaml:3:25: generators[0].packet_size.min: min 1500 is above max 60"}},
    {"a size range with one end",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: {min: 60}}\n",
     {"c.yaml:3:19: generators[0].packet_size: a range needs both min and max; for a mix write "
      "imix"}},
    {"an empty size range",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: {}}\n",
     {"c.yaml:3:19: generators[0].packet_size: a range needs both min and max; for a mix write "
      "imix"}},
    {"a mix and a range at once",
     R"(devices: [{name: eth0}]
generators:
  - {packet_size: {imix: [{size: 60}], min: 60, random: true}}
)",
     {"c.yaml:3:45: generators[0].packet_size.min: excludes imix; a mix has no range, remove one "
      "of them",
      "c.yaml:3:57: generators[0].packet_size.random: excludes imix; a mix has no range, remove "
      "one of them"}},
    {"an address range with its ends swapped",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: {min: 10.0.0.9, max: 10.0.0.1}}\n",
     {"c.yaml:3:20: generators[0].source.min: min 10.0.0.9 is above max 10.0.0.1"}},
    {"an address range with one end",
     "devices: [{name: eth0}]\ngenerators:\n  - {destination: {max: 10.0.0.1}}\n",
     {"c.yaml:3:19: generators[0].destination: a range needs both min and max"}},
    {"a port range with its ends swapped",
     "devices: [{name: eth0}]\ngenerators:\n  - {udp_destination: {min: 10, max: 9, random: "
     "true}}\n",
     {"c.yaml:3:29: generators[0].udp_destination.min: min 10 is above max 9"}},
    {"a queue that the device lacks",
     "devices: [{name: eth0}]\ngenerators:\n  - {queue_map: {min: 0, max: 1}}\n",
     {"c.yaml:3:31: generators[0].queue_map.max: there is no queue 1; allowed: 0, since eth0 has 1 "
      "queue"}},
    {"queues beyond those of the device",
     "devices: [{name: eth0, queues: 4}]\ngenerators: [{queue_map: {min: 4, max: 7}}]\n",
     {"c.yaml:2:32: generators[0].queue_map.min: there is no queue 4; allowed: 0 to 3, since eth0 "
      "has 4 queues",
      "c.yaml:2:40: generators[0].queue_map.max: there is no queue 7; allowed: 0 to 3, since eth0 "
      "has 4 queues"}},
    {"a queue range with its ends swapped",
     "devices: [{name: eth0, queues: 4}]\ngenerators: [{queue_map: {min: 3, max: 1}}]\n",
     {"c.yaml:2:32: generators[0].queue_map.min: min 3 is above max 1"}},
    {"a queue map that is a number",
     "devices: [{name: eth0}]\ngenerators:\n  - {queue_map: 0}\n",
     {"c.yaml:3:17: generators[0].queue_map: \"0\" is unknown; allowed: cpu, or a map with min, "
      "max"}},
    {"a rate on a dummy link",
     "devices:\n  - link: {kind: dummy, rate: 1Gbit}\n",
     {"c.yaml:2:31: devices[0].link.rate: has no effect on a dummy link, which completes every "
      "packet at once; remove it, or set link.kind: wire"}},
    {"a driver ring on a link of the default kind",
     "devices:\n  - link: {ring: 64}\n",
     {"c.yaml:2:18: devices[0].link.ring: has no effect on a dummy link, which completes every "
      "packet at once; remove it, or set link.kind: wire"}},
    {"byte queue limits on a dummy link",
     "devices:\n  - {name: eth0, bql: {enabled: true}}\n",
     {"c.yaml:2:23: devices[0].bql: has no effect on a dummy link, which completes every packet at "
      "once; remove it, or set link.kind: wire"}},
    {"a wire's keys on a vhost_net link",
     "devices:\n  - {link: {kind: vhost_net, rate: 1Gbit, ring: 64}, bql: {enabled: true}}\n",
     {"c.yaml:2:36: devices[0].link.rate: has no effect on a vhost_net link, which has no wire; "
      "remove it, or set link.kind: wire",
      "c.yaml:2:49: devices[0].link.ring: has no effect on a vhost_net link, which has no wire; "
      "remove it, or set link.kind: wire",
      "c.yaml:2:59: devices[0].bql: has no effect on a vhost_net link, which has no wire; remove "
      "it, or set link.kind: wire"}},
    {"a guest behind a wire and behind a dummy link",
     "devices:\n  - {name: a, link: {kind: wire, guest: dedicated, vring: 256}}\n"
     "  - {name: b, link: {tun_ring: 500, consume: one}}\n",
     {"c.yaml:2:41: devices[0].link.guest: has an effect with kind: vhost_net only; remove it, or "
      "set kind: vhost_net",
      "c.yaml:2:59: devices[0].link.vring: has an effect with kind: vhost_net only; remove it, or "
      "set kind: vhost_net",
      "c.yaml:3:32: devices[1].link.tun_ring: has an effect with kind: vhost_net only; remove it, "
      "or set kind: vhost_net",
      "c.yaml:3:46: devices[1].link.consume: has an effect with kind: vhost_net only; remove it, "
      "or set kind: vhost_net"}},
    {"a wire's and a guest's keys on a tap link",
     "devices:\n  - {link: {kind: tap, rate: 1Gbit, vring: 64}, bql: {enabled: true}}\n",
     {"c.yaml:2:30: devices[0].link.rate: has no effect on a tap link, which has no wire; remove "
      "it, or set link.kind: wire",
      "c.yaml:2:44: devices[0].link.vring: has an effect with kind: vhost_net only; remove it, or "
      "set kind: vhost_net",
      "c.yaml:2:54: devices[0].bql: has no effect on a tap link, which has no wire; remove it, or "
      "set link.kind: wire"}},
    {"an interface and a namespace without a tap link",
     "devices:\n  - {name: a, link: {kind: wire, interface: eth0}}\n"
     "  - {name: b, link: {netns: lab}}\n",
     {"c.yaml:2:45: devices[0].link.interface: has an effect with kind: tap only; remove it, or "
      "set kind: tap",
      "c.yaml:3:29: devices[1].link.netns: has an effect with kind: tap only; remove it, or set "
      "kind: tap"}},
    {"one interface of two devices",
     "devices:\n  - {name: a, link: {kind: tap, netns: lab, interface: tap0}}\n"
     "  - {name: b, link: {kind: tap, netns: lab}}\n"
     "  - {name: c, link: {kind: tap, netns: lab, interface: tap0}}\n"
     "  - {name: tap0, link: {kind: tap, netns: lab}}\n",
     {"c.yaml:4:56: devices[2].link.interface: interface \"tap0\" in namespace \"lab\" is that of "
      "devices[0] already; choose another one",
      "c.yaml:5:43: devices[3].link.netns: interface \"tap0\" in namespace \"lab\" is that of "
      "devices[0] already; choose another one"}},
    {"an interface that every namespace has",
     "devices:\n  - {name: a, link: {kind: tap, interface: lo}}\n"
     "  - {name: all, link: {kind: tap}}\n",
     {"c.yaml:2:44: devices[0].link.interface: \"lo\" cannot be the name of a tap link's "
      "interface; choose another one",
      "c.yaml:3:12: devices[1].name: \"all\" cannot be the name of a tap link's interface; choose "
      "another one, or set link.interface"}},
    {"a vring that is not a power of two",
     "devices:\n  - link: {kind: vhost_net, vring: 100}\n",
     {"c.yaml:2:36: devices[0].link.vring: 100 is not a power of two; write 64 or 128"}},
    {"byte queue limits with the ends swapped",
     "devices:\n  - {name: eth0, link: {kind: wire}, bql: {limit_min: 2KiB, limit_max: 1KiB}}\n",
     {"c.yaml:2:55: devices[0].bql.limit_min: limit_min 2KiB is above limit_max 1KiB"}},
    {"drain CPUs with inline drain",
     "devices:\n  - {name: eth0, drain_cpus: [0]}\n",
     {"c.yaml:2:30: devices[0].drain_cpus: has no effect with drain: inline, where the senders "
      "drain; remove it, or set drain: dedicated"}},
    {"a sample that is not a power of two",
     "devices:\n  - {name: eth0, sojourn_sample: 100}\n",
     {"c.yaml:2:34: devices[0].sojourn_sample: 100 is not a power of two; write 64 or 128"}},
    {"a flow length without flows",
     "devices: [{name: eth0}]\ngenerators:\n  - {flow_length: 10}\n",
     {"c.yaml:3:19: generators[0].flow_length: has no effect without flows; set flows, or remove "
      "it"}},
    {"too little memory for the queues",
     "memory: {limit: 8MiB}\ndevices: [{name: eth0}]\ngenerators:\n  - {threads: 2}\n",
     {"c.yaml:1:17: memory.limit: 8MiB is too small: queues and generators can hold 3448 pages of "
      "4KiB at once; allowed: at least 14MiB, or shorten tx_queue_len"}},
    {"too little memory by default",
     "devices:\n  - {name: eth0, queues: 2, tx_queue_len: 60000}\ngenerators: [{threads: 1}]\n",
     {"c.yaml:1:1: memory.limit: the default, at most 1GiB, is too small: queues and generators "
      "can "
      "hold 360320 pages of 4KiB at once; allowed: at least 1408MiB, or shorten tx_queue_len"}},
    {"too little memory for a leak",
     "memory: {limit: 16MiB}\ndevices: [{name: eth0}]\n"
     "generators:\n  - {leak: {every: 10, at_most: 1000}}\n",
     {"c.yaml:1:17: memory.limit: 16MiB is too small: queues and generators can hold 4256 pages of "
      "4KiB at once; allowed: at least 17MiB, or shorten tx_queue_len, or lower leak.at_most"}},
    {"a leak that never leaks",
     "devices: [{name: eth0}]\ngenerators:\n  - {leak: {at_most: 10}}\n",
     {"c.yaml:3:22: generators[0].leak.at_most: has no effect without leak.every; set it, or "
      "remove "
      "leak"}},
    {"many mistakes at once",
     R"(sed: 7
memory:
  limit: 48
devices:
  - name: eth0
    link: {kind: wier, rate: 1Gbit}
    queues: 00
    queues: 2
generators:
  - name: gen
    device: eth9
    threads: 0
    burst: 4
    cpus: [0, 9]
  - name: gen
    packet_size: {min: 100, max: 60}
)",
     {"c.yaml:1:1: sed: unknown key; did you mean seed?",
      "c.yaml:3:10: memory.limit: \"48\" has no unit; the units are B, kB, KiB, MB, MiB, GB, GiB, "
      "TB or TiB; allowed: 1MiB to 1TiB",
      "c.yaml:6:18: devices[0].link.kind: \"wier\" is unknown; allowed: dummy, wire, "
      "vhost_net or tap; did you mean wire?",
      "c.yaml:7:13: devices[0].queues: \"00\" has a leading zero; write 0; allowed: 1 to 64",
      "c.yaml:8:5: devices[0].queues: duplicate key; the first one is on line 7, keep one of them",
      "c.yaml:11:13: generators[0].device: there is no device \"eth9\"; allowed: eth0",
      "c.yaml:12:14: generators[0].threads: 0 is too small; allowed: 1 to 128",
      "c.yaml:13:12: generators[0].burst: must be 1 with xmit_mode: queue_xmit, as in the kernel; "
      "set enqueue_burst to hand the qdisc several packets at once, or another xmit_mode",
      "c.yaml:14:15: generators[0].cpus[1]: CPU 9 does not exist; allowed: CPUs 0-1",
      "c.yaml:15:11: generators[1].name: \"gen\" is already the name of generators[0]",
      "c.yaml:16:24: generators[1].packet_size.min: min 100 is above max 60"}},
    {"a mistake does not cause others",
     R"(devices:
  - name: eth 0
    link: {kind: wier, ring: 4096}
    queues: many
generators:
  - device: eth1
    xmit_mode: start
    clone_skb: 5
    queue_map: {min: 0, max: 3}
    threads: x
    ratep: 1pps
)",
     {"c.yaml:2:11: devices[0].name: \"eth 0\" holds a character that a name must not have; "
      "allowed: 1 to 15 letters, digits, '_', '.' or '-'",
      "c.yaml:3:18: devices[0].link.kind: \"wier\" is unknown; allowed: dummy, wire, "
      "vhost_net or tap; did you mean wire?",
      "c.yaml:4:13: devices[0].queues: \"many\" is not a whole number; allowed: 1 to 64",
      "c.yaml:7:16: generators[0].xmit_mode: \"start\" is unknown; allowed: queue_xmit, start_xmit "
      "or netif_receive",
      "c.yaml:10:14: generators[0].threads: \"x\" is not a whole number; allowed: 1 to 128"}},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Rule, WrongConfiguration, testing::ValuesIn(kRules), name_of);

}  // namespace
}  // namespace qdiscsim::config
