#!/usr/bin/env python3
"""A link of kind tap: what arrives on the real interface.

usage: tap_link_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) where no TAP interface can be made; the reason is printed.
"""

import collections
import json
import pathlib
import shutil
import struct
import subprocess
import unittest

from tap_lab import (DEVICE, NETNS, SPACE, TapTest, counters, group, interfaces, main, set_down,
                     until)

MAGIC = 0xbe9be955
MACS = bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1])
Frame = collections.namedtuple("Frame", "port sequence bytes")


def ones_complement(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


class TapLink(TapTest):
    def whole(self, raw):
        """Takes a frame apart: Ethernet, IPv4, UDP and pktgen's header must be right."""
        self.assertEqual(raw[:14], MACS + b"\x08\x00")
        ip = raw[14:34]
        self.assertEqual((ip[0], ip[9]), (0x45, 17))
        self.assertEqual(struct.unpack(">H", ip[2:4])[0], len(raw) - 14)
        self.assertEqual(ones_complement(ip), 0xffff)
        self.assertEqual(ip[12:20], bytes([198, 18, 0, 1, 198, 18, 0, 42]))
        udp = raw[34:]
        _, port, length, checksum = struct.unpack(">HHHH", udp[:8])
        self.assertEqual(length, len(udp))
        self.assertNotEqual(checksum, 0)
        pseudo = ip[12:20] + struct.pack(">HH", 17, length)
        self.assertEqual(ones_complement(pseudo + udp), 0xffff)
        magic, sequence = struct.unpack(">II", udp[8:16])
        self.assertEqual(magic, MAGIC)
        return Frame(port, sequence, raw)

    def assert_counted(self, frames, space=SPACE, interface=DEVICE):
        """Interface and metrics know of these frames and of no others."""
        size = sum(len(frame) for frame in frames)
        self.assertEqual(counters(space, interface), (size, len(frames), 0, 0))
        for metric, expected in (("tx_packets", len(frames)), ("tx_bytes", size),
                                 ("tx_dropped_packets", 0)):
            self.assertEqual(self.daemon.sum(f"qdiscsim_device_{metric}_total",
                                             device=interface), expected)

    def test_every_packet_arrives_whole_and_in_order(self):
        self.start()
        capture = self.capture()
        sizes = ", packet_size: {min: 60, max: 3500, random: true}"
        self.daemon.generate(group(1001, 2000, sizes), group(1002, 1500))
        frames = capture.frames()
        self.assertEqual(len(frames), 3500)
        by_port = collections.defaultdict(list)
        for frame in map(self.whole, frames):
            by_port[frame.port].append(frame)
        for port, count in ((1001, 2000), (1002, 1500)):
            self.assertEqual([frame.sequence for frame in by_port[port]], list(range(1, count + 1)))
        self.assertEqual({len(frame.bytes) for frame in by_port[1002]}, {60})
        lengths = [len(frame.bytes) for frame in by_port[1001]]
        self.assertLess(min(lengths), 200)
        self.assertGreater(max(lengths), 3300)
        self.assertEqual(json.loads(self.daemon.get("/api/v1/summary"))["devices"][0]["link"],
                         "tap")
        self.assert_counted(frames)
        self.assert_stopped_well()

    def test_each_tx_queue_has_one_of_its_own_and_copies_of_a_packet_arrive_too(self):
        self.start(devices=f"[{{name: {DEVICE}, queues: 4, drain: dedicated, "
                           "link: {kind: tap}}]")
        capture = self.capture()
        direct = ", xmit_mode: start_xmit, clone_skb: 4, burst: 2"
        groups = [group(1000 + queue, 800,
                        f", queue_map: {{min: {queue}, max: {queue}}}" +
                        (direct if queue > 1 else "")) for queue in range(4)]
        self.daemon.generate(*groups)
        sent = [self.daemon.sum("qdiscsim_device_tx_packets_total", queue=str(queue))
                for queue in range(4)]
        until("the drains at their end",
              lambda: self.daemon.sum("qdiscsim_device_tx_packets_total") >= 3200)
        frames = capture.frames()
        sequences = collections.defaultdict(list)
        for frame in map(self.whole, frames):
            sequences[frame.port].append(frame.sequence)
        self.assertEqual(sum(sent[2:]), 1600)
        for queue in range(4):
            self.assertEqual(len(sequences[1000 + queue]), 800)
            self.assertEqual(sequences[1000 + queue], sorted(sequences[1000 + queue]))
        self.assertEqual(sequences[1000], list(range(1, 801)))
        self.assertEqual(len(set(sequences[1003])), 200)  # a packet, sent four times
        self.assert_counted(frames)
        self.assert_stopped_well()

    def test_several_devices_share_a_namespace(self):
        space = f"lab-{DEVICE}"
        self.start(devices=f"[{{name: a, link: {{kind: tap, netns: {space}}}}}, "
                           f"{{name: b, link: {{kind: tap, netns: {space}, interface: b.1}}}}]")
        self.assertEqual(interfaces(space), ["a", "b.1", "lo"])
        captures = [self.capture(space, "a"), self.capture(space, "b.1")]
        self.daemon.generate(group(1, 10, device="a"), group(2, 20, device="b"))
        ports = [[self.whole(frame).port for frame in capture.frames()] for capture in captures]
        self.assertEqual(ports, [[1] * 10, [2] * 20])
        self.assertEqual(self.daemon.program.stop(), 0)
        self.assertFalse((NETNS / space).exists())

    def test_an_interface_that_is_down_drops_and_the_log_says_so_once(self):
        self.start()
        set_down(SPACE, DEVICE)
        self.daemon.generate(group(1, 500))
        self.assertEqual(self.daemon.sum("qdiscsim_device_tx_dropped_packets_total"), 500)
        self.assertEqual(self.daemon.sum("qdiscsim_device_tx_packets_total"), 0)
        self.assertEqual(self.daemon.sum("qdiscsim_account_violations_total"), 0)
        self.daemon.program.find(
            rf"(device {DEVICE}: interface {DEVICE} in namespace {SPACE} has not taken a packet: "
            rf"Input/output error; .*set it up: ip -n {SPACE} link set {DEVICE} up)")
        self.assert_stopped_well()
        self.assertEqual(self.daemon.program.log().count("has not taken"), 1)

    def dissect(self, frames, fields):
        """What tshark sees of frames: a list of fields for each."""
        file = pathlib.Path(self.folder) / "frames.pcap"
        with file.open("wb") as out:
            out.write(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
            for frame in frames:
                out.write(struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame)
        checks = ("ip.check_checksum", "udp.check_checksum", "udp.try_heuristic_first")
        result = subprocess.run(
            ["tshark", "-r", file, *(word for name in checks for word in ("-o", f"{name}:TRUE")),
             "-T", "fields", *(word for name in fields for word in ("-e", name))],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [line.split("\t") for line in result.stdout.splitlines()]

    @unittest.skipUnless(shutil.which("tshark"), "no tshark here (Debian: tshark)")
    def test_wireshark_has_nothing_to_complain_of(self):
        ipv6 = ", source: 'fd00::1', destination: 'fd00::2'"
        stacks = (  # keys, protocols, status of the IPv4 header's checksum
            ("", "ip:udp:pktgen", "1"),
            (", vlan: 7", "vlan:ethertype:ip:udp:pktgen", "1"),
            (ipv6, "ipv6:udp:pktgen", ""),
            (ipv6 + ", svlan: 100, vlan: 200",
             "ieee8021ad:ethertype:vlan:ethertype:ipv6:udp:pktgen", ""))
        self.start()
        capture = self.capture()
        for number, (keys, stack, checksum) in enumerate(stacks):
            with self.subTest(stack=stack):
                self.daemon.generate(group(1001 + number, 200,
                                           ", packet_size: {imix: 7:4:1}" + keys))
                rows = self.dissect(capture.frames(), (
                    "frame.protocols", "ip.checksum.status", "udp.checksum.status",
                    "pktgen.magic", "pktgen.seqnum", "_ws.malformed", "_ws.expert"))
                self.assertEqual(len(rows), 200)
                for sequence, row in enumerate(rows, 1):
                    self.assertTrue(row[0].startswith(f"eth:ethertype:{stack}"), row)
                    self.assertEqual(row[1:3], [checksum, "1"], row)  # good
                    self.assertEqual((int(row[3], 0), int(row[4])), (MAGIC, sequence))
                    self.assertEqual(row[5:], ["", ""], row)
        self.assert_stopped_well()


if __name__ == "__main__":
    main()
