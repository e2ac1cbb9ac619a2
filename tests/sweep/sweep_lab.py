"""A sweep in a folder of its own, over programs that only look like ring_bench and qdiscsimd."""

import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWEEP = ROOT / "bench" / "sweep"

# Prints what `ring_bench run --json` prints: a rate that follows from the options. Ring `broken` fails.
RING_BENCH = """\
#!/usr/bin/env python3
import json, sys
words = dict(zip(sys.argv[2::2], sys.argv[3::2]))
if words["--ring"] == "broken":
    sys.exit("ring_bench: broken: lost an item")
rate = {"slow": 10, "fast": 30}[words["--ring"]] * int(words["--producers"])
print(json.dumps({"item": "items", "runs": [
    {"ring": words["--ring"], "setting": "", "mega_per_second": rate}]}))
"""

DESCRIPTION = """\
program: ring_bench
axes:
  ring: [slow, fast]
  producers: [1, 2]
base: {ring: slow}
repeats: 3
seed: 7
limit_seconds: 60
"""


class SweepCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-sweep-test-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.folder = self.home / "swept"
        self.build = self.home / "build"

    def program(self, name, text):
        path = self.build / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def describe(self, text):
        path = self.home / "sweep.yaml"
        path.write_text(textwrap.dedent(text))
        return path

    def sweep(self, command, *arguments, code=0):
        result = subprocess.run([sys.executable, "-B", str(SWEEP / "sweep.py"), command,
                                 *map(str, arguments)], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def plan(self, text=DESCRIPTION, build=None, code=0):
        return self.sweep("plan", self.describe(text), "--to", self.folder, "--build",
                          build or self.build, code=code)

    def merged(self, *arguments, code=0):
        return json.loads(self.sweep("merge", self.folder, "--format", "json", *arguments,
                                     code=code).stdout)

    def result(self, index):
        return json.loads((self.folder / "results" / f"{index}.json").read_text())

    def change_result(self, index, change):
        result = self.result(index)
        change(result)
        (self.folder / "results" / f"{index}.json").write_text(json.dumps(result))
