"""Whether a 1 Gbit/s wire carries exactly what it must: packets of 60 bytes are 64 with FCS and 84
with preamble and gap, so 1,488,095 leave in a second whenever more are offered. And whether band 0
loses nothing while it alone is below the line rate and band 1 floods."""

import sys

import lab

LINE_RATE = 1e9 / (84 * 8)  # packets per second
TOLERANCE = 0.001
THREADS = (1, 2, 8)


def dropped(result, band):
    return sum(queue["bands"][band]["dropped_since_start"]
               for device in result["devices"] for queue in device["queues"])


def main():
    options = lab.parse(__doc__)
    report = lab.Report("Truth of the 1 Gbit/s wire, 60-byte packets", options)
    seconds, warmup = (0.2, 0.1) if options.smoke else (5, 1)

    def flood(threads):
        return lambda: lab.engine_run(options, "wire.yaml", seconds, warmup,
                                      f"generators[0].threads={threads}")

    variants = {threads: flood(threads) for threads in THREADS}
    variants["bands"] = lambda: lab.engine_run(options, "bands.yaml", seconds, warmup)
    results = lab.interleave(variants, options)

    for threads in THREADS:
        sent = [result["devices"][0]["tx_pps"] for result in results[threads]]
        report.figure(f"sent with {threads} generators, over {seconds} s", "packets/s", sent, 0)
        worst = max(abs(rate / LINE_RATE - 1) for rate in sent)
        report.mark(f"{threads} generators: the run farthest from {LINE_RATE:,.0f} packets/s, "
                    "relative", worst, "at most", TOLERANCE, 6)
        late = [result["devices"][0]["catch_up_seconds"] for result in results[threads]]
        report.figure(f"transmit time made up for because the host ran late, {threads} generators",
                      "s", late, 4)
    first = [dropped(result, 0) for result in results["bands"]]
    second = [dropped(result, 1) for result in results["bands"]]
    report.figure("500 kpps in band 0 beside a flood in band 1: sent in all", "packets/s",
                  [result["devices"][0]["tx_pps"] for result in results["bands"]], 0)
    bands = [result["devices"][0]["queues"][0]["bands"] for result in results["bands"]]
    report.figure("band 0 entered its queue or passed by it", "packets/s",
                  [band[0]["enqueued_pps"] + band[0]["bypassed_pps"] for band in bands], 0)
    report.figure("band 0 dropped, whole run", "packets", first, 0)
    report.figure("band 1 dropped, whole run", "packets", second, 0)
    report.mark("most packets that band 0 dropped in a run", max(first), "at most", 0, 0)
    report.mark("fewest packets that band 1 dropped in a run", min(second), "at least", 1, 0)
    report.note("Rates are per second of CLOCK_MONOTONIC, not of the simulator's own clock.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
