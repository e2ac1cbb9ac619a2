"""A running qdiscsimd and a real Prometheus that scrapes it, for tests. Both listen on loopback
ports that the system chooses, keep their data in a temporary folder and are ended by stop()."""

import json
import pathlib
import re
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

RULES = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "prometheus"

# Waiting for another program is polling: so many tries, so far apart. A wait that comes true goes
# on at once; only a test that fails uses them all.
TRIES = 300
SECONDS_BETWEEN_TRIES = 0.1


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

    def __init__(self, *command):
        self.lines = []
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
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


class Prometheus:
    def __init__(self, folder, target):
        folder = pathlib.Path(folder)
        config = folder / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
            f"rule_files: ['{RULES}/*.rules.yml']\n"
            "scrape_configs:\n"
            "  - job_name: qdiscsim\n"
            f"    static_configs: [targets: ['{target}']]\n")
        self.program = Program("prometheus", f"--config.file={config}",
                               f"--storage.tsdb.path={folder / 'data'}",
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
