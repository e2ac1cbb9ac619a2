"""What merge() found, written as text, Markdown, CSV or JSON."""

import csv
import io
import json

from wording import label, text


def number(value):
    """Four digits, as a reader compares them."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def ratio_cell(row):
    if row.get("ratio") is None:
        return row.get("note", "")
    if "interval" in row:
        low, high = row["interval"]
        bounds = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
        return f"{row['ratio']:.3f}{bounds} {row['note']}"
    if "ratio_min" not in row:
        return f"{row['ratio']:.3f} (n {row['ratio_n']}) {row['note']}"
    return f"{row['ratio']:.3f} ({row['ratio_min']:.3f} .. {row['ratio_max']:.3f}, " \
           f"n {row['ratio_n']})"


def columns(merged):
    """(header, right-aligned?, cell of a row), left out where every row would be empty."""
    rows = merged["rows"]
    found = [(axis, isinstance(values[0], (int, float)) and not isinstance(values[0], bool),
              lambda row, axis=axis: text(row["point"][axis]))
             for axis, values in merged["axes"].items()]
    if any(row["variant"] for row in rows):
        found.append(("variant", False, lambda row: row["variant"]))
    found += [("figure", False, lambda row: row["figure"]),
              ("unit", False, lambda row: row["unit"]),
              ("n", True, lambda row: str(row["n"])),
              ("median", True, lambda row: number(row["median"])),
              ("min .. max", True, lambda row: f"{number(row['min'])} .. {number(row['max'])}"),
              ("MAD", True, lambda row: number(row["mad"]))]
    if any("note" in row for row in rows):
        base = label(merged["base"])
        found.append((f"ratio to {base}" if base else "ratio", False, ratio_cell))
    return found


def head_lines(merged):
    lines = [f"{merged['good']} of {merged['cells']} cells of {merged['program']}, "
             f"{merged['repeats']} repeats, order by seed {merged['seed']}"]
    for kind in ("failed", "missing"):
        if merged[kind]:
            lines.append(f"{len(merged[kind])} {kind}, named below")
    return lines + [f"note: {warning}" for warning in merged["warnings"]]


def lost_lines(merged):
    lines = [f"failed: cell {cell['index']} ({cell['label']}, round {cell['round']})"
             f"{' on ' + cell['node'] if cell['node'] else ''}: {cell['error']}"
             for cell in merged["failed"]]
    return lines + [f"missing: cell {cell['index']} ({cell['label']}, round {cell['round']})"
                    for cell in merged["missing"]]


def group_lines(group):
    facts = {key: value for key, value in {**group["machine"], **group["build"]}.items()
             if key != "node"}
    return [f"{key}: {value}" for key, value in facts.items()] + [f"cells: {group['cells']}"]


def as_text(merged):
    lines = [f"Sweep {merged['sweep']}", *head_lines(merged)]
    shown = columns(merged)
    for group in merged["groups"]:
        rows = [row for row in merged["rows"] if row["group"] == group["name"]]
        cells = [[cell(row) for _, _, cell in shown] for row in rows]
        widths = [max(len(line[i]) for line in [[name for name, _, _ in shown], *cells])
                  for i in range(len(shown))]
        lines += ["", f"Node {group['name']}", *[f"  {line}" for line in group_lines(group)], ""]
        for line in [[name for name, _, _ in shown], *cells]:
            aligned = [word.rjust(width) if right else word.ljust(width)
                       for word, width, (_, right, _) in zip(line, widths, shown)]
            lines.append("  ".join(aligned).rstrip())
    lost = lost_lines(merged)
    return "\n".join(lines + ([""] + lost if lost else [])) + "\n"


def as_markdown(merged):
    lines = [f"## Sweep {merged['sweep']}", "", *[f"- {line}" for line in head_lines(merged)]]
    shown = columns(merged)

    def table_line(words):
        return "| " + " | ".join(word.replace("|", "\\|") for word in words) + " |"
    for group in merged["groups"]:
        lines += ["", f"### Node {group['name']}", "",
                  *[f"- {line}" for line in group_lines(group)], "",
                  table_line([name for name, _, _ in shown]),
                  "|" + "|".join("---:" if right else "---" for _, right, _ in shown) + "|"]
        lines += [table_line([cell(row) for _, _, cell in shown]) for row in merged["rows"]
                  if row["group"] == group["name"]]
    lost = [f"- {' '.join(line.split())}" for line in lost_lines(merged)]
    return "\n".join(lines + ([""] + lost if lost else [])) + "\n"


PLAIN = ("variant", "figure", "unit", "n", "median", "min", "max", "mad", "ratio", "ratio_n",
         "note")


def as_csv(merged):
    """One line a row of figures; machine and build in columns of their own."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["node", "cpu", "commit", "binary", *merged["axes"], *PLAIN])
    groups = {group["name"]: group for group in merged["groups"]}
    for row in merged["rows"]:
        group = groups[row["group"]]
        writer.writerow([group["name"], group["machine"]["CPU"], group["build"]["commit"],
                         group["build"]["binary"],
                         *[text(row["point"][axis]) for axis in merged["axes"]],
                         *[row.get(key, "") for key in PLAIN]])
    return out.getvalue()


def as_json(merged):
    return json.dumps(merged, indent=1) + "\n"


FORMATS = {"text": as_text, "markdown": as_markdown, "csv": as_csv, "json": as_json}
