# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of the tools: for which names and origins, with how many connections, and that nobody keeps the holder of the token waiting."""

import asyncio
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import types
import unittest
from unittest import mock

from tornado import netutil, web
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.testing import AsyncHTTPTestCase, gen_test
from tornado.websocket import websocket_connect

from wimax_tools import serving
from wimax_tools.exit_status import ExitStatus
from wimax_tools.metrics import command as metrics
from wimax_tools.metrics import scrapes
from wimax_tools.serving import Connections, Hosts, Listening, Rank, Server
from wimax_tools.watch import command as watch
from wimax_tools.watch.changes import Changes
from wimax_tools.watch.server import application

TOKEN = "secret"
PATIENCE_S = 60  # ends a test that has failed
OWN = socket.gethostname().lower()


class Names(unittest.TestCase):
    def test_hosts(self):
        local = "192.0.2.7"
        for address, further in (("0.0.0.0", ()), ("::", ()), ("", ()), ("127.0.0.1", ()), ("192.0.2.9", ("cell.example", "Proxy.Example."))):
            hosts = Hosts(address, further)
            for host in ("localhost", "LocalHost:9817", "localhost.", OWN, f"{OWN}:80", local, f"{local}:9817"):
                self.assertTrue(hosts.allows_host(host, local), (address, host))
            for host in ("evil.example", "evil.example:9817", "localhost.evil.example", "evil-localhost", "192.0.2.8", "127.0.0.1.evil.example",
                         "192.0.2.7.evil.example", "0.0.0.0", "[::]", "[2001:db8::1]", "", ":9817", "localhost:x", "localhost@evil.example",
                         "evil.example@localhost", "localhost/", "localhost#", "localhost, evil.example", "localhost evil", "[::1", "\x00"):
                self.assertFalse(hosts.allows_host(host, local), (address, host))
            self.assertEqual(hosts.allows_host("cell.example:1", local), bool(further), address)
            self.assertEqual(hosts.allows_host("proxy.example", local), bool(further), address)
            self.assertEqual(hosts.allows_host("192.0.2.9", local), address == "192.0.2.9")
            self.assertEqual(hosts.allows_host("127.0.0.1", local), address == "127.0.0.1")

    def test_addresses_of_the_connection(self):
        for local, host in (("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("::ffff:192.0.2.7", "192.0.2.7"), ("fe80::1%eth0", "[fe80::1]")):
            self.assertTrue(Hosts().allows_host(host, local), host)
            self.assertFalse(Hosts().allows_host(host, "192.0.2.99"), host)

    def test_origins(self):
        hosts = Hosts("127.0.0.1", ("cell.example",))
        for origin in ("http://127.0.0.1:9817", "https://127.0.0.1:9817", "https://cell.example", "http://Cell.Example:8080"):
            self.assertTrue(hosts.allows_origin(origin, "127.0.0.1:9817"), origin)
        for origin in ("http://evil.example:9817", "http://127.0.0.1", "http://127.0.0.1:9818", "http://localhost:9817", "null", "", "127.0.0.1:9817",
                       "file://127.0.0.1:9817", "http://cell.example.evil.example", "http://[::1"):
            self.assertFalse(hosts.allows_origin(origin, "127.0.0.1:9817"), origin)


class Frozen:
    """In the place of Watcher and Programs: each question waits until the test ends."""

    def __init__(self):
        self.programs, self.free = self, threading.Event()

    def wait(self, *_):
        self.free.wait(PATIENCE_S)

    signal = wait

    def ask(self, name, _):
        return {"ok": True} if name == "alive" else self.wait()

    def picture(self):
        self.wait()
        return {}

    def answers(self):
        self.wait()
        return {}


class Page(AsyncHTTPTestCase):
    def setUp(self):
        self.watcher = Frozen()
        self.addCleanup(self.watcher.free.set)
        self.file = os.devnull
        super().setUp()

    def get_app(self):
        return application(self.watcher, Changes(self.watcher.ask, self.file), TOKEN, Hosts("127.0.0.1", ("cell.example",)))

    def get_http_client(self):
        return AsyncHTTPClient(force_instance=True, max_clients=1000)

    def get_http_server(self):
        return Server(self._app)

    def paths(self):
        return [rule.matcher.regex.pattern.replace("(.*)", "page.js").rstrip("$") for rule in self._app.wildcard_router.rules]

    async def code(self, path, method="GET", body="{}", **headers):
        body = None if method == "GET" else body
        words = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await self.http_client.fetch(HTTPRequest(self.get_url(path), method, words, body, follow_redirects=False), raise_error=False)).code

    @gen_test
    async def test_every_path_refuses_other_hosts_and_origins(self):
        """Whether the token is there or not, and whether the path is."""
        paths = self.paths()
        self.assertLessEqual({"/live", "/signal", "/status", "/change", "/file", "/metrics", "/page.js"}, set(paths))
        own = f"127.0.0.1:{self.get_http_port()}"
        for path in (*paths, "/", "/none", "/../file"):
            for method in ("GET", "POST", "PUT"):
                for token in ({}, {"Authorization": f"Bearer {TOKEN}"}):
                    self.assertEqual(await self.code(path, method, Host="evil.example:9817", **token), 421, path)
                    self.assertEqual(await self.code(path, method, Host=own, Origin="http://evil.example:9817", **token), 403, path)
                    self.assertEqual(await self.code(path, method, Host="evil.example", Origin="http://evil.example", **token), 421, path)

    @gen_test
    async def test_own_names(self):
        own = f"127.0.0.1:{self.get_http_port()}"
        for host, origin in ((own, f"http://{own}"), ("localhost", "http://localhost"), ("cell.example", "https://cell.example"), (OWN, f"http://{OWN}")):
            for path in ("/", "/status", "/page.js"):
                self.assertEqual(await self.code(path, Host=host), 200, (host, path))
                self.assertEqual(await self.code(path, Host=host, Origin=origin), 200, (host, path))

    @gen_test
    async def test_websockets_of_other_sites(self):
        own = f"127.0.0.1:{self.get_http_port()}"
        for path in ("/live", "/signal"):
            for headers, code in (({"Host": "evil.example", "Origin": "http://evil.example"}, 421), ({"Origin": "http://evil.example"}, 403),
                                  ({"Sec-Websocket-Origin": "http://evil.example"}, 403), ({"Origin": f"http://{own}"}, None)):
                request = HTTPRequest(f"ws://{own}{path}", headers=headers)
                try:
                    (await websocket_connect(request)).close()
                    self.assertIsNone(code, headers)
                except Exception as error:  # pylint: disable=broad-except
                    self.assertEqual(getattr(error, "code", error), code, headers)

    @gen_test(timeout=PATIENCE_S)
    async def test_without_the_token_nobody_keeps_its_holder_waiting(self):
        """Every program is frozen, and everything is asked for that needs no token."""
        waiting = [asyncio.ensure_future(self.code(path)) for _ in range(5)
                   for path in ("/metrics", "/metrics?name[]=wimax_up", "/metrics?name[]=a", "/metrics?name[]=b")]
        pages = [await websocket_connect(f"ws://127.0.0.1:{self.get_http_port()}/{path}") for path in 10 * ["live"] + 10 * ["signal"]]
        for i, page in enumerate(pages):
            await page.write_message(json.dumps({"receiver": f"{i}.phyd", "burst": ""}))
        def change(program):
            return asyncio.ensure_future(self.code("/change", "POST", json.dumps({"program": program, "key": "log.mac", "value": "info"}),
                                                   Authorization=f"Bearer {TOKEN}"))

        own = [change(f"frozen{i % 5}") for i in range(20)]
        await asyncio.sleep(0.2)  # all of them are where they wait
        self.assertEqual(await self.code("/file", Authorization=f"Bearer {TOKEN}"), 200)
        self.assertEqual(await change("alive"), 200)
        self.assertEqual(await self.code("/status"), 200)
        self.watcher.free.set()
        self.assertLessEqual(set(await asyncio.gather(*waiting)), {200, 503})
        self.assertEqual(set(await asyncio.gather(*own)), {409})


class Scraped(unittest.TestCase):
    def test_many_scrapes_ask_once(self):
        """At the same time, and within a second; a filter is a text of its own."""
        async def work():
            now, asked, free = [0.0], [], threading.Event()

            def answers():
                asked.append(1)
                free.wait(PATIENCE_S)
                return {}

            of = scrapes.Scrapes(types.SimpleNamespace(answers=answers), clock=lambda: now[0])
            running = [asyncio.ensure_future(of.text("", ())) for _ in range(200)]
            filtered = [asyncio.ensure_future(of.text("", (f"wimax_{i}",))) for i in range(scrapes.MOST_FILTERED)]
            await asyncio.sleep(0.05)
            with self.assertRaises(web.HTTPError):
                await of.text("", ("wimax_more",))
            free.set()
            await asyncio.gather(*running, *filtered)
            self.assertEqual(len(asked), 1)
            now[0] += 0.99 * scrapes.FRESH_S
            await of.text("", ())
            self.assertEqual(len(asked), 1)
            now[0] += 0.02 * scrapes.FRESH_S
            await of.text("", ())
            self.assertEqual(len(asked), 2)

        asyncio.run(work())


class Stream:
    def __init__(self):
        self.gone = False

    def close(self):
        self.gone = True

    closed = lambda self: self.gone  # noqa: E731


class Limits(unittest.TestCase):
    def setUp(self):
        self.now = 0.0
        self.connections = Connections(6, clock=lambda: self.now)

    def connect(self, rank=Rank.NEWCOMER):
        self.now += 1
        stream = Stream()
        self.connections.add(stream)
        self.connections.raise_to(stream, rank)
        return stream

    def left(self, streams):
        return [not stream.gone for stream in streams]

    def test_the_first_newcomer_makes_way(self):
        self.assertEqual(self.left([self.connect() for _ in range(8)]), 2 * [False] + 6 * [True])

    def test_guests_leave_places_to_newcomers(self):
        guests = [self.connect(Rank.GUEST) for _ in range(6)]
        newcomers = [self.connect() for _ in range(serving.NEWCOMERS + 1)]
        self.assertEqual(self.left(guests + newcomers), 6 * [True] + [False] + serving.NEWCOMERS * [True])

    def test_the_guest_that_asked_last_longest_ago_makes_way_before_a_viewer(self):
        viewer = self.connect(Rank.VIEWER)
        guests = [self.connect(Rank.GUEST) for _ in range(5)]
        self.connections.raise_to(guests[0], Rank.GUEST)  # asks again
        self.connect(Rank.GUEST)
        self.connect()
        self.assertEqual(self.left([viewer, *guests]), [True, True, False, True, True, True])

    def test_the_token_keeps_a_connection(self):
        trusted = self.connect(Rank.TRUSTED)
        self.connections.raise_to(trusted, Rank.GUEST)
        for _ in range(50):
            self.connect(Rank.VIEWER)
        self.connect()
        self.assertFalse(trusted.gone)
        self.assertEqual(len(self.connections._all), 8)


class Descriptors(unittest.TestCase):
    def test_accepts_while_some_are_left(self):
        with Listening(netutil.bind_sockets(0, "127.0.0.1")[0]) as listening:
            at = listening.getsockname()
            with mock.patch.object(serving, "first_reserved", lambda: 0), socket.create_connection(at):
                self.assertRaises(ConnectionAbortedError, self.accepted, listening)
            with socket.create_connection(at) as peer, self.accepted(listening)[0]:
                peer.send(b"x")
            self.assertRaises(BlockingIOError, listening.accept)
            with socket.create_connection(at) as peer, self.no_descriptors():
                self.assertRaises(ConnectionAbortedError, self.accepted, listening)
                self.assertEqual(peer.recv(1), b"")
            with socket.create_connection(at), self.accepted(listening)[0]:
                self.assertRaises(BlockingIOError, listening.accept)

    @contextlib.contextmanager
    def no_descriptors(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, limit[1]))
        taken = []
        try:
            with contextlib.suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            yield
        finally:
            for one in taken:
                os.close(one)
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)

    @staticmethod
    def accepted(listening):
        while True:
            try:
                return listening.accept()
            except BlockingIOError:
                continue

    def test_more_connections_than_descriptors(self):
        """Neither server ends, and each answers while they are there."""
        for command in ("watch", "metrics"):
            code = ("import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); sys.argv = ['wimax', '--port', '0']; "
                    f"runpy.run_module('wimax_tools.{command}', run_name='__main__')")
            server = subprocess.Popen([sys.executable, "-B", "-c", code], stderr=subprocess.PIPE, text=True,
                                      env={**os.environ, "WIMAX_RUN": "/nonexistent"})
            try:
                port = int(server.stderr.readline().rsplit(":", 1)[1].partition("/")[0])
                peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
                self.assertIn(b" 200 ", self.answer(port), command)
                for peer in peers:
                    peer.close()
                self.assertIsNone(server.poll())
            finally:
                server.terminate()
                said = server.communicate()[1]
            self.assertEqual((server.returncode, "Traceback" in said), (0, False), said[-2000:])

    def test_the_exit_status_says_whether_a_restart_helps(self):
        with netutil.bind_sockets(0, "127.0.0.1")[0] as other, mock.patch.dict(os.environ, WIMAX_RUN="/nonexistent"), mock.patch("builtins.print"):
            for main, option in ((metrics.main, "--address"), (watch.main, "--address")):
                for address, port, status in (("127.0.0.1", other.getsockname()[1], ExitStatus.SERVED_ALREADY), ("192.0.2.1", 0, ExitStatus.FAILED)):
                    self.assertEqual(main([option, address, "--port", str(port)]), status, address)

    @staticmethod
    def answer(port):
        """Asked again where the connection was closed."""
        for _ in range(100):
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as peer:
                    peer.sendall(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                    if said := peer.recv(100):
                        return said
            except OSError:
                continue
        return b""


if __name__ == "__main__":
    unittest.main()
