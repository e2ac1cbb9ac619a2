"""The part `speed` of bench/rings.py: many producers, one consumer, capacity 1024, unpinned."""

import statistics

import lab

PRODUCERS = (2, 4, 8, 16)
BURSTS = (1, 8, 32)
OURS = ("locked", "locked_batched", "cas", "lanes", "rte_rts", "rte_hts")
PEERS = ("dpdk_rts", "dpdk_hts", "moodycamel")
# Each waits for its turn without giving its core away: slow by orders of magnitude with more
# threads than cores, so it moves less, in runs of its own.
BUSY = ("rte_mt_busy", "dpdk_mt")

# {pair: {burst: (least ratio at 2 and 4 producers, at 8 and 16)}}
MARKS = {
    ("cas", "locked"): {1: (2.5, 2.5), 8: (5, 3), 32: (8, 5)},
    ("cas", "best of dpdk_rts, dpdk_hts"): {1: (8, 8), 8: (4, 3), 32: (3, 1.7)},
    ("cas", "moodycamel"): {1: (2.2, 2.2), 8: (3, 2.2), 32: (5, 3)},
    ("lanes", "locked"): {1: (2.5, 2.5), 8: (4, 4), 32: (8, 8)},
    ("rte_rts", "dpdk_rts"): dict.fromkeys(BURSTS, (0.95, 0.95)),
    ("rte_hts", "dpdk_hts"): dict.fromkeys(BURSTS, (0.95, 0.95)),
    ("rte_mt_busy", "dpdk_mt"): dict.fromkeys(BURSTS, (0.95, 0.95)),
}
LEAST_KEPT = 0.5


def run(bench, producers, burst):
    """{ring: rates}, {ring: longest stalls in ms}; a ring that did not finish is absent."""
    options = ("-m", "mpsc", "-s", "1024", "--producers", producers, "--burst", burst, "--pop", 32)
    rates, stalls = {}, {}
    for rings, count, limit in ((OURS + PEERS, 2_000_000, None), (BUSY, 100_000, "20s")):
        rings = [ring for ring in rings if bench.has("mpsc", ring)]
        if len(rings) < 2:
            continue
        runs = bench.compare(rings, *options, count=count, time_limit=limit)
        if runs is not None:
            rates |= {ring: runs.rates(ring) for ring in rings}
            stalls |= {ring: runs.longest_stall_ms(ring) for ring in rings}
    if "dpdk_rts" in rates:
        rates["best of dpdk_rts, dpdk_hts"] = max(rates["dpdk_rts"], rates["dpdk_hts"],
                                                  key=statistics.median)
    return rates, stalls


def table(rates, stalls):
    lines = ["| M items/s (longest stall, ms) | " + " | ".join(
        f"{p} producers, burst {b}" for b in BURSTS for p in PRODUCERS) + " |",
        "|---|" + "---:|" * (len(BURSTS) * len(PRODUCERS))]
    for ring in OURS + PEERS + BUSY:
        cells = [f"{statistics.median(rates[p, b][ring]):.2f} ({max(stalls[p, b][ring]):.1f})"
                 if ring in rates[p, b] else "" for b in BURSTS for p in PRODUCERS]
        if any(cells):
            lines.append(f"| {ring} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def speed(bench):
    """mpsc, every ring in each round; ratios within the rounds against their marks."""
    rates, stalls = {}, {}
    for burst in BURSTS:
        for producers in PRODUCERS:
            rates[producers, burst], stalls[producers, burst] = run(bench, producers, burst)
    for (ours, other), marks in MARKS.items():
        for burst in BURSTS:
            for producers in PRODUCERS:
                here = rates[producers, burst]
                if ours not in here or other not in here:
                    continue
                name = f"{ours} / {other}, {producers} producers, burst {burst}"
                ratio = bench.report.figure(name, "ratio", lab.ratios(here[ours], here[other]))
                bench.report.mark(name, ratio, "at least", marks[burst][producers > 4], 2)
    for ring in OURS + PEERS:
        few, many = rates[PRODUCERS[0], 1].get(ring), rates[PRODUCERS[-1], 1].get(ring)
        if few is None:
            continue
        name = f"{ring}, burst 1: {PRODUCERS[-1]} producers / {PRODUCERS[0]}"
        kept = bench.report.figure(name, "ratio", lab.ratios(many, few))
        if ring in OURS:
            bench.report.mark(name, kept, "at least", LEAST_KEPT, 2)
    bench.report.note(table(rates, stalls))
