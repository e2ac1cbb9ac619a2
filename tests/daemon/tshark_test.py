#!/usr/bin/env python3
"""Captures of a real run as Wireshark's tshark reads them: every packet well formed, every field
as configured, nothing missing.

usage: tshark_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) where there is no tshark; the reason is printed.
"""

import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "prometheus"))
from lab import Program, until  # noqa: E402  pylint: disable=wrong-import-position
from tshark_cases import CASES, COUNT, DEFAULTS  # noqa: E402  pylint: disable=wrong-import-position

QDISCSIMD = ""  # set by main
SKIPPED = 77
EXIT_CONFIG = 65

MAGIC = 0xbe9be955  # of pktgen
EXPERT = "_ws.expert.severity"
COMMENT = 0x100000  # of a packet's comment; what tshark itself has to say is higher
BAND_OF_PRIORITY = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
OF_EVERY_FRAME = ["frame.interface_name", "frame.packet_flags_direction", "frame.comment",
                  "frame.protocols", "frame.len", "frame.cap_len", "frame.time_epoch", EXPERT,
                  "_ws.malformed", "udp.checksum.status", "pktgen.magic", "pktgen.seqnum",
                  "pktgen.tvsec", "pktgen.tvusec"]


def tshark(file, *fields):
    """A dict for each packet: {field: value, several of them with commas}."""
    command = ["tshark", "-n", "-r", file, "-T", "fields", "-E", "separator=|",
               "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    for field in fields:
        command += ["-e", field]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    # Its warning about root is no business of the file's.
    complaints = [line for line in result.stderr.splitlines() if not line.startswith("Running as")]
    if result.returncode != 0 or complaints:
        raise AssertionError(f"tshark: {result.returncode}: {result.stderr}")
    return [dict(zip(fields, line.split("|"))) for line in result.stdout.splitlines()]


def statistics(file):
    """[(received, missed)] of each interface, from the statistics blocks."""
    data = pathlib.Path(file).read_bytes()
    found = {}
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 5:
            interface, = struct.unpack_from("<I", data, at + 8)
            received, missed = struct.unpack_from("<4xQ4xQ", data, at + 20)
            found[interface] = (received, missed)
        at += length
    return [found[i] for i in sorted(found)]


class Captures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-tshark-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "out.pcapng"

    def start_with(self, devices, generators, *prefix, options=()):
        config = self.folder / "config.yaml"
        config.write_text("http: {listen: '127.0.0.1:0'}\n"
                          "memory: {limit: 512MiB, huge_pages: never}\n"
                          "devices:\n" + "".join(f"  - {{{line}}}\n" for line in devices) +
                          "generators:\n" + "".join(f"  - {{{line}}}\n" for line in generators))
        program = Program(*prefix, QDISCSIMD, "--no-progress", *options, config)
        self.addCleanup(lambda: program.process.poll() is None and program.stop())
        return program

    def start(self, generator, *prefix, capture="", queues=1, options=()):
        capture = f"file: {self.file}, {capture}".removesuffix(", ")
        return self.start_with([f"name: eth0, queues: {queues}, capture: {{{capture}}}"],
                               [generator], *prefix, options=options)

    def ended_well(self, program):
        program.process.wait(timeout=60)
        status = program.stop()
        self.assertEqual(status, 0, program.log())
        self.assertIn("accounts: exact", program.log())
        return program

    def run_to_the_end(self, *arguments, **more):
        return self.ended_well(self.start(*arguments, options=["--once"], **more))

    # ---- contents ----

    def test_every_packet_of_every_kind_is_as_configured(self):
        devices = []
        generators = []
        for i, case in enumerate(CASES.values()):
            devices.append(f"name: c{i}, queues: {case.queues}, {case.device}"
                           f"capture: {{file: {self.folder}/c{i}.pcapng}}")
            generators.append(f"name: g{i}, device: c{i}, threads: {case.threads}, "
                              f"{case.generator}count: {COUNT}")
        self.ended_well(self.start_with(devices, generators, options=["--once"]))
        files = [self.folder / f"c{i}.pcapng" for i in range(len(CASES))]
        subprocess.run(["mergecap", "-w", self.file, *files], timeout=60, check=True)
        wanted = sorted({field for case in CASES.values() for field in {**DEFAULTS, **case.fields}})
        packets = collections.defaultdict(list)
        for packet in tshark(self.file, *OF_EVERY_FRAME, *wanted):
            packets[packet["frame.interface_name"].split(" queue ")[0]].append(packet)
        for i, (name, case) in enumerate(CASES.items()):
            with self.subTest(name):
                self.check(case, packets[f"c{i}"], statistics(files[i]))

    def check(self, case, packets, counts):
        count = case.threads * COUNT if case.packets is None else case.packets
        self.assertEqual(len(packets), count)
        self.assertEqual([missed for _, missed in counts], [0] * case.queues)
        self.assertEqual(sum(received for received, _ in counts), count)
        self.assertEqual({p["frame.comment"] for p in packets}, case.bands)
        wanted = {field: value for field, value in {**DEFAULTS, **case.fields}.items()
                  if value is not None and (field[:3] != "ip." or ":ip:" in case.stack)}
        sequences = collections.defaultdict(list)
        for packet in packets:
            sequences[packet["frame.interface_name"]].append(int(packet["pktgen.seqnum"]))
            self.check_packet(case, packet, wanted)
        of_a_thread = [n - n % case.copies + 1 for n in range(COUNT)]
        for numbers in sequences.values():
            if case.threads == case.queues:
                self.assertEqual(numbers, of_a_thread)
            else:  # threads that share a queue take turns as they like
                self.assertEqual(sorted(numbers), sorted(of_a_thread * case.threads))
        self.assertEqual(len(sequences), case.queues if count else 0)

    def check_packet(self, case, packet, wanted):
        self.assertEqual({field: packet[field] for field in wanted}, wanted, packet)
        # What is not pktgen's own header is data.
        self.assertIn(packet["frame.protocols"], (case.stack, case.stack + ":data"), packet)
        self.assertEqual((packet["_ws.malformed"], packet[EXPERT]), ("", str(COMMENT)), packet)
        self.assertEqual(packet["frame.packet_flags_direction"], "0x00000002")
        self.assertEqual(packet["frame.len"], packet["frame.cap_len"])
        self.assertEqual(int(packet["pktgen.magic"], 16), MAGIC)
        self.assertEqual(packet["udp.checksum.status"], case.udp_checksum, packet)
        sent = int(packet["pktgen.tvsec"]) + int(packet["pktgen.tvusec"]) / 1e6
        if case.timestamp:
            self.assertLess(abs(float(packet["frame.time_epoch"]) - sent), 60, packet)
        else:
            self.assertEqual(sent, 0, packet)

    def test_every_priority_is_commented_with_its_band(self):
        self.ended_well(self.start_with(
            [f"name: eth0, capture: {{file: {self.file}}}"],
            [f"name: g{i}, count: 3, priority: {i}, udp_source: {1000 + i}" for i in range(16)],
            options=["--once"]))
        found = sorted((int(p["udp.srcport"]), p["frame.comment"])
                       for p in tshark(self.file, "udp.srcport", "frame.comment"))
        self.assertEqual(found, [(1000 + i, f"band {BAND_OF_PRIORITY[i]}")
                                 for i in range(16) for _ in range(3)])

    def test_capinfos_and_tcpdump_read_it_too(self):
        self.run_to_the_end(f"count: {COUNT}, threads: 2, queue_map: cpu", queues=2)
        told = subprocess.run(["capinfos", self.file], capture_output=True, text=True, timeout=60,
                              check=True).stdout
        for line in (rf"Number of packets: +{2 * COUNT}\n", r"Name = eth0 queue 0\n",
                     r"Name = eth0 queue 1\n", r"Capture application: qdiscsimd \d+\.\d+",
                     r"timestamp precision: +nanoseconds", r"Encapsulation = Ethernet"):
            self.assertRegex(told, line)
        self.assertEqual(told.count(f"Number of packets = {COUNT}\n"), 2)
        self.assertEqual(told.count("Number of stat entries = 1\n"), 2)
        if shutil.which("tcpdump") is None:
            self.skipTest("no tcpdump: install the package tcpdump")
        lines = subprocess.run(["tcpdump", "-n", "-r", self.file, "udp port 9"],
                               capture_output=True, text=True, timeout=60,
                               check=True).stdout.splitlines()
        self.assertEqual(len(lines), 2 * COUNT)
        self.assertIn("IP 198.18.0.1.9 > 198.18.0.42.9: UDP, length 18", lines[0])

    # ---- limits ----

    def test_a_file_at_its_limit_is_whole_and_the_device_goes_on(self):
        program = self.run_to_the_end("count: 3000, packet_size: 500", capture="limit: 16KiB")
        packets = tshark(self.file, "frame.len", EXPERT)
        size = self.file.stat().st_size
        self.assertLessEqual(size, 16384)
        self.assertGreater(size, 16384 - 600)
        self.assertEqual({(p["frame.len"], p[EXPERT]) for p in packets}, {("500", str(COMMENT))})
        self.assertEqual(len(statistics(self.file)), 1)
        self.assertIn(f"captured {len(packets)} packets in {self.file}", program.log())
        self.assertRegex(program.log(), r"offered 3,000, sent 3,000, errors 0")

    def test_a_limit_is_told_once_and_seen_in_the_metrics(self):
        program = self.start("ratep: 5kpps", capture="packets: 10")
        address = program.find(r"listening on (http://\S+)")
        line = program.find(r"(eth0: capture: the limit of .*)")
        self.assertEqual(line, "eth0: capture: the limit of 10 packets is reached: closed, "
                               f"10 packets are in {self.file}")
        with urllib.request.urlopen(f"{address}/metrics", timeout=10) as answer:
            metrics = answer.read().decode()
        for metric, value in (("packets_total", 10), ("missed_packets_total", 0), ("running", 0),
                              ("failed", 0), ("bytes_total", self.file.stat().st_size)):
            self.assertIn(f'qdiscsim_capture_{metric}{{device="eth0"}} {value}\n', metrics)
        self.assertEqual(len(tshark(self.file, "frame.len")), 10)
        self.assertEqual(program.stop(), 0, program.log())
        self.assertEqual(program.log().count("the limit of"), 1)

    def test_a_packet_that_is_cut_keeps_its_length(self):
        self.run_to_the_end("count: 10, packet_size: 1000", capture="snaplen: 64")
        packets = tshark(self.file, "frame.len", "frame.cap_len", "ip.len", "udp.length")
        self.assertEqual([tuple(p.values()) for p in packets], [("1000", "64", "986", "966")] * 10)

    # ---- ends ----

    def wait_for_packets(self, program):
        address = program.find(r"listening on (http://\S+)")

        def packets():
            with urllib.request.urlopen(f"{address}/metrics", timeout=10) as answer:
                return re.search(r"^qdiscsim_capture_packets_total\{.*\} [1-9]",
                                 answer.read().decode(), re.MULTILINE)
        until("a captured packet", packets, program.log)

    def test_a_signal_closes_the_file_with_everything_in_it(self):
        program = self.start("ratep: 2kpps")
        self.wait_for_packets(program)
        self.assertEqual(program.stop(), 0, program.log())
        sent, = re.findall(r"sent ([\d,]+), errors 0", program.log())
        self.assertEqual(len(tshark(self.file, "frame.len")), int(sent.replace(",", "")))
        self.assertEqual(statistics(self.file), [(int(sent.replace(",", "")), 0)])

    def test_a_killed_daemon_leaves_a_file_that_can_be_read(self):
        program = self.start("ratep: 2kpps")
        self.wait_for_packets(program)
        program.process.kill()
        program.stop()
        self.assertGreater(len(tshark(self.file, "pktgen.seqnum")), 0)

    def test_a_file_that_cannot_be_made_ends_the_start(self):
        self.file = self.folder / "no" / "out.pcapng"
        program = self.start("count: 1")
        self.assertEqual(program.process.wait(timeout=30), EXIT_CONFIG, program.log())
        program.stop()
        self.assertEqual(program.log().splitlines()[-1],
                         f"qdiscsimd: device eth0: capture.file: {self.file}: No such file or "
                         "directory; create its directory, or choose another file")

    @unittest.skipUnless(shutil.which("prlimit"), "needs prlimit")
    def test_a_file_that_cannot_be_written_any_more_ends_the_capture_only(self):
        # The system's limit of a file's size stands for a full disk.
        program = self.start("ratep: 5kpps, packet_size: 1000", "prlimit", "--fsize=50000")
        line = program.find(r"(eth0: capture: cannot be written .*)")
        packets = tshark(self.file, "frame.len")
        self.assertEqual(line, "eth0: capture: cannot be written any more: File too large; "
                               f"{len(packets)} packets are in {self.file}; the device goes on "
                               "without, restart to capture again")
        self.assertGreater(len(packets), 40)
        self.assertEqual(program.stop(), 0, program.log())
        self.assertIn("ended by an error: File too large", program.log())
        self.assertIn("accounts: exact", program.log())


def main():
    global QDISCSIMD
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    for name in ("tshark", "capinfos", "mergecap"):
        if shutil.which(name) is None:
            print(f"skipped: no program {name}: install the packages tshark and wireshark-common")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
