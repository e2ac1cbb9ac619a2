#!/usr/bin/env python3
"""Plans, cells and what is merged of them, over a program of the test's own."""

import collections
import csv
import io
import json
import os
import signal
import subprocess
import sys
import unittest

from sweep_lab import DESCRIPTION, RING_BENCH, SWEEP, SweepCase


class Descriptions(SweepCase):
    def check(self, message, text):
        error = self.plan(text, code=65).stderr
        self.assertTrue(error.startswith(f"sweep: {self.home / 'sweep.yaml'}: {message}"), error)

    def test_name_the_key_that_is_wrong_and_what_it_may_be(self):
        self.check("program: must be ring_bench or qdiscsimd", "axes: {ring: [cas]}")
        self.check("the file: must be keys and values", "- 1")
        self.check("not YAML: ", "a: [")
        self.check("ring: no such key; ring_bench has axes, base, ", "{program: ring_bench, ring: 1}")
        self.check("axes: must name", "program: ring_bench")
        self.check("axes.ring: must be a list", "{program: ring_bench, axes: {ring: cas}}")
        self.check("axes.ring: has a value twice", "{program: ring_bench, axes: {ring: [a, a]}}")
        self.check("repeats: must be a whole number, at least 1", DESCRIPTION + "repeats: 0")
        self.check("base.rang: is no axis; the axes are ring, producers",
                   DESCRIPTION + "base: {rang: slow}")
        self.check("base.ring: quick is none of", DESCRIPTION + "base: {ring: quick}")
        self.check("config: must name", "{program: qdiscsimd, axes: {seed: [1]}}")
        self.check("rings: ring_bench compare judges by itself", DESCRIPTION + "rings: [a, b]")
        self.check("figures.drops: must be a JSON pointer", DESCRIPTION + "figures: {drops: drops}")

    def test_of_a_configuration_that_is_not_there_are_refused(self):
        error = self.plan("{program: qdiscsimd, config: a.yaml, axes: {seed: [1]}}", code=66).stderr
        self.assertIn("a.yaml is not a file", error)


class Plans(SweepCase):
    def cells(self):
        return json.loads((self.folder / "cells.json").read_text())["cells"]

    def test_have_every_point_in_every_round_in_an_order_that_changes(self):
        self.assertIn("12 cells: 4 points, 3 repeats, order by seed 7", self.plan().stdout)
        cells = self.cells()
        rounds = [[cell["label"] for cell in cells[i:i + 4]] for i in (0, 4, 8)]
        for turn in rounds:
            self.assertEqual(sorted(turn), sorted(rounds[0]))
        self.assertGreater(len({tuple(turn) for turn in rounds}), 1)
        self.assertEqual([cell["round"] for cell in cells], [0] * 4 + [1] * 4 + [2] * 4)

    def test_are_the_same_for_the_same_seed(self):
        self.plan()
        first = self.cells()
        self.plan()
        self.assertEqual(self.cells(), first)
        self.plan(DESCRIPTION.replace("seed: 7", "seed: 8"))
        self.assertNotEqual(self.cells(), first)

    def test_say_what_runs(self):
        self.plan("{program: ring_bench, axes: {burst: [8], m: [mpsc]}, "
                  "options: {sleep: true, no-event-index: false}, rings: [locked, cas]}")
        self.assertEqual(self.cells()[0]["arguments"],
                         ["compare", "locked", "cas", "--sleep", "--burst", "8", "-m", "mpsc",
                          "--json", "--no-progress"])
        (self.home / "a.yaml").write_text("")
        self.plan("{program: qdiscsimd, config: a.yaml, duration: 1s, "
                  "axes: {'devices[0].bypass': [true], 'devices[0].ring': [{kind: rte}]}}")
        self.assertEqual(self.cells()[0]["arguments"][-6:],
                         ["--duration", "1s", "--set", "devices[0].bypass=true",
                          "--set", 'devices[0].ring={"kind": "rte"}'])

    def test_do_not_take_the_place_of_one_that_has_results(self):
        self.program("bench/ring/ring_bench", RING_BENCH)
        self.plan()
        self.sweep("run", self.folder)
        self.plan()
        self.assertIn("holds results of another plan",
                      self.plan(DESCRIPTION.replace("seed: 7", "seed: 8"), code=65).stderr)


