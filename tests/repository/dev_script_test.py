#!/usr/bin/env python3
"""./dev as a stranger meets it: no root, no sudo, packages missing, a folder with spaces."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL_TOOLS = ["awk", "bash", "cat", "dirname", "env", "grep", "mktemp", "nproc", "readlink",
              "realpath", "rm", "sort"]


class Dev(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.clone = self.home / "a clone"  # with a space
        self.clone.mkdir()
        shutil.copy(ROOT / "dev", self.clone / "dev")
        self.bin = self.home / "bin"
        self.bin.mkdir()
        self.calls = self.home / "calls"
        for tool in REAL_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stub("id", 'echo "${FAKE_UID:-1000}"')
        self.stub("dpkg-query", 'for p in $FAKE_INSTALLED; do echo "$p installed"; done; exit 1')
        for command in ("apt-get", "cmake", "ninja", "ctest"):
            self.stub(command, f'echo {command} "$@" >>"{self.calls}"')

    def stub(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def dev(self, *arguments, **variables):
        environment = {"PATH": str(self.bin), "HOME": str(self.home), **variables}
        return subprocess.run(["bash", str(self.clone / "dev"), *arguments], cwd=self.home,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=30, check=False)

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_without_root_and_sudo_it_prints_the_apt_line_and_does_nothing_else(self):
        result = self.dev("run", FAKE_INSTALLED="g++ cmake ninja-build pkg-config libboost-dev "
                                                "prometheus-cpp-dev nlohmann-json3-dev libfuse3-dev "
                                                "fuse3 libpcap-dev libjs-dygraphs libncurses-dev")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("\n  sudo apt-get install -y --no-install-recommends "
                      "libcli11-dev libspdlog-dev libyaml-cpp-dev\n", result.stderr)
        self.assertEqual(self.called(), [])
        self.assertEqual(os.listdir(self.clone), ["dev"])

    def test_a_sudo_that_asks_for_a_password_counts_as_none(self):
        self.stub("sudo", "exit 1")
        result = self.dev("test")
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("sudo apt-get install -y --no-install-recommends chromium cmake curl fuse3 g++ groff-base jq",
                      result.stderr)
        self.assertEqual(self.called(), [])

    def test_root_installs_only_what_is_missing_and_updates_the_lists_first(self):
        self.dev("build", FAKE_UID="0",
                 FAKE_INSTALLED="g++ cmake ninja-build pkg-config libboost-dev prometheus-cpp-dev "
                                "libyaml-cpp-dev libcli11-dev libspdlog-dev nlohmann-json3-dev "
                                 "libfuse3-dev fuse3 libpcap-dev libncurses-dev "
                                 "libgtest-dev libgmock-dev libbenchmark-dev curl python3 python3-yaml procps "
                                 "tshark wireshark-common tcpdump libjs-dygraphs chromium "
                                "python3-websocket tmux man-db groff-base python3-jsonschema libfaketime")
        self.assertEqual(self.called()[:2],
                         ["apt-get update -qq",
                          "apt-get install -qq -y --no-install-recommends jq"])

    def test_a_sudo_without_a_password_is_used(self):
        self.stub("sudo", f'echo sudo "$@" >>"{self.calls}"')
        self.dev("format", FAKE_INSTALLED="clang-format clang-tidy python3")
        self.assertEqual(self.called(),
                         ["sudo -n true",
                          "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update -qq",
                          "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "
                          "--no-install-recommends shellcheck"])

    def test_when_apt_fails_it_says_so_and_stops(self):
        self.stub("apt-get", 'echo "E: no network" >&2; exit 100')
        result = self.dev("build", FAKE_UID="0")
        self.assertEqual(result.returncode, 69)
        self.assertIn("E: no network", result.stderr)
        self.assertEqual(self.called(), [])

    def test_a_system_without_dpkg_is_told_the_names_and_goes_on(self):
        (self.bin / "dpkg-query").unlink()
        result = self.dev("build")
        self.assertIn("not a Debian or Ubuntu system", result.stderr)
        self.assertIn("libyaml-cpp-dev", result.stderr)
        self.assertEqual(self.called()[0].split(" ")[:3], ["cmake", "--preset", "release"])

    def test_an_unknown_chore_is_an_error_and_shows_the_known_ones(self):
        result = self.dev("tset")
        self.assertEqual(result.returncode, 64)
        self.assertIn("no such chore: tset", result.stderr)
        self.assertIn("test [ARGS]", result.stderr)

    def test_help_lists_every_chore(self):
        result = self.dev()
        self.assertEqual(result.returncode, 0)
        text = (ROOT / "dev").read_text()
        for line in text.splitlines():
            if line.startswith("chore_"):
                chore = line[len("chore_"):line.index("(")]
                self.assertIn(f"\n  {chore} ", result.stdout)


class Scripts(unittest.TestCase):
    def test_are_bash_that_shellcheck_likes(self):
        scripts = [ROOT / "dev", ROOT / ".ci" / "run",
                   *(path for path in ROOT.rglob("*.sh") if "build" not in path.parts)]
        for script in scripts:
            subprocess.run(["bash", "-n", script], check=True)
        if shutil.which("shellcheck"):
            result = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True,
                                    check=False)
            self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
