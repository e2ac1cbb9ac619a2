"""What every bench here does the same way: describe the machine, take measurements in interleaved
rounds, say how far they spread, judge them, print.

A round runs each variant once, in an order that a seed shuffles, so that whatever disturbs the
machine disturbs all of them alike. Two variants are compared within a round, and the figure is the
median of these ratios. An A/A control is the same variant taken twice in each round: its ratio must
be 1, and how far it strays is what this machine cannot tell apart today.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "bench" / "configs"
MIN_ROUNDS = 9


# ---- options ----

def parse(description, extra=None, arguments=None):
    """The options that all benches share, and what `extra(parser)` adds to them."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path,
                        help="folder with the built programs (default: build/release)")
    parser.add_argument("--rounds", type=int, default=None,
                        help=f"interleaved rounds (default: {MIN_ROUNDS}, the least for a figure)")
    parser.add_argument("--seed", type=int, default=1, help="shuffles the order within a round")
    parser.add_argument("--smoke", action="store_true",
                        help="tiny sizes: shows that the bench works; its figures mean nothing")
    parser.add_argument("--json", action="store_true", help="JSON instead of Markdown")
    if extra:
        extra(parser)
    options = parser.parse_args(arguments)
    if options.rounds is None:
        options.rounds = 2 if options.smoke else MIN_ROUNDS
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if not options.smoke and options.rounds < MIN_ROUNDS:
        print(f"note: fewer than {MIN_ROUNDS} rounds give no figure to quote", file=sys.stderr)
    return options


def program(options, name):
    path = options.build / name
    if not path.exists():
        sys.exit(f"bench: {path} is not built; run ./dev build, or name the folder with --build")
    return path


# ---- statistics ----

def mad(values):
    """Median absolute deviation: half of the values lie within this of the median."""
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values)


def percentile(values, percent):
    """Nearest rank: a value that was measured, never one in between."""
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(int(rank), 1) - 1]


def ratios(numerators, denominators):
    """Within each round; both lists are in the order of the rounds."""
    return [a / b for a, b in zip(numerators, denominators, strict=True)]


# ---- measuring ----

class Progress:
    """One line on a terminal; silent elsewhere."""

    def __init__(self, steps):
        self.steps, self.done, self.started = steps, 0, time.monotonic()
        self.on = sys.stderr.isatty()

    def step(self, text):
        if self.on:
            left = ""
            if self.done:
                each = (time.monotonic() - self.started) / self.done
                left = f", about {each * (self.steps - self.done):.0f} s left"
            sys.stderr.write(f"\r\x1b[K[{self.done + 1}/{self.steps}] {text}{left}")
            sys.stderr.flush()
        self.done += 1

    def end(self):
        if self.on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def interleave(variants, options):
    """{name: measure()} -> {name: [one result a round]}."""
    order = random.Random(options.seed)
    results = {name: [] for name in variants}
    progress = Progress(options.rounds * len(variants))
    for turn in range(options.rounds):
        names = list(variants)
        order.shuffle(names)
        for name in names:
            progress.step(f"round {turn + 1} of {options.rounds}: {name}")
            results[name].append(variants[name]())
    progress.end()
    return results


def run_json(*command, cpu=None, timeout=300):
    """What the command prints, read as JSON. Its failure ends the bench with its own words."""
    def pin():
        os.sched_setaffinity(0, {cpu})
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=timeout, check=False,
                            preexec_fn=pin if cpu is not None else None)
    if result.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))}\nended with {result.returncode}:\n"
                 f"{result.stderr or result.stdout}")
    return json.loads(result.stdout)


def engine_run(options, config, seconds, warmup, *settings):
    """bench/engine_run on one of bench/configs; settings are KEY=VALUE texts."""
    command = [program(options, "bench/engine_run"), CONFIGS / config, "--json",
               "--seconds", seconds, "--warmup", warmup]
    for setting in settings:
        command += ["--set", setting]
    return run_json(*command, timeout=60 + seconds + warmup)


# ---- the machine ----

def read(path, otherwise):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return otherwise


def stolen_ticks():
    """(ticks that the hypervisor gave to others, all ticks) of all CPUs since boot."""
    ticks = [int(word) for word in read("/proc/stat", "cpu 0").splitlines()[0].split()[1:]]
    return (ticks[7] if len(ticks) > 7 else 0), sum(ticks[:8])


