#!/usr/bin/env python3
"""A running qdiscsimd that is changed through its UNIX socket while it sends.

usage: control_test.py QDISCSIMD [unittest arguments]
The seed of the random changes is printed; QDISCSIM_SEED repeats it.
"""

import json
import os
import pathlib
import random
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
from lab import OverSocket, Program, until  # noqa: E402  pylint: disable=wrong-import-position

CONFIG = """\
http: {{listen: '127.0.0.1:0'}}
control: {{socket: {socket}}}
memory: {{limit: 64MiB, huge_pages: never}}
devices: [{{name: eth0, link: {{kind: wire}}}}, {{name: eth1, queues: 2}}]
generators:
  - {{name: a, device: eth0, ratep: 50kpps}}
  - {{name: b, device: eth1, ratep: 50kpps, enabled: false}}
"""
QDISCSIMD = ""  # set by the program


class Control(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-control-")
        self.addCleanup(folder.cleanup)
        self.socket = pathlib.Path(folder.name) / "control.sock"
        config = pathlib.Path(folder.name) / "config.yaml"
        config.write_text(CONFIG.format(socket=self.socket))
        self.program = Program(QDISCSIMD, config)
        self.addCleanup(lambda: self.program.process.poll() is None and self.program.stop())
        self.program.find(r"(ready in)")
        self.connection = OverSocket(self.socket)
        self.addCleanup(self.connection.close)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read().decode()

    def metric(self, name, **labels):
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(float(line.rsplit(" ", 1)[1])
                   for line in self.ask("GET", "/metrics")[1].splitlines()
                   if line.startswith((name + "{", name + " ")) and all(word in line for word in wanted))

    def assert_exact(self):
        self.assertEqual(self.program.stop(), 0, self.program.log())
        self.assertIn("accounts: exact", self.program.log())

    def test_a_group_starts_and_stops(self):
        def sent(group):
            return self.metric("qdiscsim_generator_sent_packets_total", generator=group)
        until("packets of a", lambda: sent("a") > 0, self.program.log)
        self.assertEqual(sent("b"), 0)
        self.assertEqual(self.ask("POST", "/api/v1/generators/b/start")[0], 200)
        until("packets of b", lambda: sent("b") > 0, self.program.log)
        self.assertEqual(self.ask("POST", "/api/v1/generators/a/stop")[0], 200)
        self.assertEqual(self.metric("qdiscsim_generator_running", generator="a"), 0)
        stopped = sent("a")
        self.assertEqual(self.ask("POST", "/api/v1/generators/a/start")[0], 200)
        until("more packets of a", lambda: sent("a") > stopped, self.program.log)
        self.assert_exact()

    def test_a_group_that_has_reached_its_count_starts_anew(self):
        self.assertEqual(self.ask("PATCH", "/api/v1/generators/b",
                                  {"count": 100, "ratep": None, "enabled": True})[0], 200)
        for rounds in (1, 2):
            until("the count of b", lambda rounds=rounds: self.metric(
                "qdiscsim_generator_sent_packets_total", generator="b") == 100 * rounds and
                self.metric("qdiscsim_generator_running", generator="b") == 0, self.program.log)
            self.assertEqual(self.ask("POST", "/api/v1/generators/b/start")[0], 200)
        self.assert_exact()

    def test_a_reload_goes_back_to_the_file(self):
        before = self.ask("GET", "/api/v1/config")[1]
        status, answer = self.ask("PATCH", "/api/v1/devices/eth0",
                                  {"tx_queue_len": 77, "link": {"rate": "2Gbit"}})
        self.assertEqual(status, 200, answer)
        changed = self.ask("GET", "/api/v1/config")[1]
        self.assertIn("tx_queue_len: 77", changed)
        self.assertIn("rate: 2Gbit", changed)
        status, answer = self.ask("POST", "/-/reload")
        self.assertEqual(status, 200, answer)
        self.assertIn("1 change made while running gave way to the file",
                      json.loads(answer)["changes"])
        self.assertEqual(self.ask("GET", "/api/v1/config")[1], before)
        self.assert_exact()

    def test_a_refused_change_changes_nothing(self):
        before = self.ask("GET", "/api/v1/config")[1]
        for path, body, expected in (
                ("generators/a", {"threads": 0}, 422), ("generators/a", {"device": "eth1"}, 409),
                ("devices/eth0", {"tx_queue_len": 10**6}, 422), ("devices/eth1", {"queues": 3}, 409),
                ("generators/a", {"threads": 2, "nonsense": 1}, 422),
                ("devices/eth0", {"link": {"kind": "wier"}}, 422),
                ("devices/eth0", {"link": {"kind": "dummy"}}, 422)):
            with self.subTest(path=path, body=body):
                status, answer = self.ask("PATCH", f"/api/v1/{path}", body)
                self.assertEqual(status, expected, answer)
                problem = json.loads(answer)
                self.assertTrue(problem["detail"])
                self.assertEqual(problem["type"], "urn:qdiscsim:problem:" +
                                 ("conflict" if expected == 409 else "wrong-change"))
        self.assertEqual(self.ask("GET", "/api/v1/config")[1], before)
        self.assert_exact()

    def test_a_device_that_is_down_drops_until_it_is_set_up(self):
        def dropped():
            return self.metric("qdiscsim_qdisc_drops_total", device="eth0", reason="deactivated")

        def sent():
            return self.metric("qdiscsim_device_tx_packets_total", device="eth0")
        until("packets on the wire", lambda: sent() > 0, self.program.log)
        self.assertEqual(json.loads(self.ask("POST", "/api/v1/devices/eth0/down")[1])["changes"],
                         ["eth0: up -> down"])
        self.assertEqual(self.metric("qdiscsim_device_up", device="eth0"), 0)
        until("drops", lambda: dropped() > 0, self.program.log)
        again = json.loads(self.ask("POST", "/api/v1/devices/eth0/down")[1])
        self.assertEqual(again, {"applied": True, "changes": []})
        self.assertEqual(self.ask("PATCH", "/api/v1/devices/eth0", {"tx_queue_len": 9})[0], 200)
        self.assertEqual(self.ask("POST", "/-/reload")[0], 200)
        self.assertFalse(next(device["up"] for device in
                              json.loads(self.ask("GET", "/api/v1/summary")[1])["devices"]
                              if device["name"] == "eth0"))
        until("more drops", lambda before=dropped(): dropped() > before, self.program.log)
        self.assertEqual(self.ask("POST", "/api/v1/devices/eth0/up")[0], 200)
        self.assertEqual(self.metric("qdiscsim_device_up", device="eth0"), 1)
        until("more packets on the wire", lambda before=sent(): sent() > before, self.program.log)
        self.assert_exact()

    def test_a_stalled_queue_shows_as_stuck_and_goes_on(self):
        def sent():
            return self.metric("qdiscsim_device_tx_packets_total", device="eth0")

        def stall(milliseconds, device="eth0", queue=0):
            return self.ask("POST", f"/api/v1/devices/{device}/queues/{queue}/stall",
                            {"milliseconds": milliseconds})
        until("packets on the wire", lambda: sent() > 0, self.program.log)
        status, answer = stall(60000)
        self.assertEqual(status, 200, answer)
        until("a stuck queue", lambda: self.metric("qdiscsim_queue_stuck_seconds", device="eth0") > 1,
              self.program.log)
        self.assertEqual(self.metric("qdiscsim_queue_stalls_total", device="eth0"), 1)
        self.assertEqual(self.metric("qdiscsim_device_stopped", device="eth0"), 1)
        self.assertGreater(self.metric("qdiscsim_queue_stalled_seconds_total", device="eth0"), 1)
        self.assertNotIn("report this as a bug", self.program.log())
        self.assertEqual(stall(1, queue=1)[0], 404)
        self.assertEqual(self.ask("POST", "/api/v1/devices/eth1/down")[0], 200)
        self.assertEqual(stall(1, device="eth1")[0], 409)
        self.assertEqual(stall(1, device="eth1", queue=2)[0], 404)
        self.assertEqual(self.ask("POST", "/-/reload")[0], 200)
        self.assertEqual(self.metric("qdiscsim_device_stopped", device="eth0"), 1)
        # The end of the daemon ends the stall, and what waited leaves.
        self.assert_exact()
        self.assertNotIn("the drain was given up", self.program.log())

    def test_a_stall_ends_by_itself(self):
        def stopped():
            return self.metric("qdiscsim_device_stopped", device="eth1")
        self.assertEqual(self.ask("POST", "/api/v1/devices/eth1/queues/1/stall",
                                  {"milliseconds": 300})[0], 200)
        until("the end of the stall", lambda: stopped() == 0, self.program.log)
        self.assertGreaterEqual(self.metric("qdiscsim_queue_stalled_seconds_total", device="eth1"), 0.3)
        self.assert_exact()

    def test_a_daemon_can_end_while_a_device_is_down(self):
        self.assertEqual(self.ask("POST", "/api/v1/devices/eth0/down")[0], 200)
        self.assert_exact()

    def test_the_socket_of_another_daemon_is_left_alone(self):
        self.socket.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(self.socket))
            self.assert_exact()
            self.assertTrue(self.socket.exists())

    def test_the_account_holds_through_a_storm_of_changes(self):
        seed = int(os.environ.get("QDISCSIM_SEED", random.SystemRandom().randrange(2**32)))
        print(f"QDISCSIM_SEED={seed}", flush=True)
        choose = random.Random(seed)
        changes = (
            lambda: ("POST", f"generators/{choose.choice('ab')}/start", None),
            lambda: ("POST", f"generators/{choose.choice('ab')}/stop", None),
            lambda: ("PATCH", f"generators/{choose.choice('ab')}",
                     {"threads": choose.randint(1, 4), "ratep": f"{choose.randint(1, 200)}kpps"}),
            lambda: ("PATCH", "generators/a", {"packet_size": choose.randint(42, 1514)}),
            lambda: ("PATCH", f"devices/eth{choose.randint(0, 1)}",
                     {"tx_queue_len": choose.randint(1, 300)}),
            lambda: ("POST", f"devices/eth{choose.randint(0, 1)}/{choose.choice(('up', 'down'))}", None),
            lambda: ("POST", f"devices/eth1/queues/{choose.randint(0, 1)}/stall",
                     {"milliseconds": choose.randint(1, 20)}),
            lambda: ("POST", "devices/eth0/queues/0/stall", {"milliseconds": choose.randint(1, 20)}),
            lambda: ("PATCH", "devices/eth0", {"link": {"rate": f"{choose.randint(1, 10)}Gbit"}}),
            lambda: ("POST", "reload", None))
        for _ in range(150):
            method, path, body = choose.choice(changes)()
            status, answer = self.ask(method, f"/api/v1/{path}", body)
            down = path.endswith("stall") and "is down" in answer
            self.assertEqual(status, 409 if down else 200, (path, body, answer))
        self.assertEqual(self.metric("qdiscsim_account_violations_total"), 0)
        self.assert_exact()


if __name__ == "__main__":
    QDISCSIMD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
