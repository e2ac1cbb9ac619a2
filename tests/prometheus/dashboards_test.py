#!/usr/bin/env python3
"""The dashboards as files: what can be known without Grafana and without a server.

usage: dashboards_test.py QDISCSIMD [unittest arguments]
"""

import pathlib
import re
import subprocess
import sys
import unittest

import yaml

import grafana
from lab import RULES, catalogue, names_of

SOURCES = grafana.FOLDER / "source"
UIDS = {"qdiscsim-overview", "qdiscsim-bands", "qdiscsim-page-pool", "qdiscsim-generators",
        "qdiscsim-fleet"}
UNITS = {"pps", "bps", "bytes", "s", "percentunit", "short", "none", "ops", "cps"}
COLOURS = {"green", "yellow", "red", "blue", "purple"}
QDISCSIMD = ""  # set by main


def every_panel():
    for uid, dashboard in grafana.dashboards().items():
        for panel in grafana.panels(dashboard):
            yield f"{uid}: {panel['title']}", panel


def every(key, value):
    """Every value that stands under key, anywhere in a dashboard."""
    if isinstance(value, dict):
        for name, inside in value.items():
            if name == key:
                yield inside
            yield from every(key, inside)
    elif isinstance(value, list):
        for inside in value:
            yield from every(key, inside)


class Dashboards(unittest.TestCase):
    def test_are_what_their_source_writes(self):
        result = subprocess.run([sys.executable, "-B", grafana.FOLDER / "build.py", "--check"],
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_keep_their_addresses(self):
        self.assertEqual(set(grafana.dashboards()), UIDS)
        for uid, dashboard in grafana.dashboards().items():
            self.assertIsNone(dashboard["id"], uid)

    def test_link_to_each_other_and_take_time_and_variables_along(self):
        for uid, dashboard in grafana.dashboards().items():
            with self.subTest(dashboard=uid):
                link, = dashboard["links"]
                self.assertEqual((link["type"], link["keepTime"], link["includeVars"]),
                                 ("dashboards", True, True))
                self.assertLessEqual(set(link["tags"]), set(dashboard["tags"]))
            for url in every("url", dashboard):
                for target in re.findall(r"/d/([\w-]+)", url):
                    self.assertIn(target, UIDS)

    def test_ask_the_chosen_data_source_only(self):
        for uid, dashboard in grafana.dashboards().items():
            with self.subTest(dashboard=uid):
                first = dashboard["templating"]["list"][0]
                self.assertEqual((first["name"], first["type"], first["query"]),
                                 ("datasource", "datasource", "prometheus"))
                own = [source for source in every("datasource", dashboard)
                       if source["uid"] != "-- Grafana --"]
                self.assertEqual({source["uid"] for source in own}, {"${datasource}"})
                for target in every("targets", dashboard):
                    self.assertTrue(all("datasource" in one for one in target))

    def test_have_variables_that_are_declared_and_used(self):
        for uid, dashboard in grafana.dashboards().items():
            names = [one["name"] for one in grafana.variables(dashboard)]
            expressions = [*every("expr", dashboard),
                           *(one["query"]["query"] for one in grafana.variables(dashboard))]
            used = set(re.findall(r"\$(\w+)", " ".join(expressions)))
            with self.subTest(dashboard=uid):
                self.assertEqual(used, set(names) | grafana.BUILT_IN)
                self.assertIn("instance", names)

    def test_take_rates_over_grafanas_interval(self):
        for title, panel in every_panel():
            for target in panel["targets"]:
                with self.subTest(panel=title):
                    self.assertLessEqual(set(re.findall(r"\[([^\]]+)\]", target["expr"])),
                                         {"$__rate_interval"})

    def test_use_only_metrics_of_the_catalogue_and_of_the_rules(self):
        known = catalogue(QDISCSIMD) | {"up", "ALERTS"}
        for path in RULES.rglob("*.rules.yml"):
            known |= {rule["record"] for group in yaml.safe_load(path.read_text())["groups"]
                      for rule in group["rules"] if "record" in rule}
        for uid, dashboard in grafana.dashboards().items():
            for expression in [*every("expr", dashboard), *every("definition", dashboard)]:
                with self.subTest(dashboard=uid, expression=expression):
                    self.assertTrue(names_of(expression))
                    self.assertEqual(names_of(expression) - known, set())

    def test_need_recording_rules_for_the_fleet_only(self):
        for uid in UIDS - {"qdiscsim-fleet"}:
            for expression in every("expr", grafana.dashboards()[uid]):
                self.assertEqual([name for name in names_of(expression) if ":" in name], [])

    def test_show_every_metric_somewhere(self):
        shown = set()
        for dashboard in grafana.dashboards().values():
            for expression in every("expr", dashboard):
                shown |= {re.sub(r"_(bucket|sum|count)$", "", name) for name in names_of(expression)}
        text = subprocess.run([QDISCSIMD, "--print-metrics-reference"], check=True,
                              capture_output=True, text=True).stdout
        metrics = set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))
        self.assertGreater(len(metrics), 50)
        self.assertEqual(metrics - shown - set(NOT_SHOWN), set())
        self.assertEqual(shown & set(NOT_SHOWN), set())


