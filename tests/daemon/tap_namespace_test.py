#!/usr/bin/env python3
"""The namespace of a link of kind tap: how it comes and goes, and what it takes to make one.

usage: tap_namespace_test.py QDISCSIMD [unittest arguments]
Exit status 77 (skipped) where no TAP interface can be made; the reason is printed.
"""

import pathlib
import shutil
import signal
import socket
import subprocess
import unittest

from tap_lab import (DEVICE, EXIT_CONFIG, NETNS, SPACE, Daemon, TapTest, add_interface, counters,
                     group, inside, interfaces, main, sanitized, take_off)


class TapNamespace(TapTest):
    def test_the_interface_is_up_without_addresses_and_the_machine_does_not_see_it(self):
        self.start()
        self.assertNotIn(DEVICE, [name for _, name in socket.if_nameindex()])
        self.assertEqual(interfaces(SPACE), ["lo", DEVICE])

        def look():
            folder = pathlib.Path("/proc/thread-self/net")
            return [(folder / name).read_text() if (folder / name).exists() else ""
                    for name in ("if_inet6", "route")]

        addresses, routes = inside(SPACE, look)
        self.assertEqual(addresses, "")
        self.assertNotIn(DEVICE, routes)
        self.daemon.generate(group(1, 100))
        self.assertEqual(counters(SPACE, DEVICE)[3], 0)  # it never says anything itself
        self.assert_stopped_well()

    @unittest.skipUnless(shutil.which("ip"), "no ip here (Debian: iproute2)")
    def test_ip_netns_knows_the_namespace(self):
        self.start()
        names = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
        self.assertIn(SPACE, names.stdout.split())
        seen = subprocess.run(["ip", "netns", "exec", SPACE, "ip", "-o", "link", "show", "up"],
                              capture_output=True, text=True, check=True)
        self.assertIn(f" {DEVICE}: <", seen.stdout)
        subprocess.run(["ip", "netns", "delete", SPACE], check=True)
        self.daemon.generate(group(1, 100))  # nobody can look any more, and it goes on
        self.assertEqual(self.daemon.sum("qdiscsim_device_tx_packets_total"), 100)
        self.assert_stopped_well()

    def test_the_namespace_ends_with_the_daemon_and_the_next_one_makes_it_again(self):
        for sent in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=sent.name):
                self.start()
                self.assertTrue((NETNS / SPACE).exists())
                self.daemon.program.process.send_signal(sent)
                self.assertEqual(self.daemon.program.process.wait(timeout=30), 0)
                self.assertFalse((NETNS / SPACE).exists())
                self.daemon.program.stop()
        self.daemon = Daemon(self.folder, options=["--once", "--set",
                                                   f"generators=[{group(1, 50)}]"])
        self.assertEqual(self.daemon.program.process.wait(timeout=30), 0)
        self.assertFalse((NETNS / SPACE).exists())
        self.daemon.program.stop()

    def test_what_a_killed_daemon_left_is_taken_away_by_the_next_one(self):
        self.start()
        self.daemon.program.process.kill()
        self.daemon.program.stop()
        self.assertTrue((NETNS / SPACE).exists())
        self.start()
        self.assertIn("took away what a killed qdiscsimd had left", self.daemon.program.log())
        self.assertEqual(interfaces(SPACE), ["lo", DEVICE])
        self.assert_stopped_well()

    def test_a_namespace_that_may_be_somebodys_is_left_alone(self):
        space = f"lab-{DEVICE}"
        devices = f"[{{name: {DEVICE}, link: {{kind: tap, netns: {space}}}}}]"
        self.start(devices=devices)
        self.daemon.program.process.kill()
        self.daemon.program.stop()
        status, message = Daemon(self.folder, devices=devices).refused()
        self.assertEqual(status, EXIT_CONFIG)
        self.assertIn(f"device {DEVICE}: link.netns: {space}: exists already", message)
        self.assertIn(f"ip netns delete {space}", message)
        self.assertTrue((NETNS / space).exists())
        take_off(space)
        self.start(devices=devices)
        self.assertEqual(self.daemon.program.stop(), 0)
        self.assertFalse((NETNS / space).exists())

    def test_what_somebody_put_into_the_rest_of_a_killed_daemon_is_left_alone(self):
        self.start()
        self.daemon.program.process.kill()
        self.daemon.program.stop()
        add_interface(SPACE, "somebodys")
        status, message = Daemon(self.folder).refused()
        self.assertEqual(status, EXIT_CONFIG)
        self.assertIn(f"link.netns: {SPACE}: exists already", message)
        self.assertEqual(interfaces(SPACE), ["lo", "somebodys"])

    def test_two_daemons_do_not_share_a_namespace(self):
        self.start()
        status, message = Daemon(self.folder).refused()
        self.assertEqual(status, EXIT_CONFIG)
        self.assertIn(f"link.netns: {SPACE}: another qdiscsimd uses it; ", message)
        self.assertEqual(interfaces(SPACE), ["lo", DEVICE])
        self.assert_stopped_well()

    def test_a_device_that_cannot_be_made_leaves_nothing_of_the_others(self):
        space = f"lab-{DEVICE}"
        (NETNS / space).write_text("somebody's")
        status, message = Daemon(
            self.folder, devices=f"[{{name: {DEVICE}, link: {{kind: tap}}}}, "
                                 f"{{name: b, link: {{kind: tap, netns: {space}}}}}]").refused()
        self.assertEqual(status, EXIT_CONFIG)
        self.assertIn(f"device b: link.netns: {space}: exists already", message)
        self.assertFalse((NETNS / SPACE).exists())

    # ---- machines on which it cannot be ----

    @unittest.skipUnless(shutil.which("unshare"), "no unshare here (Debian: util-linux)")
    def test_what_the_machine_lacks_is_named_with_the_way_out(self):
        for spoil, expected in (
                ("mount -t tmpfs none /dev",
                 "/dev/net/tun: No such file or directory; load the module (modprobe tun)"),
                ("mount -t tmpfs -o ro none /run",
                 "/run/netns: Read-only file system; make it writable"),
                ("mount -t tmpfs none /proc", "/proc/thread-self/ns/net: No such file")):
            if "/proc" in spoil and sanitized():
                continue
            with self.subTest(spoil=spoil):
                status, message = Daemon(self.folder, "unshare", "-m", "sh", "-c",
                                         f'{spoil} && exec "$0" "$@"').refused()
                self.assertEqual(status, EXIT_CONFIG, message)
                self.assertIn(f"device {DEVICE}: link.", message)
                self.assertIn(expected, message)
                self.assertIn("or choose another link.kind", message)
                self.assertFalse((NETNS / SPACE).exists())

    @unittest.skipUnless(shutil.which("setpriv"), "no setpriv here (Debian: util-linux)")
    def test_the_two_rights_of_the_drop_in_are_enough(self):
        two = ("setpriv", "--bounding-set=-all,+sys_admin,+net_admin")
        for _ in range(2):  # the second takes away what the first has left
            self.daemon = Daemon(self.folder, *two).ready()
            self.daemon.program.process.kill()
            self.daemon.program.stop()
        self.daemon = Daemon(self.folder, *two).ready()
        self.daemon.generate(group(1, 100))
        self.assertEqual(self.daemon.sum("qdiscsim_device_tx_packets_total"), 100)
        self.assert_stopped_well()

    @unittest.skipUnless(shutil.which("setpriv"), "no setpriv here (Debian: util-linux)")
    def test_a_right_that_is_missing_is_named_with_the_way_out(self):
        for right, expected in (("sys_admin", f"link.netns: {SPACE}: cannot be made"),
                                ("net_admin", f"link.interface: {DEVICE}: cannot be made")):
            with self.subTest(right=right):
                status, message = Daemon(self.folder, "setpriv",
                                         f"--bounding-set=-{right}").refused()
                self.assertEqual(status, EXIT_CONFIG, message)
                self.assertIn(f"device {DEVICE}: {expected}: Operation not permitted; "
                              "CAP_SYS_ADMIN and CAP_NET_ADMIN are needed", message)
                self.assertFalse((NETNS / SPACE).exists())


if __name__ == "__main__":
    main()
