"""Puts the results of a sweep together. Figures are grouped by node, and no ratio crosses nodes;
results of different builds, or of a node that has changed meanwhile, are refused unless asked for."""

import statistics
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# pylint: disable=wrong-import-position
import lab  # noqa: E402
from wording import label  # noqa: E402
from figures import of_report  # noqa: E402
from store import Mistake, read_result  # noqa: E402

MACHINE = ("CPU", "CPUs used", "kernel", "frequency governor", "mitigations")

LONELY = "no round with its base on this node"
DISTURBERS = {"cpu_share_stolen": "the hypervisor", "cpu_share_of_others": "other processes"}


def build_of(result):
    return {"commit": result["machine"]["commit"], "binary": result["binary_sha256"][:12],
            "built with": result["machine"]["built with"]}


def machine_of(result):
    return {"node": result["node"], **{key: result["machine"][key] for key in MACHINE}}


def collect(folder, plan):
    """(good results with their figures, failed cells, missing cells)."""
    good, failed, missing = [], [], []
    for index, cell in enumerate(plan["cells"]):
        result = read_result(folder, index)
        name = {"index": index, "label": cell["label"], "round": cell["round"]}
        if result is None:
            missing.append(name)
            continue
        if result["ok"]:
            try:
                result["figures"] = of_report(plan, result["report"])
                good.append(result)
                continue
            except (LookupError, TypeError, ZeroDivisionError) as error:
                result["error"] = f"its report cannot be used: {error}"
        failed.append(name | {"node": result.get("node"), "error": result["error"]})
    return good, failed, missing


def groups_of(good, mixed):
    """[(name, results)]: one a machine and build. Different builds need `mixed`."""
    found = []
    for result in good:
        what = (machine_of(result), build_of(result))
        group = next((group for group in found if group["what"] == what), None)
        if group is None:
            group = {"what": what, "results": []}
            found.append(group)
        group["results"].append(result)
    builds = [group["what"][1] for group in found]
    nodes = [group["what"][0]["node"] for group in found]
    if not mixed:
        refuse_mixture(found, builds, nodes)
    seen = {}
    for group, node in sorted(zip(found, nodes), key=lambda pair: pair[1]):
        seen[node] = seen.get(node, 0) + 1
        group["name"] = node if nodes.count(node) == 1 else f"{node} #{seen[node]}"
    return sorted(found, key=lambda group: group["name"])


def refuse_mixture(groups, builds, nodes):
    way_out = "; --mixed shows them apart, or run the sweep again in a new folder"
    for index, build in enumerate(builds):
        for key in build:
            if build[key] != builds[0][key]:
                cells = [group["results"][0]["index"] for group in (groups[0], groups[index])]
                raise Mistake(f"results of different builds: {key} is {builds[0][key]} in cell "
                              f"{cells[0]} and {build[key]} in cell {cells[1]}{way_out}")
    for index, node in enumerate(nodes):
        first = nodes.index(node)
        if first != index:
            before, after = (groups[i]["what"][0] for i in (first, index))
            key = next(key for key in after if after[key] != before[key])
            raise Mistake(f"node {node} has changed during the sweep: {key} was {before[key]} and "
                          f"is {after[key]}{way_out}")


def rows_of(plan, group):
    """One row a point, variant and figure: medians, spread, and the ratio to the base."""
    values = {}  # (label, variant, figure, unit) -> {round: Figure}
    points = {}
    for result in group["results"]:
        points[result["label"]] = result["point"]
        for key, figure in result["figures"].items():
            values.setdefault((result["label"], *key), {})[result["round"]] = figure
    order = {name: i for i, name in enumerate(sorted_labels(plan))}
    rows = []
    for key in sorted(values, key=lambda key: order[key[0]]):
        name, variant, figure, unit = key
        rounds = values[key]
        numbers = [rounds[turn].value for turn in sorted(rounds)]
        row = {"group": group["name"], "point": points[name], "variant": variant, "figure": figure,
               "unit": unit, "n": len(numbers), "median": statistics.median(numbers),
               "min": min(numbers), "max": max(numbers), "mad": lab.mad(numbers),
               "values": numbers}
        if plan["compare"]:
            row |= judged(rounds.values())
        elif plan["base"]:
            base = values.get((label({**points[name], **plan["base"]}), variant, figure, unit), {})
            row |= ratio(rounds, base, label({**points[name], **plan["base"]}) == name)
        rows.append(row)
    return rows