# Metrics that no panel shows, and why.
NOT_SHOWN = {
    "qdiscsim_throughput_mpps": "for human eyes: panels compute it from the counters",
    "qdiscsim_drop_ratio": "for human eyes: panels compute it from the counters",
    "qdiscsim_qdisc_overlimits_total": "always 0",
    "qdiscsim_qdisc_enqueued_packets_total": "attempts less drops, which are shown",
    "qdiscsim_device_stopped": "this moment's state: the share of the time says more",
    "qdiscsim_capture_running": "the course of the captured packets says it",
    "qdiscsim_capture_failed": "the log says it with the reason",
    "qdiscsim_queue_stalls_total": "somebody's own request: a queue that is stuck is shown",
    "qdiscsim_queue_stalled_seconds_total": "somebody's own request: a queue that is stuck is shown",
    "qdiscsim_scrapes_total": "Prometheus knows it",
    "process_virtual_memory_bytes": "resident memory is what counts",
}


class Panels(unittest.TestCase):
    def test_say_what_they_show_in_which_unit(self):
        for title, panel in every_panel():
            with self.subTest(panel=title):
                self.assertGreater(len(panel["description"]), 20)
                self.assertTrue(panel["description"].endswith("."))
                units = [*every("unit", panel["fieldConfig"]["defaults"])]
                self.assertLessEqual(set(units), UNITS)
                self.assertEqual(len(units), 1)

    def test_colour_by_name_for_dark_and_light_pages(self):
        for uid, dashboard in grafana.dashboards().items():
            with self.subTest(dashboard=uid):
                self.assertEqual(re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", str(dashboard)), [])
                steps = [color for color in every("color", dashboard) if isinstance(color, str)]
                self.assertLessEqual(set(steps), COLOURS)

    def test_have_thresholds_in_order(self):
        for title, panel in every_panel():
            for thresholds in every("thresholds", panel):
                if "steps" in thresholds:
                    values = [step["value"] for step in thresholds["steps"]]
                    with self.subTest(panel=title):
                        self.assertIsNone(values[0])
                        self.assertEqual(values[1:], sorted(values[1:]))

    def test_have_ids_of_their_own_and_do_not_overlap(self):
        for uid, dashboard in grafana.dashboards().items():
            top = dashboard["panels"]
            everything = [*top, *(panel for row in top for panel in row.get("panels", []))]
            self.assertEqual(len({panel["id"] for panel in everything}), len(everything))
            taken = {}
            for panel in everything:
                grid = panel["gridPos"]
                with self.subTest(dashboard=uid, panel=panel["title"]):
                    self.assertLessEqual(grid["x"] + grid["w"], 24)
                    for x in range(grid["x"], grid["x"] + grid["w"]):
                        for y in range(grid["y"], grid["y"] + grid["h"]):
                            self.assertIsNone(taken.get((x, y)))
                            taken[x, y] = panel["title"]

    def test_join_tables_by_a_column_that_they_have(self):
        for title, panel in every_panel():
            if panel["type"] == "table":
                with self.subTest(panel=title):
                    self.assertEqual([one["id"] for one in panel["transformations"]],
                                     ["joinByField", "organize"])
                    self.assertTrue(all(target["format"] == "table" for target in panel["targets"]))


class Provisioning(unittest.TestCase):
    def load(self, name):
        return yaml.safe_load((grafana.FOLDER / "provisioning" / name).read_text())

    def test_finds_the_dashboards_once_it_lies_in_etc_grafana(self):
        provider, = self.load("dashboards/qdiscsim.yaml")["providers"]
        path = pathlib.PurePath(provider["options"]["path"])
        inside = path.relative_to("/etc/grafana/provisioning")
        self.assertEqual(grafana.FOLDER / "provisioning" / inside, grafana.FILES)

    def test_names_a_data_source_that_scrapes_as_often_as_the_examples(self):
        source, = self.load("datasources/qdiscsim.yaml")["datasources"]
        self.assertEqual((source["type"], source["uid"]), ("prometheus", "qdiscsim-prometheus"))
        for example in ("prometheus.yml", "fleet/prometheus.yml"):
            scrape = yaml.safe_load((RULES / example).read_text())["global"]["scrape_interval"]
            self.assertEqual(source["jsonData"]["timeInterval"], scrape)
        # A second default would keep a Grafana that has one already from starting.
        self.assertFalse(source.get("isDefault", False))


def main():
    global QDISCSIMD
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
