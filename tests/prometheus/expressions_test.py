#!/usr/bin/env python3
"""Every rule and every dashboard panel against a fleet of two qdiscsimds and a real Prometheus that
scrapes it, with the files of dashboards/prometheus/fleet.

usage: expressions_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) without the program prometheus; with CI=true that is a failure.
"""

import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import unittest
import urllib.request

import grafana
from lab import RULES, SELECTOR, Daemon, Prometheus, fleet_files, names_of, until

QDISCSIMD = ""  # set by main

# What rightly has no series in a healthy run, and why. That the metric exists is tested all the same.
EMPTY_WHEN_WELL = {
    "Restarts": "an annotation: no daemon was restarted while Prometheus looked",
}


class Live(unittest.TestCase):
    """Two daemons, one Prometheus, for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="qdiscsim-prometheus-")
        cls.addClassCleanup(place.cleanup)
        folder = pathlib.Path(place.name)
        cls.daemons = []
        for name in ("overload.yaml", "links.yaml"):
            cls.daemons.append(Daemon(QDISCSIMD, name, folder))
            cls.addClassCleanup(cls.daemons[-1].end)
        config = fleet_files(folder, dict(zip(("127.0.0.1:9713", "127.0.0.1:9714"),
                                              (daemon.address for daemon in cls.daemons))))
        cls.prometheus = Prometheus(config, folder)
        cls.addClassCleanup(cls.prometheus.stop)
        until("two scrapes of each daemon", lambda: len(cls.prometheus.query(
            'count_over_time(up{job="qdiscsim"}[1m]) >= 2')) == 2, cls.evidence)
        # The dashboards mark it.
        cls.daemons[0].process.send_signal(signal.SIGHUP)
        # A rate needs two scrapes; six fill the panels' 4 s window.
        until("six scrapes of each daemon", lambda: len(cls.prometheus.query(
            'count_over_time(up{job="qdiscsim"}[1m]) >= 6')) == 2, cls.evidence)

    @classmethod
    def evidence(cls):
        return "\n".join([*(f"daemon:\n{daemon.log()}" for daemon in cls.daemons),
                          f"prometheus:\n{cls.prometheus.program.log()}"])

    def until(self, what, probe):
        return until(what, probe, self.evidence)

    def await_series(self, expression):
        return self.until(f"a series of {expression}", lambda: self.prometheus.query(expression))

    def viewers(self):
        for uid, dashboard in grafana.dashboards().items():
            yield uid, grafana.Viewer(self.prometheus, dashboard)

    def test_the_scrapes_are_healthy(self):
        # On a machine that has no CPU to spare, one of them may come too late.
        self.until("two targets in good health", lambda: [
            (target["health"], target["lastError"])
            for target in self.prometheus.ask("targets")["activeTargets"]] == [("up", "")] * 2)

    def test_every_variable_has_values(self):
        for uid, viewer in self.viewers():
            with self.subTest(dashboard=uid):
                viewer.resolve(self.until)
                self.assertEqual(set(viewer.choices["instance"]),
                                 {daemon.address for daemon in self.daemons})
                if uid == "qdiscsim-fleet":
                    self.assertEqual((viewer.choices["site"], viewer.choices["role"]),
                                     (["lab-a", "lab-b"], ["load", "soak"]))

    def test_every_panel_shows_something_with_all_chosen_and_with_each(self):
        queries = 0
        for uid, viewer in self.viewers():
            for chosen in (viewer.all_chosen, viewer.resolve(self.until)):
                for panel in grafana.panels(viewer.dashboard):
                    for target in panel["targets"]:
                        queries += 1
                        with self.subTest(dashboard=uid, panel=panel["title"],
                                          target=target["refId"], instance=chosen["instance"]):
                            self.check(panel, target, viewer, chosen)
        self.assertGreater(queries, 200)
        print(f"{queries} queries of panels")

    def check(self, panel, target, viewer, chosen):
        series = self.until(target["expr"], lambda: viewer.look(target, chosen))
        for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
            self.assertTrue(all(label in one for one in series), f"no label {label}: {series[0]}")
        if panel["type"] == "table":
            key = panel["transformations"][0]["options"]["byField"]
            names = [one[key] for one in series]
            self.assertEqual(len(set(names)), len(names), "rows that a join cannot tell apart")
        if panel["type"] == "stat":
            self.assertEqual(len(series), 1)

    def test_tables_show_each_label_in_one_column(self):
        tables = 0
        for uid, viewer in self.viewers():
            for panel in grafana.panels(viewer.dashboard):
                if panel["type"] == "table":
                    tables += 1
                    join, organize = (one["options"] for one in panel["transformations"])
                    away = {join["byField"], *organize["excludeByName"]}
                    columns = []
                    for target in panel["targets"]:
                        series = self.until(target["expr"], lambda target=target: viewer.look(
                            target, viewer.all_chosen))
                        columns += {label for one in series for label in one} - away - {"value"}
                    with self.subTest(dashboard=uid, panel=panel["title"]):
                        self.assertEqual(sorted(columns), sorted(set(columns)))
        self.assertGreaterEqual(tables, 3)

    def test_every_annotation_marks_what_happened(self):
        for uid, viewer in self.viewers():
            for annotation in grafana.annotations(viewer.dashboard):
                with self.subTest(dashboard=uid, annotation=annotation["name"]):
                    target = {"expr": annotation["expr"]}
                    if annotation["name"] in EMPTY_WHEN_WELL:
                        viewer.look(target, viewer.all_chosen)
                        for name in names_of(annotation["expr"]):
                            self.await_series(name)
                    else:
                        self.until(annotation["name"],
                                   lambda target=target: viewer.look(target, viewer.all_chosen))

    def test_every_recording_rule_returns_something(self):
        rules = [rule for rule in self.prometheus.rules() if rule["type"] == "recording"]
        self.assertGreaterEqual(len(rules), 25)
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

    def test_the_overload_is_seen_where_it_happens(self):
        # That band 0 loses nothing takes a CPU for each generator, which a test does not have.
        self.until("drops of band 1 and 2 of the wire", lambda: {"1", "2"} <= {
            series["band"] for series in self.prometheus.query(
                'device_band:qdiscsim_qdisc_drop_ratio:rate30s{device="wire0"} > 0.05')})
        self.assertEqual(self.prometheus.query('device:qdiscsim_qdisc_drop_ratio:rate30s'
                                               '{device="dummy0"} > 0'), [])
        self.await_series('device_band:qdiscsim_qdisc_sojourn_seconds:p99_rate30s'
                          '{device="wire0"} > 0')
        self.await_series("pool:qdiscsim_page_pool_recycle_ratio:rate30s > 0")

    def test_the_fleet_is_the_sum_of_its_sites(self):
        self.assertEqual({(series["site"], series["role"], series["value"])
                          for series in self.await_series("site_role:qdiscsim_instances_up:sum")},
                         {("lab-a", "load", 1), ("lab-b", "soak", 1)})
        # One instant, one evaluation of the rules: both sides are from the same samples.
        self.await_series("count(site_role:qdiscsim_device_tx_packets:rate30s > 0) == 2")
        self.await_series(
            "sum(site_role:qdiscsim_qdisc_drops:rate30s)"
            " / sum(site_role:qdiscsim_qdisc_offered_packets:rate30s)"
            " - on () group_left () fleet:qdiscsim_qdisc_drop_ratio:rate30s < 1e-9")
        self.await_series('site_role:qdiscsim_qdisc_drop_ratio:rate30s{site="lab-a"} > 0.05')

    def test_the_runbook_sends_nobody_to_an_address_that_is_not_there(self):
        text = (RULES.parents[1] / "docs" / "alerts.md").read_text()
        paths = set(re.findall(r"`(/(?:api|-|metrics)[\w./-]*)`", text))
        self.assertGreater(len(paths), 4)
        for path in paths:
            with self.subTest(path=path):
                url = f"http://{self.daemons[0].address}{path}"
                with urllib.request.urlopen(url, timeout=60) as answer:
                    self.assertEqual(answer.status, 200)

    def test_no_alert_says_that_qdiscsim_is_broken(self):
        for alert in self.prometheus.rules():
            if alert["type"] == "alerting" and alert["labels"]["severity"] == "critical":
                with self.subTest(alert=alert["name"]):
                    self.assertEqual([one for one in alert["alerts"] if one["state"] == "firing"], [])


def main():
    global QDISCSIMD
    if shutil.which("prometheus") is None and os.environ.get("CI") != "true":
        print("skipped: the program prometheus is not there; ./dev test brings it")
        sys.exit(77)
    QDISCSIMD = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