def mitigations():
    folder = pathlib.Path("/sys/devices/system/cpu/vulnerabilities")
    if not folder.is_dir():
        return "not readable"
    active = [f"{path.name}: {read(path, '?').removeprefix('Mitigation: ')}"
              for path in sorted(folder.iterdir()) if read(path, "").startswith("Mitigation")]
    return "; ".join(active) or "none needed"


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True,
                              check=False).stdout.strip()
    name = git("rev-parse", "--short=12", "HEAD") or "not a clone"
    return name + (" with changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def built_with(options):
    cache = read(options.build / "CMakeCache.txt", "")
    def value(key):
        match = re.search(rf"^{key}:\w+=(.*)$", cache, re.MULTILINE)
        return match[1] if match else "?"
    kind = value("CMAKE_BUILD_TYPE")
    compiler = subprocess.run([value("CMAKE_CXX_COMPILER"), "--version"], capture_output=True,
                              text=True, check=False).stdout.splitlines() if cache else []
    flags = value("CMAKE_CXX_FLAGS_" + kind.upper())
    return f"{compiler[0] if compiler else '?'}, {kind} ({flags})"


def machine(options):
    """What a reader must know of where the figures come from."""
    cpuinfo = read("/proc/cpuinfo", "")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    virtual = "hypervisor" in cpuinfo
    counters = pathlib.Path("/sys/bus/event_source/devices/cpu").exists()
    return {
        "CPU": (model[1] if model else platform.machine()) +
               (", virtual machine" if virtual else ""),
        "CPUs used": f"{len(os.sched_getaffinity(0))} of {os.cpu_count()}",
        "kernel": platform.release(),
        "frequency governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                                   "not readable"),
        "mitigations": mitigations(),
        "hardware counters": "available" if counters else "not available here",
        "built with": built_with(options),
        "commit": commit(),
        "load average at start": " ".join(read("/proc/loadavg", "?").split()[:3]),
    }


# ---- reporting ----

class Report:
    """Rows of figures, marks and notes; finish() prints them and gives the exit code."""

    def __init__(self, title, options):
        self.title, self.options = title, options
        self.machine = machine(options)
        self.stolen = stolen_ticks()
        self.rows, self.marks, self.notes = [], [], []
        if os.getloadavg()[0] > 0.5 and not options.smoke:
            self.notes.append("The machine was not idle at the start: do not quote these figures.")

    def figure(self, name, unit, values, digits=2):
        """One row: the median of values, and how far they spread. Returns the median."""
        row = {"figure": name, "unit": unit, "n": len(values),
               "median": statistics.median(values), "min": min(values), "max": max(values),
               "mad": mad(values), "digits": digits}
        self.rows.append(row)
        return row["median"]

    def mark(self, name, value, relation, bound, digits=3):
        """A target: relation is "at least" or "at most"."""
        met = value >= bound if relation == "at least" else value <= bound
        self.marks.append({"mark": name, "value": round(value, 6), "relation": relation,
                           "bound": bound, "met": met, "digits": digits})

    def note(self, text):
        self.notes.append(text)

    def markdown(self):
        lines = [f"## {self.title}", ""]
        if self.options.smoke:
            lines += ["**Smoke run: tiny sizes, these figures mean nothing.**", ""]
        lines += [f"- {key}: {value}" for key, value in self.machine.items()]
        lines += ["", "| Figure | Unit | Median | Min .. max | MAD | n |",
                  "|---|---|---:|---:|---:|---:|"]
        for row in self.rows:
            def number(key, row=row):
                return f"{row[key]:,.{row['digits']}f}"
            lines.append(f"| {row['figure']} | {row['unit']} | {number('median')} | "
                         f"{number('min')} .. {number('max')} | {number('mad')} | {row['n']} |")
        if self.marks:
            lines.append("")
        for mark in self.marks:
            verdict = "not judged" if self.options.smoke else "met" if mark["met"] else "MISSED"
            lines.append(f"- mark {verdict}: {mark['mark']}: {mark['value']:,.{mark['digits']}f}, "
                         f"wanted {mark['relation']} {mark['bound']:,}")
        if self.notes:
            lines += ["", *self.notes]
        return "\n".join(lines) + "\n"

    def finish(self):
        stolen, all_ticks = (after - before for before, after in
                             zip(self.stolen, stolen_ticks(), strict=True))
        self.machine["time stolen by the hypervisor"] = \
            f"{100 * stolen / max(all_ticks, 1):.2f} % during the run"
        self.machine["rounds"] = f"{self.options.rounds}, order by seed {self.options.seed}"
        if self.options.json:
            print(json.dumps({"bench": self.title, "smoke": self.options.smoke,
                              "machine": self.machine, "figures": self.rows,
                              "marks": self.marks, "notes": self.notes}, indent=2))
        else:
            print(self.markdown())
        missed = [mark for mark in self.marks if not mark["met"]]
        if self.options.smoke or not missed:
            return 0
        for mark in missed:
            print(f"bench: mark missed: {mark['mark']}: {mark['value']:,.{mark['digits']}f}, "
                  f"wanted {mark['relation']} {mark['bound']:,}", file=sys.stderr)
        return 1
