"""A running qdiscsimd that is knocked about, and its account at the end."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

CONFIG = """\
http: {{listen: '127.0.0.1:0'}}
control: {{socket: {socket}}}
memory: {{limit: 32MiB, huge_pages: never}}
devices: [{{name: eth0, link: {{kind: wire}}{more}}}]
generators: [{{name: a, device: eth0, ratep: {rate}}}]
"""
TRIES, SECONDS_BETWEEN_TRIES = 1200, 0.05  # a wait that comes true goes on at once


def until(what, probe, evidence=lambda: ""):
    """The first true answer of probe(); fails with what was waited for."""
    for _ in range(TRIES):
        answer = probe()
        if answer:
            return answer
        time.sleep(SECONDS_BETWEEN_TRIES)
    raise AssertionError(f"never saw {what}\n{evidence()}")


class Knocks(unittest.TestCase):
    """Each test may start one daemon, and ends with `assert_exact`."""

    qdiscsimd = ""  # set by main()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-knocks-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.config = self.folder / "config.yaml"
        self.socket = self.folder / "run" / "control.sock"
        self.write_config()
        self.process = None

    def write_config(self, rate="50kpps", more=""):
        self.config.write_text(CONFIG.format(socket=self.socket, rate=rate, more=more))

    def start(self, *options, before=(), stderr=None, **popen):
        """Starts the daemon; `before` are words before its name, stderr another place than the log."""
        self.log_file, self.report_file = self.folder / "log", self.folder / "report"
        with open(self.log_file, "wb") as log, open(self.report_file, "wb") as report:
            popen.setdefault("stdout", report)
            self.process = subprocess.Popen(
                [*before, str(self.qdiscsimd), str(self.config), *options], stdin=subprocess.DEVNULL,
                stderr=log if stderr is None else stderr, **popen)
        self.addCleanup(self.kill)
        if stderr is None:
            self.find_address()

    def find_address(self):
        self.address = self.wait_for_log(r"listening on http://(127\.0\.0\.1:\d+)")[1]
        self.port = int(self.address.rsplit(":", 1)[1])
        self.wait_for_log("ready in")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self):
        return self.log_file.read_text(errors="replace")

    def wait_for_log(self, pattern):
        def look():
            match = re.search(pattern, self.log())
            if match is None and self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}:\n{self.log()}")
            return match
        return until(pattern, look, self.log)

    def scrape(self):
        """The metrics, or None where the daemon turned this client away."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/metrics", timeout=60) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            return None

    def metric(self, name):
        text = until("a scrape", self.scrape)
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith((name + "{", name + " ")))

    def sent(self):
        return self.metric("qdiscsim_generator_sent_packets_total")

    def assert_goes_on(self):
        """Packets flow and the account holds."""
        before = self.sent()
        until("more packets", lambda: self.sent() > before, self.log)
        self.assertEqual(self.metric("qdiscsim_account_violations_total"), 0)

    def assert_exact(self, report=True):
        """It stops when asked, and every packet is accounted for."""
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=120), 0, self.log())
        if report:
            self.assertIn("accounts: exact", self.report_file.read_text())

    def hangups(self, count):
        for _ in range(count):
            self.process.send_signal(signal.SIGHUP)

    def assert_reload(self, verdict):
        """A reload of the file ends with the verdict: applied in, refused."""
        seen = self.log().count(f"reload: {verdict}")
        self.process.send_signal(signal.SIGHUP)
        until(f"reload: {verdict}", lambda: self.log().count(f"reload: {verdict}") > seen,
              self.log)


def many_files():
    """This process holds the other ends of a thousand connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))


def root():
    return os.geteuid() == 0


def main():
    Knocks.qdiscsimd = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