def sorted_labels(plan):
    """Points as a reader expects them: as the axes have them, not as they were shuffled."""
    return sorted({cell["label"] for cell in plan["cells"]},
                  key=lambda name: plan["order"].index(name))


def ratio(rounds, base, is_base):
    """Paired within a round, the median of the pairs. Rounds of this node only."""
    if is_base:
        return {"ratio": None, "ratio_n": 0, "note": "base"}
    pairs = [rounds[turn].value / base[turn].value for turn in sorted(rounds)
             if turn in base and base[turn].value != 0]
    if not pairs:
        note = "base is 0" if set(rounds) & set(base) else LONELY
        return {"ratio": None, "ratio_n": 0, "note": note}
    return {"ratio": statistics.median(pairs), "ratio_n": len(pairs), "ratio_min": min(pairs),
            "ratio_max": max(pairs), "note": ""}


def judged(measured):
    """What ring_bench found; with several rounds the median ratio and every verdict."""
    judgements = [figure.judged for figure in measured]
    verdicts = sorted({judgement["verdict"] for judgement in judgements})
    found = [judgement["ratio"] for judgement in judgements if "ratio" in judgement]
    row = {"ratio": statistics.median(found) if found else None, "ratio_n": len(found),
           "note": verdicts[0] if len(verdicts) == 1 else "differs: " + ", ".join(verdicts)}
    if len(judgements) == 1:  # of the rounds within the comparison
        row |= {key: value for key, value in judgements[0].items() if key != "verdict"}
    return row


def warnings_of(plan, groups, rows):
    found = []
    if len(groups) > 1:
        found.append(f"{len(groups)} machines or builds ({', '.join(g['name'] for g in groups)}): "
                     "their figures stand apart, no ratio crosses them")
    if not plan["compare"] and plan["repeats"] < lab.MIN_ROUNDS:
        found.append(f"fewer than {lab.MIN_ROUNDS} repeats give no figure to quote")
    lonely = sum(row.get("note") == LONELY for row in rows)
    if lonely:
        found.append(f"rows without a ratio, as their base never ran in the same round on the same "
                     f"node: {lonely}; sbatch's --nodelist keeps a sweep on one node")
    for group in groups:
        for key, who in DISTURBERS.items():
            share = statistics.median(result[key] for result in group["results"])
            if share > 0.02:
                found.append(f"{group['name']}: {who} took {100 * share:.0f} % of the CPUs' time "
                             "during a cell (median): do not quote these figures")
        for result in group["results"]:
            found += [f"{group['name']}: {text}" for text in result["report"].get("warnings", [])]
    return list(dict.fromkeys(found))


def merge(folder, plan, mixed=False):
    good, failed, missing = collect(folder, plan)
    groups = groups_of(good, mixed)
    rows = [row for group in groups for row in rows_of(plan, group)]
    return {"sweep": plan["name"], "program": plan["program"], "seed": plan["seed"],
            "repeats": plan["repeats"], "base": plan["base"], "axes": plan["axes"],
            "cells": len(plan["cells"]), "good": len(good), "failed": failed, "missing": missing,
            "groups": [{"name": group["name"], "cells": len(group["results"]),
                        "machine": group["what"][0], "build": group["what"][1]}
                       for group in groups],
            "warnings": warnings_of(plan, groups, rows), "rows": rows}
