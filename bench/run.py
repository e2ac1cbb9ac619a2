"""Runs one bench, or all of them one after the other: run.py [SUBJECT] [OPTIONS]. The exit code is
1 when a mark was missed. SUBJECT --help lists its options."""

import pathlib
import subprocess
import sys

SUBJECTS = {
    "speed": "Mpps of one packet path, beside dpdk-testpmd",
    "truth": "the wire carries what it must, band 0 loses nothing",
    "overcommit": "more generators than cores",
    "watching": "what a scrape costs and takes; start and memory of the daemon",
    "reloads": "10,000 reloads under load: no leak, no lost packet, no pause",
    "soak": "half an hour of everything: flat memory, exact accounts",
    "micro": "rings and page_pool alone",
    "rings": "rings beside the published figures of them, and beside their peers",
}


def main():
    folder = pathlib.Path(__file__).parent
    arguments = sys.argv[1:]
    chosen = arguments.pop(0) if arguments and not arguments[0].startswith("-") else "all"
    if chosen not in SUBJECTS and chosen != "all" or {"-h", "--help"} & set(arguments) and \
            chosen == "all":
        print(__doc__ + "\n\nSubjects, or `all` (the default):", file=sys.stderr)
        for name, text in SUBJECTS.items():
            print(f"  {name:<12}{text}", file=sys.stderr)
        return 0 if chosen == "all" else 64
    worst = 0
    for name in SUBJECTS if chosen == "all" else [chosen]:
        if chosen == "all":
            print(f"== bench {name}: {SUBJECTS[name]}", file=sys.stderr)
        result = subprocess.run([sys.executable, "-B", str(folder / f"{name}.py"), *arguments],
                                check=False)
        worst = max(worst, abs(result.returncode))
    return worst


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
