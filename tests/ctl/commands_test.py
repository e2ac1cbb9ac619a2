#!/usr/bin/env python3
"""Each command of qdiscsimctl with a running daemon. usage: commands_test.py QDISCSIMCTL QDISCSIMD"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from ctl_lab import WithDaemon, until


class Commands(WithDaemon):
    def test_status_is_healthy(self):
        out = self.right("status")
        self.assertTrue(out.startswith("healthy: qdiscsimd "), out)
        self.assertIn("account: adds up", out)
        self.assertTrue(json.loads(self.right("status", "--json"))["healthy"])

    def test_views_are_those_of_the_daemon(self):
        self.assertIn("\n Sent ", self.right("qdisc", "show", "-s", "dev", "eth0"))
        self.assertNotIn("Sent", self.right("qdisc", "show"))
        self.assertEqual({entry["dev"] for entry in json.loads(self.right("qdisc", "-j"))},
                         {"eth0", "eth1"})
        self.assertIn("rx_pp_alloc_fast", self.right("pagepool", "dev", "eth0"))
        self.assertIn("page-pool-get", json.loads(self.right("pagepool", "-j")))
        self.assertTrue(json.loads(self.right("report", "--json"))["accounts"])
        self.assertTrue(self.right("report").startswith("# Report after"))
        self.assertIn("name: eth1", self.right("config"))
        self.assertIn("b/0 on eth1\nResult: Idle\n", self.right("pktgen", "b"))
        self.assertEqual(self.right("names", "devices"), "eth0\neth1\n")
        self.assertEqual(self.right("names", "generators"), "a\nb\n")

    def test_changes_are_made_and_a_reload_takes_them_back(self):
        self.assertIn("2 (live)", self.right("set", "generator", "a", "threads=2", "ratep=10kpps"))
        self.right("set", "device", "eth0", "link.rate=2Gbit", "tx_queue_len=77")
        self.assertIn("rate: 2Gbit", self.right("config"))
        self.assertIn("2 changes", self.right("reload"))
        self.right("pktgen", "b", "start")
        until("packets of b", lambda: self.metric("qdiscsim_generator_sent_packets_total",
                                                  generator="b") > 0, self.daemon.log)
        self.right("pktgen", "b", "stop")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertIn("accounts: exact", self.daemon.log())

    def test_a_device_goes_down_and_comes_up(self):
        self.right("device", "eth0", "down")
        self.assertIn("down", self.right("status"))
        self.assertFalse(json.loads(self.right("status", "--json"))["summary"]["devices"][0]["up"])
        self.right("device", "eth0", "up")
        self.assertTrue(json.loads(self.right("status", "--json"))["summary"]["devices"][0]["up"])
        self.assertEqual(self.ctl("device", "eth7", "down")[0], 66)

    def test_what_is_refused_has_its_lines_and_its_exit_code(self):
        status, out, complaint = self.ctl("set", "generator", "a", "thread=2", "packet_size=1")
        self.assertEqual((status, out), (65, ""), complaint)
        self.assertIn("unknown key; did you mean threads?", complaint)
        for line in complaint.splitlines():
            self.assertTrue(line.startswith("qdiscsimctl: "), complaint)
        self.assertEqual(self.ctl("pktgen", "nobody", "stop")[0], 66)
        self.assertEqual(self.ctl("pktgen", "nobody")[0], 66)
        self.assertEqual(self.ctl("qdisc", "dev", "eth7")[0], 66)
        self.assertEqual(self.ctl("pktgen", "a", "halt")[0], 64)
        over_tcp = subprocess.run([self.CTL, "--url", self.url, "reload"], capture_output=True,
                                  text=True, timeout=60, check=False)
        self.assertEqual(over_tcp.returncode, 77, over_tcp.stderr)
        self.assertIn(str(self.socket), over_tcp.stderr)

    def test_without_a_daemon_it_says_what_was_tried(self):
        self.daemon.stop()
        status, _, complaint = self.ctl("status")
        self.assertEqual(status, 69)
        self.assertIn(f"unix:{self.socket}: is not there", complaint)
        self.assertIn("is it running", complaint)

    def test_watch_and_top_print_as_many_as_were_asked_for(self):
        lines = self.right("watch", "--json", "-n", "2", "-i", "0.1").splitlines()
        self.assertEqual([sorted(json.loads(line)) for line in lines], [sorted(
            ["time", "state", "offered_pps", "delivered_pps", "dropped_pps", "backlog_packets"])] * 2)
        self.assertEqual(len(self.right("watch", "-n", "3", "-i", "0.1").splitlines()), 5)
        self.assertEqual(self.right("top", "-b", "-n", "2", "-i", "0.1").count("GENERATOR"), 2)

    def test_the_completion_knows_commands_and_live_names(self):
        script = self.folder / "completion.bash"
        script.write_text(self.right("completion", "bash"))
        for words, wanted in ((["st"], "status"), (["set", "generator", ""], "a b"),
                              (["qdisc", "dev", ""], "eth0 eth1"), (["pktgen", "a", ""], "start stop"),
                              (["top", "--asc"], "--ascii")):
            call = ["qdiscsimctl", "--socket", str(self.socket), *words]
            text = (f'. "{script}"\nCOMP_WORDS=({" ".join(repr(word) for word in call)})\n'
                    f"COMP_CWORD={len(call) - 1}\n_qdiscsimctl\necho \"${{COMPREPLY[*]}}\"\n"
                    ).replace("'qdiscsimctl'", repr(self.CTL))
            result = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60,
                                    check=False)
            self.assertEqual((result.stdout, result.stderr), (wanted + "\n", ""), words)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_the_manual_page_renders_without_a_warning(self):
        page = self.folder / "qdiscsimctl.1"
        page.write_text(self.right("manual"))
        result = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                                timeout=60, check=False, env={"PATH": "/usr/bin:/bin",
                                                              "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("EXIT STATUS", result.stdout)


if __name__ == "__main__":
    WithDaemon.CTL, WithDaemon.DAEMON = (str(pathlib.Path(sys.argv.pop(1)).resolve())
                                         for _ in range(2))
    unittest.main(verbosity=2)
