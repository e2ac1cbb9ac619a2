"""What was asked for, what was offered, and whether it came in time."""

from dashboard import DEVICE, INSTANCE, dashboard, row, variable
from grafana import LATENESS, ZERO_IS_WELL, YES_NO, graph, heatmap, query, stat, states, table

GENERATOR = variable("generator", "Generator",
                     "label_values(qdiscsim_generator_running{D}, generator)",
                     "Groups of generators, by their names in the configuration.")

OFFERED = "rate(qdiscsim_generator_offered_packets_total{G}[R])"
SENT = "rate(qdiscsim_generator_sent_packets_total{G}[R])"
GROUP = "{{generator}} ({{instance}})"
THREAD = "{{generator}}/{{thread}} ({{instance}})"
LATENCY = "sum by (instance, generator, le) (rate(qdiscsim_generator_latency_seconds_bucket{G}[R]))"
# Threads without a rate have 0: there is nothing that they would have to reach.
LIMITED = "qdiscsim_generator_configured_packets_per_second{G} > 0"


def by_group(expression):
    return f"sum by (instance, generator) ({expression})"


def by_thread(expression, more=""):
    """A column of the table: one row for each thread, by a name that is its own in all instances. more:
    labels that become columns, of the first expression only."""
    return (f'label_join(sum by (instance, generator, thread{more}) ({expression}), '
            '"name", " ", "instance", "generator", "thread")')


DASHBOARD = dashboard(
    "qdiscsim-generators", "qdiscsim: generators",
    "What was asked of the generators, what they offered, and whether it came in time.",
    variables=[INSTANCE, DEVICE, GENERATOR],
    rows=[
        row("Now",
            stat("Offered", "Packets per second that the chosen generators handed to their devices.",
                 "pps", f"sum({OFFERED})"),
            stat("Asked for", "Packets per second that the generators with a rate were told to offer; "
                 "0 when none has one.", "pps",
                 "sum(qdiscsim_generator_configured_packets_per_second{G})"),
            stat("Accepted", "Packets that the devices accepted, of those offered.", "percentunit",
                 f"sum({SENT}) / (sum({OFFERED}) > 0)", decimals=1),
            stat("Lag", "How late the next packet of the latest generator is. QdiscsimGeneratorBehind "
                 "fires above 0.1 s.", "s", "max(qdiscsim_generator_behind_seconds{G})",
                 steps=LATENESS),
            stat("Running", "Generator threads that send now.", "none",
                 "sum(qdiscsim_generator_running{G})"),
            stat("No memory", "Attempts a second to build a packet that found no page.", "ops",
                 "sum(rate(qdiscsim_generator_no_memory_total{G}[R]))", steps=ZERO_IS_WELL)),
        row("Rates",
            graph("Offered against asked for",
                  "Packets per second that each group offers; dashed, the rate that it was told to "
                  "keep, for those that have one.", "pps",
                  query(by_group(OFFERED), "{{generator}} offered ({{instance}})"),
                  query(by_group(LIMITED), "{{generator}} asked for ({{instance}})", dashed=True),
                  width=12),
            graph("Offered against sent",
                  "Packets per second that the device accepts of each group; dashed, what the group "
                  "hands to it. The gap is dropped.", "pps",
                  query(by_group(SENT), "{{generator}} sent ({{instance}})"),
                  query(by_group(OFFERED), "{{generator}} offered ({{instance}})", dashed=True),
                  width=12),
            graph("Offered per thread", "Packets per second that each thread hands to its device.",
                  "pps", query(OFFERED, THREAD)),
            graph("Bits sent", "Bits per second that the device accepted of each group, without frame "
                  "check sequence.", "bps",
                  query(by_group("rate(qdiscsim_generator_sent_bytes_total{G}[R])") + " * 8", GROUP)),
            graph("Packet size", "Mean size of the accepted packets, without frame check sequence. No "
                  "line: nothing was accepted.", "bytes",
                  query(by_group("rate(qdiscsim_generator_sent_bytes_total{G}[R])")
                        + f" / ({by_group(SENT)} > 0)", GROUP))),
        row("In time",
            graph("Lag",
                  "How late each thread's next packet is against its schedule; 0 without a rate. Above "
                  "the line for 30 s, QdiscsimGeneratorBehind fires.", "s",
                  query("qdiscsim_generator_behind_seconds{G}", THREAD), steps=LATENESS, width=12),
            graph("Largest lag since the start",
                  "The largest lateness of each thread since it started: it never falls, a step is a "
                  "moment at which this machine was too busy.", "s",
                  query("qdiscsim_generator_behind_max_seconds{G}", THREAD), width=12)),
        row("From the intended send time to the wire",
            graph("Latency",
                  "Median and 99th percentile (dashed) of the time from when a packet was due "
                  "sent until the link sent it; a generator that is late counts it in full.", "s",
                  query(f"histogram_quantile(0.5, {LATENCY})", "{{generator}} p50 ({{instance}})"),
                  query(f"histogram_quantile(0.99, {LATENCY})", "{{generator}} p99 ({{instance}})",
                        dashed=True), width=12),
            heatmap("Latency, all chosen generators",
                    "How many sampled packets a second took how long.",
                    "sum by (le) (rate(qdiscsim_generator_latency_seconds_bucket{G}[R]))")),
        row("What went wrong",
            graph("Refused", "Packets per second that the device refused or dropped at once (errors in "
                  "pktgen).", "pps",
                  query(by_group("rate(qdiscsim_generator_errors_total{G}[R])"), GROUP)),
            graph("No memory", "Attempts a second to build a packet that found no page in the pool.",
                  "ops",
                  query(by_group("rate(qdiscsim_generator_no_memory_total{G}[R])"), GROUP)),
            states("Threads that send", "yes while a thread sends; no before its start, after its last "
                   "packet, and while it is stopped.", "qdiscsim_generator_running{G}", THREAD, YES_NO)),
        row("Threads",
            table("Every thread", "Each thread of each chosen generator, as of now.", "name", [
                ("Offered", by_thread(OFFERED, ", device"), "pps"),
                ("Sent", by_thread(SENT), "pps"),
                ("Asked for", by_thread("qdiscsim_generator_configured_packets_per_second{G}"), "pps"),
                ("Lag", by_thread("qdiscsim_generator_behind_seconds{G}"), "s", {"steps": LATENESS}),
                ("Largest lag", by_thread("qdiscsim_generator_behind_max_seconds{G}"), "s"),
                ("Refused in all", by_thread("qdiscsim_generator_errors_total{G}"), "short")],
                hidden=("instance", "generator", "thread"))),
    ])
