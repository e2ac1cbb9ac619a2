"""Published figures that the benches of rings stand beside: {part: (source, {what: value})}.

Absolute values belong to their authors' machines; ratios can be compared."""

# (mode, generation, what): against the baseline of the same mail.
_GENERATIONS = {
    ("simple", "clear_after_head", "time"): 2401 / 2562,
    ("simple", "clear_after_head", "instructions"): 16124210769 / 17424207772,
    ("spsc", "clear_after_head", "time"): 2.5422 / 2.6538,
    ("spsc", "clear_after_head_barriers", "time"): 2.5587 / 2.6538,
    ("spsc", "clear_after_head", "instructions"): 22586035716 / 24202160722,
    ("spsc", "clear_after_head_barriers", "instructions"): 22756292370 / 24202160722,
}

# (threads, cores, mode): cycles per object.
_OVERCOMMIT = {
    (2, 1, "mt"): 20140.50, (2, 1, "hts"): 23.58, (2, 1, "rts"): 25.14,
    (8, 2, "mt"): 280314.32, (8, 2, "hts"): 294.72, (8, 2, "rts"): 318.79,
    (2, 1, "mt / hts"): 20140.50 / 23.58, (2, 1, "mt / rts"): 20140.50 / 25.14,
    (8, 2, "mt / hts"): 280314.32 / 294.72, (8, 2, "mt / rts"): 280314.32 / 318.79,
}

_VIRTIO_TEST = {
    ("notify always", "time"): 3.9489 / 4.1027,
    ("notify always", "instructions"): 7972866579 / 11804381462,
    ("notify as usual", "time"): 2.75952 / 2.8024,
}


def _shares(rows):
    """Total and share from (xmit, dropped), both in Mpps."""
    found = {}
    for ring, (xmit, dropped) in rows.items():
        found |= {(ring, "xmit Mpps"): xmit, (ring, "dropped Mpps"): dropped,
                  (ring, "total Mpps"): xmit + dropped,
                  (ring, "drop share %"): 100 * dropped / (xmit + dropped)}
    return found


PUBLISHED = {
    "generations": ("series for ptr_ring of 2021, x86_64, ring of 1000", _GENERATIONS),
    "overcommit": ("DPDK's proposal of the sync modes, 2020, Xeon Platinum 8160", _OVERCOMMIT),
    "virtio_test": ("patch for vhost's avail index, 2022, batches of 64", _VIRTIO_TEST),
    "vhost_net": ("batch zeroing for ptr_ring, 2017, pktgen to tun and vhost_net", _shares({
        "zero_each": (1.80, 0.23), "zero_batch": (1.95, 0.33),
        "zero_batch_consume_batched": (2.24, 0.01)})),
}
