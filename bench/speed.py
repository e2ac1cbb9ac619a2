"""Mpps of one packet path on one core: one generator, 60-byte packets, dummy link, inline drain,
through the ring (bypass off), page recycled, all accounting on. In the same rounds, where it is
installed, dpdk-testpmd in txonly mode on its null device, at the same bursts on the same core."""

import os
import sys

import callgrind
import lab
import testpmd

MARK = 0.4
AGAIN = "burst 1, again"
# Without time stamps in the packets, as the kernel's own sample scripts have it (NO_TIMESTAMP), and
# as testpmd sends.
OURS = {"burst 1": [], AGAIN: [],
        "enqueue_burst 32": ["--enqueue-burst", "32"],
        "burst 1 with time stamps": ["--timestamp"],
        "enqueue_burst 32 with time stamps": ["--enqueue-burst", "32", "--timestamp"]}
PEERS = {"testpmd burst 1": 1, "testpmd burst 32": 32}


def add_options(parser):
    parser.add_argument("--callgrind", action="store_true",
                        help="also count instructions per packet by function (valgrind)")
    parser.add_argument("--packets", type=int, default=20_000_000,
                        help="of each measurement (default: %(default)s)")


def main():
    options = lab.parse(__doc__, add_options)
    report = lab.Report("Speed of one packet path, 60-byte packets", options)
    pipeline = lab.program(options, "bench/pipeline_bench")
    packets = 20_000 if options.smoke else options.packets
    cpu = max(os.sched_getaffinity(0))

    def ours(arguments):
        return lambda: lab.run_json(pipeline, "--json", "--packets", packets, *arguments,
                                    cpu=cpu)["mpps"]

    # Starting testpmd takes seconds: the smoke run does without.
    with_peer = testpmd.available() and not options.smoke
    variants = {name: ours(arguments) for name, arguments in OURS.items()}
    if with_peer:
        variants |= {name: lambda burst=burst: testpmd.run(burst, 3)
                     for name, burst in PEERS.items()}
    results = lab.interleave(variants, options)

    for name in variants:
        if name != AGAIN:
            report.figure(name, "Mpps", results[name])
    report.figure("burst 1 / itself (A/A control)", "ratio",
                  lab.ratios(results[AGAIN], results["burst 1"]), 3)
    for mine, theirs in (("burst 1", "testpmd burst 1"), ("enqueue_burst 32", "testpmd burst 32")):
        if with_peer:
            ratio = report.figure(f"{mine} / {theirs}", "ratio",
                                  lab.ratios(results[mine], results[theirs]), 3)
            report.mark(f"{mine} / {theirs}", ratio, "at least", MARK)
    if not testpmd.available():
        report.note(testpmd.missing())
    report.note("enqueue_burst hands pfifo_fast a list under one reservation: an extension of this "
                "simulator, which the kernel does not have.")
    report.note("testpmd has no queue between sender and driver: the ratio says what the queue, "
                "its run protocol and the accounts cost, not which program is better.")
    if options.callgrind and not callgrind.available():
        report.note("--callgrind needs valgrind (Debian package valgrind): nothing was counted.")
    elif options.callgrind:
        sizes = {"few": 1_000, "many": 3_000} if options.smoke else {}
        for name in ("burst 1", "enqueue_burst 32"):
            report.note(callgrind.table(name, callgrind.per_packet(pipeline, *OURS[name], **sizes)))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
