"""The few things that qdiscsim's dashboards are made of, as Grafana's JSON wants them.

Expressions are PromQL with two abbreviations: {X} or {X, more="labels"} stands for the labels of the
dashboard's variables (SELECTORS), and [R] for [$__rate_interval].
Colours are names of Grafana's palette, which look right on a dark page and on a light one.
"""

import re

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
SELECTORS = {
    "I": 'instance=~"$instance"',
    "D": 'instance=~"$instance", device=~"$device"',
    "B": 'instance=~"$instance", device=~"$device", band=~"$band"',
    "P": 'instance=~"$instance", pool=~"$pool"',
    "G": 'instance=~"$instance", device=~"$device", generator=~"$generator"',
    "F": 'site=~"$site", role=~"$role"',
    "S": 'site=~"$site", role=~"$role", instance=~"$instance"',
}
WIDTH = 24  # of every dashboard, in Grafana's columns

# Thresholds: from which value on which colour. The steps of a drop ratio follow the alerts.
PLAIN = [("blue", None)]
ZERO_IS_WELL = [("green", None), ("red", 1)]
ONE_IS_WELL = [("red", None), ("green", 1)]
DROP_RATIO = [("green", None), ("yellow", 0.01), ("red", 0.1)]
LATENESS = [("green", None), ("yellow", 0.01), ("red", 0.1)]
RECYCLED = [("red", None), ("yellow", 0.5), ("green", 0.9)]
STUCK = [("green", None), ("red", 5)]

YES_NO = {"0": {"text": "no", "color": "red"}, "1": {"text": "yes", "color": "green"}}
UP_DOWN = {"0": {"text": "down", "color": "red"}, "1": {"text": "up", "color": "green"}}


def expand(expression):
    expression = re.sub(r"\{([A-Z])\b", lambda match: "{" + SELECTORS[match[1]], expression)
    return expression.replace("[R]", "[$__rate_interval]")


def query(expression, legend="", dashed=False):
    """dashed: a line to compare the others with, as a limit."""
    return {"expr": expand(expression), "legend": legend, "dashed": dashed}


def thresholds(steps):
    return {"mode": "absolute", "steps": [{"color": color, "value": value} for color, value in steps]}


def mappings(values):
    return [{"type": "value", "options": {
        value: {"index": index, **look} for index, (value, look) in enumerate(values.items())}}]


def targets(queries, **how):
    return [{"refId": chr(ord("A") + index), "datasource": DATASOURCE, "editorMode": "code",
             "expr": one["expr"], "legendFormat": one["legend"], **how}
            for index, one in enumerate(queries)]


def panel(kind, title, description, unit, width, height, *, color, steps=(), values=None, custom=None,
          limits=(0, None), decimals=None, **rest):
    defaults = {"unit": unit, "color": {"mode": color}, "thresholds": thresholds(steps or PLAIN),
                "mappings": mappings(values) if values else []}
    defaults |= {name: limit for name, limit in zip(("min", "max"), limits) if limit is not None}
    if decimals is not None:
        defaults["decimals"] = decimals
    if custom is not None:
        defaults["custom"] = custom
    return {"type": kind, "title": title, "description": description, "datasource": DATASOURCE,
            "size": (width, height), "fieldConfig": {"defaults": defaults, "overrides": []}, **rest}


def stat(title, description, unit, expression, *, steps=(), values=None, width=4, decimals=None):
    """One figure, as of now, before its own course."""
    return panel(
        "stat", title, description, unit, width, 4, color="thresholds", steps=steps, values=values,
        limits=(None, None), decimals=decimals,
        options={"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
                 "orientation": "auto", "textMode": "value", "colorMode": "value",
                 "graphMode": "none" if values else "area", "justifyMode": "auto"},
        targets=targets([query(expression)], range=True, instant=False))


