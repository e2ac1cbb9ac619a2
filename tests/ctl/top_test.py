#!/usr/bin/env python3
"""top in terminals of 80x24 and 200x50, through tmux; what they show is written to FOLDER.
usage: top_test.py QDISCSIMCTL QDISCSIMD FOLDER"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from ctl_lab import WithDaemon, until

FOLDER = pathlib.Path(".")


class Top(WithDaemon):
    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", str(self.folder / "tmux"), "-f", "/dev/null", *words],
                              check=True, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"}).stdout

    def terminal(self, width, height):
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height),
                  "env PS1='ready> ' sh")
        self.addCleanup(self.tmux, "kill-server")
        until("a shell", lambda: "ready>" in self.screen())
        self.modes = self.shell_modes()
        self.keys(f"{self.CTL} --socket {self.socket} top -i 0.2", "Enter")
        self.seen("GENERATOR")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def seen(self, pattern):
        return until(pattern, lambda: re.search(pattern, self.screen()), self.screen)

    def shell_modes(self):
        path = self.folder / "modes"
        path.unlink(missing_ok=True)
        self.keys(f"stty -a >{path}.new && mv {path}.new {path}", "Enter")
        until("the terminal's modes", path.exists, self.screen)
        return re.sub(r"rows \d+; columns \d+;", "", path.read_text())

    def delivered(self):
        match = re.search(r"delivered .* ([\d,]+) packets", self.screen())
        return int(match[1].replace(",", "")) if match else -1

    def on_the_wire(self):
        return self.metric("qdiscsim_device_tx_packets_total", device="eth0")

    def check(self, width, height):
        self.terminal(width, height)
        before = self.on_the_wire()
        until("a figure as new as that of /metrics", lambda: self.delivered() >= before > 0,
              self.screen)
        shown = self.delivered()
        after = self.on_the_wire()
        # The tolerance is what was sent between the two looks at /metrics.
        print(f"{before:.0f} <= {shown} <= {after:.0f} packets", flush=True)
        self.assertLessEqual(shown, after)
        picture = self.screen()
        (FOLDER / f"top-{width}x{height}.txt").write_text(picture)
        lines = picture.splitlines()
        self.assertEqual(len(lines), height, picture)
        for line in lines:
            self.assertLessEqual(len(line), width)
            self.assertFalse(line.endswith("~"), f"cut: {line}")
        self.assertIn("q quit", lines[-1])
        # At rest, to the packet.
        self.right("pktgen", "a", "stop")
        until("the figure of /metrics", lambda: self.delivered() == self.on_the_wire(), self.screen)
        self.keys("Tab")
        self.seen(r"\[eth1\]")
        self.keys("s")
        self.seen("sort: rate")
        self.keys("h")
        self.seen("Keys\n")
        self.keys("h")
        self.seen("GENERATOR")
        self.keys("Space")
        self.seen("PAUSED")
        self.keys("q")
        self.restored()

    def restored(self):
        until("the shell's own screen", lambda: "GENERATOR" not in self.screen() and
              "ready>" in self.screen(), self.screen)
        self.assertEqual(self.shell_modes(), self.modes)

    def test_fits_80x24(self):
        self.check(80, 24)

    def test_fits_200x50(self):
        self.check(200, 50)

    def test_follows_a_resize_and_gives_the_terminal_back_on_a_signal(self):
        self.terminal(80, 24)
        self.tmux("resize-window", "-x", "200", "-y", "50")
        self.seen("DEACTIVATED")
        self.keys("C-c")
        self.restored()

    def test_says_that_the_daemon_is_lost_and_finds_a_new_one(self):
        self.terminal(80, 24)
        self.daemon.stop()
        self.seen("LOST: ")
        self.daemon = type(self.daemon)(self.DAEMON, self.config)
        until("the new daemon", lambda: "LOST" not in self.screen(), self.screen)
        self.keys("q")
        self.restored()


if __name__ == "__main__":
    if not shutil.which("tmux"):
        print("skipped: tmux is not installed")
        sys.exit(77)
    WithDaemon.CTL, WithDaemon.DAEMON, FOLDER = (pathlib.Path(sys.argv.pop(1)).resolve()
                                                 for _ in range(3))
    WithDaemon.CTL = str(WithDaemon.CTL)
    unittest.main(verbosity=2)
