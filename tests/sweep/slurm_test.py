#!/usr/bin/env python3
"""A sweep as a job array on a Slurm cluster of one node. Skipped (77) without root or slurm-wlm.
usage: slurm_test.py BUILD"""

import os
import pathlib
import sys
import unittest

import cluster
from sweep_lab import ROOT, SWEEP, SweepCase

sys.path.insert(0, str(SWEEP))
import slurm  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(sys.argv[1])

RINGS = """\
program: ring_bench
options: {mode: spsc, count: 2000}
axes:
  ring: [locked, no_such_ring]
repeats: 3
limit_seconds: 60
"""
DAEMON = f"""\
program: qdiscsimd
config: {ROOT}/config/examples/dummy-max.yaml
set: {{"generators[0].count": 1000, control.socket: none}}
axes: {{"devices[0].bypass": [true, false]}}
figures: {{packets: /devices/0/queues/0/sent_packets}}
limit_seconds: 60
"""


class Arrays(unittest.TestCase):
    def test_name_their_tasks_as_ranges(self):
        self.assertEqual(slurm.ranges([7, 0, 1, 2, 5]), "0-2,5,7")

    def test_hold_no_more_tasks_than_the_cluster_takes(self):
        self.assertEqual(slurm.arrays([0, 999, 1000, 2001], 1000),
                         [(0, [0, 999]), (1000, [0]), (2000, [1])])


class OnACluster(SweepCase):
    def test_cells_run_fail_and_run_again_and_are_merged(self):
        (self.home / "cluster").mkdir(mode=0o755)
        with cluster.Cluster(self.home / "cluster") as slurm_cluster:
            os.environ["SLURM_CONF"] = slurm_cluster.environment["SLURM_CONF"]
            self.addCleanup(os.environ.pop, "SLURM_CONF")
            self.rings(slurm_cluster)
            self.daemon(slurm_cluster)

    def rings(self, slurm_cluster):
        self.plan(RINGS, BUILD)
        said = self.sweep("submit", self.folder, "--parallel", 2, "--", "--partition=all").stdout
        self.assertIn("6 of 6 cells submitted as job ", said)
        slurm_cluster.wait_for_jobs()
        self.assertEqual(len(list((self.folder / "results").glob("*.json"))), 6,
                         slurm_cluster.logs())
        merged = self.merged(code=1)
        self.assertEqual((merged["good"], len(merged["failed"]), merged["missing"]), (3, 3, []))
        self.assertIn("no_such_ring", merged["failed"][0]["error"])
        self.assertEqual([group["name"] for group in merged["groups"]], ["node1"])
        self.assertEqual([row["n"] for row in merged["rows"]], [3])
        good = next(self.result(i) for i in range(6) if self.result(i)["ok"])
        self.assertEqual(set(good["slurm"]) >= {"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}, True)
        self.assertEqual(len(good["cpus"]), os.cpu_count())
        self.assertIn("3 of 6 cells submitted", self.sweep("submit", self.folder).stdout)
        slurm_cluster.wait_for_jobs()

    def daemon(self, slurm_cluster):
        self.folder = self.home / "daemon"
        self.plan(DAEMON, BUILD)
        self.sweep("submit", self.folder)
        slurm_cluster.wait_for_jobs()
        merged = self.merged()
        packets = [row for row in merged["rows"] if row["figure"] == "packets"]
        self.assertEqual([row["values"] for row in packets], [[1000], [1000]])
        self.assertIn("every cell has a good result", self.sweep("submit", self.folder).stdout)


if __name__ == "__main__":
    if reason := cluster.why_not():
        print(f"skipped: {reason}")
        sys.exit(77)
    cluster.enter_namespaces()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
