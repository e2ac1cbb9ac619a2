#!/usr/bin/env python3
"""Every rule and every dashboard panel against a running qdiscsimd and a real Prometheus.

usage: expressions_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) without the program prometheus; with CI=true that is a failure.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from lab import RULES, Program, Prometheus, until

HERE = pathlib.Path(__file__).resolve().parent
DASHBOARD = RULES.parent / "grafana" / "qdiscsim.json"
QDISCSIMD = ""  # set by main

NAME = re.compile(r"(?<![\w:\"])((?:qdiscsim|process)_\w+|up\b|\w+:qdiscsim_[\w:]+)")
SELECTOR = re.compile(NAME.pattern + r"(\{[^}]*\})?")
# Grafana's variables, as it would replace them when everything is chosen.
VARIABLES = {"$__rate_interval": "5s", "$instance": ".*", "$device": ".*"}


def panels():
    def walk(items):
        for panel in items:
            yield from walk(panel.get("panels", []))
            if panel["type"] != "row":
                yield panel
    return list(walk(json.loads(DASHBOARD.read_text())["panels"]))


def panel_expressions():
    """(title and letter, expression) of every target, variables replaced."""
    for panel in panels():
        for target in panel["targets"]:
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            yield f"{panel['title']} {target['refId']}", expression


def catalogue():
    """Every series name that the daemon documents; a histogram has three."""
    text = subprocess.run([QDISCSIMD, "--print-metrics-reference"], check=True,
                          capture_output=True, text=True).stdout
    names = set(re.findall(r"\b(?:qdiscsim|process)_\w+", text))
    return names | {name + suffix for name in names for suffix in ("_bucket", "_sum", "_count")}


class Files(unittest.TestCase):
    """What can be known without running anything but the daemon's own reference."""

    def test_rules_and_dashboard_use_only_metrics_of_the_catalogue(self):
        known = catalogue()
        self.assertGreater(len(known), 50)
        texts = {path.name: path.read_text() for path in RULES.glob("*.yml")}
        texts |= {title: expression for title, expression in panel_expressions()}
        for title, text in texts.items():
            text = "\n".join(line.split("#")[0] for line in text.splitlines()
                             if not line.lstrip().startswith("- name:"))
            for name in NAME.findall(text):
                if name != "up" and ":" not in name:
                    with self.subTest(place=title):
                        self.assertIn(name, known)

    def test_every_panel_has_a_unit_a_description_and_the_chosen_data_source(self):
        for panel in panels():
            with self.subTest(panel=panel["title"]):
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertGreater(len(panel["description"]), 20)
                self.assertEqual(panel["datasource"]["uid"], "${datasource}")
                for target in panel["targets"]:
                    self.assertNotIn("$", re.sub(r"\$(__rate_interval|instance|device)\b", "",
                                                 target["expr"]))

    def test_panels_have_ids_of_their_own_and_do_not_overlap(self):
        everything = json.loads(DASHBOARD.read_text())["panels"]
        self.assertEqual(len({panel["id"] for panel in everything}), len(everything))
        taken = {}
        for panel in everything:
            grid = panel["gridPos"]
            self.assertLessEqual(grid["x"] + grid["w"], 24)
            for x in range(grid["x"], grid["x"] + grid["w"]):
                for y in range(grid["y"], grid["y"] + grid["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken[x, y] = panel["title"]


class Live(unittest.TestCase):
    """One daemon under overload, one Prometheus, for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-prometheus-")
        cls.addClassCleanup(folder.cleanup)
        cls.daemon = Program(QDISCSIMD, HERE / "overload.yaml")
        cls.addClassCleanup(cls.stop_daemon)
        address = cls.daemon.find(r"listening on http://(127\.0\.0\.1:\d+)")
        cls.prometheus = Prometheus(folder.name, address)
        cls.addClassCleanup(cls.prometheus.stop)
        # A rate needs two scrapes; six fill the panels' 5 s window.
        until("six scrapes", lambda: [
            series for series in cls.prometheus.query('count_over_time(up{job="qdiscsim"}[1m])')
            if series["value"] >= 6], cls.evidence)

    @classmethod
    def stop_daemon(cls):
        status = cls.daemon.stop()
        assert status == 0, f"exit status {status}: the accounts do not add up\n{cls.daemon.log()}"

    @classmethod
    def evidence(cls):
        return f"daemon:\n{cls.daemon.log()}\nprometheus:\n{cls.prometheus.program.log()}"

    def await_series(self, expression):
        return until(f"a series of {expression}", lambda: self.prometheus.query(expression),
                     self.evidence)

    def test_the_scrape_is_healthy(self):
        targets = self.prometheus.ask("targets")["activeTargets"]
        self.assertEqual([(target["health"], target["lastError"]) for target in targets],
                         [("up", "")])

    def test_every_recording_rule_returns_something(self):
        rules = [rule for rule in self.prometheus.rules() if rule["type"] == "recording"]
        self.assertGreaterEqual(len(rules), 10)
        for rule in rules:
            with self.subTest(rule=rule["name"]):
                self.await_series(rule["query"])
                self.await_series(rule["name"])
                self.assertEqual(rule.get("lastError", ""), "")

    def test_every_alert_looks_at_series_that_exist(self):
        alerts = [rule for rule in self.prometheus.rules() if rule["type"] == "alerting"]
        self.assertGreaterEqual(len(alerts), 7)
        for alert in alerts:
            selectors = [name + labels for name, labels in SELECTOR.findall(alert["query"])]
            self.assertTrue(selectors, alert["name"])
            for selector in selectors:
                with self.subTest(alert=alert["name"], selector=selector):
                    self.await_series(selector)
            self.assertEqual(alert.get("lastError", ""), "")

    def test_every_dashboard_panel_shows_something(self):
        expressions = list(panel_expressions())
        self.assertGreaterEqual(len(expressions), 20)
        for title, expression in expressions:
            with self.subTest(panel=title):
                self.await_series(expression)

    def test_the_overload_is_seen_where_it_happens(self):
        # That band 0 loses nothing takes a CPU for each generator, which a test does not have.
        until("drops of band 1 and 2 of the wire", lambda: {"1", "2"} <= {
            series["band"] for series in self.prometheus.query(
                'device_band:qdiscsim_qdisc_drop_ratio:rate30s{device="wire0"} > 0.05')},
            self.evidence)
        self.assertEqual(self.prometheus.query('device:qdiscsim_qdisc_drop_ratio:rate30s'
                                               '{device="dummy0"} > 0'), [])
        self.await_series('device_band:qdiscsim_qdisc_sojourn_seconds:p99_rate30s'
                          '{device="wire0"} > 0')
        self.await_series("pool:qdiscsim_page_pool_recycle_ratio:rate30s > 0")

    def test_no_alert_says_that_qdiscsim_is_broken(self):
        for alert in self.prometheus.rules():
            if alert["type"] == "alerting" and alert["labels"]["severity"] == "critical":
                with self.subTest(alert=alert["name"]):
                    self.assertEqual(alert["alerts"], [])


def main():
    global QDISCSIMD
    if shutil.which("prometheus") is None and os.environ.get("CI") != "true":
        print("skipped: the program prometheus is not there; ./dev test brings it")
        sys.exit(77)
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
