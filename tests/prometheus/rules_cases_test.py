#!/usr/bin/env python3
"""The rules by themselves: promtool accepts them, their cases pass, no rule lacks a case, and every
alert fires in one case, is silent in another, and has a section in docs/alerts.md."""

import re
import shutil
import subprocess
import unittest

import yaml

from lab import RULES

ROOT = RULES.parents[1]
RUNBOOK = ROOT / "docs" / "alerts.md"
CONFIGURATIONS = [RULES / "prometheus.yml", RULES / "fleet" / "prometheus.yml"]
CASES = sorted(RULES.rglob("*_test.yml"))


def rules(kind):
    """Every rule of a kind, record or alert, by its name."""
    return {rule[kind]: rule for path in sorted(RULES.rglob("*.rules.yml"))
            for group in yaml.safe_load(path.read_text())["groups"]
            for rule in group["rules"] if kind in rule}


def tests():
    for path in CASES:
        yield from yaml.safe_load(path.read_text())["tests"]


def sections():
    """The text of each section of the runbook, by the anchor that leads to it."""
    parts = re.split(r"^## (.+)\n", RUNBOOK.read_text(), flags=re.MULTILINE)[1:]
    return {title.lower().replace(" ", "-"): text for title, text in zip(parts[::2], parts[1::2])}


@unittest.skipUnless(shutil.which("promtool"), "promtool is not there; ./dev test brings it")
class Promtool(unittest.TestCase):
    def promtool(self, *arguments):
        result = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_accepts_the_scrape_examples_and_the_rules(self):
        for path in CONFIGURATIONS:
            self.promtool("check", "config", path)
        self.promtool("check", "rules", *sorted(RULES.rglob("*.rules.yml")))

    def test_finds_every_case_as_it_should_be(self):
        self.assertGreater(len(CASES), 0)
        self.promtool("test", "rules", *CASES)


class Rules(unittest.TestCase):
    def test_have_a_case_each(self):
        cases = {case["expr"] for test in tests() for case in test.get("promql_expr_test", [])}
        self.assertGreater(len(rules("record")), 0)
        self.assertEqual(set(rules("record")) - cases, set())

    def test_look_back_over_several_scrapes(self):
        for path in CONFIGURATIONS:
            times = yaml.safe_load(path.read_text())["global"]
            self.assertLessEqual(4 * int(times["scrape_interval"].rstrip("s")), 30)


class Alerts(unittest.TestCase):
    def test_are_few(self):
        self.assertLessEqual(len(rules("alert")), 8)

    def test_fire_in_one_case_and_are_silent_in_another(self):
        firing, silent = set(), set()
        for test in tests():
            cases = test.get("alert_rule_test", [])
            fired = {case["alertname"] for case in cases if case["exp_alerts"]}
            firing |= fired
            silent |= {case["alertname"] for case in cases} - fired
        self.assertGreater(len(rules("alert")), 0)
        self.assertEqual(set(rules("alert")) - firing, set())
        self.assertEqual(set(rules("alert")) - silent, set())

    def test_lead_to_a_section_that_says_what_to_do(self):
        for name, rule in rules("alert").items():
            with self.subTest(alert=name):
                page, _, anchor = rule["annotations"]["runbook"].partition("#")
                self.assertEqual((ROOT / page, anchor), (RUNBOOK, name.lower()))
                self.assertRegex(sections()[anchor], r"(?m)^1\. .*")
                self.assertIn(f"| [{name}](#{anchor}) | {rule['labels']['severity']} |",
                              RUNBOOK.read_text())
        self.assertEqual(set(sections()), {name.lower() for name in rules("alert")})

    def test_are_named_elsewhere_as_they_are_called(self):
        places = [*ROOT.glob("docs/*.md"), *ROOT.glob("config/examples/*.yaml"),
                  *ROOT.glob("dashboards/grafana/source/*.py")]
        for path in places:
            for name in re.findall(r"\bQdiscsim[A-Z]\w+", path.read_text()):
                with self.subTest(place=path.name):
                    self.assertIn(name, rules("alert"))


if __name__ == "__main__":
    unittest.main()
