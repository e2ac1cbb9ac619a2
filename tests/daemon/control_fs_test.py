#!/usr/bin/env python3
"""pktgen's control files, mounted: what a script sees that was written for /proc/net/pktgen.

usage: control_fs_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) where FUSE cannot be used; the reason is printed.
"""

import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "prometheus"))
from lab import Program, until  # noqa: E402  pylint: disable=wrong-import-position

SCRIPT = HERE.parents[1] / "config" / "examples" / "queue_xmit.sh"
QDISCSIMD = ""  # set by main
SKIPPED = 77
EXIT_CONFIG = 65
# What a user who reads a Result by hand does, too.
SOFAR = r"grep -A 1 '^Result: OK:' | sed -n 's/.* usec, \([0-9][0-9]*\) (.*/\1/p'"
ERRORS = r"grep -A 1 '^Result: OK:' | sed -n 's/.*bps) errors: \([0-9][0-9]*\).*/\1/p'"


def shell(line, **environment):
    """A finished bash with its exit status, stdout and stderr."""
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60,
                          check=False, env={**os.environ, "LC_ALL": "C", **environment})


def is_mounted(directory):
    # mountinfo writes a blank as \\040.
    return any(line.split()[4].replace(r"\040", " ") == str(directory)
               for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines())


class Daemon:
    """A qdiscsimd with four queues and four pktgen threads on the directory."""

    def __init__(self, folder, directory, *prefix, threads=4):
        config = pathlib.Path(folder) / "config.yaml"
        config.write_text("http: {listen: '127.0.0.1:0'}\n"
                          f"pktgen: {{control_fs: {directory}, threads: {threads}}}\n"
                          "memory: {limit: 64MiB, huge_pages: never}\n"
                          "devices: [{name: eth0, queues: 4}]\n")
        self.program = Program(*prefix, QDISCSIMD, config)

    def ready(self):
        self.address = self.program.find(r"listening on (http://127\.0\.0\.1:\d+)")
        return self

    def metrics(self):
        """{'name{labels}': value} of everything that the daemon shows."""
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, value in
                (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}

    def sum(self, name, **labels):
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for series, value in self.metrics().items()
                   if series.startswith(name + "{") and all(w in series for w in wanted))


class ControlFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-control-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.directory = self.folder / "a pktgen"  # with a blank, as mountinfo escapes it
        self.directory.mkdir()
        self.daemon = None
        self.addCleanup(self.end)

    def start(self):
        self.daemon = Daemon(self.folder, self.directory).ready()

    def end(self):
        if self.daemon is not None and self.daemon.program.process.poll() is None:
            self.daemon.program.stop()
        if is_mounted(self.directory):
            subprocess.run(["fusermount3", "-uz", self.directory], check=False)

    def read(self, name):
        return (self.directory / name).read_text()

    def write(self, name, text):
        return shell(f'echo "{text}" > "$FILE"', FILE=str(self.directory / name))

    def written(self, name, text):
        result = self.write(name, text)
        self.assertEqual((result.returncode, result.stderr), (0, ""), f"{name}: {text}")

    def add(self, device, **settings):
        self.written(f"kpktgend_{device.split('@')[1]}", f"add_device {device}")
        for name, value in settings.items():
            self.written(device, f"{name} {value}")

    def starter(self):
        """A shell that writes `start`, with the signals of a shell on a terminal."""
        return subprocess.Popen(["bash", "-c", 'echo start > "$FILE" 2>/dev/null'],
                                env={**os.environ, "FILE": str(self.directory / "pgctrl")})

    def wait_for_packets(self, device):
        thread = f"kpktgend_{device.split('@')[1]}"
        until(f"{device} running", lambda: f"Running: {device} " in self.read(thread))
        until(f"packets of {device}",
              lambda: int(re.search(r"pkts-sofar: (\d+)", self.read(device))[1]) > 0)

    def parsed(self, device, pipe):
        return shell(f'cat "$FILE" | {pipe}', FILE=str(self.directory / device)).stdout.strip()

    def assert_stopped_well(self):
        status = self.daemon.program.stop()
        self.assertEqual(status, 0, self.daemon.program.log())
        self.assertIn("accounts: exact", self.daemon.program.log())
        self.assertFalse(is_mounted(self.directory))
        self.assertEqual(os.listdir(self.directory), [])

    # ---- files ----

    def test_are_there_with_the_rights_and_sizes_of_proc(self):
        self.start()
        self.assertEqual(sorted(os.listdir(self.directory)),
                         ["kpktgend_0", "kpktgend_1", "kpktgend_2", "kpktgend_3", "pgctrl"])
        self.add("eth0@1")
        self.assertIn("eth0@1", os.listdir(self.directory))
        folder = self.directory.stat()
        self.assertEqual((stat.S_IMODE(folder.st_mode), folder.st_uid), (0o500, os.geteuid()))
        file = (self.directory / "eth0@1").stat()
        self.assertTrue(stat.S_ISREG(file.st_mode))
        self.assertEqual((stat.S_IMODE(file.st_mode), file.st_uid, file.st_size),
                         (0o600, os.geteuid(), 0))
        self.assertIn("Version: 2.75", self.read("pgctrl"))
        self.assertIn("Stopped: eth0@1 ", self.read("kpktgend_1"))
        self.written("kpktgend_1", "rem_device_all")
        self.assertFalse((self.directory / "eth0@1").exists())

    def test_nobody_can_make_remove_or_change_a_file(self):
        self.start()
        for line, message in (('echo x > "$D/eth0"', "No such file"), ('mkdir "$D/x"', "No such"),
                              ('rm -f "$D/pgctrl"', "not permitted"),
                              ('chmod 666 "$D/pgctrl"', "not permitted")):
            with self.subTest(line=line):
                result = shell(line, D=str(self.directory))
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(message, result.stderr)

    def test_what_is_refused_is_a_write_error(self):
        self.start()
        self.add("eth0@0")
        for name, text, message in (("kpktgend_0", "add_device eth0@0", "Device or resource busy"),
                                    ("kpktgend_1", "add_device eth0@0", "Device or resource busy"),
                                    ("kpktgend_0", "add_device eth9@0", "No such device"),
                                    ("kpktgend_0", "del_device eth0@0", "Invalid argument"),
                                    ("eth0@0", "packets 10", "Invalid argument"),
                                    ("eth0@0", "flag NODE_ALLOC", None),  # said in Result only
                                    ("pgctrl", "go", "Invalid argument")):
            with self.subTest(file=name, command=text):
                result = self.write(name, text)
                if message is None:
                    self.assertEqual(result.returncode, 0)
                else:
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(f"write error: {message}", result.stderr)
        self.written("eth0@0", "count 5")
        self.assertIn("Result: OK: count=5", self.read("eth0@0"))

    # ---- runs ----

    def test_a_script_for_proc_sends_from_one_two_and_four_threads(self):
        self.start()
        count = 3000
        sent = [0, 0, 0, 0]
        for threads in (1, 2, 4):
            result = subprocess.run(["bash", SCRIPT, "-i", "eth0", "-t", str(threads), "-n",
                                     str(count)], env={**os.environ, "PKTGEN_DIR": self.directory},
                                    capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("Result: OK:"), threads, result.stdout)
            for thread in range(threads):
                device = f"eth0@{thread}"
                with self.subTest(threads=threads, device=device):
                    sent[thread] += count
                    self.assertEqual(self.parsed(device, SOFAR), str(count))
                    self.assertEqual(self.parsed(device, ERRORS), "0")
                    labels = {"generator": f"kpktgend_{thread}", "thread": device,
                              "device": "eth0"}
                    for metric in ("offered", "sent"):
                        self.assertEqual(self.daemon.sum(
                            f"qdiscsim_generator_{metric}_packets_total", **labels), sent[thread])
                    self.assertEqual(self.daemon.sum("qdiscsim_generator_running", **labels), 0)
                    self.assertEqual(self.daemon.sum("qdiscsim_device_tx_packets_total",
                                                     queue=str(thread)), sent[thread])
        self.assertEqual(self.daemon.sum("qdiscsim_account_violations_total"), 0)
        self.assert_stopped_well()
        self.assertRegex(self.daemon.program.log(),
                         r"kpktgend_3/eth0@3 on eth0: offered 3,000, sent 3,000, errors 0")

    def test_a_signal_to_the_writer_of_start_stops_the_devices(self):
        self.start()
        self.add("eth0@0", count=0)
        self.add("eth0@3", count=0)
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=sent.name):
                writer = self.starter()
                self.wait_for_packets("eth0@0")
                self.wait_for_packets("eth0@3")
                self.assertIsNone(writer.poll())
                writer.send_signal(sent)
                self.assertEqual(writer.wait(timeout=30), -sent)
                # A killed writer's stop is on its way, as in the kernel.
                until("a Result", lambda: self.parsed("eth0@0", SOFAR) and
                      self.parsed("eth0@3", SOFAR))
                self.assertIn("Stopped: eth0@3 ", self.read("kpktgend_3"))
                self.assertGreater(int(self.parsed("eth0@0", SOFAR)), 0)
        self.assertEqual(self.daemon.sum("qdiscsim_generator_running"), 0)
        self.assert_stopped_well()

    def test_another_writer_stops_a_start_that_blocks(self):
        self.start()
        self.add("eth0@0", count=0)
        writer = self.starter()
        self.wait_for_packets("eth0@0")
        self.written("pgctrl", "stop")
        self.assertEqual(writer.wait(timeout=30), 0)
        self.assertGreater(int(self.parsed("eth0@0", SOFAR)), 0)

    def test_the_daemon_ends_a_start_that_blocks_and_unmounts(self):
        self.start()
        self.add("eth0@0", count=0)
        writers = [self.starter() for _ in range(12)]  # more than libfuse has threads
        until("a thread for each writer, and the one that answers",
              lambda: shell(f"cat /proc/{self.daemon.program.process.pid}/task/*/comm")
              .stdout.splitlines().count("pktgen-files") == 13)
        self.wait_for_packets("eth0@0")
        self.assert_stopped_well()
        for writer in writers:
            writer.wait(timeout=30)

    def test_a_daemon_without_its_directory_goes_on(self):
        self.start()
        subprocess.run(["fusermount3", "-u", self.directory], check=True)
        self.daemon.program.find(r"(somebody has unmounted it)")
        self.assertEqual(self.daemon.sum("qdiscsim_account_violations_total"), 0)
        self.assert_stopped_well()

    # ---- the directory ----

    def refused(self, *prefix):
        """The message of a daemon that does not start."""
        program = Daemon(self.folder, self.directory, *prefix).program
        self.assertEqual(program.process.wait(timeout=30), EXIT_CONFIG, program.log())
        program.reader.join()
        program.process.stdout.close()
        lines = program.log().splitlines()
        self.assertTrue(lines[-1].startswith("qdiscsimd: pktgen.control_fs: "), program.log())
        return lines[-1]

    def test_what_a_killed_daemon_left_is_taken_off_by_the_next_one(self):
        self.start()
        self.daemon.program.process.kill()
        self.daemon.program.stop()
        self.assertTrue(is_mounted(self.directory))
        self.assertIn("not connected", shell('ls "$D"', D=str(self.directory)).stderr)
        self.start()
        self.assertIn("took off what a killed qdiscsimd had left", self.daemon.program.log())
        self.assertIn("Version", self.read("pgctrl"))
        self.assert_stopped_well()

    def test_a_directory_that_cannot_be_used_is_named_with_the_way_out(self):
        (self.directory / "file").write_text("")
        self.assertIn(f"{self.directory}: is not empty; ", self.refused())
        (self.directory / "file").unlink()
        self.directory.rmdir()
        self.assertIn(f"{self.directory}: does not exist; create it: mkdir -p ", self.refused())
        self.directory.write_text("")
        self.assertIn(f"{self.directory}: is not a directory; ", self.refused())

    def test_two_daemons_do_not_share_a_directory(self):
        self.start()
        self.assertIn(f"{self.directory}: another qdiscsimd serves it; ", self.refused())
        self.assertIn("Version", self.read("pgctrl"))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_without_fuse_it_says_so(self):
        message = self.refused("unshare", "-m", "sh", "-c",
                               'mount -t tmpfs none /dev && exec "$0" "$@"')
        self.assertIn("/dev/fuse: No such file or directory; load the module (modprobe fuse)",
                      message)


def why_not():
    """Why FUSE cannot be used here; empty when it can."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"/dev/fuse: {error.strerror}"
    if shutil.which("fusermount3") is None:
        return "no program fusermount3: install the package fuse3"
    with tempfile.TemporaryDirectory(prefix="qdiscsim-control-") as folder:
        directory = pathlib.Path(folder) / "pktgen"
        directory.mkdir()
        program = Daemon(folder, directory).program
        until("a start or a refusal", lambda: program.process.poll() is not None or
              "listening on" in program.log(), program.log)
        program.stop()
        if "cannot be mounted" in program.log():
            return program.log().splitlines()[-1]
    return ""


def main():
    global QDISCSIMD
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
