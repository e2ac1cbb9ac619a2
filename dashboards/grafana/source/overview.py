"""Is it well, and what comes through? The first page to open."""

from dashboard import DEVICE, INSTANCE, dashboard, row
from grafana import (DROP_RATIO, LATENESS, YES_NO, ZERO_IS_WELL, bars, graph, query, stat, states,
                     table)

DASHBOARD = dashboard(
    "qdiscsim-overview", "qdiscsim: overview",
    "Is the simulator well, and what comes through: packets, drops, time in queue, the daemon.",
    variables=[INSTANCE, DEVICE],
    rows=[
        row("Now",
            stat("Sent", "Packets per second that left the chosen devices.", "pps",
                 "sum(rate(qdiscsim_device_tx_packets_total{D}[R]))"),
            stat("Offered", "Packets per second that the generators handed to the chosen devices.",
                 "pps", "sum(rate(qdiscsim_generator_offered_packets_total{D}[R]))"),
            stat("Drop ratio", "Packets dropped at the qdisc, of those offered to it.", "percentunit",
                 "sum(rate(qdiscsim_qdisc_drops_total{D}[R]))"
                 " / (sum(rate(qdiscsim_queue_offered_packets_total{D}[R])) > 0)",
                 steps=DROP_RATIO, decimals=2),
            stat("Time in queue, p99",
                 "99th percentile of the time in a band's ring, over all bands of the chosen devices; "
                 "of the packets that are sampled.", "s",
                 "histogram_quantile(0.99,"
                 " sum by (le) (rate(qdiscsim_qdisc_sojourn_seconds_bucket{D}[R])))"),
            stat("Generator lag",
                 "How far the latest generator is behind its schedule. Above zero for long, this "
                 "machine does not reach the configured rate.", "s",
                 "max(qdiscsim_generator_behind_seconds{D})", steps=LATENESS),
            stat("Alerts", "Alerts of qdiscsim that fire now in this Prometheus; 0 without the rules.",
                 "none", 'count(ALERTS{alertname=~"Qdiscsim.*", alertstate="firing"}) or vector(0)',
                 steps=ZERO_IS_WELL, width=2),
            stat("Violations",
                 "Checks of the packet accounts that failed since the start. Any value but 0 is a bug "
                 "in qdiscsim.", "none", "sum(qdiscsim_account_violations_total{I})",
                 steps=ZERO_IS_WELL, width=2)),
        row("Throughput",
            graph("Sent per device", "Packets per second that the link has sent and completed.", "pps",
                  query("sum by (instance, device) (rate(qdiscsim_device_tx_packets_total{D}[R]))",
                        "{{device}} ({{instance}})"), width=12),
            graph("Bits sent per device, against the link",
                  "Bits per second that left the device, without frame check sequence, preamble and "
                  "gap; dashed, the rate of the link on the wire (0 has no limit). Small packets stay "
                  "well below it: 60 bytes cost 84 on the wire.", "bps",
                  query("sum by (instance, device) (rate(qdiscsim_device_tx_bytes_total{D}[R])) * 8",
                        "{{device}} sent ({{instance}})"),
                  query("qdiscsim_device_link_bits_per_second{D}", "{{device}} link ({{instance}})",
                        dashed=True), width=12),
            graph("Offered against sent per generator",
                  "What the device accepts of each group of generators; dashed, what the group hands "
                  "to it. The gap is dropped.", "pps",
                  query("sum by (instance, generator) "
                        "(rate(qdiscsim_generator_sent_packets_total{D}[R]))",
                        "{{generator}} sent ({{instance}})"),
                  query("sum by (instance, generator) "
                        "(rate(qdiscsim_generator_offered_packets_total{D}[R]))",
                        "{{generator}} offered ({{instance}})", dashed=True), width=12),
            graph("Received", "Packets per second delivered to the receiving stack (netif_receive); 0 "
                  "without a generator in that mode.", "pps",
                  query("sum by (instance, device) (rate(qdiscsim_device_received_packets_total{D}[R]))",
                        "{{device}} ({{instance}})"), width=12)),
        row("Queues",
            graph("Drop ratio per device",
                  "Packets dropped at the qdisc, of those offered to it. No line: nothing was offered. "
                  "QdiscsimDropRatioHigh fires above 10 %.", "percentunit",
                  query("sum by (instance, device) (rate(qdiscsim_qdisc_drops_total{D}[R])) / "
                        "(sum by (instance, device) (rate(qdiscsim_queue_offered_packets_total{D}[R]))"
                        " > 0)", "{{device}} ({{instance}})"),
                  steps=DROP_RATIO, limits=(0, 1)),
            graph("Backlog per device",
                  "Packets in the rings of all bands now; dashed, their limits added up.", "short",
                  query("sum by (instance, device) (qdiscsim_qdisc_backlog_packets{D})",
                        "{{device}} ({{instance}})"),
                  query("sum by (instance, device) (qdiscsim_qdisc_limit_packets{D})",
                        "{{device}} limit ({{instance}})", dashed=True)),
            graph("Time in queue per device",
                  "Median and 99th percentile (dashed) of the time in a band's ring, of the packets "
                  "that are sampled. No line: nothing had to wait.", "s",
                  query("histogram_quantile(0.5, sum by (instance, device, le) "
                        "(rate(qdiscsim_qdisc_sojourn_seconds_bucket{D}[R])))",
                        "{{device}} p50 ({{instance}})"),
                  query("histogram_quantile(0.99, sum by (instance, device, le) "
                        "(rate(qdiscsim_qdisc_sojourn_seconds_bucket{D}[R])))",
                        "{{device}} p99 ({{instance}})", dashed=True))),
        row("Daemon",
            states("File and configuration",
                   "yes: the configuration in the file is the one that runs. no: the last reload found "
                   "mistakes and changed nothing; the log names them.",
                   "qdiscsim_config_last_reload_successful{I}", "{{instance}}", YES_NO),
            bars("Configuration reloads", "Reloads by result, since the start.", "none",
                 "sum by (instance, result) (qdiscsim_config_reloads_total{I})",
                 "{{result}} ({{instance}})"),
            table("Builds", "Version and compiler of each daemon, and since when it runs.", "instance", [
                ("Build", "qdiscsim_build_info{I}", "none"),
                ("Up for", "sum by (instance) ((time() - process_start_time_seconds{I}) "
                 "and on (instance) qdiscsim_build_info)", "s")],
                width=8, hidden=("__name__", "job", "Value #A")),
            graph("CPU", "CPUs that the process keeps busy. Threads of the data plane poll: one each is "
                  "normal.", "none",
                  query("rate(process_cpu_seconds_total{I}[R]) and on (instance) qdiscsim_build_info",
                        "{{instance}}"), width=6),
            graph("Memory", "Resident memory of the process; the arena is part of it.", "bytes",
                  query("process_resident_memory_bytes{I} and on (instance) qdiscsim_build_info",
                        "resident ({{instance}})"), width=6),
            graph("File descriptors", "Open file descriptors of the process; dashed, their limit.",
                  "none",
                  query("process_open_fds{I} and on (instance) qdiscsim_build_info",
                        "open ({{instance}})"),
                  query("process_max_fds{I} and on (instance) qdiscsim_build_info",
                        "limit ({{instance}})", dashed=True), width=6),
            graph("Scrapes", "Time that collecting and writing the previous answer of /metrics took.",
                  "s", query("qdiscsim_scrape_duration_seconds{I}", "{{instance}}"), width=6)),
    ])
