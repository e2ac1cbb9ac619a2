"""Whether more generator threads than cores keep the total throughput: 16 threads against 2, one
queue, dummy link, unlimited load, through the ring and with bypass."""

import sys

import lab

MARK = 0.70
FEW, MANY = 2, 16


def main():
    options = lab.parse(__doc__)
    report = lab.Report(f"{MANY} generators against {FEW}, dummy link", options)
    seconds, warmup = (0.1, 0.05) if options.smoke else (3, 0.5)

    def total(threads, bypass):
        return lambda: lab.engine_run(
            options, "dummy.yaml", seconds, warmup, f"generators[0].threads={threads}",
            f"devices[0].bypass={bypass}")["devices"][0]["tx_pps"] / 1e6

    cases = {f"bypass {'on' if bypass == 'true' else 'off'}": bypass
             for bypass in ("false", "true")}
    variants = {}
    for name, bypass in cases.items():
        variants[name, FEW] = total(FEW, bypass)
        variants[name, "again"] = total(FEW, bypass)
        variants[name, MANY] = total(MANY, bypass)
    results = lab.interleave(variants, options)

    for name in cases:
        few, many = results[name, FEW], results[name, MANY]
        report.figure(f"{name}: {FEW} generators", "Mpps", few)
        report.figure(f"{name}: {MANY} generators", "Mpps", many)
        report.figure(f"{name}: {FEW} generators / themselves (A/A control)", "ratio",
                      lab.ratios(results[name, "again"], few), 3)
        ratio = report.figure(f"{name}: {MANY} generators / {FEW}", "ratio",
                              lab.ratios(many, few), 3)
        report.mark(f"{name}: {MANY} generators / {FEW}", ratio, "at least", MARK)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
