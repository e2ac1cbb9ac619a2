#!/usr/bin/env python3
"""The systemd unit: valid, hardened, and not so hard that the data plane cannot work."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
UNIT = PACKAGING / "qdiscsim.service"
# With pktgen.control_fs, and with a tap link, the unit is this one, changed by such a drop-in: the
# device and the rights that each gives, and the system calls that it needs.
DROP_INS = {
    "control-fs.conf": ("/dev/fuse", {"CAP_SYS_ADMIN"}, {"mount", "umount2"}),
    "tap.conf": ("/dev/net/tun", {"CAP_SYS_ADMIN", "CAP_NET_ADMIN"},
                 {"mount", "umount2", "unshare", "setns", "flock", "ioctl", "fstatfs", "unlink"}),
}
# System calls of the daemon that a too eager filter would take away.
NEEDED_CALLS = {"sched_setaffinity", "sched_getaffinity", "mmap", "madvise", "mbind",
                "get_mempolicy", "move_pages", "getcpu", "epoll_wait", "eventfd2", "timerfd_create",
                "clone3", "futex", "accept4", "sendmsg", "clock_nanosleep", "prlimit64"}
# systemd's own measure: 0 is safe, 10 is exposed. Above 2 somebody has opened a door.
MOST_EXPOSURE = 2.0


def calls_in(group, seen=None):
    """The system calls of one of systemd's groups, with the groups inside it."""
    seen = set() if seen is None else seen
    text = subprocess.run(["systemd-analyze", "syscall-filter", group], check=True,
                          capture_output=True, text=True).stdout
    calls = set()
    for name in re.findall(r"^\s+(@?[\w-]+)\s*$", text, re.MULTILINE):
        if name.startswith("@") and name != group and name not in seen:
            seen.add(name)
            calls |= calls_in(name, seen)
        elif not name.startswith("@"):
            calls.add(name)
    return calls


def allowed_calls(unit):
    """What the SystemCallFilter lines of a unit leave, one line after the other."""
    allowed = set()
    for value in re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        for group in value.removeprefix("~").split():
            calls = calls_in(group) if group.startswith("@") else {group}
            allowed = allowed - calls if value.startswith("~") else allowed | calls
    return allowed


class Unit(unittest.TestCase):
    def setUp(self):
        self.unit = UNIT.read_text()

    def test_starts_the_daemon_that_tells_when_it_is_ready(self):
        for line in ("Type=notify", "ExecStart=/usr/bin/qdiscsimd /etc/qdiscsim/qdiscsim.yaml",
                     "ExecReload=/bin/kill -HUP $MAINPID", "WatchdogSec=10"):
            self.assertIn(f"\n{line}\n", self.unit)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_is_one_that_systemd_understands(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / UNIT.name
            # The program is not installed here: verify wants one that is.
            copy.write_text(self.unit.replace("/usr/bin/qdiscsimd", "/bin/true"))
            result = subprocess.run(["systemd-analyze", "verify", "--man=no", copy],
                                    capture_output=True, text=True, check=False)
        complaints = [line for line in result.stderr.splitlines() if "qdiscsim" in line]
        self.assertEqual((result.returncode, complaints), (0, []))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_is_hardened(self):
        result = subprocess.run(["systemd-analyze", "security", "--offline=true", UNIT],
                                capture_output=True, text=True, check=False)
        level = re.search(r"exposure level for \S+: ([0-9.]+)", result.stdout)
        self.assertIsNotNone(level, result.stdout + result.stderr)
        self.assertLessEqual(float(level[1]), MOST_EXPOSURE, result.stdout)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_leaves_the_data_plane_the_calls_that_it_needs(self):
        self.assertEqual(NEEDED_CALLS - allowed_calls(self.unit), set())

    def test_has_a_template_that_differs_in_the_instance_only(self):
        def settings(text):
            return [line for line in text.splitlines() if line and not line.startswith("#")]
        template = settings((PACKAGING / "qdiscsim@.service").read_text())
        instance = [line for line in template if "%i" in line]
        self.assertEqual(len(instance), 6, instance)
        self.assertEqual([line.replace(": %i", "").replace("-%i", "").replace("%i", "qdiscsim")
                          for line in template if not line.startswith("User=")],
                         settings(self.unit))

    def test_has_drop_ins_that_take_back_all_that_hides_a_mount(self):
        for name, (device, rights, _) in DROP_INS.items():
            with self.subTest(drop_in=name):
                self.check_drop_in((PACKAGING / name).read_text(), device, rights)
        self.assertIn("\nRestrictNamespaces=net\n", (PACKAGING / "tap.conf").read_text())

    def check_drop_in(self, drop_in, device, rights):
        self.assertIn(f"\nDeviceAllow={device} rw\n", drop_in)
        given = re.findall(r"(?m)^CapabilityBoundingSet=(.*)$", drop_in)
        self.assertEqual([set(words.split()) for words in given], [rights])
        # systemd.exec(5): each of these makes a mount namespace, but for the kinds named here.
        others = {"PrivateNetwork", "PrivateUsers"}
        hides = set(re.findall(r"^((?:Private|Protect)\w+)=", self.unit, re.MULTILINE)) - others
        self.assertGreater(len(hides), 5)
        for key in hides | {"DynamicUser"}:
            self.assertRegex(drop_in, rf"(?m)^{key}=(no|default)$")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_has_drop_ins_that_systemd_understands_alone_and_together(self):
        for names in [*([name] for name in DROP_INS), list(DROP_INS)]:
            with self.subTest(drop_ins=names):
                self.verify([PACKAGING / name for name in names])
        for name, (_, _, calls) in DROP_INS.items():
            both = self.unit + (PACKAGING / name).read_text()
            self.assertEqual((NEEDED_CALLS | calls) - allowed_calls(both), set())

    def verify(self, drop_ins):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / UNIT.name
            copy.write_text(self.unit.replace("/usr/bin/qdiscsimd", "/bin/true"))
            place = pathlib.Path(folder) / f"{UNIT.name}.d"
            place.mkdir()
            for drop_in in drop_ins:
                shutil.copy(drop_in, place)
            result = subprocess.run(["systemd-analyze", "verify", "--man=no", copy],
                                    capture_output=True, text=True, check=False)
        complaints = [line for line in result.stderr.splitlines()
                      if "qdiscsim" in line or any(name in line for name in DROP_INS)]
        self.assertEqual(complaints, [])


if __name__ == "__main__":
    unittest.main()
