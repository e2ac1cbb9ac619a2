"""A run of many minutes with every kind of link, a reload every few seconds and a scrape each second:
memory and files stay what they were, and the account is checked each second."""

import pathlib
import sys
import tempfile
import time

import endurance
import lab
import reloads

CONFIG = """\
seed: 1
memory: {limit: 64MiB, huge_pages: never}
devices:
  - {name: wire0, link: {kind: wire, rate: %(wire)s}, tx_queue_len: %(length)s,
     capture: {file: %(folder)s/wire0.pcapng, limit: 1MiB}}
  - {name: mq0, queues: 2, drain: dedicated, ring: {kind: mpsc}}
  - {name: vhost0, link: {kind: vhost_net}}
generators:
  - {name: steady, device: wire0, threads: %(threads)s, ratep: %(rate)s, packet_size: {imix: 7:4:1},
     priority: [{priority: 6, weight: 20}, {priority: 0, weight: 60}, {priority: 2, weight: 20}]}
  - {name: hashed, device: mq0, ratep: %(rate)s, flows: 16, flow_length: 4}
  - {name: guest, device: vhost0, ratep: %(rate)s, source: 'fd00::1', destination: 'fd00::2',
     udp_checksum: true}
"""
RELOAD_EVERY = 5  # seconds


def run(options, report):
    seconds = 3 if options.smoke else round(60 * options.minutes)
    every = 1 if options.smoke else RELOAD_EVERY
    variants = list(reloads.VARIANTS.values())
    seen, rates, progress = [], [], lab.Progress(seconds)
    with tempfile.TemporaryDirectory(prefix="qdiscsim-soak-") as folder:
        config = pathlib.Path(folder) / "config.yaml"
        def text(turn):
            return CONFIG % {"folder": folder, **variants[turn % len(variants)]}
        reloads.replace(config, text(0))
        daemon = endurance.Patient(options, config)
        try:
            packets, at = daemon.sent()
            for second in range(1, seconds + 1):
                progress.step(f"second {second} of {seconds}, {packets / 1e6:,.1f} million packets")
                time.sleep(1)
                if second % every == 0:
                    reloads.replace(config, text(second // every))
                    daemon.reload()
                before, since = packets, at
                packets, at = daemon.sent()
                rates.append((packets - before) / (at - since) / 1e6)
                seen.append(daemon.resources())
                if daemon.violations():
                    daemon.give_up(f"the account was broken in second {second}")
            daemon.stop()
        finally:
            progress.end()
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
    report.figure("sent, each second", "Mpps", rates, 3)
    report.note(f"{packets:,.0f} packets in {seconds} s; the account was looked at {seconds} times.")
    endurance.judge(report, seen)


def main():
    options = lab.parse(__doc__, lambda parser: parser.add_argument(
        "--minutes", type=float, default=30, help="how long (default: %(default)s)"))
    report = lab.Report("Soak", options)
    run(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
