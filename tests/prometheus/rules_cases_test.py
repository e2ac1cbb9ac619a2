#!/usr/bin/env python3
"""The rules by themselves: promtool accepts them, their cases pass, and no rule lacks a case."""

import pathlib
import re
import shutil
import subprocess
import unittest

RULES = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "prometheus"


@unittest.skipUnless(shutil.which("promtool"), "promtool is not there; ./dev test brings it")
class Promtool(unittest.TestCase):
    def promtool(self, *arguments):
        result = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_accepts_the_scrape_example_and_the_rules(self):
        self.promtool("check", "config", RULES / "prometheus.yml")
        self.promtool("check", "rules", *sorted(RULES.glob("*.rules.yml")))

    def test_finds_every_case_as_it_should_be(self):
        self.promtool("test", "rules", RULES / "rules_test.yml")


class Cases(unittest.TestCase):
    def setUp(self):
        self.rules = "".join(path.read_text() for path in RULES.glob("*.rules.yml"))
        self.cases = (RULES / "rules_test.yml").read_text()

    def test_exist_for_every_recording_rule(self):
        recorded = set(re.findall(r"- record: (\S+)", self.rules))
        self.assertGreater(len(recorded), 0)
        self.assertEqual(recorded - set(re.findall(r"- expr: (\S+)\n", self.cases)), set())

    def test_exist_for_every_alert_and_one_of_them_fires(self):
        alerts = set(re.findall(r"- alert: (\S+)", self.rules))
        self.assertGreater(len(alerts), 0)
        # A case lists exactly the alerts that fire: each has series beside them that stay silent.
        firing = re.findall(r"- alertname: (\S+)\n\s+eval_time: .*\n\s+exp_alerts:\n", self.cases)
        self.assertEqual(alerts - set(firing), set())


if __name__ == "__main__":
    unittest.main()