def graph(title, description, unit, *queries, width=8, height=8, limits=(0, None), steps=(),
          stacked=False):
    """Lines over time. With steps, the threshold of each is drawn as a line across."""
    made = panel(
        "timeseries", title, description, unit, width, height, color="palette-classic", steps=steps,
        limits=limits,
        custom={"drawStyle": "line", "lineInterpolation": "linear", "lineWidth": 1,
                "fillOpacity": 30 if stacked else 8, "gradientMode": "none", "showPoints": "never",
                "spanNulls": False, "axisLabel": "", "scaleDistribution": {"type": "linear"},
                "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
                "thresholdsStyle": {"mode": "dashed" if steps else "off"}},
        options={"legend": {"displayMode": "table", "placement": "bottom", "showLegend": True,
                            "calcs": ["lastNotNull", "max"]},
                 "tooltip": {"mode": "multi", "sort": "desc"}},
        targets=targets(queries, range=True, instant=False))
    made["fieldConfig"]["overrides"] = [
        {"matcher": {"id": "byFrameRefID", "options": target["refId"]},
         "properties": [{"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 6]}},
                        {"id": "custom.fillOpacity", "value": 0}]}
        for target, one in zip(made["targets"], queries) if one["dashed"]]
    return made


def bars(title, description, unit, expression, legend, *, steps=(), limits=(0, None), width=8):
    """One bar for each series, as of now."""
    return panel(
        "bargauge", title, description, unit, width, 8, color="thresholds", steps=steps, limits=limits,
        options={"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
                 "orientation": "horizontal", "displayMode": "basic", "valueMode": "text",
                 "showUnfilled": True, "minVizWidth": 8, "minVizHeight": 16},
        targets=targets([query(expression, legend)], range=False, instant=True))


def states(title, description, expression, legend, values, *, width=8):
    """What state each series was in, over time."""
    return panel(
        "state-timeline", title, description, "none", width, 8, color="thresholds", values=values,
        limits=(None, None), custom={"fillOpacity": 70, "lineWidth": 0},
        options={"mergeValues": True, "showValue": "auto", "alignValue": "left", "rowHeight": 0.8,
                 "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                 "tooltip": {"mode": "single", "sort": "none"}},
        targets=targets([query(expression, legend)], range=True, instant=False))


def heatmap(title, description, expression, *, width=12):
    """A histogram over time: expression has the rates of its buckets, by le."""
    return panel(
        "heatmap", title, description, "s", width, 8, color="palette-classic",
        options={"calculate": False, "cellGap": 0, "showValue": "never",
                 "color": {"mode": "scheme", "scheme": "Blues", "scale": "exponential",
                           "exponent": 0.5, "steps": 64, "reverse": False},
                 "yAxis": {"unit": "s", "axisPlacement": "left"},
                 "cellValues": {"unit": "pps"}, "rowsFrame": {"layout": "auto"},
                 "filterValues": {"le": 1e-9}, "legend": {"show": True},
                 "tooltip": {"mode": "single", "yHistogram": False}},
        targets=[{**target, "format": "heatmap"}
                 for target in targets([query(expression, "{{le}}")], range=True, instant=False)])


def table(title, description, key, columns, *, width=24, height=8, hidden=(), link=None):
    """A row for each value of the label key. columns: (title, expression, unit, more) each; more may
    have steps and values. Labels that are not hidden become columns of their own. link: where a
    click on the key leads."""
    made = panel("table", title, description, "none", width, height, color="thresholds",
                 limits=(None, None),
                 custom={"align": "auto", "cellOptions": {"type": "auto"}, "filterable": True},
                 options={"showHeader": True, "cellHeight": "sm", "footer": {"show": False}},
                 targets=[{**target, "format": "table"} for target in targets(
                     [query(column[1]) for column in columns], range=False, instant=True)])
    names = {target["refId"]: column[0] for target, column in zip(made["targets"], columns)}
    made["transformations"] = [
        {"id": "joinByField", "options": {"byField": key, "mode": "outer"}},
        {"id": "organize", "options": {
            "excludeByName": {f"{name}{suffix}": True for name in ("Time", *hidden)
                              for suffix in ("", *(f" {n + 1}" for n in range(len(columns))))},
            "renameByName": {f"Value #{letter}": name for letter, name in names.items()}}}]
    overrides = made["fieldConfig"]["overrides"]
    for name, _, unit, *more in columns:
        look = more[0] if more else {}
        properties = [{"id": "unit", "value": unit}]
        if "values" in look:
            properties.append({"id": "mappings", "value": mappings(look["values"])})
        if "steps" in look:
            properties.append({"id": "thresholds", "value": thresholds(look["steps"])})
        if look:
            properties.append({"id": "custom.cellOptions", "value": {"type": "color-text"}})
        overrides.append({"matcher": {"id": "byName", "options": name}, "properties": properties})
    if link:
        overrides.append({"matcher": {"id": "byName", "options": key}, "properties": [
            {"id": "links", "value": [{"title": link[0], "url": link[1]}]}]})
    return made
