"""A daemon on loopback and a UNIX socket of its own, and qdiscsimctl beside it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
from lab import Program, until  # noqa: E402,F401  pylint: disable=wrong-import-position

CONFIG = """\
http: {{listen: '127.0.0.1:0'}}
control: {{socket: {socket}}}
memory: {{limit: 64MiB, huge_pages: never}}
devices: [{{name: eth0, link: {{kind: wire}}}}, {{name: eth1, queues: 2}}]
generators:
  - {{name: a, device: eth0, ratep: 20kpps}}
  - {{name: b, device: eth1, ratep: 20kpps, enabled: false}}
"""


class WithDaemon(unittest.TestCase):
    CTL = DAEMON = ""  # set by the program

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-ctl-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = self.folder / "control.sock"
        self.config = self.folder / "config.yaml"
        self.config.write_text(CONFIG.format(socket=self.socket))
        self.daemon = Program(self.DAEMON, self.config)
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.stop())
        self.url = self.daemon.find(r"(http://127\.0\.0\.1:\d+)")
        self.daemon.find("(ready in)")

    def ctl(self, *words):
        result = subprocess.run([self.CTL, "--socket", self.socket, *words], capture_output=True,
                                text=True, timeout=60, check=False)
        return result.returncode, result.stdout, result.stderr

    def right(self, *words):
        status, out, complaint = self.ctl(*words)
        self.assertEqual((status, complaint), (0, ""), words)
        return out

    def metric(self, name, **labels):
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith((name + "{", name + " ")) and all(w in line for w in wanted))
