"""What generators are asked for, and what tshark must see of it: the cases of tshark_test.py."""

import dataclasses

# Of a thread. All threads of a case together send fewer packets than one CPU may be ahead of the
# writer (daemon/capture.h), so none is missed, however slow this machine is.
COUNT = 300
GOOD, NOT_PRESENT = "1", "3"  # checksum status
IPV4_UDP = "eth:ethertype:ip:udp:pktgen"
IPV6_UDP = "eth:ethertype:ipv6:udp:pktgen"
# Without a checksum UDP over IPv6 is an error to tshark, and pktgen sends it so.
IPV6 = "udp_checksum: true, source: 'fd00::1', destination: 'fd00::2'"


@dataclasses.dataclass
class Case:
    """A run, and what tshark must see of it."""
    generator: str = ""  # more keys of the generator
    device: str = ""     # more keys of the device
    threads: int = 1
    queues: int = 1
    copies: int = 1      # sent of each packet; sequence numbers count copies
    stack: str = IPV4_UDP  # protocols of every frame, from the outside
    fields: dict = dataclasses.field(default_factory=dict)  # field: value in every frame
    udp_checksum: str = NOT_PRESENT
    timestamp: bool = True
    bands: set = dataclasses.field(default_factory=lambda: {"band 1"})
    packets: int = None  # in all; None: threads * COUNT

    def __post_init__(self):
        self.generator += ", " * bool(self.generator)
        self.device += ", " * bool(self.device)


