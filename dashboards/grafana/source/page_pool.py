"""Where pages come from and where they go, and whether all come home."""

from dashboard import INSTANCE, dashboard, row, variable
from grafana import RECYCLED, ZERO_IS_WELL, graph, query, stat

POOL = variable("pool", "Pool", "label_values(qdiscsim_page_pool_inflight_pages{I}, pool)",
                "page_pools, by the generator thread that owns them.")

STAYED = 'rate(qdiscsim_page_pool_recycle_total{P, path=~"cached|ring"}[R])'
CAME_HOME = 'rate(qdiscsim_page_pool_recycle_total{P, path!="cache_full"}[R])'
WALKED = 'rate(qdiscsim_page_pool_alloc_total{P, path=~"slow|slow_high_order"}[R])'
HANDED_OUT = ('rate(qdiscsim_page_pool_alloc_total'
              '{P, path=~"fast|slow|slow_high_order|refill"}[R])')
OF_POOL = "{{pool}} ({{instance}})"
# As the recording rule instance:qdiscsim_page_pool_stray_pages:sum, so that none is needed.
STRAY = ("sum by (instance) (qdiscsim_page_pool_inflight_pages{I})"
         " - sum by (instance) (qdiscsim_page_pool_cache_pages{I})"
         ' - sum by (instance) (qdiscsim_ring_occupancy{I, ring=~"pool .+"})'
         " - sum by (instance) (qdiscsim_qdisc_backlog_packets{I})"
         " - sum by (instance) (qdiscsim_queue_requeue_backlog_packets{I})"
         " - sum by (instance) (qdiscsim_device_driver_ring_packets{I})")


def ratio(part, whole, by=""):
    by = f" by ({by})" if by else ""
    return f"sum{by} ({part}) / (sum{by} ({whole}) > 0)"


DASHBOARD = dashboard(
    "qdiscsim-page-pool", "qdiscsim: page_pool",
    "Where pages come from, where they go, and whether all come home.",
    variables=[INSTANCE, POOL],
    rows=[
        row("Now",
            stat("Recycled", "Pages that stayed in their pool, of those that came home.", "percentunit",
                 ratio(STAYED, CAME_HOME), steps=RECYCLED, decimals=1),
            stat("From the allocator", "Pages that cost a walk to the allocator, of those handed out.",
                 "percentunit", ratio(WALKED, HANDED_OUT), decimals=1),
            stat("In flight", "Pages that the chosen pools have taken and not given back: in cache and "
                 "ring, and in use.", "short", "sum(qdiscsim_page_pool_inflight_pages{P})"),
            stat("Free in the arena", "Pages of the arena in no pool, of all (memory.limit). At 0 "
                 "generators find no page.", "percentunit",
                 "min(qdiscsim_arena_free_pages{I} / qdiscsim_arena_pages{I})",
                 steps=[("red", None), ("yellow", 0.02), ("green", 0.1)], decimals=1),
            stat("Leaked", "Pages that a faulty consumer keeps for ever, on purpose (generators[].leak).",
                 "short", "sum(qdiscsim_page_pool_leaked_pages{P})", steps=ZERO_IS_WELL),
            stat("Pools that cannot end", "Pools whose generator has gone and that wait for pages for "
                 "over a minute.", "none",
                 "count(qdiscsim_page_pool_teardown_seconds{P} > 60) or vector(0)",
                 steps=ZERO_IS_WELL)),
        row("Paths",
            graph("Pages handed out, by path",
                  "fast: from the cache. refill: from the ring. slow, slow_high_order: from the "
                  "allocator. empty (the ring had nothing) and waive (a page of the wrong NUMA node) "
                  "come on top and are counted again.", "ops",
                  query("sum by (instance, path) (rate(qdiscsim_page_pool_alloc_total{P}[R]))",
                        "{{path}} ({{instance}})"), width=12),
            graph("Pages that came home, by path",
                  "cached and ring: kept for the next packet. ring_full and released_refcnt: lost to "
                  "the pool. cache_full comes on top: that page was tried at the ring next.", "ops",
                  query("sum by (instance, path) (rate(qdiscsim_page_pool_recycle_total{P}[R]))",
                        "{{path}} ({{instance}})"), width=12),
            graph("Recycle ratio", "Pages that stayed in the pool, of those that came home.",
                  "percentunit", query(ratio(STAYED, CAME_HOME, "instance, pool"), OF_POOL),
                  limits=(0, 1)),
            graph("From the allocator", "Pages that cost a walk to the allocator, of those handed out.",
                  "percentunit", query(ratio(WALKED, HANDED_OUT, "instance, pool"), OF_POOL),
                  limits=(0, 1)),
            graph("Taken from the arena, and given back",
                  "Pages per second that each pool took from the allocator; dashed, gave back to it.",
                  "ops",
                  query("rate(qdiscsim_page_pool_hold_pages_total{P}[R])",
                        "{{pool}} taken ({{instance}})"),
                  query("rate(qdiscsim_page_pool_release_pages_total{P}[R])",
                        "{{pool}} given back ({{instance}})", dashed=True))),
        row("Places",
            graph("Pages in flight",
                  "Pages that each pool has taken and not given back: in its cache, in its ring and in "
                  "use. It must find a bound: endless growth is a leak.", "short",
                  query("qdiscsim_page_pool_inflight_pages{P}", OF_POOL)),
            graph("Caches", "Pages in each pool's cache now.", "short",
                  query("qdiscsim_page_pool_cache_pages{P}", OF_POOL)),
            graph("Ring occupancy", "How full each ring is: the bands' and the page_pools'.",
                  "percentunit",
                  query("qdiscsim_ring_occupancy{I} / qdiscsim_ring_capacity{I}",
                        "{{ring}} ({{instance}})"), limits=(0, 1)),
            graph("Arena", "Pages of the arena in no pool; dashed, all of them (memory.limit).", "short",
                  query("qdiscsim_arena_free_pages{I}", "free ({{instance}})"),
                  query("qdiscsim_arena_pages{I}", "all ({{instance}})", dashed=True)),
            graph("No page found", "Attempts a second to build a packet that found no page in the pool: "
                  "every page of the arena is taken.", "ops",
                  query("sum by (instance, generator) (rate(qdiscsim_generator_no_memory_total{I}[R]))",
                        "{{generator}} ({{instance}})"))),
        row("Leaks",
            graph("Pages in no place",
                  "Pages that rest in no pool and whose packet waits nowhere: in somebody's hand for a "
                  "moment, or for ever. Copies of a packet (clone_skb) share a page: below 0 then. "
                  "QdiscsimPagePoolLeak looks at its least value of ten minutes.", "short",
                  query(STRAY, "{{instance}}"), limits=(None, None)),
            graph("Leaked on purpose", "Pages that a faulty consumer keeps for ever (generators[].leak).",
                  "short", query("qdiscsim_page_pool_leaked_pages{P}", OF_POOL)),
            graph("Pools that wait for their pages",
                  "How long the pool of a generator that went has waited for its pages; else 0.", "s",
                  query("qdiscsim_page_pool_teardown_seconds{P}", OF_POOL),
                  steps=[("green", None), ("red", 60)])),
    ])
