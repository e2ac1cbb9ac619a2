"""What it costs to watch the daemon: throughput with and without a scrape a second, how long a
scrape takes under full load, how soon after its start the daemon is ready, how much memory the
quick start takes. The scraper runs on the same machine: its share of the CPUs is in the figures."""

import contextlib
import http.client
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import time

import lab

COST_MARK = 0.01           # of throughput, for one scrape a second
LATENCY_MARK = 20.0        # ms, 99th percentile
READY_MARK = 200.0         # ms
MEMORY_MARK = 64.0         # MiB
QUICKSTART = lab.ROOT / "config" / "examples" / "quickstart.yaml"
TX_PACKETS = re.compile(rb"^qdiscsim_device_tx_packets_total\{[^}]*\} (\S+)", re.MULTILINE)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    """A running qdiscsimd, ready to be scraped."""

    LOG_LEVEL = "warning"

    def __init__(self, options, config, *settings):
        self.port = free_port()
        command = [str(lab.program(options, "daemon/qdiscsimd")), str(config), "--no-progress",
                   "--log-level", self.LOG_LEVEL, "--listen", f"127.0.0.1:{self.port}"]
        for setting in settings:
            command += ["--set", setting]
        started = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.wait_until_ready(started + 20)
        self.ready_ms = 1e3 * (time.monotonic() - started)
        self.connection = self.connect()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def wait_until_ready(self, deadline):
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                sys.exit("bench: qdiscsimd ended at once:\n" + self.process.stderr.read().decode())
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = self.connect()
                connection.request("GET", "/-/ready")
                status = connection.getresponse().status
                connection.close()
                if status == 200:
                    return
            time.sleep(0.001)
        self.process.kill()
        sys.exit("bench: qdiscsimd was not ready within 20 s")

    def scrape(self):
        """The text of /metrics, over one connection that stays open, as Prometheus does."""
        self.connection.request("GET", "/metrics")
        return self.connection.getresponse().read()

    def sent(self):
        """(packets sent so far, when)."""
        before = time.monotonic()
        text = self.scrape()
        at = (before + time.monotonic()) / 2
        return sum(float(value) for value in TX_PACKETS.findall(text)), at

    def mpps(self, seconds, scrape_every=None):
        """Over so many seconds. The readings at both ends are scrapes too, in every variant."""
        packets_before, started = self.sent()
        end = started + seconds
        due = started + scrape_every if scrape_every else end
        while due < end - 1e-6:
            time.sleep(max(0.0, due - time.monotonic()))
            self.scrape()
            due += scrape_every
        time.sleep(max(0.0, end - time.monotonic()))
        packets, ended = self.sent()
        return (packets - packets_before) / (ended - started) / 1e6

    def resident_mib(self):
        """VmRSS and, which the kernel counts apart, huge pages from the reserved pool."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return sum(int(kib) for kib in
                   re.findall(r"^(?:VmRSS|HugetlbPages):\s+(\d+) kB", status, re.MULTILINE)) / 1024

    def stop(self):
        """Exit code 0 says that the law of accounts held."""
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=30)
        if self.process.returncode != 0:
            sys.exit(f"bench: qdiscsimd ended with {self.process.returncode}:\n{errors.decode()}")


@contextlib.contextmanager
def running(options, config, *settings):
    daemon = Daemon(options, config, *settings)
    try:
        yield daemon
        daemon.stop()
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


def measure_cost(options, report):
    """One daemon, phases with and without scrapes in turn: two runs are never compared."""
    seconds, every = (0.3, 0.1) if options.smoke else (8, 1)
    with running(options, lab.CONFIGS / "dummy.yaml") as daemon:
        time.sleep(0.1 if options.smoke else 2)
        results = lab.interleave({
            "unwatched": lambda: daemon.mpps(seconds),
            "unwatched again": lambda: daemon.mpps(seconds),
            "watched": lambda: daemon.mpps(seconds, every)}, options)
    # Two unwatched phases a round: their mean is the steadier denominator.
    unwatched = [statistics.mean(pair) for pair in
                 zip(results["unwatched"], results["unwatched again"], strict=True)]
    report.figure("2 generators, no scrapes", "Mpps", unwatched)
    report.figure("2 generators, one scrape a second", "Mpps", results["watched"])
    report.figure("no scrapes, again / before (A/A control)", "ratio",
                  lab.ratios(results["unwatched again"], results["unwatched"]), 4)
    cost = report.figure("cost of one scrape a second", "of throughput",
                         [1 - ratio for ratio in lab.ratios(results["watched"], unwatched)], 4)
    report.mark("cost of one scrape a second, of throughput", cost, "at most", COST_MARK, 4)


def measure_latency(options, report, threads):
    count, pause = (10, 0.005) if options.smoke else (400, 0.05)
    took = []
    with running(options, lab.CONFIGS / "dummy.yaml", f"generators[0].threads={threads}") as daemon:
        progress = lab.Progress(count)
        for _ in range(count):
            progress.step(f"scrapes under {threads} generators")
            time.sleep(pause)
            started = time.perf_counter()
            size = len(daemon.scrape())
            took.append(1e3 * (time.perf_counter() - started))
        progress.end()
    name = f"a scrape under {threads} unlimited generators"
    report.figure(f"{name} ({size:,} bytes)", "ms", took)
    p99 = lab.percentile(took, 99)
    report.note(f"{name}: p50 {lab.percentile(took, 50):.2f} ms, p99 {p99:.2f} ms, "
                f"max {max(took):.2f} ms of {count}.")
    report.mark(f"{name}, p99 in ms", p99, "at most", LATENCY_MARK, 2)


def measure_start(options, report):
    starts, memory = [], []
    rounds = max(options.rounds, 2)
    progress = lab.Progress(rounds)
    for _ in range(rounds):
        progress.step("start of the quick start")
        with running(options, QUICKSTART) as daemon:
            starts.append(daemon.ready_ms)
            time.sleep(0.2 if options.smoke else 5)
            memory.append(daemon.resident_mib())
    progress.end()
    report.figure("quick start: from exec until /-/ready says 200", "ms", starts, 1)
    report.mark("slowest start in ms", max(starts), "at most", READY_MARK, 1)
    report.figure("quick start: resident memory after 5 s", "MiB", memory, 1)
    report.mark("most resident memory in MiB", max(memory), "at most", MEMORY_MARK, 1)


def main():
    options = lab.parse(__doc__)
    report = lab.Report("Watching the daemon", options)
    measure_cost(options, report)
    for threads in (2, 8):
        measure_latency(options, report, threads)
    measure_start(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
