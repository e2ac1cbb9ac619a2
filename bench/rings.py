"""The published comparisons of rings, in one go: each figure beside the published one.

Parts: generations (of ptr_ring), overcommit (rte_ring), virtio_test, vhost_net, speed (many
producers). `--part NAME` runs one of them; it may be given several times."""

import sys

import lab
import rings_lab
import rings_speed
from rings_published import PUBLISHED

GENERATIONS = ("zero_batch", "zero_each", "clear_after_head", "clear_after_head_barriers")
AVAIL = ("drop_avail_index", "cache_avail_index")
VHOST = ("zero_each", "zero_batch", "zero_batch_consume_batched")


def generations(bench):
    """Instructions and time of ptr_ring's generations, each against zero_batch."""
    base = GENERATIONS[0]
    for mode in ("simple", "spsc"):
        counted = {ring: bench.instructions(ring, "-m", mode, "-s", "1000")
                   for ring in GENERATIONS}
        runs = bench.compare(GENERATIONS, "-m", mode, "-s", "1000", count=4_000_000)
        for ring in GENERATIONS:
            name = f"{mode}, {ring}"
            bench.report.figure(f"{name}: rate", "M items/s", runs.rates(ring))
            if counted[ring] is not None:
                bench.value(f"{name}: instructions", "an item", counted[ring])
            if ring == base:
                continue
            time = bench.report.figure(f"{name}: time / {base}", "ratio",
                                       lab.ratios(runs.rates(base), runs.rates(ring)), 3)
            bench.beside(f"{name}: time / {base}", time, PUBLISHED["generations"],
                         (mode, ring, "time"))
            if counted[ring] is None:
                continue
            share = counted[ring] / counted[base]
            bench.beside(f"{name}: instructions / {base}", share, PUBLISHED["generations"],
                         (mode, ring, "instructions"))
            if ring == "clear_after_head":
                bench.report.mark(f"{name}: instructions / {base}", share, "at most", 0.999)


def overcommit(bench):
    """More threads than cores: waiting for one's turn (MT) against the modes that do not."""
    for threads, cpus in ((2, bench.cpus[:1]), (8, bench.cpus[:2])):
        rings = [ring for ring in ("rte_hts", "rte_rts", "rte_mt", "rte_mt_busy", "dpdk_hts",
                                   "dpdk_rts", "dpdk_mt") if bench.has("stress", ring)]
        # A run is over after this time, however little was moved.
        limit = "50ms" if bench.smoke else "1s"
        runs = bench.compare(rings, "-m", "stress", "--producers", threads, "--time-limit", limit,
                             "--pin", ",".join(map(str, cpus)), count=10**12)
        where = f"{threads} threads on {len(cpus)} CPUs" if len(cpus) > 1 else \
            f"{threads} threads on 1 CPU"
        cycles = {ring: runs.figures(ring, "cycles/object") for ring in rings}
        for ring in rings:
            here = bench.report.figure(f"{where}, {ring}", "cycles/object", cycles[ring], 1)
            mode = ring.removeprefix("rte_").removeprefix("dpdk_")
            bench.beside(f"{where}, {ring}: cycles/object", here, PUBLISHED["overcommit"],
                         (threads, len(cpus), mode), 1)
        for slow, quick in (("rte_mt_busy", "rte_hts"), ("rte_mt_busy", "rte_rts"),
                            ("dpdk_mt", "dpdk_hts"), ("dpdk_mt", "dpdk_rts")):
            if slow not in cycles or quick not in cycles:
                continue
            name = f"{where}: {slow} / {quick}"
            ratio = bench.report.figure(name, "ratio", lab.ratios(cycles[slow], cycles[quick]), 1)
            bench.beside(name, ratio, PUBLISHED["overcommit"],
                         (threads, len(cpus), "mt / " + quick.split("_")[1]), 1)
            bench.report.mark(name, ratio, "at least", 100, 1)


def virtio_test(bench):
    """The vhost side keeps the avail index that enable_notify has read, or reads it again. The
    driver comes at random times, or (lockstep) between the host's two looks at the index."""
    rings = tuple(f"{ring}{schedule}" for schedule in ("", "_lockstep") for ring in AVAIL)
    for title, *extra in (("notify always", "--notify-always"), ("notify as usual",)):
        options = ["-m", "virtio_test", "--batch", "64", *extra]
        counted = {ring: bench.instructions(ring, *options) for ring in rings}
        runs = bench.compare(rings, *options, count=2_000_000)
        for ring in rings:
            name = f"{title}, {ring}"
            bench.report.figure(f"{name}: rate", "M buffers/s", runs.rates(ring))
            for figure in ("kicks/buffer", "avail idx reads/buffer"):
                bench.report.figure(f"{name}: {figure}", "a buffer", runs.figures(ring, figure), 4)
            if counted[ring] is not None:
                bench.value(f"{name}: instructions", "a buffer", counted[ring])
        for drop, cache in zip(rings[::2], rings[1::2]):
            name = f"{title}: time, {cache} / {drop}"
            time = bench.report.figure(name, "ratio",
                                       lab.ratios(runs.rates(drop), runs.rates(cache)), 3)
            bench.beside(name, time, PUBLISHED["virtio_test"], (title, "time"))
            if counted[drop] is None:
                continue
            name = f"{title}: instructions, {cache} / {drop}"
            share = counted[cache] / counted[drop]
            bench.beside(name, share, PUBLISHED["virtio_test"], (title, "instructions"))
            if extra:
                bench.report.mark(name, share, "at most", 0.8)
    bench.report.note("virtio_test: a kick is a system call, and callgrind does not count what the "
                      "kernel does in it; perf, which the published counts are from, does.")


def vhost_net(bench):
    """pktgen to a tun ring to a vhost worker: what three generations pass on and drop."""
    runs = bench.compare(VHOST, "-m", "vhost_net", count=2_000_000)
    for ring in VHOST:
        for figure, unit in (("xmit Mpps", "Mpps"), ("dropped Mpps", "Mpps"),
                             ("total Mpps", "Mpps"), ("drop share %", "%")):
            name = f"vhost_net, {ring}: {figure.rsplit(' ', 1)[0]}"
            here = bench.report.figure(name, unit, runs.figures(ring, figure))
            bench.beside(f"{name}, {unit}", here, PUBLISHED["vhost_net"], (ring, figure), 2)
    shares = {ring: runs.figures(ring, "drop share %") for ring in VHOST}
    bench.report.mark("vhost_net: the share dropped falls with consume_batched, in points",
                      sorted(a - b for a, b in zip(shares["zero_batch"],
                                                   shares["zero_batch_consume_batched"],
                                                   strict=True))[len(shares["zero_batch"]) // 2],
                      "at least", 0.1)


PARTS = {"generations": generations, "overcommit": overcommit, "virtio_test": virtio_test,
         "vhost_net": vhost_net, "speed": rings_speed.speed}


def add_options(parser):
    parser.add_argument("--part", action="append", choices=PARTS,
                        help="only this part (may be repeated; default: all)")


def main():
    options = lab.parse(__doc__, add_options)
    bench = rings_lab.Bench(options, "Rings, beside what was published of them")
    for name, part in PARTS.items():
        if options.part is None or name in options.part:
            part(bench)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
