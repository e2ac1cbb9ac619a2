"""A running qdiscsimd with tap links, and a look into their namespaces, for tests. Root only."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import re
import signal
import socket
import struct
import sys
import tempfile
import threading
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "prometheus"))
from lab import Program, until  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77
EXIT_CONFIG = 65
NETNS = pathlib.Path("/run/netns")
DEVICE = f"tap{os.getpid() % 100000}"  # nobody else's
SPACE = f"qdiscsim-{DEVICE}"
PACKET = 263  # SOL_PACKET
LIBC = ctypes.CDLL(None, use_errno=True)
QDISCSIMD = ""  # set by main()


def inside(space, work):
    """work(), called on a thread that has entered the namespace and ends with it."""
    result = []

    def enter():
        with open(NETNS / space, "rb") as name:
            if LIBC.setns(name.fileno(), 0x40000000) != 0:  # CLONE_NEWNET
                raise OSError(ctypes.get_errno(), space)
        result.append(work())
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return result[0]


def interfaces(space):
    return sorted(name for _, name in inside(space, socket.if_nameindex))


def counters(space, interface):
    """RX bytes, RX packets, RX errors and drops, TX packets of an interface."""
    text = inside(space, pathlib.Path("/proc/thread-self/net/dev").read_text)
    line = next(line for line in text.splitlines() if line.strip().startswith(interface + ":"))
    words = [int(word) for word in line.split(":")[1].split()]
    return words[0], words[1], words[2] + words[3], words[9]


def set_down(space, interface):
    def work():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            request = struct.pack("16sh22x", interface.encode(), 0)
            fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS
    inside(space, work)


def add_interface(space, interface):
    """One that stays, whoever ends."""
    def work():
        with open("/dev/net/tun", "r+b", buffering=0) as tun:
            fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", interface.encode(), 0x1002))
            fcntl.ioctl(tun, 0x400454cb, 1)  # TUNSETPERSIST
    inside(space, work)


def sanitized():
    """Whether the daemon is built with a sanitizer, whose start needs /proc/self/maps."""
    return b"__asan_init" in pathlib.Path(QDISCSIMD).read_bytes()


def take_off(space):
    LIBC.umount2(str(NETNS / space).encode(), 2)  # MNT_DETACH
    with contextlib.suppress(FileNotFoundError):
        (NETNS / space).unlink()


class Capture:
    """A packet socket in the namespace, with room for every packet of a test."""

    def __init__(self, space, interface):
        self.socket = inside(space, lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                                          socket.htons(3)))  # ETH_P_ALL
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)  # SO_RCVBUFFORCE
        self.socket.setsockopt(PACKET, 8, 1)  # PACKET_AUXDATA
        inside(space, lambda: self.socket.bind((interface, 0)))
        self.socket.setblocking(False)

    def frames(self):
        """What has arrived so far: a frame is here before the daemon counts it as sent."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                frame, ancillary, _, _ = self.socket.recvmsg(65536, 128)
                found.append(self.with_tag(frame, ancillary))
        _, drops = struct.unpack("II", self.socket.getsockopt(PACKET, 6, 8))  # PACKET_STATISTICS
        assert drops == 0, f"the capture itself lost {drops} packets"
        return found

    @staticmethod
    def with_tag(frame, ancillary):
        """The frame as it came: the system has put its outer VLAN tag aside."""
        for _, _, data in ancillary:
            status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", data[:20])
            if status & 0x10:  # TP_STATUS_VLAN_VALID
                return frame[:12] + struct.pack(">HH", tpid, tci) + frame[12:]
        return frame

    def close(self):
        self.socket.close()


class Daemon:
    """A qdiscsimd with one tap device, or those that are given, and no generators yet."""

    def __init__(self, folder, *prefix, devices=None, options=()):
        self.config = pathlib.Path(folder) / "config.yaml"
        self.devices = devices or f"[{{name: {DEVICE}, link: {{kind: tap}}}}]"
        self.write([])
        self.program = Program(*prefix, QDISCSIMD, *options, self.config)

    def write(self, generators):
        self.config.write_text("http: {listen: '127.0.0.1:0'}\n"
                               "memory: {limit: 128MiB, huge_pages: never}\n"
                               f"devices: {self.devices}\n"
                               f"generators: [{', '.join(generators)}]\n")

    def ready(self):
        self.address = self.program.find(r"listening on (http://127\.0\.0\.1:\d+)")
        self.program.find(r"(ready in)")
        return self

    def generate(self, *generators):
        """Lets these groups, new ones, send, and returns when each has sent its count."""
        before = self.sum("qdiscsim_generator_offered_packets_total")
        self.write(generators)
        self.program.process.send_signal(signal.SIGHUP)
        self.program.find(r"(reload: applied)")
        wanted = sum(int(re.search(r"count: (\d+)", text)[1]) for text in generators)
        until("every generator at its end",
              lambda: self.sum("qdiscsim_generator_offered_packets_total") >= before + wanted and
              self.sum("qdiscsim_generator_running") == 0, self.program.log)

    def get(self, path):
        with urllib.request.urlopen(f"{self.address}{path}", timeout=10) as answer:
            return answer.read().decode()

    def sum(self, name, **labels):
        lines = self.get("/metrics").splitlines()
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith((name + "{", name + " ")) and all(word in line for word in wanted))

    def refused(self):
        """The message of a daemon that does not start."""
        status = self.program.process.wait(timeout=30)
        self.program.reader.join()
        self.program.process.stdout.close()
        return status, (self.program.log().splitlines() or [""])[-1]


def group(port, count, more="", device=DEVICE):
    return (f"{{name: g{port}, device: {device}, count: {count}, udp_destination: {port}, "
            f"udp_checksum: true{more}}}")


class TapTest(unittest.TestCase):
    """A test with at most one daemon at a time; whatever happens, nothing of it stays."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-tap-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.daemon = None
        self.addCleanup(self.end)

    def end(self):
        if self.daemon is not None and self.daemon.program.process.poll() is None:
            self.daemon.program.stop()
        for space in (SPACE, f"lab-{DEVICE}"):
            take_off(space)

    def start(self, **more):
        self.daemon = Daemon(self.folder, **more).ready()
        return self.daemon

    def capture(self, space=SPACE, interface=DEVICE):
        made = Capture(space, interface)
        self.addCleanup(made.close)
        return made

    def assert_stopped_well(self):
        self.assertEqual(self.daemon.program.stop(), 0, self.daemon.program.log())
        self.assertIn("accounts: exact", self.daemon.program.log())
        self.assertFalse((NETNS / SPACE).exists())


def why_not():
    """Why no TAP interface can be made here; empty when it can."""
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        return f"/dev/net/tun: {error.strerror}"
    with tempfile.TemporaryDirectory(prefix="qdiscsim-tap-") as folder:
        program = Daemon(folder).program
        until("a start or a refusal", lambda: program.process.poll() is not None or
              "listening on" in program.log(), program.log)
        program.stop()
        if "choose another link.kind" in program.log():
            return program.log().splitlines()[-1]
    return ""


def main():
    """Runs the tests of the calling program: its first argument is the qdiscsimd."""
    global QDISCSIMD
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
