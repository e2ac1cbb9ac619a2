#!/usr/bin/env python3
"""ring_bench as a user meets it: exit codes, what goes to which output, signals, and a comparison in
tiny. usage: cli_test.py RING_BENCH"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def ring_bench(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


def signals_caught(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))


def modes():
    return json.loads(ring_bench("list", "--json").stdout)["modes"]


class WrongCommandLines(unittest.TestCase):
    def check(self, message, *arguments):
        result = ring_bench(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (64, "", f"ring_bench: {message}\n"))

    def test_name_the_flag_the_value_and_the_range(self):
        self.check("-s 1: must be 2 to 10000000", "-s", 1)
        self.check("-s 10000001: must be 2 to 10000000", "-s", 10000001, "-m", 1)
        self.check("-N x: must be a whole number, 1 to 1000000000000", "-N", "x")
        self.check("--burst 0: must be 1 to 256", "compare", "all", "--burst", 0)

    def test_list_the_modes(self):
        self.check("-m 99: must be 0 to 8", "-m", 99)
        result = ring_bench("-m", "mspc")
        self.assertEqual((result.returncode, result.stdout), (64, ""))
        self.assertIn("virtio_test", result.stderr)
        self.assertIn("did you mean mpsc?", result.stderr)

    def test_refuse_a_flag_that_is_none(self):
        result = ring_bench("--frobnicate")
        self.assertEqual((result.returncode, result.stdout), (64, ""))
        self.assertIn("--frobnicate", result.stderr)


class Runs(unittest.TestCase):
    def rings_of(self, mode):
        return [ring["name"] for entry in modes() if entry["name"] == mode
                for ring in entry["rings"]]

    def test_list_and_help_are_answers(self):
        for arguments in (("list",), ("--help",), ("compare", "--help")):
            result = ring_bench(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertNotEqual(result.stdout, "")

    def test_one_run_is_one_line(self):
        result = ring_bench("-m", "spsc", "-N", 1000)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\Aspsc \w+: [\d.,]+ M items/s, 1,000 items in [\d.]+ s")
        self.assertEqual(result.stdout.count("\n"), 1)

    def test_a_comparison_in_tiny(self):
        first, second = self.rings_of("spsc")[:2]
        arguments = ("compare", first, second, "-m", "spsc", "-N", 2000, "--repeat", 2,
                     "--max-repeat", 2)
        result = ring_bench(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        rings = report["settings"][0]["rings"]
        self.assertEqual([ring["name"] for ring in rings], [first, second])
        self.assertEqual([len(ring["runs"]) for ring in rings], [2, 2])
        self.assertEqual(rings[1]["verdict"], "no difference shown")
        result = ring_bench(*arguments, "--markdown")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("| A/A control ", result.stdout)
        self.assertIn("- commit: ", result.stdout)

    def test_the_first_interrupt_ends_it_with_what_is_known(self):
        ring = self.rings_of("simple")[0]
        command = [PROGRAM, "-m", "simple", "-N", "1000", "--ring", ring, "--repeat", "100000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            lines = [process.stdout.readline()]
            process.send_signal(signal.SIGINT)
            lines += process.stdout.readlines()
            err = process.stderr.read()
            process.wait(timeout=60)
        self.assertEqual((process.returncode, err), (130, ""))
        for line in lines:
            self.assertRegex(line, r"\Asimple \w+: .* M items/s, .*\n\Z")

    def test_an_interrupt_ends_the_run_in_progress_which_does_not_count(self):
        for mode in (entry["name"] for entry in modes()):
            command = [PROGRAM, "-m", mode, "-N", "1000000000000", "--time-limit", "1h", "--json"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                while not signals_caught(process.pid) & 1 << signal.SIGTERM - 1:
                    self.assertIsNone(process.poll(), mode)
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=60)
            self.assertEqual((mode, process.returncode, err), (mode, 143, ""))
            self.assertEqual(json.loads(out)["runs"], [])

    def test_on_a_terminal_there_is_a_progress_line_which_goes_away(self):
        controller, terminal = pty.openpty()
        command = [PROGRAM, "compare", "all", "-m", "simple", "-N", "1000", "--max-repeat", "9"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal,
                              env={**os.environ, "TERM": "xterm"}) as process:
            os.close(terminal)
            shown = b""
            while select.select([controller], [], [], 60)[0]:
                try:
                    shown += os.read(controller, 65536)
                except OSError:  # the other side is closed
                    break
        os.close(controller)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"round 2 of at least 9, ", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-100:])


if __name__ == "__main__":
    unittest.main()
