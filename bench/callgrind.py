"""Instructions per packet by function: the difference of two runs of pipeline_bench under
callgrind, so that start and end cancel out."""

import collections
import re
import shutil
import subprocess
import tempfile
import pathlib

FEW, MANY = 20_000, 220_000
LINE = re.compile(r"^\s*([\d,]+)\s+(?:\(\s*[\d.]+%\)\s+)?(\S+?):(.+?)(?: \[[^\]]*\])?$")


def available():
    return shutil.which("valgrind") is not None and shutil.which("callgrind_annotate") is not None


def shorten(name):
    """qdiscsim::Qdisc<smp..., Ring<...> >::xmit(Cpu<...>&, Skb<...>*) -> Qdisc::xmit"""
    name = re.sub(r"'\d+$", "", name)
    while True:
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    name = re.sub(r"\(.*", "", name.replace("(anonymous namespace)", ""))
    return re.sub(r"\b(qdiscsim|smp|std)::|^::", "", name).replace("::::", "::").strip()


def parse(annotated):
    """{(source file, function): instructions} of callgrind_annotate's text."""
    counts = collections.Counter()
    for line in annotated.splitlines():
        match = LINE.match(line)
        if match:
            file = "/".join(pathlib.PurePath(match[2]).parts[-2:])
            counts[file, shorten(match[3])] += int(match[1].replace(",", ""))
    return counts


def count(program, packets, arguments):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                        str(program), "--warmup", "10000", "--packets", str(packets), *arguments],
                       check=True, capture_output=True, text=True, timeout=600)
        text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", str(out)],
                              check=True, capture_output=True, text=True, timeout=300).stdout
    return parse(text)


def per_packet(program, *arguments, few=FEW, many=MANY):
    """[(instructions per packet, source file, function)], the most first."""
    less, more = count(program, few, arguments), count(program, many, arguments)
    found = [((more[key] - less[key]) / (many - few), *key) for key in more]
    return sorted((entry for entry in found if entry[0] > 0.005), reverse=True)


def table(title, entries, rows=12):
    total = sum(entry[0] for entry in entries)
    lines = [f"### {title}: {total:.1f} instructions per packet", "",
             "| Instructions | Share | Source | Inlined into or function |", "|---:|---:|---|---|"]
    for instructions, file, function in entries[:rows]:
        lines.append(f"| {instructions:.1f} | {100 * instructions / total:.0f} % | {file} | "
                     f"{function} |")
    rest = sum(entry[0] for entry in entries[rows:])
    if rest > 0:
        lines.append(f"| {rest:.1f} | {100 * rest / total:.0f} % | | the rest |")
    return "\n".join(lines) + "\n"
