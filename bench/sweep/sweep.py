#!/usr/bin/env python3
"""Parameter sweeps of ring_bench and qdiscsimd, here or as a Slurm job array. See
docs/sweeps.md. `sweep.py COMMAND --help` lists a command's options."""

import argparse
import pathlib
import signal
import sys

import cell as cells
import lab
from store import (EXIT_UNAVAILABLE, Mistake, leave, read_plan, to_do, write_json)


def plan_command(options):
    try:
        import description  # needs python3-yaml, which the nodes of a cluster may lack
    except ImportError:
        raise Mistake("PyYAML is missing: install python3-yaml", EXIT_UNAVAILABLE) from None
    plan = description.make_plan(options.file, options.build)
    folder = options.to or options.file.with_suffix(".sweep")
    if (folder / "cells.json").exists():
        if read_plan(folder) != plan and (folder / "results").exists():
            raise Mistake(f"{folder}: holds results of another plan: choose another folder with "
                          "--to, or remove this one")
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "cells.json", plan)
    print(f"{len(plan['cells'])} cells: {plan['points']} points, {plan['repeats']} repeats, order "
          f"by seed {plan['seed']}, in {folder}")
    for index, cell in enumerate(plan["cells"][:options.show]):
        print(f"  {index}: {description.shown(plan, cell)}")
    if len(plan["cells"]) > options.show:
        print(f"  ... and {len(plan['cells']) - options.show} more")
    print(f"next: ./dev sweep run {folder}, or ./dev sweep submit {folder}")
    return 0


def need_binary(plan):
    if not pathlib.Path(plan["binary"]).exists():
        raise Mistake(f"{plan['binary']} is not built: run ./dev build, or plan with --build",
                      EXIT_UNAVAILABLE)


def run_command(options):
    plan = read_plan(options.folder)
    need_binary(plan)
    indices = to_do(options.folder, plan)
    done_before = len(plan["cells"]) - len(indices)
    if done_before:
        print(f"{done_before} cells have good results already", file=sys.stderr)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, cells.on_signal)
    progress, failed = lab.Progress(len(indices)), 0
    try:
        for index in indices:
            progress.step(f"cell {index}: {plan['cells'][index]['label']}")
            result = cells.run_cell(options.folder, plan, index)
            if not result["ok"]:
                progress.end()
                print(f"cell {index}: {result['label']}: {result['error']}", file=sys.stderr)
                failed += 1
    except cells.Ended as ended:
        progress.end()
        print(f"sweep: {ended}; ./dev sweep run {options.folder} goes on from here",
              file=sys.stderr)
        return 128 + ended.number
    progress.end()
    print(f"{len(indices) - failed} cells done, {failed} failed; next: "
          f"./dev sweep merge {options.folder}", file=sys.stderr)
    return 1 if failed else 0




def submit_command(options):
    import slurm
    plan = read_plan(options.folder)
    need_binary(plan)
    return slurm.submit(options.folder, plan, options.parallel, options.sbatch)


def merge_command(options):
    import merge
    import tables
    plan = read_plan(options.folder)
    merged = merge.merge(options.folder, plan, options.mixed)
    print(tables.FORMATS[options.format](merged), end="")
    if not merged["failed"] and not merged["missing"]:
        return 0
    print(f"sweep: {len(merged['failed'])} cells failed, {len(merged['missing'])} are missing",
          file=sys.stderr)
    return 1


def parse(arguments):
    parser = argparse.ArgumentParser(prog="sweep", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    plan = commands.add_parser("plan", help="turn a description into cells")
    plan.add_argument("file", type=pathlib.Path, metavar="FILE.yaml")
    plan.add_argument("--to", type=pathlib.Path, metavar="DIR",
                      help="folder of the sweep (default: FILE.sweep)")
    plan.add_argument("--build", type=pathlib.Path, default=lab.ROOT / "build" / "release",
                      help="folder with the built programs (default: build/release)")
    plan.add_argument("--show", type=int, default=6, metavar="N",
                      help="commands to print (default: %(default)s)")
    plan.set_defaults(act=plan_command)
    run = commands.add_parser("run", help="run the cells here, one after the other")
    run.set_defaults(act=run_command)
    submit = commands.add_parser("submit", help="hand the cells to Slurm as a job array",
                                 epilog="What follows -- goes to sbatch: -- --partition=NAME "
                                        "--nodelist=NODE")
    submit.add_argument("--parallel", type=int, metavar="K",
                        help="cells at a time at most (default: as many as there are free nodes)")
    submit.set_defaults(act=submit_command)
    merge = commands.add_parser("merge", help="put the results together; exit code 1 when cells "
                                              "failed or are missing")
    merge.add_argument("--format", choices=("text", "markdown", "csv", "json"), default="text")
    merge.add_argument("--mixed", action="store_true",
                       help="show results of different builds, each apart")
    merge.set_defaults(act=merge_command)
    for command in (run, submit, merge):
        command.add_argument("folder", type=pathlib.Path, metavar="DIR")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end])
    options.sbatch = arguments[end + 1:]
    if options.sbatch and options.command != "submit":
        parser.error("only submit passes on what follows --")
    return options


def main():
    options = parse(sys.argv[1:])
    return options.act(options)


if __name__ == "__main__":
    leave(main)
