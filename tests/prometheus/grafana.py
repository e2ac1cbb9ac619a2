"""What Grafana would do with the dashboards in dashboards/grafana: find the panels, ask Prometheus for
the values of the variables, and put them into the queries."""

import json
import pathlib
import re
import time

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "grafana"
FILES = FOLDER / "provisioning" / "dashboards" / "qdiscsim"
BUILT_IN = {"__rate_interval"}
LABEL_VALUES = re.compile(r"label_values\((?P<series>.+), (?P<label>\w+)\)")


def dashboards():
    """Every dashboard, as {uid: parsed JSON}."""
    loaded = [json.loads(path.read_text()) for path in sorted(FILES.glob("*.json"))]
    return {one["uid"]: one for one in loaded}


def panels(dashboard):
    """Its panels, those in collapsed rows too, but not the rows."""
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            yield from panel["panels"]
        else:
            yield panel


def variables(dashboard):
    """Its variables that ask Prometheus, in the order in which Grafana resolves them."""
    return [one for one in dashboard["templating"]["list"] if one["type"] == "query"]


def annotations(dashboard):
    return [one for one in dashboard["annotations"]["list"] if "expr" in one]


def rate_interval(scrape_seconds, step_seconds):
    """$__rate_interval as Grafana computes it from the data source's timeInterval."""
    return f"{max(step_seconds + scrape_seconds, 4 * scrape_seconds)}s"


def of_several(values):
    """Chosen values as Grafana writes them into an expression for =~: quoted twice, in brackets."""
    quoted = [re.sub(r"([\\^$*+?.()|{}\[\]])", r"\\\\\1", value) for value in values]
    return quoted[0] if len(quoted) == 1 else f"({'|'.join(quoted)})"


def filled(text, values):
    """text with each $variable replaced; what is unknown stays, and Prometheus will refuse it."""
    return re.sub(r"\$(\w+)", lambda match: values.get(match[1], match[0]), text)


class Viewer:
    """Somebody who looks at one dashboard, with a Prometheus that scrapes every second."""

    def __init__(self, prometheus, dashboard):
        self.prometheus = prometheus
        self.dashboard = dashboard
        everything = {"__rate_interval": rate_interval(1, 1)}
        self.all_chosen = everything | {one["name"]: one["allValue"] for one in variables(dashboard)}
        self.choices = {}

    def resolve(self, until):
        """Asks for the values of each variable, which are those that the next ones build upon."""
        chosen = {"__rate_interval": self.all_chosen["__rate_interval"]}
        for variable in variables(self.dashboard):
            parts = LABEL_VALUES.fullmatch(variable["query"]["query"])
            name = variable["name"]
            self.choices[name] = until(f"values of ${name}", lambda parts=parts: self.prometheus.ask(
                f"label/{parts['label']}/values", **{"match[]": filled(parts["series"], chosen)}))
            chosen[name] = of_several(self.choices[name])
        return chosen

    def look(self, target, chosen):
        """The labels of each series with a value, of one target, as the panel would ask."""
        expression = filled(target["expr"], chosen)
        if target.get("instant"):
            return self.prometheus.query(expression)
        now = time.time()
        data = self.prometheus.ask("query_range", query=expression, start=now - 60, end=now, step=1)
        return [series["metric"] for series in (data["result"] if data else [])
                if any(value != "NaN" for _, value in series["values"])]
