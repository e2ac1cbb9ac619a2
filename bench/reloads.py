"""Reloads under load: three configurations in turn, --count times. Nothing may leak, no packet may
be missing from the account, and none may take longer than 5 ms. How long one takes is an upper bound
of what the data plane sees: a queue whose rings change length is down for a part of it, a generator
that stays never stops."""

import pathlib
import sys
import tempfile

import endurance
import lab

PAUSE_MARK = 5.0  # ms
BASE = """\
seed: 1
memory: {limit: 32MiB, huge_pages: never}
devices:
  - {name: wire0, link: {kind: wire, rate: %(wire)s}, tx_queue_len: %(length)s}
  - {name: mq0, queues: 2}
generators:
  - {name: steady, device: wire0, ratep: %(rate)s,
     priority: [{priority: 6, weight: 20}, {priority: 0, weight: 60}, {priority: 2, weight: 20}]}
  - {name: burst, device: mq0, threads: %(threads)s, ratep: %(rate)s, burst: 8,
     xmit_mode: start_xmit, packet_size: {imix: 7:4:1}}
"""
VARIANTS = {  # each pair differs in lengths, link, rates and the number of threads
    "small": {"wire": "1Gbit", "length": 100, "rate": "200kpps", "threads": 1},
    "long": {"wire": "10Gbit", "length": 1000, "rate": "300kpps", "threads": 2},
    "many": {"wire": "100Mbit", "length": 500, "rate": "150kpps", "threads": 3},
}


def replace(config, text):
    """As an editor does: the file is whole at every moment."""
    new = config.with_suffix(".new")
    new.write_text(text)
    new.rename(config)


def run(options, report):
    count = 60 if options.smoke else options.count
    texts = [BASE % variant for variant in VARIANTS.values()]
    pauses, seen, progress = [], [], lab.Progress(count)
    with tempfile.TemporaryDirectory(prefix="qdiscsim-reloads-") as folder:
        config = pathlib.Path(folder) / "config.yaml"
        replace(config, texts[0])
        daemon = endurance.Patient(options, config)
        try:
            for turn in range(1, count + 1):
                progress.step(f"reload {turn} of {count}")
                replace(config, texts[turn % len(texts)])
                pauses.append(daemon.reload())
                if turn % len(texts) == 0:  # always in the same configuration
                    seen.append(daemon.resources())
                    if daemon.violations():
                        daemon.give_up(f"the account was broken after reload {turn}")
            daemon.stop()
        finally:
            progress.end()
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
    report.figure(f"a reload of {count:,}", "ms", pauses, 3)
    report.note(f"Reloads: p99 {lab.percentile(pauses, 99):.2f} ms, above {PAUSE_MARK:g} ms "
                f"{sum(pause > PAUSE_MARK for pause in pauses)} of {count:,}.")
    report.mark("longest reload in ms", max(pauses), "at most", PAUSE_MARK, 2)
    endurance.judge(report, seen)


def main():
    options = lab.parse(__doc__, lambda parser: parser.add_argument(
        "--count", type=int, default=10_000, help="reloads (default: %(default)s)"))
    report = lab.Report("Reloads under load", options)
    run(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
