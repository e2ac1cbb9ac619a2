#!/usr/bin/env python3
"""The documents that the program writes are those in the tree, and the configurations in the tree
are right ones. usage: docs_test.py QDISCSIMD"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
QDISCSIMD = sys.argv.pop(1)


def qdiscsimd(*arguments):
    result = subprocess.run([QDISCSIMD, *map(str, arguments)], capture_output=True, text=True,
                            check=False)
    return result.returncode, result.stdout, result.stderr


class Documents(unittest.TestCase):
    def check(self, option, name):
        status, text, _ = qdiscsimd(option)
        self.assertEqual(status, 0)
        self.assertTrue(text == (ROOT / "docs" / name).read_text(),
                        f"docs/{name} is out of date: run ./dev docs")

    def test_the_configuration_reference_is_up_to_date(self):
        self.check("--print-config-reference", "configuration.md")

    def test_the_metrics_reference_is_up_to_date(self):
        self.check("--print-metrics-reference", "metrics.md")

    def test_every_configuration_in_the_tree_is_a_right_one(self):
        configurations = [*sorted((ROOT / "config" / "examples").glob("*.yaml")),
                          *sorted((ROOT / "tests" / "prometheus").glob("*.yaml"))]
        self.assertGreater(len(configurations), 1)
        for path in configurations:
            with self.subTest(file=path.name):
                self.assertEqual(qdiscsimd("--check-config", path)[::2], (0, ""))


if __name__ == "__main__":
    unittest.main()
