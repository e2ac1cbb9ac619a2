#!/usr/bin/env python3
"""What container_test.py runs as root below a systemd of its own: never start it elsewhere.

usage: inside_test.py -v FOLDER-WITH-THE-PACKAGE
The cases depend on one another and run in the order of their names.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest
import urllib.request

OUT = pathlib.Path(sys.argv.pop())
UNIT = "qdiscsim.service"
CONFIG = pathlib.Path("/etc/qdiscsim/qdiscsim.yaml")
DROP_INS = pathlib.Path(f"/etc/systemd/system/{UNIT}.d")
SECONDS = 60
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
SETTINGS = """\
http: {{listen: '127.0.0.1:{port}'}}
memory: {{limit: 32MiB, huge_pages: never}}
devices: [{{name: {device}, link: {{kind: {link}}}}}]
generators: [{{name: gen, device: {device}, ratep: {rate}, pin: true, cpus: [{cpu}]}}]
"""
LAST_CPU = max(os.sched_getaffinity(0))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}\n"
                             f"{journal()[-3000:]}")
    return done.stdout


def journal(unit=UNIT):
    subprocess.run(["journalctl", "--sync"], check=False, timeout=SECONDS)
    return subprocess.run(["journalctl", "-o", "cat", "--no-pager", "-u", unit], timeout=SECONDS,
                          capture_output=True, text=True, check=False).stdout


def until(what, probe):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        answer = probe()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"never saw {what}\n{journal()[-3000:]}")


def shown(name, unit=UNIT):
    return run("systemctl", "show", "-P", name, unit).strip()


def metric(name, port=9713):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


def configure(path=CONFIG, port=9713, device="eth0", link="dummy", rate="50kpps", cpu=LAST_CPU):
    path.write_text(SETTINGS.format(port=port, device=device, link=link, rate=rate, cpu=cpu))


def drop_in(text=None, name="test.conf"):
    DROP_INS.mkdir(exist_ok=True)
    place = DROP_INS / name
    place.unlink(missing_ok=True) if text is None else place.write_text(text)
    run("systemctl", "daemon-reload")


def thread_of(pid, name):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(name):
            return task
    return None


def everything():
    """Every file where packages put theirs, but what the system writes itself. Not the rest: others may
    work there, and an overlay shows what they do."""
    changing = re.compile(r"/(var/(log|cache|tmp|lib/(dpkg|systemd|apt|private$))|etc/\.|etc/ld\.so)")
    found = run("find", "/etc", "/usr", "/var", "/opt", "/srv", "-xdev").splitlines()
    return {path for path in found if not changing.match(path)}


class Package(unittest.TestCase):
    before = set()
    first = None

    def restarted(self, old):
        return until("a restart", lambda: shown("ActiveState") == "active" and
                     shown("MainPID") not in ("0", old))

    def test_01_installs_and_starts_nothing(self):
        type(self).before = everything()
        type(self).first = next(OUT.glob("*.deb"))
        run("dpkg", "-i", self.first)
        self.assertEqual(shown("ActiveState"), "inactive")
        self.assertEqual(shown("UnitFileState"), "disabled")
        self.assertEqual(run("dpkg", "-V", "qdiscsim"), "")

    def test_02_is_active_only_after_ready(self):
        drop_in("[Service]\nExecStart=\nExecStart=/bin/sh -c 'while [ ! -e /etc/qdiscsim/go ]; do "
                "sleep 0.05; done; exec /usr/bin/qdiscsimd /etc/qdiscsim/qdiscsim.yaml'\n")
        configure()
        run("systemctl", "start", "--no-block", UNIT)
        until("the process", lambda: shown("MainPID") != "0")
        self.assertEqual(shown("ActiveState"), "activating")
        pathlib.Path("/etc/qdiscsim/go").touch()
        run("systemctl", "start", UNIT)
        self.assertEqual(shown("ActiveState"), "active")
        self.assertGreater(metric("qdiscsim_"), 0)
        pathlib.Path("/etc/qdiscsim/go").unlink()
        run("systemctl", "stop", UNIT)
        drop_in()
        run("systemctl", "start", UNIT)

    def test_03_pins_threads_under_its_hardening(self):
        for unit in (UNIT, "qdiscsim@.service"):
            run("systemd-analyze", "security", "--offline=true", "--threshold=25",
                f"/usr/lib/systemd/system/{unit}")
        task = thread_of(shown("MainPID"), "gen")
        self.assertIsNotNone(task)
        self.assertIn(f"\nCpus_allowed_list:\t{LAST_CPU}\n", (task / "status").read_text())
        self.assertIn("\nCapEff:\t0000000000000000\n", (task / "status").read_text())

    def test_04_reloads_and_refuses_mistakes(self):
        good, bad = ('qdiscsim_config_reloads_total{result="%s"}' % word
                     for word in ("success", "failure"))
        pid, was = shown("MainPID"), metric(good)
        run("systemctl", "kill", "-s", "HUP", "--kill-who=main", UNIT)
        until("a reload by SIGHUP", lambda: metric(good) == was + 1)
        run("systemctl", "reload", UNIT)
        until("a reload by systemctl", lambda: metric(good) == was + 2)
        CONFIG.write_text("devices: nonsense\n")
        run("systemctl", "reload", UNIT)
        until("a refused reload", lambda: metric(bad) == 1)
        self.assertEqual(metric("qdiscsim_config_last_reload_successful"), 0)
        self.assertEqual((shown("ActiveState"), shown("MainPID")), ("active", pid))
        configure()

    def test_05_is_started_again_when_killed(self):
        pid = shown("MainPID")
        run("systemctl", "kill", "-s", "KILL", "--kill-who=main", UNIT)
        self.restarted(pid)
        self.assertEqual(shown("NRestarts"), "1")
        run("systemctl", "reset-failed", UNIT)

    def test_06_is_started_again_when_one_worker_stalls(self):
        run("systemctl", "stop", UNIT)
        drop_in("[Service]\nWatchdogSec=4\n")
        run("systemctl", "start", UNIT)
        pid = shown("MainPID")
        thread = int(thread_of(pid, "gen").name)
        tracer = os.fork()
        if tracer == 0:  # it alone holds the thread; the rest of the daemon runs
            libc = ctypes.CDLL(None, use_errno=True)
            none = ctypes.c_void_p(0)
            if libc.ptrace(PTRACE_SEIZE, thread, none, none) or \
                    libc.ptrace(PTRACE_INTERRUPT, thread, none, none):
                os._exit(1)
            os.waitpid(thread, WALL)
            os.waitpid(thread, WALL)  # until it dies
            os._exit(0)
        self.restarted(pid)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(tracer, 0)[1]), 0)
        self.assertRegex(run("journalctl", "-o", "cat", "--no-pager"), "Watchdog timeout")
        drop_in()

    def test_07_stops_with_the_report_in_the_journal(self):
        started = time.monotonic()
        run("systemctl", "stop", UNIT)
        print(f"stopped in {time.monotonic() - started:.2f} s")
        self.assertEqual((shown("ActiveState"), shown("Result")), ("inactive", "success"))
        self.assertIn("accounts: exact", journal())

    def test_08_runs_several_instances(self):
        for name, port in (("east", 9714), ("west", 9715)):
            configure(pathlib.Path(f"/etc/qdiscsim/{name}.yaml"), port)
        run("systemctl", "start", "qdiscsim@east", "qdiscsim@west")
        for name, port in (("east", 9714), ("west", 9715)):
            self.assertGreater(metric("qdiscsim_", port), 0)
            socket = pathlib.Path(f"/run/qdiscsim-{name}/control.sock")
            self.assertEqual(socket.owner(), f"qdiscsim-{name}")
        run("systemctl", "stop", "qdiscsim@*")
        for name in ("east", "west"):
            pathlib.Path(f"/etc/qdiscsim/{name}.yaml").unlink()

    def with_drop_in(self, name, look):
        # Too many starts within a minute else; refused for a unit that systemd has forgotten.
        subprocess.run(["systemctl", "reset-failed", UNIT], check=False, timeout=SECONDS,
                       capture_output=True)
        drop_in(pathlib.Path(f"/usr/share/qdiscsim/{name}").read_text(), name)
        run("systemctl", "start", UNIT)
        look()
        run("systemctl", "stop", UNIT)
        self.assertEqual(shown("Result"), "success")
        drop_in(name=name)

    @unittest.skipUnless(os.path.exists("/dev/net/tun"), "no /dev/net/tun here")
    def test_09_has_a_tap_with_its_drop_in(self):
        configure(device="tap0", link="tap", rate="1kpps")
        self.with_drop_in("tap.conf", lambda: until("packets on the tap", lambda: metric(
            "qdiscsim_device_tx_packets_total") > 0))

    @unittest.skipUnless(os.path.exists("/dev/fuse"), "no /dev/fuse here")
    def test_10_mounts_control_files_with_its_drop_in(self):
        configure()
        with CONFIG.open("a") as file:
            file.write("pktgen: {control_fs: /run/qdiscsim/pktgen}\n")
        self.with_drop_in("control-fs.conf", lambda: self.assertTrue(
            os.path.exists("/run/qdiscsim/pktgen/pgctrl")))

    def test_11_is_upgraded_with_the_configuration_kept(self):
        configure()
        mine = CONFIG.read_text()
        run("systemctl", "enable", UNIT)
        run("systemctl", "start", UNIT)
        pid = shown("MainPID")
        tree = OUT / "next"
        run("dpkg-deb", "-R", self.first, tree)
        for path, old, new in (("DEBIAN/control", "Version: ", "Version: 99."),
                               ("etc/qdiscsim/qdiscsim.yaml", "seed: 1", "seed: 2")):
            text = (tree / path).read_text()
            self.assertIn(old, text)
            (tree / path).write_text(text.replace(old, new))
        run("dpkg-deb", "-Znone", "-b", tree, OUT / "next.deb")
        run("dpkg", "--force-confdef", "--force-confold", "-i", OUT / "next.deb")
        self.assertEqual(CONFIG.read_text(), mine)
        self.assertIn("seed: 2", pathlib.Path(f"{CONFIG}.dpkg-dist").read_text())
        self.restarted(pid)

    def test_12_is_removed_and_purged_without_a_trace(self):
        run("dpkg", "-r", "qdiscsim")
        self.assertFalse(pathlib.Path("/run/qdiscsim").exists())
        self.assertTrue(CONFIG.exists())
        DROP_INS.rmdir()
        run("dpkg", "-P", "qdiscsim")
        self.assertEqual(everything() ^ self.before, set())
        self.assertNotIn("qdiscsim", pathlib.Path("/etc/passwd").read_text())


if __name__ == "__main__":
    unittest.main()
