"""Many daemons under one Prometheus: which site, which role, which instance. Reads the recording
rules of dashboards/prometheus/fleet (docs/fleet.md), so that a hundred daemons cost no more than one."""

from dashboard import RESTARTS, dashboard, row, variable
from grafana import (DROP_RATIO, LATENESS, UP_DOWN, YES_NO, ZERO_IS_WELL, bars, graph, query,
                     stat, states, table)

SITE = variable("site", "Site", 'label_values(up{job="qdiscsim"}, site)',
                "The label site of the file that lists the targets.")
ROLE = variable("role", "Role", 'label_values(up{job="qdiscsim", site=~"$site"}, role)',
                "The label role of the file that lists the targets.")
INSTANCE = variable("instance", "Instance", 'label_values(up{F, job="qdiscsim"}, instance)',
                    "Daemons of the chosen sites and roles, by the address that Prometheus scrapes.")

GROUP = "{{site}} {{role}}"
WITH_PLACE = "{{instance}} ({{site}} {{role}})"
DROPS = "sum(instance:qdiscsim_qdisc_drops:rate30s{S})"
OFFERED = "sum(instance:qdiscsim_qdisc_offered_packets:rate30s{S})"


def of(expression):
    return f"max by (instance) ({expression})"


DASHBOARD = dashboard(
    "qdiscsim-fleet", "qdiscsim: fleet",
    "Many daemons under one Prometheus, by site and role. Needs the recording rules of docs/fleet.md.",
    variables=[SITE, ROLE, INSTANCE], annotations=[RESTARTS],
    rows=[
        row("Now",
            stat("Instances up", "Daemons that answer, of the chosen ones.", "none",
                 'sum(up{S, job="qdiscsim"})', width=3),
            stat("Instances down", "Daemons that do not answer, of the chosen ones.", "none",
                 'count(up{S, job="qdiscsim"} == 0) or vector(0)', steps=ZERO_IS_WELL, width=3),
            stat("Sent", "Packets per second that left the devices of the chosen instances.", "pps",
                 "sum(instance:qdiscsim_device_tx_packets:rate30s{S})"),
            stat("Drop ratio", "Packets dropped, of those offered, all chosen instances together: the "
                 "ratio of the sums, not the mean of the ratios.", "percentunit",
                 f"{DROPS} / ({OFFERED} > 0)", steps=DROP_RATIO, decimals=2),
            stat("Worst p99", "The longest 99th percentile of the time in queue of any band of any "
                 "chosen instance.", "s",
                 "max(instance:qdiscsim_qdisc_sojourn_seconds:worst_p99_rate30s{S})"),
            stat("Alerts", "Alerts of qdiscsim that fire for the chosen instances.", "none",
                 'count(ALERTS{S, alertname=~"Qdiscsim.*", alertstate="firing"}) or vector(0)',
                 steps=ZERO_IS_WELL, width=3),
            stat("Violations", "Failed checks of the packet accounts, since the starts. Any value but 0 "
                 "is a bug in qdiscsim.", "none", "sum(qdiscsim_account_violations_total{S})",
                 steps=ZERO_IS_WELL, width=3)),
        row("Sites and roles",
            graph("Sent", "Packets per second that left the devices, one upon the other.", "pps",
                  query("site_role:qdiscsim_device_tx_packets:rate30s{F}", GROUP), stacked=True),
            graph("Drop ratio", "Packets dropped, of those offered. No line: nothing was offered.",
                  "percentunit", query("site_role:qdiscsim_qdisc_drop_ratio:rate30s{F}", GROUP),
                  steps=DROP_RATIO, limits=(0, 1)),
            graph("Time in queue",
                  "99th percentile over all packets of the site and role together; dashed, the longest "
                  "99th percentile of any band of any instance there.", "s",
                  query("site_role:qdiscsim_qdisc_sojourn_seconds:p99_rate30s{F}", f"{GROUP} p99"),
                  query("site_role:qdiscsim_qdisc_sojourn_seconds:worst_p99_rate30s{F}",
                        f"{GROUP} worst", dashed=True)),
            graph("Bits sent", "Bits per second that left the devices, without frame check sequence, one "
                  "upon the other.", "bps",
                  query("site_role:qdiscsim_device_tx_bits:rate30s{F}", GROUP), stacked=True),
            graph("Offered", "Packets per second that were offered to the qdiscs, one upon the other.",
                  "pps", query("site_role:qdiscsim_qdisc_offered_packets:rate30s{F}", GROUP),
                  stacked=True),
            graph("Instances", "Daemons that answer; dashed, all that the file lists.", "none",
                  query("site_role:qdiscsim_instances_up:sum{F}", f"{GROUP} up"),
                  query("site_role:qdiscsim_instances:count{F}", f"{GROUP} listed", dashed=True))),
        row("Instances",
            table("Every instance", "As of now; a click on an instance opens its overview.", "instance", [
                ("Up", 'max by (instance, site, role) (up{S, job="qdiscsim"})', "none",
                 {"values": UP_DOWN}),
                ("Sent", of("instance:qdiscsim_device_tx_packets:rate30s{S}"), "pps"),
                ("Drop ratio", of("instance:qdiscsim_qdisc_drop_ratio:rate30s{S}"), "percentunit",
                 {"steps": DROP_RATIO}),
                ("Worst p99", of("instance:qdiscsim_qdisc_sojourn_seconds:worst_p99_rate30s{S}"), "s"),
                ("Lag", of("qdiscsim_generator_behind_seconds{S}"), "s", {"steps": LATENESS}),
                ("Pages in no place", of("instance:qdiscsim_page_pool_stray_pages:sum{S}"), "short"),
                ("File runs", of("qdiscsim_config_last_reload_successful{S}"), "none",
                 {"values": YES_NO})],
                height=10, link=("Overview", "/d/qdiscsim-overview?var-instance=${__data.fields.instance}"
                                             "&${datasource:queryparam}&${__url_time_range}")),
            states("Up", "Whether Prometheus got an answer.", 'up{S, job="qdiscsim"}', WITH_PLACE,
                   UP_DOWN, width=12),
            bars("Builds", "Instances by version: a fleet that was updated has one bar.", "none",
                 "count by (version) (qdiscsim_build_info{S})", "{{version}}", width=12)),
        row("Most and worst",
            graph("Most sent", "The ten instances that send most.", "pps",
                  query("topk(10, instance:qdiscsim_device_tx_packets:rate30s{S})", WITH_PLACE)),
            graph("Worst drop ratio", "The ten instances that drop most of what is offered to them.",
                  "percentunit",
                  query("topk(10, instance:qdiscsim_qdisc_drop_ratio:rate30s{S})", WITH_PLACE),
                  limits=(0, 1)),
            graph("Longest lag", "The ten instances whose generators are furthest behind.", "s",
                  query("topk(10, max by (instance, site, role) (qdiscsim_generator_behind_seconds{S}))",
                        WITH_PLACE), steps=LATENESS)),
    ])
