"""A whole dashboard: variables, links, annotations and the places of the panels."""

from grafana import DATASOURCE, WIDTH, expand


def variable(name, label, source, description):
    """A choice of several values of a label. source: label_values(SERIES, LABEL)."""
    source = expand(source)
    return {"name": name, "label": label, "description": description, "type": "query",
            "datasource": DATASOURCE, "definition": source,
            "query": {"query": source, "refId": "StandardVariableQuery"},
            "refresh": 2, "sort": 7, "multi": True, "includeAll": True, "allValue": ".*",
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
            "hide": 0, "options": [], "regex": "", "skipUrlSync": False}


DATASOURCE_VARIABLE = {
    "name": "datasource", "label": "Data source", "description": "The Prometheus that scrapes qdiscsimd.",
    "type": "datasource", "query": "prometheus", "refresh": 1, "multi": False, "includeAll": False,
    "current": {}, "hide": 0, "options": [], "regex": "", "skipUrlSync": False}
INSTANCE = variable("instance", "Instance", "label_values(qdiscsim_build_info, instance)",
                    "Daemons, by the address that Prometheus scrapes.")
DEVICE = variable("device", "Device", "label_values(qdiscsim_device_up{I}, device)",
                  "Simulated network devices of the chosen instances.")

# A mark wherever something happened that explains what the panels show.
RELOADS = ("Reloads", "blue", "configuration reloaded",
           "changes(qdiscsim_config_last_reload_success_timestamp_seconds{I}[R]) > 0")
RESTARTS = ("Restarts", "purple", "qdiscsimd started",
            "changes(process_start_time_seconds{I}[R]) > 0 and on (instance) qdiscsim_build_info")


def annotation(name, color, title, expression):
    return {"name": name, "datasource": DATASOURCE, "enable": True, "hide": False, "iconColor": color,
            "expr": expand(expression), "titleFormat": title, "textFormat": "{{instance}}",
            "step": "5s"}


def row(title, *panels, collapsed=False):
    return title, panels, collapsed


def placed(rows):
    """Panels with ids and places: side by side until the width is used up, then below."""
    made, y, number = [], 0, 0
    for title, panels, collapsed in rows:
        number += 1
        head = {"id": number, "type": "row", "title": title, "collapsed": collapsed, "panels": [],
                "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}}
        made.append(head)
        x, y, line = 0, y + 1, 0
        for one in panels:
            width, height = one["size"]
            if x + width > WIDTH:
                x, y, line = 0, y + line, 0
            number += 1
            (head["panels"] if collapsed else made).append(
                {"id": number, **{key: value for key, value in one.items() if key != "size"},
                 "gridPos": {"x": x, "y": y, "w": width, "h": height}})
            x, line = x + width, max(line, height)
        if not collapsed:
            y += line
    return made


def dashboard(uid, title, description, *, variables, rows, annotations=(RELOADS, RESTARTS)):
    return {
        "uid": uid, "title": title, "description": description, "tags": ["qdiscsim"],
        "schemaVersion": 39, "version": 1, "editable": True, "graphTooltip": 1,
        "timezone": "browser", "refresh": "5s", "time": {"from": "now-15m", "to": "now"},
        "timepicker": {}, "fiscalYearStartMonth": 0, "weekStart": "", "liveNow": False, "id": None,
        "links": [{"type": "dashboards", "tags": ["qdiscsim"], "asDropdown": False, "icon":
                   "external link", "includeVars": True, "keepTime": True, "targetBlank": False,
                   "title": "qdiscsim", "tooltip": "", "url": ""}],
        "annotations": {"list": [
            {"builtIn": 1, "datasource": {"type": "grafana", "uid": "-- Grafana --"}, "enable": True,
             "hide": True, "iconColor": "blue", "name": "Annotations & Alerts", "type": "dashboard"},
            *(annotation(*one) for one in annotations)]},
        "templating": {"list": [DATASOURCE_VARIABLE, *variables]},
        "panels": placed(rows)}
