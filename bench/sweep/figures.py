"""The figures in a program's report: {(variant, figure, unit): Figure}. A variant is what one cell
measured several of: rings, settings; "" where it is one thing."""

import dataclasses
import statistics

JUDGED = ("n", "median", "min", "max", "mad", "ratio", "interval", "verdict")


@dataclasses.dataclass
class Figure:
    value: float
    judged: dict | None = None  # what `ring_bench compare` says of it, statistics included


def of_report(plan, report):
    """Raises LookupError or TypeError when the report is not what this program knows."""
    if plan["program"] == "qdiscsimd":
        found = of_daemon(report)
    elif plan["compare"]:
        found = of_comparison(report)
    else:
        found = of_runs(report)
    for name, pointer in plan["figures"].items():
        found["", name, ""] = Figure(resolve(report, pointer))
    return found


def resolve(report, pointer):
    """A JSON pointer (RFC 6901), which must lead to a number."""
    value = report
    for word in pointer.split("/")[1:]:
        word = word.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(word)] if isinstance(value, list) else value[word]
        except (LookupError, ValueError, TypeError):
            raise LookupError(f"the report has no {pointer}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LookupError(f"{pointer} is no number in the report but {str(value)[:40]}")
    return value


def of_daemon(report):
    queues = [queue for device in report["devices"] for queue in device["queues"]]
    bands = [band for queue in queues for band in queue["bands"]]
    offered = sum(queue["offered_packets"] for queue in queues)
    sent = sum(queue["sent_packets"] for queue in queues)
    dropped = sum(sum(band["drops"].values()) for band in bands)
    seconds = report["elapsed_seconds"]
    return {("", "offered", "Mpps"): Figure(offered / seconds / 1e6),
            ("", "sent", "Mpps"): Figure(sent / seconds / 1e6),
            ("", "dropped", "%"): Figure(100 * dropped / max(offered, 1))}


def of_runs(report):
    """Of several runs of the same the median: a cell has one value."""
    values = {}
    for run in report["runs"]:
        values.setdefault((run["ring"], run["setting"]), []).append(run["mega_per_second"])
    return {(variant(values, key), "rate", f"M {report['item']}/s"): Figure(statistics.median(runs))
            for key, runs in values.items()}


def variant(keys, key):
    """What tells it from the others."""
    words = [key[part] for part in (0, 1) if len({other[part] for other in keys}) > 1]
    return ", ".join(words)


def of_comparison(report):
    found = {}
    settings = report["settings"]
    for setting in settings:
        for ring in [*setting["rings"], setting["control"]]:
            if "error" in ring:
                raise LookupError(f"{ring['name']}: {ring['error']}")
            name = ring["name"] + (f", {setting['setting']}" if len(settings) > 1 else "")
            judged = {key: ring[key] for key in JUDGED if key in ring}
            found[name, "rate", f"M {report['item']}/s"] = Figure(ring["median"], judged)
    return found
