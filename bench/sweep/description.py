"""A sweep as a user describes it in YAML, checked, and turned into cells."""

import itertools
import pathlib
import random
import shlex

import yaml

from wording import label, text
from store import EXIT_NO_INPUT, FORMAT, Mistake, digest

MOST_CELLS = 100_000
COMMON = {"program", "axes", "repeats", "seed", "limit_seconds", "base", "figures"}
KEYS = {"ring_bench": COMMON | {"rings", "options"},
        "qdiscsimd": COMMON | {"config", "duration", "set"}}
BUILT_AT = {"ring_bench": "bench/ring/ring_bench", "qdiscsimd": "daemon/qdiscsimd"}


def load(path):
    """The description in a file, as plain values. Throws Mistake."""
    try:
        described = yaml.safe_load(pathlib.Path(path).read_text())
    except OSError as error:
        raise Mistake(f"{path}: {error.strerror}", EXIT_NO_INPUT) from None
    except yaml.YAMLError as error:
        raise Mistake(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    check(path, described)
    return described


def check(path, described):
    def need(holds, key, text):
        if not holds:
            raise Mistake(f"{path}: {key}: {text}")

    need(isinstance(described, dict), "the file", "must be keys and values; see docs/sweeps.md")
    program = described.get("program")
    need(program in KEYS, "program", "must be ring_bench or qdiscsimd")
    for key in described:
        need(key in KEYS[program], key,
             f"no such key; {program} has {', '.join(sorted(KEYS[program]))}")
    axes = described.get("axes")
    need(isinstance(axes, dict) and axes, "axes", "must name at least one key and its values")
    for name, values in axes.items():
        need(isinstance(values, list) and values, f"axes.{name}", "must be a list of values")
        need(len({text(value) for value in values}) == len(values), f"axes.{name}",
             "has a value twice; `repeats` measures a cell more than once")
    for key in ("options", "set", "base", "figures"):
        need(isinstance(described.get(key, {}), dict), key, "must be keys and values")
    for key, otherwise, least in (("repeats", 1, 1), ("seed", 1, 0), ("limit_seconds", 600, 1)):
        value = described.get(key, otherwise)
        need(isinstance(value, int) and not isinstance(value, bool) and value >= least, key,
             f"must be a whole number, at least {least}")
    for name, value in described.get("base", {}).items():
        need(name in axes, f"base.{name}", f"is no axis; the axes are {', '.join(axes)}")
        need(text(value) in map(text, axes[name]), f"base.{name}",
             f"{text(value)} is none of the axis' values")
    for name, pointer in described.get("figures", {}).items():
        need(isinstance(pointer, str) and pointer.startswith("/"), f"figures.{name}",
             "must be a JSON pointer into the report, as /devices/0/queues/0/sent_bytes")
    if program == "qdiscsimd":
        need(isinstance(described.get("config"), str), "config", "must name a configuration")
        need(not set(axes) & set(described.get("set", {})), "set", "has a key that is an axis too")
    else:
        need(not set(axes) & set(described.get("options", {})), "options",
             "has a key that is an axis too")
        rings = described.get("rings")
        need(rings is None or isinstance(rings, list) and len(rings) > 1, "rings",
             "must be a list of two or more: the base, then what to compare with it")
        need(rings is None or not {"base", "figures"} & set(described), "rings",
             "ring_bench compare judges by itself: leave out base and figures")


def flags(options):
    """{"m": "mpsc", "burst": 8, "sleep": True} -> ["-m", "mpsc", "--burst", "8", "--sleep"]"""
    words = []
    for name, value in options.items():
        if value is False:
            continue
        words.append(("-" if len(name) == 1 else "--") + name)
        if value is not True:
            words.append(text(value))
    return words


def ring_bench_words(described, point):
    options = flags({**described.get("options", {}), **point}) + ["--json"]
    if "rings" in described:
        return ["compare", *map(str, described["rings"]), *options, "--no-progress"]
    return ["run", *options]


# {report} and {configuration} are filled in by cell.py.
def qdiscsimd_words(described, point):
    words = ["{configuration}", "--once", "--no-progress", "--report", "{report}",
             "--listen", "127.0.0.1:0"]
    if "duration" in described:
        words += ["--duration", text(described["duration"])]
    for key, value in {**described.get("set", {}), **point}.items():
        words += ["--set", f"{key}={text(value)}"]
    return words


def make_plan(path, build):
    """The plan as it is stored: every repeat is a round of all points in an order of its own."""
    described = load(path)
    program = described["program"]
    binary = pathlib.Path(build).resolve() / BUILT_AT[program]
    axes, repeats = described["axes"], described.get("repeats", 1)
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    if len(points) * repeats > MOST_CELLS:
        raise Mistake(f"{path}: {len(points) * repeats} cells, {MOST_CELLS} are the most")
    plan = {"format": FORMAT, "name": pathlib.Path(path).stem, "program": program,
            "binary": str(binary), "build": str(pathlib.Path(build).resolve()),
            "seed": described.get("seed", 1), "repeats": repeats, "points": len(points),
            "limit_seconds": described.get("limit_seconds", 600),
            "base": described.get("base", {}), "figures": described.get("figures", {}),
            "compare": "rings" in described, "axes": axes,
            "order": [label(point) for point in points]}
    if program == "qdiscsimd":
        configuration = (pathlib.Path(path).parent / described["config"]).resolve()
        if not configuration.is_file():
            raise Mistake(f"{path}: config: {configuration} is not a file", EXIT_NO_INPUT)
        plan |= {"configuration": str(configuration), "configuration_sha256": digest(configuration)}
    words = ring_bench_words if program == "ring_bench" else qdiscsimd_words
    order, cells = random.Random(plan["seed"]), []
    for turn in range(repeats):
        turn_points = list(points)
        order.shuffle(turn_points)
        cells += [{"label": label(point), "point": point, "round": turn,
                   "arguments": words(described, point)} for point in turn_points]
    return plan | {"cells": cells}


def shown(plan, cell):
    places = {"{report}": "REPORT", "{configuration}": plan.get("configuration", "")}
    return shlex.join([pathlib.Path(plan["binary"]).name,
                       *[places.get(word, word) for word in cell["arguments"]]])
