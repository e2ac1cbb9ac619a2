"""What generators are asked for, and what tshark must see of it: tshark_test.py goes through these."""

import dataclasses

# Of a thread. All threads of a case together send fewer packets than one CPU may be ahead of the
# writer (daemon/capture.h), so none is missed, however slow this machine is.
COUNT = 300
GOOD, NOT_PRESENT = "1", "3"  # checksum status
IPV4_UDP = "eth:ethertype:ip:udp:pktgen"


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
}

DEFAULTS = {"eth.src": "02:00:00:00:00:01", "eth.dst": "02:00:00:00:00:02", "ip.version": "4",
            "ip.hdr_len": "20", "ip.ttl": "32", "ip.proto": "17", "ip.flags": "0x00",
            "ip.dsfield": "0x00", "ip.src": "198.18.0.1", "ip.dst": "198.18.0.42",
            "ip.checksum.status": GOOD, "udp.srcport": "9", "udp.dstport": "9"}
