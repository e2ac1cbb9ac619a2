"""A qdiscsimd under load that is watched for long: its memory, its files, its threads, its account.
Shared by reloads.py and soak.py."""

import collections
import os
import pathlib
import queue
import re
import signal
import threading

import watching

SETTLED = 0.1          # part of a run after which nothing may grow any more
MEMORY_MARK = 2.0      # MiB, between then and the end
APPLIED = re.compile(r"reload: applied in ([\d.]+) (ns|us|ms|s)\b")
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}  # in ms
VIOLATIONS = re.compile(rb"^qdiscsim_account_violations_total (\S+)", re.MULTILINE)

Resources = collections.namedtuple("Resources", "mib files threads")


class Patient(watching.Daemon):
    """A running daemon whose log is read line by line."""

    LOG_LEVEL = "info"

    def __init__(self, options, config, *settings):
        super().__init__(options, config, *settings)
        self.log = queue.SimpleQueue()
        self.last_lines = collections.deque(maxlen=20)
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()

    def read_log(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.last_lines.append(text)
            self.log.put(text)
        self.log.put(None)

    def reload(self):
        """Asks for a reload and waits for its end. How long it took, in ms."""
        self.process.send_signal(signal.SIGHUP)
        while True:
            line = self.log.get(timeout=60)
            if line is None or "reload: refused" in line:
                self.give_up("a reload was refused" if line else "the daemon ended")
            applied = APPLIED.search(line)
            if applied:
                return float(applied[1]) * UNITS[applied[2]]

    def resources(self):
        process = pathlib.Path(f"/proc/{self.process.pid}")
        return Resources(self.resident_mib(), len(os.listdir(process / "fd")),
                         len(os.listdir(process / "task")))

    def violations(self):
        return float(VIOLATIONS.search(self.scrape())[1])

    def give_up(self, why):
        self.process.kill()
        raise SystemExit(f"bench: {why}:\n" + "\n".join(self.last_lines))

    def stop(self):
        """Exit code 0 says that the law of accounts held to the packet."""
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.reader.join()
        if self.process.returncode != 0:
            self.give_up(f"qdiscsimd ended with {self.process.returncode}")


def judge(report, seen):
    """seen: Resources over time, evenly. What may not grow after the start of the run, and did."""
    settled = seen[int(len(seen) * SETTLED):]
    report.figure("resident memory", "MiB", [each.mib for each in settled], 2)
    report.mark("change of resident memory, in MiB", abs(settled[-1].mib - settled[0].mib),
                "at most", MEMORY_MARK, 2)
    report.mark("change of open files", abs(settled[-1].files - settled[0].files), "at most", 0, 0)
    report.note(f"Open files {settled[0].files} and {settled[-1].files}, threads "
                f"{settled[0].threads} and {settled[-1].threads} (settled, at the end). The daemon "
                "ended with 0: the account was exact.")
