"""DPDK's testpmd sending to its null device: the peer of bench/speed.py. It sends packets of 60
bytes from a mempool of its own to a driver that frees them, on one core, and does nothing else: no
queue between sender and driver, no priorities, no accounts by band."""

import os
import re
import shutil
import signal
import statistics
import subprocess

PACKAGE = "dpdk-dev"


def available():
    return shutil.which("dpdk-testpmd") is not None and len(os.sched_getaffinity(0)) >= 2


def missing():
    """Why there are no figures of testpmd, for the reader of the report."""
    if shutil.which("dpdk-testpmd") is None:
        return f"dpdk-testpmd is not installed (Debian package {PACKAGE}): no ratio was measured."
    return "dpdk-testpmd needs two CPUs: no ratio was measured."


def packets_per_second(output):
    """The readings of the middle seconds: not the start, and not the second that it ends in."""
    readings = [int(number) for number in re.findall(r"Tx-pps:\s+(\d+)", output)]
    return readings[2:-1] or readings[-1:]


def run(burst, seconds):
    """Mpps at this burst: the median of `seconds` readings. Raises RuntimeError with its output."""
    cpus = sorted(os.sched_getaffinity(0))
    process = subprocess.Popen(
        ["dpdk-testpmd", "--no-huge", "--no-pci", "-l", f"{cpus[0]},{cpus[-1]}", "-m", "512",
         "--no-shconf", "--vdev=net_null0", "--", "--forward-mode=txonly", f"--burst={burst}",
         "--txpkts=60", "--nb-cores=1", "--total-num-mbufs=8192", "--stats-period", "1"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=seconds + 3.5)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
    readings = packets_per_second(output)
    if not readings or max(readings) == 0:
        raise RuntimeError(f"dpdk-testpmd sent nothing:\n{output[-2000:]}")
    return statistics.median(readings) / 1e6
