"""What the Smp policy costs (PtrRing against the same ring in plain std::atomic), and the three
cases of the kernel's page_pool benchmark, interleaved."""

import sys

import lab

FORMS = ("round_trip", "batch", "locked")
POOL_CASES = {"page_pool01_fast_path": "page_pool fast: recycled directly",
              "page_pool02_ptr_ring": "page_pool ring: recycled through the ring",
              "page_pool03_slow": "page_pool slow: an extra reference, to the allocator"}


def nanoseconds_per_entry(options):
    seconds = 0.001 if options.smoke else 0.1
    output = lab.run_json(lab.program(options, "bench/ring_micro"), "--benchmark_format=json",
                          f"--benchmark_min_time={seconds}")
    return {entry["name"]: 1e9 / entry["items_per_second"] for entry in output["benchmarks"]}


def nanoseconds_per_page(options):
    pages = 20_000 if options.smoke else 10_000_000
    output = lab.run_json(lab.program(options, "bench/ring/ring_bench"), "-m", "page_pool",
                          "--ring", ",".join(POOL_CASES), "-N", pages, "--json")
    return {run["ring"]: run["figures"]["ns/page"] for run in output["runs"]}


def main():
    options = lab.parse(__doc__)
    report = lab.Report("Rings and pages alone, one thread", options)
    results = lab.interleave({
        "rings": lambda: nanoseconds_per_entry(options),
        "pools": lambda: nanoseconds_per_page(options),
    }, options)
    for form in FORMS:
        took = {name: [round_[f"{form}/{name}"] for round_ in results["rings"]]
                for name in ("ptr_ring", "std_atomic", "std_atomic_again")}
        report.figure(f"{form}: PtrRing with its policies", "ns/entry", took["ptr_ring"])
        report.figure(f"{form}: the same ring in std::atomic", "ns/entry", took["std_atomic"])
        report.figure(f"{form}: std::atomic / itself (A/A control)", "ratio",
                      lab.ratios(took["std_atomic_again"], took["std_atomic"]), 3)
        ratio = report.figure(f"{form}: PtrRing / std::atomic", "ratio",
                              lab.ratios(took["ptr_ring"], took["std_atomic"]), 3)
        report.mark(f"{form}: the policy costs nothing (PtrRing / std::atomic)", ratio,
                    "at most", 1.05)
    for case, name in POOL_CASES.items():
        report.figure(name, "ns/page", [round_[case] for round_ in results["pools"]])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
