"""How bench/rings.py measures: `ring_bench compare` for rounds of all rings in turn, callgrind for
instructions, and the table of figures beside published ones."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import lab

FEW, MANY = 40_000, 240_000
COLLECTED = re.compile(r"Collected : (\d+)")


class Runs:
    """What `ring_bench compare --json` measured of one setting, ring by ring, round by round."""

    def __init__(self, setting):
        self.rings = {ring["name"]: ring["runs"] for ring in setting["rings"]}
        self.control = setting["control"]["ratio"]

    def rates(self, ring):
        return [run["mega_per_second"] for run in self.rings[ring]]

    def figures(self, ring, name):
        return [run["figures"][name] for run in self.rings[ring]]

    def longest_stall_ms(self, ring):
        return [run.get("longest_stall_ns", 0) / 1e6 for run in self.rings[ring]]


class Bench:
    def __init__(self, options, title):
        self.options, self.smoke = options, options.smoke
        self.report = lab.Report(title, options)
        self.program = lab.program(options, "bench/ring/ring_bench")
        self.cpus = sorted(os.sched_getaffinity(0))
        self.table, self.controls = [], []
        listed = subprocess.run([self.program, "list"], capture_output=True, text=True, check=True)
        self.listed, mode = set(), ""
        for line in listed.stdout.splitlines():
            if match := re.match(r"\d+  (\w+):", line):
                mode = match[1]
            elif match := re.match(r"     (\S+)  +\S", line):
                self.listed.add((mode, match[1]))
        self.counts = shutil.which("valgrind") is not None
        if not self.counts:
            self.report.note("Instructions need valgrind (Debian package valgrind): not counted.")

    def has(self, mode, ring):
        return (mode, ring) in self.listed

    def compare(self, rings, *options, count, time_limit=None):
        """Rounds of all rings, or None when one of them failed; the report says how."""
        if self.smoke:
            count = min(count, 20_000)
        rounds = max(self.options.rounds, 2)
        command = [self.program, "compare", *rings, *options, "-N", count, "--json",
                   "--no-progress", "--repeat", rounds, "--max-repeat", rounds, "--max-time",
                   "1h", "--seed", self.options.seed]
        if time_limit is not None:
            command += ["--time-limit", time_limit]
        words = [str(word) for word in command]
        self.say(" ".join(words[1:]))
        result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        if result.returncode == 0:
            runs = Runs(json.loads(result.stdout)["settings"][0])
            self.controls.append(runs.control)
            return runs
        if result.returncode == 70 and time_limit is not None:
            self.report.note(f"Not finished: {result.stderr.strip()}")
            return None
        sys.exit(f"bench: {' '.join(words)}\nended with {result.returncode}:\n{result.stderr}")

    def instructions(self, ring, *options):
        """An item, from the difference of two runs under callgrind; None without valgrind. Threads
        take turns there: a wait is a few instructions an item, not what it is on real cores."""
        if not self.counts:
            return None
        self.say(f"callgrind: {ring} {' '.join(map(str, options))}")
        if self.smoke:
            return self.collected(ring, 1_000, options) / 1_000
        return (self.collected(ring, MANY, options) - self.collected(ring, FEW, options)) / \
            (MANY - FEW)

    def collected(self, ring, count, options):
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.program,
                 "run", "--ring", ring, "-N", count, *options]
        result = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=False)
        match = COLLECTED.search(result.stderr)
        if result.returncode != 0 or match is None:
            sys.exit(f"bench: {' '.join(map(str, words))}\nended with {result.returncode}:\n"
                     f"{result.stderr}")
        return int(match[1])

    def value(self, name, unit, value):
        """A figure that is counted, not measured: one value."""
        self.report.figure(name, unit, [value])

    def beside(self, name, here, published, what, digits=3):
        """A row of the table of published figures; nothing when that was not published."""
        source, values = published
        if what in values:
            self.table.append((name, here, values[what], digits, source))

    def say(self, text):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{time.strftime('%H:%M:%S')} {text}"[:160])
            sys.stderr.flush()

    def finish(self):
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
        if self.controls:
            self.report.figure("base ring / itself (A/A control), every comparison", "ratio",
                               self.controls, 3)
        if self.table:
            lines = ["| Beside the published figure | Here | Published | Source |",
                     "|---|---:|---:|---|"]
            lines += [f"| {name} | {here:,.{digits}f} | {published:,.{digits}f} | {source} |"
                      for name, here, published, digits, source in self.table]
            self.report.note("\n".join(lines) + "\n")
        return self.report.finish()
