#!/usr/bin/env python3
"""What a running daemon answers is what its own description of the API promises.

usage: openapi_test.py QDISCSIMD [unittest arguments]
"""

import http.client
import json
import pathlib
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
from lab import OverSocket, Program  # noqa: E402  pylint: disable=wrong-import-position

CONFIG = """\
http: {{listen: '127.0.0.1:0'}}
control: {{socket: {socket}}}
memory: {{limit: 64MiB, huge_pages: never}}
devices: [{{name: eth0, link: {{kind: wire}}}}, {{name: eth1, queues: 2}}]
generators: [{{name: a, device: eth0, ratep: 50kpps}}, {{name: b, device: eth1, enabled: false}}]
"""
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
QDISCSIMD = ""  # set by the program


class OpenApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-openapi-")
        cls.addClassCleanup(folder.cleanup)
        cls.socket = pathlib.Path(folder.name) / "control.sock"
        config = pathlib.Path(folder.name) / "config.yaml"
        config.write_text(CONFIG.format(socket=cls.socket))
        cls.program = Program(QDISCSIMD, config)
        cls.addClassCleanup(cls.program.stop)
        cls.port = int(cls.program.find(r"listening on http://127\.0\.0\.1:(\d+)"))
        cls.program.find(r"(ready in)")
        cls.document = json.loads(DOCUMENT.read_text())

    def connections(self):
        for connection in (http.client.HTTPConnection("127.0.0.1", self.port, timeout=60),
                           OverSocket(self.socket)):
            self.addCleanup(connection.close)
            yield connection

    def check(self, operation, answer):
        """The body, held against the schema of its status and type."""
        described = operation["responses"][str(answer.status)]
        kind = answer.headers["Content-Type"].split(";")[0]
        schema = described["content"][kind]["schema"]
        if kind == "text/event-stream":
            lines = [answer.readline().decode() for _ in range(4)]
            self.assertEqual(lines[:3], ["retry: 1000\n", "\n", "event: summary\n"])
            data = lines[3]
            body = json.loads(data.removeprefix("data: "))
            schema = {"$ref": "#/components/schemas/Summary"}
        else:
            body = answer.read().decode()
            body = json.loads(body) if kind.endswith("json") else body
        jsonschema.Draft202012Validator({**schema, "components": self.document["components"]}
                                        ).validate(body)
        return body

    def test_every_reading_has_what_its_schema_requires_on_both_listeners(self):
        for number, _ in enumerate(("tcp", "unix")):
            for path, operations in self.document["paths"].items():
                if "get" not in operations:
                    continue
                with self.subTest(path=path, listener=number):
                    connection = list(self.connections())[number]
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    self.assertEqual(answer.status, 200)
                    self.check(operations["get"], answer)

    def test_every_change_and_every_refusal_has_what_its_schema_requires(self):
        asked = (
            ("patch", "/api/v1/generators/{name}", "a", {"ratep": "40kpps"}, 200),
            ("patch", "/api/v1/generators/{name}", "a", {"nonsense": 1}, 422),
            ("patch", "/api/v1/generators/{name}", "a", {}, 400),
            ("patch", "/api/v1/generators/{name}", "z", {"threads": 1}, 404),
            ("post", "/api/v1/generators/{name}/start", "b", None, 200),
            ("post", "/api/v1/generators/{name}/stop", "b", None, 200),
            ("patch", "/api/v1/devices/{name}", "eth0", {"tx_queue_len": 50}, 200),
            ("patch", "/api/v1/devices/{name}", "eth1", {"queues": 3}, 409),
            ("post", "/api/v1/devices/{name}/down", "eth1", None, 200),
            ("post", "/api/v1/devices/{name}/queues/{queue}/stall", "eth1", {"milliseconds": 1}, 409),
            ("post", "/api/v1/devices/{name}/up", "eth1", None, 200),
            ("post", "/api/v1/devices/{name}/queues/{queue}/stall", "eth1", {"milliseconds": 1}, 200),
            ("post", "/api/v1/devices/{name}/queues/{queue}/stall", "eth1", {"seconds": 1}, 422),
            ("post", "/api/v1/reload", "", None, 200),
            ("post", "/-/reload", "", None, 200),
            ("post", "/api/v1/counters/reset", "", None, 403))
        tcp, unix = self.connections()
        changes = {(verb, path) for path, operations in self.document["paths"].items()
                   for verb in operations if verb != "get"}
        self.assertEqual(changes, {(verb, path) for verb, path, *_ in asked})
        for verb, path, name, body, status in asked:
            for connection, expected in ((tcp, 403), (unix, status)):
                with self.subTest(path=path, name=name, body=body, expected=expected):
                    connection.request(verb.upper(), path.format(name=name, queue=1),
                                       None if body is None else json.dumps(body),
                                       {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    self.assertEqual(answer.status, expected)
                    self.check(self.document["paths"][path][verb], answer)


if __name__ == "__main__":
    QDISCSIMD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
