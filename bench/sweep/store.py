"""The folder of a sweep: what was planned, and one result a cell.

    DIR/cells.json           the plan: programs, cells in the order in which they run
    DIR/results/N.json       the result of cell N, good or failed (bench/sweep/cell.py)
"""

import hashlib
import json
import os
import pathlib
import sys

EXIT_USAGE, EXIT_DATA, EXIT_NO_INPUT, EXIT_UNAVAILABLE = 64, 65, 66, 69  # sysexits.h
FORMAT = 1


class Mistake(Exception):
    """What a user did wrong or must know, in one line; `code` is the exit code."""

    def __init__(self, text, code=EXIT_DATA):
        super().__init__(text)
        self.code = code


def leave(main):
    """Runs main() as a program: mistakes become one line and their exit code."""
    try:
        sys.exit(main())
    except Mistake as mistake:
        print(f"sweep: {mistake}", file=sys.stderr)
        sys.exit(mistake.code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def write_json(path, value):
    """As a whole or not at all: a reader never sees half a file."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(value, indent=1) + "\n")
    part.replace(path)


def read_plan(folder):
    path = pathlib.Path(folder) / "cells.json"
    try:
        plan = json.loads(path.read_text())
    except FileNotFoundError:
        raise Mistake(f"{path}: not there: make it with ./dev sweep plan FILE.yaml --to {folder}",
                      EXIT_NO_INPUT) from None
    except (OSError, ValueError) as error:
        raise Mistake(f"{path}: cannot be read: {error}", EXIT_NO_INPUT) from None
    if plan.get("format") != FORMAT:
        raise Mistake(f"{path}: format {plan.get('format')}, this program reads {FORMAT}: "
                      "plan the sweep again")
    return plan


def result_path(folder, index):
    return pathlib.Path(folder) / "results" / f"{index}.json"


def read_result(folder, index):
    """The result of a cell; None when there is none. A file that cannot be read is a failed one."""
    try:
        return json.loads(result_path(folder, index).read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        return {"ok": False, "error": f"{result_path(folder, index)}: cannot be read: {error}"}


def to_do(folder, plan):
    """Indices of the cells without a good result, in the order of the plan."""
    def good(index):
        result = read_result(folder, index)
        return result is not None and result["ok"]
    return [index for index in range(len(plan["cells"])) if not good(index)]
