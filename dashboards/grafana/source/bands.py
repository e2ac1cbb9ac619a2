"""Where packets wait and where they are lost: the bands of pfifo_fast, and the device below."""

from dashboard import DEVICE, INSTANCE, dashboard, row, variable
from grafana import (DROP_RATIO, STUCK, UP_DOWN, ZERO_IS_WELL, bars, graph, heatmap, query, stat,
                     states)

BAND = variable("band", "Band", "label_values(qdiscsim_qdisc_limit_packets{D}, band)",
                "Bands of pfifo_fast; band 0 is served first.")

DROPS = "sum by (instance, device, band) (rate(qdiscsim_qdisc_drops_total{B}[R]))"
OFFERED = ("sum by (instance, device, band) (rate(qdiscsim_qdisc_enqueue_attempts_total{B}[R])"
           " + rate(qdiscsim_qdisc_bypassed_packets_total{B}[R]))")
BUCKETS = "sum by (instance, device, band, le) (rate(qdiscsim_qdisc_sojourn_seconds_bucket{B}[R]))"
OF_BAND = "{{device}} band {{band}} ({{instance}})"
OF_QUEUE = "{{device}}/{{queue}} ({{instance}})"

DASHBOARD = dashboard(
    "qdiscsim-bands", "qdiscsim: bands and drops",
    "Where packets wait and where they are lost: the bands of pfifo_fast, tx queues, the driver.",
    variables=[INSTANCE, DEVICE, BAND],
    rows=[
        row("Now",
            stat("Dropped", "Packets per second that the chosen bands dropped.", "pps",
                 "sum(rate(qdiscsim_qdisc_drops_total{B}[R]))"),
            stat("Band 0 dropped",
                 "Packets per second that band 0 dropped, whatever bands are chosen. It is served "
                 "first: drops there mean that it alone exceeds the link, or that its ring is too "
                 "short for its bursts.", "pps",
                 'sum(rate(qdiscsim_qdisc_drops_total{D, band="0"}[R]))', steps=ZERO_IS_WELL),
            stat("Backlog", "Packets in the rings of the chosen bands now.", "short",
                 "sum(qdiscsim_qdisc_backlog_packets{B})"),
            stat("Fullest band", "How full the fullest of the chosen bands' rings is.", "percentunit",
                 "max(qdiscsim_qdisc_backlog_packets{B} / (qdiscsim_qdisc_limit_packets{B} > 0))"),
            stat("Requeued", "Packets per second that the device did not take and that were put back.",
                 "pps", "sum(rate(qdiscsim_qdisc_requeues_total{B}[R]))"),
            stat("Stuck", "How long packets have waited with nobody to send them; the longest of all "
                 "tx queues. Anything but 0 is a lost wake-up, as kernel_bugs make.", "s",
                 "max(qdiscsim_queue_stuck_seconds{D})", steps=STUCK)),
        row("Drops",
            graph("Drops by band",
                  "Packets per second that each band of pfifo_fast dropped. Band 0 is served first: "
                  "drops there mean that it alone exceeds the link.", "pps", query(DROPS, OF_BAND)),
            graph("Drops by reason",
                  "overlimit: the band's ring was full. deactivated: the queue was down, as during a "
                  "reload that rebuilds it. driver (dashed): consumed by the driver without being sent.",
                  "pps",
                  query("sum by (instance, device, reason) (rate(qdiscsim_qdisc_drops_total{B}[R]))",
                        "{{device}} {{reason}} ({{instance}})"),
                  query("sum by (instance, device) "
                        "(rate(qdiscsim_device_tx_dropped_packets_total{D}[R]))",
                        "{{device}} driver ({{instance}})", dashed=True)),
            graph("Drop ratio by band",
                  "Packets that the band dropped, of those offered to it, bypassed ones counted. No "
                  "line: nothing was offered.", "percentunit",
                  query(f"{DROPS} / ({OFFERED} > 0)", OF_BAND), steps=DROP_RATIO, limits=(0, 1)),
            graph("Offered and sent by band",
                  "Packets per second that each band sent, queued or bypassed; dashed, those offered "
                  "to it.", "pps",
                  query("sum by (instance, device, band) (rate(qdiscsim_qdisc_packets_total{B}[R]))",
                        "{{device}} band {{band}} sent ({{instance}})"),
                  query(OFFERED, "{{device}} band {{band}} offered ({{instance}})", dashed=True)),
            graph("Bits sent by band", "Bits per second that each band sent, queued or bypassed.", "bps",
                  query("sum by (instance, device, band) (rate(qdiscsim_qdisc_bytes_total{B}[R])) * 8",
                        OF_BAND)),
            graph("Purged", "Packets per second that were queued and then discarded by a reset: a new "
                  "tx_queue_len, a device that went down.", "pps",
                  query("sum by (instance, device, band) (rate(qdiscsim_qdisc_purged_packets_total{B}[R]))",
                        OF_BAND))),
        row("Waiting",
            graph("Backlog against limit per band",
                  "Packets in the band's rings now; dashed, the limit (tx_queue_len times the number "
                  "of tx queues).", "short",
                  query("sum by (instance, device, band) (qdiscsim_qdisc_backlog_packets{B})", OF_BAND),
                  query("sum by (instance, device, band) (qdiscsim_qdisc_limit_packets{B})",
                        "{{device}} band {{band}} limit ({{instance}})", dashed=True), width=12),
            bars("Ring fill by band", "How full the band's rings are, all tx queues together.",
                 "percentunit",
                 "sum by (instance, device, band) (qdiscsim_qdisc_backlog_packets{B}) / "
                 "sum by (instance, device, band) (qdiscsim_qdisc_limit_packets{B})", OF_BAND,
                 steps=[("green", None), ("yellow", 0.7), ("red", 0.95)], limits=(0, 1), width=12),
            graph("Time in queue per band",
                  "Median and 99th percentile (dashed) of the time in the band's ring, of the packets "
                  "that are sampled. No line: nothing of the band had to wait.", "s",
                  query(f"histogram_quantile(0.5, {BUCKETS})",
                        "{{device}} band {{band}} p50 ({{instance}})"),
                  query(f"histogram_quantile(0.99, {BUCKETS})",
                        "{{device}} band {{band}} p99 ({{instance}})", dashed=True), width=12),
            heatmap("Time in queue, all chosen bands",
                    "How many sampled packets a second spent how long in a ring: the darker or "
                    "brighter against the page, the more.",
                    "sum by (le) (rate(qdiscsim_qdisc_sojourn_seconds_bucket{B}[R]))"),
            graph("Bytes waiting", "Bytes in the band's rings now.", "bytes",
                  query("sum by (instance, device, band) (qdiscsim_qdisc_backlog_bytes{B})", OF_BAND)),
            graph("Through the queue or past it",
                  "Packets per second that found the qdisc empty and went straight to the device "
                  "(bypassed), that went through a ring (dequeued), and that came back because the "
                  "device did not take them (requeued).", "pps",
                  query("sum by (instance, device) (rate(qdiscsim_qdisc_bypassed_packets_total{B}[R]))",
                        "{{device}} bypassed ({{instance}})"),
                  query("sum by (instance, device) (rate(qdiscsim_qdisc_dequeued_packets_total{B}[R]))",
                        "{{device}} dequeued ({{instance}})"),
                  query("sum by (instance, device) (rate(qdiscsim_qdisc_requeues_total{B}[R]))",
                        "{{device}} requeued ({{instance}})")),
            graph("Put back", "Packets in the requeue list and the bad-txq list of each tx queue now: "
                  "the device would not take them.", "short",
                  query("qdiscsim_queue_requeue_backlog_packets{D}", OF_QUEUE))),
        row("Device",
            states("Devices", "up, or down as by ip link set down: packets offered then are dropped "
                   "with reason deactivated.", "qdiscsim_device_up{D}", "{{device}} ({{instance}})",
                   UP_DOWN),
            graph("Tx queue stopped",
                  "Share of the time that a tx queue was stopped: its driver ring was full, or its "
                  "byte limit reached.", "percentunit",
                  query("rate(qdiscsim_device_stopped_seconds_total{D}[R])", OF_QUEUE), limits=(0, 1)),
            graph("Stuck queues and transmit timeouts",
                  "How long packets have waited with nobody to send them; dashed, how often the "
                  "watchdog found a tx queue stopped for over 5 s. Both stay at 0 in a healthy run.",
                  "none",
                  query("qdiscsim_queue_stuck_seconds{D}", "{{device}}/{{queue}} stuck, s ({{instance}})"),
                  query("increase(qdiscsim_device_trans_timeout_total{D}[R])",
                        "{{device}}/{{queue}} timeouts ({{instance}})", dashed=True)),
            graph("Driver ring", "Packets posted to the driver ring and not yet completed.", "short",
                  query("qdiscsim_device_driver_ring_packets{D}", OF_QUEUE)),
            graph("Byte queue limit",
                  "Bytes posted to the driver and not yet completed; dashed, the limit that BQL found.",
                  "bytes",
                  query("qdiscsim_device_bql_inflight_bytes{D}",
                        "{{device}}/{{queue}} in flight ({{instance}})"),
                  query("qdiscsim_device_bql_limit_bytes{D}",
                        "{{device}}/{{queue}} limit ({{instance}})", dashed=True)),
            graph("Past the qdisc", "Packets per second handed to the driver without asking the qdisc "
                  "(start_xmit).", "pps",
                  query("rate(qdiscsim_queue_direct_packets_total{D}[R])", OF_QUEUE)),
            graph("Catching up", "Share of the time that the link made up for because the host ran it "
                  "late: far above 0, this machine is too busy for the link's rate.", "percentunit",
                  query("rate(qdiscsim_device_link_catch_up_seconds_total{D}[R])",
                        "{{device}} ({{instance}})"))),
        row("Guests and captures",
            graph("vhost_net: packets of the guest",
                  "Packets per second that the guest has received; devices of kind vhost_net only.",
                  "pps", query("rate(qdiscsim_device_guest_packets_total{D}[R])", OF_QUEUE), width=6),
            graph("vhost_net: wake-ups and waits",
                  "Times a second that the vhost worker woke the guest (dashed), and found no packet or "
                  "no buffer; devices of kind vhost_net only.", "cps",
                  query("rate(qdiscsim_device_vhost_waits_total{D}[R])",
                        "{{device}}/{{queue}} {{reason}} ({{instance}})"),
                  query("rate(qdiscsim_device_guest_signals_total{D}[R])",
                        "{{device}}/{{queue}} signals ({{instance}})", dashed=True), width=6),
            graph("Captured packets",
                  "Packets per second that went to the capture file and (dashed) that its writer had "
                  "no room for; devices with a capture only.", "pps",
                  query("rate(qdiscsim_capture_packets_total{D}[R])",
                        "{{device}} captured ({{instance}})"),
                  query("rate(qdiscsim_capture_missed_packets_total{D}[R])",
                        "{{device}} missed ({{instance}})", dashed=True), width=6),
            graph("Captures", "Bytes in the capture file; devices with a capture only.", "bytes",
                  query("qdiscsim_capture_bytes_total{D}", "{{device}} ({{instance}})"), width=6),
            collapsed=True),
    ])
