"""Hands the cells of a sweep to Slurm as a job array: each cell has a node for itself. Which node and
when is Slurm's business."""

import pathlib
import re
import shutil
import subprocess

from store import EXIT_UNAVAILABLE, Mistake, to_do

HERE = pathlib.Path(__file__).resolve().parent
SPARE_SECONDS = 60  # for the start of a cell and for writing its result


def ranges(indices):
    """[0, 1, 2, 5] -> "0-2,5", as sbatch's --array has it."""
    found = []
    for index in sorted(indices):
        if found and found[-1][1] == index - 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    return ",".join(f"{low}-{high}" if low < high else str(low) for low, high in found)


def arrays(indices, largest):
    """[(cell of task 0, tasks)]: a cluster takes no task number of `largest` (MaxArraySize) or
    above."""
    found = {}
    for index in indices:
        found.setdefault(index // largest * largest, []).append(index % largest)
    return sorted(found.items())


def ask(*words):
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        raise Mistake(f"{words[0]}: {result.stderr.strip() or result.stdout.strip()}",
                      EXIT_UNAVAILABLE)
    return result.stdout


def largest_array():
    match = re.search(r"^MaxArraySize\s*=\s*(\d+)", ask("scontrol", "show", "config"), re.MULTILINE)
    return int(match[1]) if match else 1001


def command(folder, plan, offset, tasks, parallel, extra):
    minutes = -(-(plan["limit_seconds"] + SPARE_SECONDS) // 60)
    at_a_time = f"%{parallel}" if parallel else ""
    return ["sbatch", "--parsable", f"--job-name=sweep-{plan['name']}",
            f"--array={ranges(tasks)}{at_a_time}", "--nodes=1", "--ntasks=1", "--exclusive",
            f"--time={minutes}", f"--output={folder}/logs/%A-%a.txt", *extra,
            str(HERE / "array.sh"), str(HERE / "cell.py"), str(folder), str(offset)]


def submit(folder, plan, parallel, extra):
    if shutil.which("sbatch") is None:
        raise Mistake("sbatch is not there: submit where Slurm is installed (Debian package "
                      "slurm-client), or use ./dev sweep run", EXIT_UNAVAILABLE)
    folder = pathlib.Path(folder).resolve()
    indices = to_do(folder, plan)
    if not indices:
        print(f"every cell has a good result; next: ./dev sweep merge {folder}")
        return 0
    for name in ("logs", "results"):
        (folder / name).mkdir(exist_ok=True)
    jobs = []
    for offset, tasks in arrays(indices, largest_array()):
        jobs.append(ask(*command(folder, plan, offset, tasks, parallel, extra)).split(";")[0].strip())
    print(f"{len(indices)} of {len(plan['cells'])} cells submitted as job {', '.join(jobs)}")
    print(f"look: squeue --jobs={','.join(jobs)}; when it is done: ./dev sweep merge {folder}")
    return 0
