#!/usr/bin/env python3
"""Writes replay.pcap, the capture that replay.yaml replays: half a second of a small office.

Only the headers up to IPv4's are in the file, as after `tcpdump -s 34`: the generators need no more.
"""

import pathlib
import struct

SECOND = 1_000_000_000
LENGTHS_WITH_TOS = {  # name: bytes of the frame, TOS
    "keystroke": (90, 0x10),  # interactive: priority 6, band 0
    "call": (214, 0xb8),  # expedited forwarding: priority 4, band 1
    "page": (1514, 0x00),  # best effort: priority 0, band 1
    "backup": (1514, 0x08),  # bulk: priority 2, band 2
}


def packets():
    for i in range(10):
        yield i * SECOND // 20 + 3_000_000, "keystroke"
    for i in range(25):
        yield i * SECOND // 50, "call"
    for i in range(30):
        yield 100_000_000 + i * 11_000_000, "page"
    # One burst at 100 Mbit/s, as a fast sender makes it.
    for i in range(100):
        yield 200_000_000 + i * (1514 + 24) * 80, "backup"


def main():
    path = pathlib.Path(__file__).with_suffix(".pcap")
    with path.open("wb") as file:
        # Nanoseconds, version 2.4, UTC, 34 bytes a packet at most, Ethernet.
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 34, 1))
        for time, kind in sorted(packets()):
            length, tos = LENGTHS_WITH_TOS[kind]
            frame = bytes.fromhex("020000000202 020000000001 0800") + struct.pack(
                ">BBHHHBBHII", 0x45, tos, length - 14, 0, 0, 64, 17, 0, 0xC6120001, 0xC612002A)
            file.write(struct.pack("<IIII", 1_700_000_000, time, len(frame), length) + frame)


if __name__ == "__main__":
    main()
