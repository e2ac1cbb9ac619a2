#!/usr/bin/env python3
"""Clients that are slow, silent, many, greedy or lost.

usage: http_test.py QDISCSIMD [unittest arguments]
"""

import selectors
import socket

import lab

GET = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
HEALTHY = b"GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n"


class Http(lab.Knocks):
    def setUp(self):
        super().setUp()
        lab.many_files()
        self.start()
        self.clients = []
        self.addCleanup(lambda: [client.close() for client in self.clients])

    def connect(self, count=1):
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            self.clients.append(client)
        return self.clients[-1]

    @staticmethod
    def rest(client):
        """What the daemon says until it closes."""
        said = b""
        try:
            while piece := client.recv(65536):
                said += piece
        except ConnectionError:
            pass
        return said

    def end(self):
        self.assert_goes_on()
        self.assert_exact()

    def test_slow_clients_do_not_keep_scrapes_out(self):
        for number in range(70):
            self.connect().sendall(GET[:1 + number % 20])

        def trickle():
            for number, client in enumerate(self.clients):
                try:
                    client.send(GET[1 + number % 20:2 + number % 20])
                except OSError:
                    pass  # it has given way
            return self.scrape()
        lab.until("a scrape among slow clients", trickle)
        self.end()

    def test_silent_clients_do_not_keep_scrapes_out(self):
        self.connect(300)
        lab.until("a scrape among silent clients", self.scrape)
        self.end()

    def test_a_thousand_scrapes_at_once_are_answered_or_turned_away(self):
        selector = selectors.DefaultSelector()
        for _ in range(1000):
            client = self.connect()
            selector.register(client, selectors.EVENT_READ, bytearray())
            try:
                client.sendall(GET)
            except ConnectionError:
                pass  # seen below
        counts = {b"200": 0, b"503": 0, b"closed": 0}
        while selector.get_map():
            ready = selector.select(timeout=60)
            self.assertTrue(ready, f"{len(selector.get_map())} were forgotten")
            for key, _ in ready:
                try:
                    piece = key.fileobj.recv(1 << 20)
                except ConnectionError:
                    piece = b""
                key.data.extend(piece)
                head, found, body = bytes(key.data).partition(b"\r\n\r\n")
                status = head[9:12]
                whole = found and len(body) >= int(head.lower().split(b"content-length:")[1].split()[0])
                if whole or not piece:
                    counts[status if whole else b"closed"] += 1
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
        print(counts, flush=True)
        self.assertGreater(counts[b"200"], 0)
        self.end()

    def test_a_header_of_64_KiB_is_refused(self):
        client = self.connect()
        try:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 65536 + b"\r\n\r\n")
        except ConnectionError:
            pass
        self.assertIn(b" 431 ", self.rest(client).splitlines()[0])
        self.end()

    def test_wrong_methods_and_garbage_are_named(self):
        for request, status in ((b"DELETE /metrics", b" 405 "), (b"BREW /metrics", b" 405 "),
                                (b"POST /-/reload", b" 403 ")):
            client = self.connect()
            client.sendall(request + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            self.assertIn(status, self.rest(client).splitlines()[0], request)
        tls = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00\r\n\r\n"
        for garbage in (tls, b"\0" * 4096, b"\r\n" * 5000, bytes(range(256)) * 64):
            client = self.connect()
            try:
                client.sendall(garbage)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = self.rest(client)
            self.assertTrue(answer == b"" or b" 4" in answer.splitlines()[0], answer[:100])
        self.end()

    def test_a_hundred_requests_in_one_piece_get_a_hundred_answers(self):
        client = self.connect()
        client.sendall(HEALTHY * 100)
        client.shutdown(socket.SHUT_WR)
        self.assertEqual(self.rest(client).count(b"HTTP/1.1 200 OK"), 100)
        self.end()

    def test_a_huge_body_on_the_control_socket_is_refused(self):
        client = socket.socket(socket.AF_UNIX)
        self.clients.append(client)
        client.settimeout(60)
        client.connect(str(self.socket))
        try:
            client.sendall(b"PATCH /api/v1/generators/a HTTP/1.1\r\nHost: a\r\n"
                           b"Content-Type: application/json\r\nContent-Length: 100000000\r\n\r\n")
            client.sendall(b"[" * 1_000_000)
        except ConnectionError:
            pass
        self.assertIn(b" 413 ", self.rest(client).splitlines()[0])
        self.end()

    def test_deep_JSON_on_the_control_socket_is_refused(self):
        client = socket.socket(socket.AF_UNIX)
        self.clients.append(client)
        client.settimeout(60)
        client.connect(str(self.socket))
        body = b"[" * 60_000
        client.sendall(b"PATCH /api/v1/generators/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                       b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.assertIn(b" 4", self.rest(client).splitlines()[0])
        self.end()


if __name__ == "__main__":
    lab.main()
