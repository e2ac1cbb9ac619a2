"""Running qdiscsimds and a real Prometheus that scrapes them, for tests. Both listen on loopback
ports that the system chooses, keep their data in a temporary folder and are ended by stop()."""

import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parents[1] / "dashboards" / "prometheus"

# Waiting for another program is polling: so many tries, so far apart. A wait that comes true goes
# on at once; only a test that fails uses them all.
TRIES = 600
SECONDS_BETWEEN_TRIES = 0.1

NAME = re.compile(r"(?<![\w:\"$])((?:qdiscsim|process)_\w+|up\b|ALERTS\b|\w+:qdiscsim_[\w:]+)")
SELECTOR = re.compile(NAME.pattern + r"(\{[^}]*\})?")


def names_of(expression):
    """The metrics that an expression asks for."""
    return set(NAME.findall(re.sub(r'"[^"]*"', '""', expression)))


def catalogue(qdiscsimd):
    """Every series name that the daemon documents; a histogram has three."""
    text = subprocess.run([qdiscsimd, "--print-metrics-reference"], check=True,
                          capture_output=True, text=True).stdout
    names = set(re.findall(r"\b(?:qdiscsim|process)_\w+", text))
    return names | {name + suffix for name in names for suffix in ("_bucket", "_sum", "_count")}


def until(what, probe, evidence=lambda: ""):
    """The first true answer of probe(). Fails with what was waited for, and the evidence."""
    answer = None
    for _ in range(TRIES):
        answer = probe()
        if answer:
            return answer
        time.sleep(SECONDS_BETWEEN_TRIES)
    raise AssertionError(f"never saw {what}; last answer: {answer!r}\n{evidence()}")


class Program:
    """A child process whose output is kept, line by line."""

    def __init__(self, *command, folder=None):
        self.lines = []
        self.process = subprocess.Popen([str(word) for word in command], cwd=folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout),
                                       daemon=True)
        self.reader.start()

    def log(self):
        return "".join(self.lines)

    def find(self, pattern):
        """What the first group of pattern matched in the output, once it is there."""
        def look():
            match = re.search(pattern, self.log())
            if match is None and self.process.poll() is not None:
                self.reader.join()
                match = re.search(pattern, self.log())
                if match is None:
                    raise AssertionError(f"ended with {self.process.returncode}:\n{self.log()}")
            return match
        return until(pattern, look, self.log)[1]

    def stop(self):
        """Ends the process, and returns its exit status."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        return self.process.returncode


class OverSocket(http.client.HTTPConnection):
    """HTTP over the UNIX socket of a daemon."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Daemon(Program):
    """A qdiscsimd with a configuration of this folder, which listens where the system lets it."""

    def __init__(self, qdiscsimd, name, folder):
        super().__init__(qdiscsimd, HERE / name, folder=folder)
        try:
            self.address = self.find(r"listening on http://(127\.0\.0\.1:\d+)")
        except AssertionError:
            self.stop()
            raise

    def end(self):
        """Ends it, and fails when its accounts do not add up."""
        status = self.stop()
        assert status == 0, f"exit status {status}: the accounts do not add up\n{self.log()}"


def fleet_files(folder, addresses):
    """A copy of dashboards/prometheus that scrapes each second, and in place of the addresses in
    fleet/targets those given. Returns the configuration of the fleet's Prometheus."""
    place = pathlib.Path(folder) / "prometheus"
    shutil.copytree(RULES, place)
    config = place / "fleet" / "prometheus.yml"
    config.write_text(config.read_text().replace("_interval: 5s", "_interval: 1s"))
    for path in (place / "fleet" / "targets").glob("*.yml"):
        text = path.read_text()
        for name, address in addresses.items():
            text = text.replace(f'"{name}"', f'"{address}"')
        path.write_text(text)
    return config


class Prometheus:
    def __init__(self, config, folder):
        self.program = Program("prometheus", f"--config.file={config}",
                               f"--storage.tsdb.path={folder}/data",
                               "--web.listen-address=127.0.0.1:0")
        try:
            address = self.program.find(r'msg="Listening on" address=(\S+)')
        except AssertionError:
            self.program.stop()
            raise
        self.url = f"http://{address}/api/v1/"

    def stop(self):
        return self.program.stop()

    def ask(self, path, **parameters):
        """The data of an API answer; a refused request raises with Prometheus' own words."""
        url = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # still starting
                return None
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def query(self, expression):
        """Every series of an instant query, as {labels..., "value": number}; NaN is left out."""
        data = self.ask("query", query=expression)
        found = []
        for series in data["result"] if data else []:
            value = float(series["value"][1])
            if value == value:
                found.append({**series["metric"], "value": value})
        return found

    def rules(self):
        """Every loaded rule, as Prometheus describes it."""
        data = self.ask("rules")
        return [rule for group in data["groups"] for rule in group["rules"]] if data else []