class Runs(SweepCase):
    def setUp(self):
        super().setUp()
        self.program("bench/ring/ring_bench", RING_BENCH)

    def test_give_medians_spread_and_ratios_within_the_round(self):
        self.plan()
        self.sweep("run", self.folder)
        merged = self.merged()
        rates = {(row["point"]["ring"], row["point"]["producers"]):
                 (row["n"], row["median"], row["mad"], row["ratio"], row["ratio_n"])
                 for row in merged["rows"]}
        self.assertEqual(rates, {("slow", 1): (3, 10, 0, None, 0), ("slow", 2): (3, 20, 0, None, 0),
                                 ("fast", 1): (3, 30, 0, 3, 3), ("fast", 2): (3, 60, 0, 3, 3)})
        self.assertEqual((merged["good"], merged["failed"], merged["missing"]), (12, [], []))
        self.assertIn("fewer than 9 repeats give no figure to quote", merged["warnings"])
        self.assertEqual(set(merged["groups"][0]["machine"]) >= {"node", "CPU", "kernel"}, True)

    def test_that_fail_leave_their_error_and_are_tried_again_alone(self):
        self.plan(DESCRIPTION.replace("[slow, fast]", "[slow, broken]"))
        self.assertIn("6 cells done, 6 failed", self.sweep("run", self.folder, code=1).stderr)
        merged = self.merged(code=1)
        self.assertEqual(len(merged["failed"]), 6)
        self.assertIn("exit code 1: ring_bench: broken: lost an item", merged["failed"][0]["error"])
        text = self.sweep("merge", self.folder, code=1).stdout
        self.assertRegex(text, r"failed: cell \d+ \(ring=broken, producers=\d, round \d\) on ")
        self.program("bench/ring/ring_bench", RING_BENCH.replace('"broken"', '"unbroken"')
                     .replace('"fast"', '"broken"'))
        result = self.sweep("run", self.folder)
        self.assertIn("6 cells have good results already", result.stderr)
        self.assertIn("results of different builds: binary is",
                      self.sweep("merge", self.folder, code=65).stderr)
        self.assertEqual(len(self.merged("--mixed")["groups"]), 2)

    def test_take_no_longer_than_their_limit(self):
        self.program("bench/ring/ring_bench", "#!/bin/sh\nexec sleep 600\n")
        self.plan("{program: ring_bench, axes: {ring: [a]}, limit_seconds: 1}")
        self.sweep("run", self.folder, code=1)
        self.assertEqual(self.result(0)["error"], "took longer than limit_seconds: 1")

    def test_that_are_ended_say_so_and_end_what_they_started(self):
        pid_file = self.home / "pid"
        self.program("bench/ring/ring_bench",
                     f"#!/bin/sh\necho $$ >{pid_file}.new && mv {pid_file}.new {pid_file}\n"
                     "exec sleep 600\n")
        self.plan("{program: ring_bench, axes: {ring: [a]}}")
        with subprocess.Popen([sys.executable, "-B", str(SWEEP / "cell.py"), str(self.folder),
                               "0"]) as cell:
            while not pid_file.exists():
                self.assertIsNone(cell.poll())
            cell.send_signal(signal.SIGTERM)
            self.assertEqual(cell.wait(timeout=60), 143)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid_file.read_text()), 0)
        self.assertEqual(self.result(0)["error"], "ended by SIGTERM")

    def test_need_the_program_and_say_how_to_get_it(self):
        self.plan(build=self.home)
        self.assertIn("is not built: run ./dev build",
                      self.sweep("run", self.folder, code=69).stderr)

    def test_of_a_configuration_that_has_changed_since_fail(self):
        self.program("daemon/qdiscsimd", "#!/bin/sh\nexit 0\n")
        (self.home / "a.yaml").write_text("")
        self.plan("{program: qdiscsimd, config: a.yaml, axes: {seed: [1]}}")
        (self.home / "a.yaml").write_text("seed: 2")
        self.sweep("run", self.folder, code=1)
        self.assertIn("has changed since the sweep was planned", self.result(0)["error"])


class Merging(SweepCase):
    def setUp(self):
        super().setUp()
        self.program("bench/ring/ring_bench", RING_BENCH)
        self.plan()
        self.sweep("run", self.folder)

    def test_names_the_cells_that_are_missing(self):
        (self.folder / "results" / "5.json").unlink()
        (self.folder / "results" / "6.json").write_text("{")
        merged = self.merged(code=1)
        self.assertEqual([cell["index"] for cell in merged["missing"]], [5])
        self.assertEqual([cell["index"] for cell in merged["failed"]], [6])
        self.assertIn("missing: cell 5 (", self.sweep("merge", self.folder, code=1).stdout)

    def test_keeps_nodes_apart_and_makes_no_ratio_across_them(self):
        labels = collections.Counter()
        for index in range(12):
            result = self.result(index)
            if result["point"]["ring"] == "fast":
                self.change_result(index, lambda result: result.update(node="other"))
                labels[result["label"]] += 1
        merged = self.merged()
        self.assertEqual(len(merged["groups"]), 2)
        fast = [row for row in merged["rows"] if row["point"]["ring"] == "fast"]
        self.assertEqual({(row["group"], row["ratio"], row["note"]) for row in fast},
                         {("other", None, "no round with its base on this node")})
        self.assertTrue(any("no ratio crosses them" in text for text in merged["warnings"]))

    def test_refuses_other_commits_and_a_node_that_changed_unless_it_is_asked_to_show_them(self):
        for key, message in (("commit", "results of different builds: commit is "),
                             ("kernel", "has changed during the sweep: kernel was ")):
            before = self.result(3)
            self.change_result(3, lambda result, key=key: result["machine"].update({key: "new"}))
            error = self.sweep("merge", self.folder, code=65).stderr
            self.assertIn(message, error)
            self.assertIn("--mixed", error)
            merged = self.merged("--mixed")
            self.assertEqual([group["cells"] for group in merged["groups"]], [11, 1])
            self.change_result(3, lambda result, before=before: result.update(before))

    def test_writes_a_table_a_spreadsheet_and_markdown(self):
        text = self.sweep("merge", self.folder).stdout
        self.assertRegex(text, r"ring +producers +figure .* ratio to ring=slow")
        self.assertRegex(text, r"fast +2 +rate +M items/s +3 +60 +60 \.\. 60 +0 +3\.000 ")
        rows = list(csv.DictReader(io.StringIO(
            self.sweep("merge", self.folder, "--format", "csv").stdout)))
        self.assertEqual(len(rows), 4)
        self.assertEqual({row["ring"]: row["ratio"] for row in rows}, {"slow": "", "fast": "3.0"})
        self.assertIn("| fast | 2 | rate | M items/s | 3 | 60 | 60 .. 60 | 0 | 3.000 (3.000 .. "
                      "3.000, n 3) |",
                      self.sweep("merge", self.folder, "--format", "markdown").stdout)

    def test_of_a_folder_that_is_none_says_what_to_do(self):
        self.assertIn("make it with ./dev sweep plan",
                      self.sweep("merge", self.home, code=66).stderr)


if __name__ == "__main__":
    unittest.main()
