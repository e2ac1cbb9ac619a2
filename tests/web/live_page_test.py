#!/usr/bin/env python3
"""The live page in a real browser, fed by a real qdiscsimd.

usage: live_page_test.py QDISCSIMD [unittest arguments]
"""

import pathlib
import re
import signal
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
from lab import Program, until  # noqa: E402  pylint: disable=wrong-import-position

try:
    import chromium
    MISSING = None if chromium.program() else "no Chromium here (Debian: chromium)"
except ImportError as error:
    MISSING = f"{error} (Debian: python3-websocket)"

RATE = 20_000
CONFIG = """\
http: {{listen: '{listen}'}}
control: {{socket: none}}
memory: {{limit: 64MiB, huge_pages: never}}
devices:
  - {{name: eth0, link: {{kind: wire, rate: 10Mbit}}, tx_queue_len: 100}}
  - {{name: eth1, queues: 2}}
generators:
  - {{name: full, device: eth0, ratep: 20kpps, priority: [{{priority: 6, weight: 50}}, {{priority: 0, weight: 50}}], enabled: {enabled}}}
  - {{name: calm, device: eth1, ratep: 20kpps, enabled: {enabled}}}
"""
QDISCSIMD = ""  # set by the program


class LivePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = cls.enterClassContext(chromium.Page())

    def start(self, listen="127.0.0.1:0", enabled="true"):
        folder = tempfile.TemporaryDirectory(prefix="qdiscsim-web-")
        self.addCleanup(folder.cleanup)
        config = pathlib.Path(folder.name) / "config.yaml"
        config.write_text(CONFIG.format(listen=listen, enabled=enabled))
        program = Program(QDISCSIMD, config)
        self.addCleanup(lambda: program.process.poll() is None and program.stop())
        address = program.find(r"http://(127\.0\.0\.1:\d+)")
        program.find(r"(ready in)")
        return program, address

    def browse(self, address):
        page = self.page
        page.open("about:blank")
        page.events.clear()
        page.resize(*page.size)
        page.prefer("light")
        page.open(f"http://{address}/")
        return page

    def until_figures(self, page):
        page.until("document.querySelector('[data-figure=delivered_pps]').dataset.value > 0")

    @staticmethod
    def sent(address, device):
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(
            rf'^qdiscsim_device_tx_packets_total{{[^}}]*device="{device}"[^}}]*}} (\S+)$', text, re.M))

    def test_figures_move_and_are_those_of_metrics(self):
        program, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        # The page holds the figures of the last event, at most a beat older than a scrape: what
        # the page shows lies between a scrape made before that event and one made after it. So does
        # it with a second's worth of packets to spare, whatever the machine does in between.
        moved = set()
        for device in ("eth0", "eth1"):
            page.run(f"(() => {{ const s = document.querySelector('#device'); s.value = '{device}';"
                     "s.dispatchEvent(new Event('change')); })()")
            for _ in range(2):
                before = self.sent(address, device)
                seen = page.run("+document.body.dataset.time")
                page.until(f"+document.body.dataset.time > {seen} + 0.5")
                shown = page.run("+document.querySelector('#device-section').dataset.delivered")
                after = self.sent(address, device)
                moved.add(shown)
                self.assertGreaterEqual(shown, before - RATE, device)
                self.assertLessEqual(shown, after, device)
        self.assertEqual(len(moved), 4, "figures that stand still")
        self.assertGreater(page.run("+document.querySelector('#bands [data-figure=overlimit]').dataset.value"
                                    " + +document.querySelector('[data-figure=offered_pps]').dataset.value"), 0)
        self.assertEqual(page.run("document.querySelector('#account').textContent"), "account adds up")
        self.assertEqual(page.run("document.querySelectorAll('.chart canvas').length > 8"), True)
        origin = f"http://{address}/"
        self.assertEqual([url for url in page.requests() if not url.startswith((origin, "data:", "about:"))], [])
        self.assertEqual(page.complaints(), [])
        self.assertEqual(program.stop(), 0)
        self.assertIn("accounts: exact", program.log())

    def test_buttons_do_what_they_say(self):
        _, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        page.prefer("light")
        paper = "getComputedStyle(document.body).backgroundColor"
        light = page.run(paper)
        page.click("#theme")  # auto -> light
        page.prefer("dark")
        self.assertEqual(page.run(paper), light, "the chosen theme, whatever the system prefers")
        page.click("#theme")  # light -> dark
        page.until(f"{paper} !== '{light}'")
        page.open(f"http://{address}/")
        self.assertEqual(page.run("document.querySelector('#theme').textContent"), "Theme: dark", "kept")
        self.until_figures(page)

        page.run("document.querySelector('#pause').focus()")
        page.key("Enter")
        self.assertEqual(page.run("document.querySelector('#pause').getAttribute('aria-pressed')"), "true")
        still = page.run("document.body.dataset.time")
        page.until("newest && arrived > 0 && performance.now() / 1000 - arrived < 2 && (window.t0 ??= arrived) < arrived")
        self.assertEqual(page.run("document.body.dataset.time"), still)
        page.click("#pause")
        page.until(f"document.body.dataset.time !== '{still}'")

        page.click("#config summary")
        page.until("document.querySelector('#config pre').textContent.includes('tx_queue_len: 100')")
        page.until("document.querySelector('#config-state').textContent === 'As the file says.'")
        self.assertEqual(page.run("document.querySelector('#device').options.length"), 2)
        self.assertEqual(page.complaints(), [])

    def test_fits_a_telephone_and_can_be_walked_through_by_keys(self):
        _, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        page.resize(390, 800)
        page.until("document.documentElement.scrollWidth <= 390")
        page.resize(1280, 900)
        stops = []
        page.run("document.activeElement.blur()")
        for _ in range(18):
            page.key("Tab")
            stops.append(page.run("document.activeElement.id || document.activeElement.getAttribute('aria-label')"
                                  " || document.activeElement.textContent.trim()"))
        for expected in ("To the figures", "device", "pause", "theme", "Devices", "Bands", "Generators", "Page pools",
                         "Configuration in force"):
            self.assertIn(expected, stops)
        unnamed = page.run("[...document.querySelectorAll('[role=img]')].filter(e => !e.ariaLabel).length")
        self.assertEqual(unnamed, 0, "a chart that a screen reader cannot name")

    def test_says_that_nothing_runs(self):
        _, address = self.start(enabled="false")
        page = self.browse(address)
        page.until("document.querySelector('#notices').textContent.includes('No generator')")

    def test_says_that_the_daemon_stands_still_and_goes_on_with_it(self):
        program, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        program.process.send_signal(signal.SIGSTOP)
        try:
            page.until("document.querySelector('#notices').textContent.includes('it stands still')")
            self.assertTrue(page.run("document.body.classList.contains('old')"))
        finally:
            program.process.send_signal(signal.SIGCONT)
        page.until("document.querySelector('#state').textContent === 'ready'")
        page.until("!document.body.classList.contains('old')")

    def test_asks_each_second_where_no_further_stream_is_given(self):
        _, address = self.start()
        streams = [urllib.request.urlopen(f"http://{address}/api/v1/events", timeout=60) for _ in range(16)]
        try:
            page = self.browse(address)
            self.until_figures(page)
            first = page.run("document.body.dataset.time")
            page.until(f"document.body.dataset.time !== '{first}'")
            self.assertEqual(page.run("document.querySelector('#state').textContent"), "ready")
        finally:
            for stream in streams:
                stream.close()

    def test_shows_all_devices_and_one_chosen_in_their_table(self):
        _, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        page.click("#devices tr[data-name=eth1] button")
        page.until("document.querySelector('#device-title').textContent.startsWith('eth1')")
        self.assertEqual(page.run("document.querySelector('#device').value"), "eth1")
        self.assertEqual(page.run("document.querySelector('#devices [aria-pressed=true]').textContent"), "eth1")
        page.until("document.querySelector('#generators-facts').textContent.startsWith('2 of 2 threads running, ')")
        self.assertEqual(page.complaints(), [])

    def test_says_that_the_daemon_is_gone_and_comes_back_with_it(self):
        program, address = self.start()
        page = self.browse(address)
        self.until_figures(page)
        program.process.kill()
        program.stop()
        page.until("document.querySelector('#notices').textContent.includes('No figures from qdiscsimd for')")
        self.assertEqual(page.run("document.querySelector('#state').textContent"), "no answer")
        self.start(listen=address)
        page.until("document.querySelector('#state').textContent === 'ready'")
        page.until("document.querySelector('#notices').textContent === ''")


if __name__ == "__main__":
    if MISSING:
        print("skipped:", MISSING)
        sys.exit(77)
    QDISCSIMD = sys.argv.pop(1)
    unittest.main()
