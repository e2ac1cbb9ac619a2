#!/usr/bin/env python3
"""Runs the fuzzers of build/fuzz, as many at a time as there are CPUs.

usage: run.py [--seconds N] [NAME...]

What they learn is kept below build/fuzz/corpus. A finding ends with exit status 1; the input that
found it is named, with the command that repeats it.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "fuzz"
EXAMPLES = ROOT / "config" / "examples"
SEEDS = {"config": [EXAMPLES], "pcap": [EXAMPLES]}  # beside corpus/NAME
DONE = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+)", re.MULTILINE)


class Fuzzer:
    """One fuzzer at work; its output goes to a file."""

    def __init__(self, name, seconds):
        self.name = name
        self.folder = BUILD / "corpus" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = BUILD / f"{name}.log"
        self.program = BUILD / "tests" / "fuzz" / f"fuzz_{name}"
        dictionary = HERE / f"{name}.dict"
        command = [self.program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                   "-print_final_stats=1", f"-artifact_prefix={BUILD}/finding-{name}-",
                   *([f"-dict={dictionary}"] if dictionary.exists() else []),
                   self.folder, HERE / "corpus" / name, *SEEDS.get(name, [])]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def report(self):
        """Prints how it ended; whether all was well."""
        text = self.log.read_text(errors="replace")
        done = DONE.search(text)
        if self.process.returncode == 0 and done:
            print(f"{self.name}: {int(done[1]):,} inputs, {done[2]} edges, no finding", flush=True)
            return True
        finding = re.search(r"Test unit written to (\S+)", text)
        print(f"{self.name}: FOUND SOMETHING (exit status {self.process.returncode})\n"
              f"{text[-4000:]}", flush=True)
        if finding:
            print(f"{self.name}: repeat it with\n  {self.program} {finding[1]}\n"
                  f"and when it is mended, keep the input: mv {finding[1]} {HERE}/corpus/{self.name}/")
        return False


def run(names, seconds):
    waiting, running, well = list(names), [], True
    most = min(len(os.sched_getaffinity(0)), len(waiting))
    while waiting or running:
        while waiting and len(running) < most:
            running.append(Fuzzer(waiting.pop(0), seconds))
        time.sleep(0.2)
        for fuzzer in [each for each in running if each.process.poll() is not None]:
            running.remove(fuzzer)
            well &= fuzzer.report()
    return well


def main():
    known = sorted(path.name for path in (HERE / "corpus").iterdir())
    parser = argparse.ArgumentParser(description="Runs the fuzzers that ./dev fuzz has built.")
    parser.add_argument("--seconds", type=int, default=60, help="for each (default: %(default)s)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in known]
    if unknown:
        parser.error(f"{unknown[0]}: there is no such fuzzer; there are {', '.join(known)}")
    if args.seconds < 1:
        parser.error("--seconds: at least 1")
    names = args.names or known
    print(f"{', '.join(names)}: {args.seconds} s each", flush=True)
    sys.exit(0 if run(names, args.seconds) else 1)


if __name__ == "__main__":
    main()
