#!/usr/bin/env python3
"""Descriptors, disks, pipes, signals, clocks and memory that fail a running qdiscsimd.

usage: process_test.py QDISCSIMD [unittest arguments]
"""

import fcntl
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess

import lab

FAKETIME = next(iter(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), None)


class Process(lab.Knocks):
    def test_the_limit_of_open_files_is_said_once_and_scrapes_come_back(self):
        self.start()
        used = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        limits = self.limit_files(used + 3)
        clients = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(12)]
        self.wait_for_log("cannot accept connections: too many open files: raise the limit")
        for client in clients:
            client.close()
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, limits)
        self.assert_goes_on()
        self.assertEqual(self.log().count("cannot accept connections"), 1)
        self.assert_exact()

    def limit_files(self, most):
        """The limits of before."""
        before = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (most, before[1]))
        return before

    def test_a_reload_without_descriptors_is_refused_and_the_next_works(self):
        self.start()
        limits = self.limit_files(3)
        self.assert_reload("refused")
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, limits)
        self.assert_reload("applied in")
        self.assert_goes_on()
        self.assert_exact()

    def test_a_log_that_nobody_reads_stops_nothing_and_says_how_much_was_lost(self):
        self.start_with_pipe()
        for _ in range(10):
            self.hangups(50)
            self.assert_goes_on()
        lab.until("reloads while the log is full",
                  lambda: self.metric("qdiscsim_config_reloads_total") > 20)
        os.set_blocking(self.reader, False)
        said = bytearray()

        def read():
            self.hangups(1)
            try:
                said.extend(os.read(self.reader, 65536))
            except BlockingIOError:
                pass
            return re.search(rb"log: \d+ lines lost while nobody read them", said)
        lab.until("the number of lost lines", read)
        self.assert_exact()

    def start_with_pipe(self):
        self.reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        self.addCleanup(lambda: self.reader >= 0 and os.close(self.reader))
        self.start(stderr=writer)
        os.close(writer)
        said = ""
        while "ready in" not in said:
            piece = os.read(self.reader, 4096).decode()
            self.assertTrue(piece, said)
            said += piece
        self.address = re.search(r"listening on http://(\S+)", said)[1]

    def test_a_log_reader_that_leaves_stops_nothing(self):
        self.start_with_pipe()
        os.close(self.reader)
        self.reader = -1
        self.hangups(20)
        self.assert_goes_on()
        self.process.send_signal(signal.SIGPIPE)
        self.assert_goes_on()
        self.assert_exact()

    def test_a_full_disk_for_the_log_stops_nothing(self):
        with open("/dev/full", "wb") as full:
            self.config.write_text(self.config.read_text().replace("127.0.0.1:0", self.free_port()))
            self.start(stderr=full)
        self.assert_goes_on()
        self.hangups(20)
        self.assert_goes_on()
        self.assert_exact()

    def free_port(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        return self.address

    def test_standard_streams_that_are_closed_stop_nothing(self):
        self.config.write_text(self.config.read_text().replace("127.0.0.1:0", self.free_port()))
        self.start(before=["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'], stderr=subprocess.DEVNULL)
        self.assert_goes_on()
        self.hangups(20)
        self.assert_goes_on()
        self.assert_exact(report=False)

    def test_a_full_disk_ends_the_capture_and_nothing_else(self):
        if not lab.root() or not shutil.which("unshare"):
            self.skipTest("a small disk of its own needs root and unshare")
        disk = self.folder / "disk"
        disk.mkdir()
        self.write_config(more=f", capture: {{file: {disk}/eth0.pcapng}}")
        script = f'mount -t tmpfs -o size=256k none {disk} && exec "$0" "$@"'
        if subprocess.run(["unshare", "-m", "sh", "-c", script, "true"], check=False).returncode:
            self.skipTest("no mount namespace can be made here")
        self.start(before=["unshare", "-m", "sh", "-c", script])
        self.wait_for_log("(?i)eth0.*no space left")
        self.assert_goes_on()
        self.assertEqual(len(re.findall("(?i)no space left", self.log())), 1, self.log())
        self.assert_exact()

    def test_steps_of_the_wall_clock_change_no_rate(self):
        if FAKETIME is None:
            self.skipTest("libfaketime is not installed")
        clock = self.folder / "clock"
        clock.write_text("+0\n")
        self.start(env={**os.environ, "LD_PRELOAD": str(FAKETIME), "FAKETIME_NO_CACHE": "1",
                        "FAKETIME_TIMESTAMP_FILE": str(clock), "DONT_FAKE_MONOTONIC": "1",
                        "FAKETIME_DONT_FAKE_MONOTONIC": "1"})

        def years(text):
            return sum(line.startswith(text) for line in self.log().splitlines())
        for step in ("+3650d", "-3650d", "+0"):
            clock.write_text(step + "\n")
            before = self.log().count("reload: applied in")
            self.assert_reload("applied in")
            took = re.findall(r"reload: applied in ([\d.]+) (\w+)", self.log())[before]
            self.assertIn(took[1], ("ns", "us", "ms", "s"))
            self.assert_goes_on()
            self.assertLess(self.metric("qdiscsim_generator_behind_seconds"), 86400)
        self.assertGreater(years("203") + years("2016"), 0, "the clock did not step:\n" + self.log())
        self.assert_exact()
        self.assertNotIn("behind", self.log())

    def test_many_requests_to_stop_end_it_at_once_or_exactly(self):
        self.start()
        for _ in range(50):
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=120)
        if status == 130:
            self.assertIn("second signal: stopped without draining", self.log())
        else:
            self.assertIn(status, (0, -signal.SIGTERM), self.log())  # after the report
            self.assertIn("accounts: exact", self.report_file.read_text())

    def test_a_control_socket_that_is_deleted_stops_nothing(self):
        self.start()
        shutil.rmtree(self.socket.parent)
        self.assert_reload("applied in")
        self.assert_goes_on()
        self.assert_exact()

    def test_a_working_directory_that_cannot_be_written_is_no_matter(self):
        self.start(cwd="/proc/self")
        self.assert_goes_on()
        self.assert_exact()

    def test_too_little_memory_at_the_start_is_said(self):
        for mebibytes in (40, 80, 120):
            with self.subTest(mebibytes=mebibytes):
                def limit(most=mebibytes << 20):
                    resource.setrlimit(resource.RLIMIT_AS, (most, most))
                ended = subprocess.run(
                    [self.qdiscsimd, self.config, "--duration", "50ms", "--set",
                     "memory.limit=512MiB"], preexec_fn=limit, capture_output=True, text=True,
                    timeout=60, check=False)
                self.assertIn(ended.returncode, (71, 78), ended.stderr)
                self.assertIn("memory", ended.stderr)


if __name__ == "__main__":
    lab.main()
