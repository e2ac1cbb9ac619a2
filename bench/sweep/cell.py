#!/usr/bin/env python3
"""Runs one cell of a sweep and leaves its result, good or failed, in DIR/results. Needs Python's
standard library only. A cell with a good result is left alone. usage: cell.py DIR INDEX

Exit codes: 0 the cell has a good result, 1 it failed, 64 wrong command line."""

import datetime
import functools
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# pylint: disable=wrong-import-position
import lab  # noqa: E402
from store import (EXIT_USAGE, Mistake, digest, leave, read_plan, read_result,  # noqa: E402
                   result_path, write_json)

SLURM = ("SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_PARTITION")
TAIL = 2000  # characters of the error output that a failed cell keeps


class Failed(Exception):
    pass


class Ended(Exception):
    """By a signal: Slurm's time limit, scancel, Ctrl-C."""

    def __init__(self, number):
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def on_signal(number, _frame):
    raise Ended(number)


def execute(words, limit_seconds):
    """(stdout, stderr) of a program that ended with 0. What it started ends with it."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace") as process:
        try:
            out, err = process.communicate(timeout=limit_seconds)
        except BaseException as stop:
            process.terminate()
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            if isinstance(stop, subprocess.TimeoutExpired):
                raise Failed(f"took longer than limit_seconds: {limit_seconds}") from None
            raise
    if process.returncode < 0:
        raise Failed(f"killed by {signal.Signals(-process.returncode).name}: {err[-TAIL:]}")
    if process.returncode > 0:
        raise Failed(f"exit code {process.returncode}: {err.strip()[-TAIL:]}")
    return out, err


def measure(plan, cell):
    """The program's own report."""
    if plan["program"] == "ring_bench":
        out, _ = execute([plan["binary"], *cell["arguments"]], plan["limit_seconds"])
        return parse(out)
    now = digest(plan["configuration"])
    if now != plan["configuration_sha256"]:
        raise Failed(f"{plan['configuration']} has changed since the sweep was planned: "
                     "plan it again")
    with tempfile.TemporaryDirectory(prefix="qdiscsim-sweep-") as folder:
        report = pathlib.Path(folder) / "report.json"
        places = {"{report}": str(report), "{configuration}": plan["configuration"]}
        words = [places.get(word, word) for word in cell["arguments"]]
        execute([plan["binary"], *words], plan["limit_seconds"])
        return parse(report.read_text())


def parse(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failed(f"the report is not JSON: {error}") from None


@functools.cache
def machine(build):
    return lab.machine(types.SimpleNamespace(build=pathlib.Path(build)))


def circumstances(plan):
    """Where and with what: the group that a result belongs to (merge.py), and what explains it."""
    return {"node": os.environ.get("SLURMD_NODENAME") or platform.node(),
            "machine": machine(plan["build"]),
            "cpus": sorted(os.sched_getaffinity(0)),
            "slurm": {key: os.environ[key] for key in SLURM if key in os.environ}}


def ticks():
    """(all, busy, stolen, ours) of all CPUs since boot, ours with the programs that have ended."""
    line = lab.read("/proc/stat", "cpu 0 0 0 0 0 0 0 0").splitlines()[0]
    user, nice, system, idle, wait, irq, softirq, steal = map(int, line.split()[1:9])
    busy = user + nice + system + irq + softirq
    own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
    return busy + idle + wait + steal, busy, steal, own


def shares(before, after):
    total, busy, stolen, own = (late - early for early, late in zip(before, after))
    total = max(total, 1)
    return {"cpu_share_stolen": round(stolen / total, 4),
            "cpu_share_of_others": round(min(max((busy - own) / total, 0), 1), 4)}


def run_cell(folder, plan, index):
    """The result as it was stored."""
    cell = plan["cells"][index]
    result = {"index": index, "label": cell["label"], "point": cell["point"],
              "round": cell["round"],
              "started": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
              **circumstances(plan)}
    before, began, stop = ticks(), time.monotonic(), None
    try:
        result["binary_sha256"] = digest(plan["binary"])
        result["report"] = measure(plan, cell)
        result["ok"] = True
    except (Failed, OSError) as error:
        result |= {"ok": False, "error": str(error)}
    except Ended as error:
        result |= {"ok": False, "error": str(error)}
        stop = error
    result["seconds"] = round(time.monotonic() - began, 3)
    result |= shares(before, ticks())
    result_path(folder, index).parent.mkdir(exist_ok=True)
    write_json(result_path(folder, index), result)
    if stop is not None:
        raise stop
    return result


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        raise Mistake("usage: cell.py DIR INDEX", EXIT_USAGE)
    folder, index = sys.argv[1], int(sys.argv[2])
    plan = read_plan(folder)
    if index >= len(plan["cells"]):
        raise Mistake(f"{folder}: no cell {index}, the last one is {len(plan['cells']) - 1}",
                      EXIT_USAGE)
    before = read_result(folder, index)
    if before is not None and before["ok"]:
        print(f"cell {index}: has a good result already")
        return 0
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    try:
        result = run_cell(folder, plan, index)
    except Ended as ended:
        return 128 + ended.number
    print(f"cell {index}: {result['label']}: " +
          (f"done in {result['seconds']} s" if result["ok"] else result["error"]))
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    leave(main)