# A line a case; all run at once, each on a device of its own.
CASES = {
    "queue_xmit": Case(),
    "udp checksum": Case("udp_checksum: true", udp_checksum=GOOD),
    "no timestamp": Case("timestamp: false", timestamp=False),
    "udp checksum without timestamp": Case("udp_checksum: true, timestamp: false",
                                           udp_checksum=GOOD, timestamp=False),
    "start_xmit": Case("xmit_mode: start_xmit, udp_checksum: true", udp_checksum=GOOD),
    "clone_skb": Case("xmit_mode: start_xmit, clone_skb: 3", copies=3),
    "burst": Case("xmit_mode: start_xmit, burst: 4, udp_checksum: true", copies=4,
                  udp_checksum=GOOD),
    "enqueue_burst": Case("enqueue_burst: 16"),
    "netif_receive": Case("xmit_mode: netif_receive", packets=0, bands=set()),
    "every size": Case("packet_size: {min: 42, max: 3500, random: true}, udp_checksum: true",
                       udp_checksum=GOOD),
    "every band": Case("priority: [{priority: 6}, {priority: 0}, {priority: 2}]",
                       bands={"band 0", "band 1", "band 2"}),
    "priority of the best band": Case("priority: 7", bands={"band 0"}),
    "priority of the worst band": Case("priority: 2, xmit_mode: start_xmit", bands={"band 2"}),
    "tos": Case("tos: 184", fields={"ip.dsfield": "0xb8"}),
    "addresses and ports": Case(
        "source: 10.0.0.1, destination: 10.9.8.7, udp_source: 1234, udp_destination: 4321",
        fields={"ip.src": "10.0.0.1", "ip.dst": "10.9.8.7", "udp.srcport": "1234",
                "udp.dstport": "4321"}),
    "flows": Case("flows: 8, flow_length: 3, udp_checksum: true, "
                  "source: {min: 10.0.0.1, max: 10.0.255.255, random: true}, "
                  "udp_source: {min: 1, max: 65535, random: true}", udp_checksum=GOOD,
                  fields={"ip.src": None, "udp.srcport": None}),
    "two queues": Case("queue_map: cpu, udp_checksum: true", threads=2, queues=2,
                       udp_checksum=GOOD),
    "two threads to one queue": Case(threads=2),
    "wire": Case("udp_checksum: true", device="link: {kind: wire, rate: 1Gbit}",
                 udp_checksum=GOOD),
    "wire, dedicated": Case("queue_map: cpu", device="link: {kind: wire}, drain: dedicated",
                            threads=2, queues=2),
    "vhost_net": Case("queue_map: cpu", device="link: {kind: vhost_net, tun_ring: 1000}",
                      threads=2, queues=2),
    "MAC addresses": Case("mac_source: '00:11:22:33:44:55', mac_destination: '66:77:88:99:aa:bb'",
                          fields={"eth.src": "00:11:22:33:44:55", "eth.dst": "66:77:88:99:aa:bb"}),
    "VLAN": Case("vlan: {id: 7, priority: 5}", stack="eth:ethertype:vlan:ethertype:ip:udp:pktgen",
                 fields={"vlan.id": "7", "vlan.priority": "5", "vlan.dei": "0"}),
    "VLAN, udp checksum": Case("vlan: {id: 4095, cfi: true}, udp_checksum: true",
                               stack="eth:ethertype:vlan:ethertype:ip:udp:pktgen",
                               udp_checksum=GOOD, fields={"vlan.id": "4095", "vlan.dei": "1"}),
    "SVLAN and VLAN": Case(
        "svlan: {id: 100, priority: 3}, vlan: 200, udp_checksum: true, packet_size: 128",
        stack="eth:ethertype:ieee8021ad:ethertype:vlan:ethertype:ip:udp:pktgen",
        udp_checksum=GOOD, fields={"eth.type": "0x88a8", "ieee8021ad.id": "100",
                                   "ieee8021ad.priority": "3", "vlan.id": "200"}),
    "MPLS": Case("mpls: 16", stack="eth:ethertype:mpls:ip:udp:pktgen",
                 fields={"mpls.label": "16", "mpls.bottom": "1", "mpls.ttl": "64"}),
    "MPLS, a stack": Case(
        "mpls: [{label: 1048575, traffic_class: 7, ttl: 3}, {label: 17}, {label: 18}]",
        stack="eth:ethertype:mpls:ip:udp:pktgen",
        fields={"mpls.label": "1048575,17,18", "mpls.bottom": "0,0,1", "mpls.exp": "7,0,0",
                "mpls.ttl": "3,64,64"}),
    "VLAN and MPLS": Case("vlan: 7, mpls: 16, udp_checksum: true",
                          stack="eth:ethertype:vlan:ethertype:mpls:ip:udp:pktgen",
                          udp_checksum=GOOD, fields={"vlan.id": "7", "mpls.label": "16"}),
    "IPv6": Case(IPV6, stack=IPV6_UDP, udp_checksum=GOOD,
                 fields={"ipv6.src": "fd00::1", "ipv6.dst": "fd00::2", "ipv6.nxt": "17",
                         "ipv6.tclass": "0x00000000"}),
    "IPv6, traffic class, every size": Case(
        IPV6 + ", traffic_class: 184, packet_size: {min: 42, max: 3500, random: true}",
        stack=IPV6_UDP, udp_checksum=GOOD, fields={"ipv6.tclass": "0x000000b8"}),
    "IPv6, start_xmit without timestamp": Case(
        IPV6 + ", xmit_mode: start_xmit, timestamp: false", stack=IPV6_UDP, timestamp=False,
        udp_checksum=GOOD),
    "IPv6 in SVLAN, VLAN and MPLS": Case(
        IPV6 + ", svlan: 1, vlan: 2, mpls: 19",
        stack="eth:ethertype:ieee8021ad:ethertype:vlan:ethertype:mpls:ipv6:udp:pktgen",
        udp_checksum=GOOD, fields={"mpls.label": "19"}),
}

DEFAULTS = {"eth.src": "02:00:00:00:00:01", "eth.dst": "02:00:00:00:00:02", "ip.version": "4",
            "ip.hdr_len": "20", "ip.ttl": "32", "ip.proto": "17", "ip.flags": "0x00",
            "ip.dsfield": "0x00", "ip.src": "198.18.0.1", "ip.dst": "198.18.0.42",
            "ip.checksum.status": GOOD, "udp.srcport": "9", "udp.dstport": "9"}
