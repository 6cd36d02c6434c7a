# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that is pushed to the browser: pictures of the cell, and what a receiver hears, each through a WebSocket while a browser watches."""

import asyncio
import json
import logging

from tornado import websocket

from wimax_tools.serving import Rank, note_request
from wimax_tools.watch.heard import heard

PERIOD_S = 0.5
log = logging.getLogger(__name__)


class Pictures:
    """Pictures in turn for all viewers; none without a viewer."""

    def __init__(self, make, pool):
        self._make, self._pool, self._watching, self._task = make, pool, set(), None
        self.made, self._reported = 0, ""

    @property
    def watching(self):
        return len(self._watching)

    def add(self, who):
        self._watching.add(who)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def remove(self, who):
        self._watching.discard(who)

    def _report(self, text):
        if text != self._reported:
            self._reported = text
            log.error(text)

    async def _run(self):
        loop = asyncio.get_running_loop()
        while self._watching:
            begin = loop.time()
            self.made += 1
            try:
                made = await loop.run_in_executor(self._pool, self._make)
            except Exception as error:  # pylint: disable=broad-except  # for instance no descriptors left: the next picture may come
                self._report(f"no picture: {error!r}")
            else:
                self._reported = ""
                for who in tuple(self._watching):
                    who.show(made)
            await asyncio.sleep(max(0.0, PERIOD_S - (loop.time() - begin)))
        self._task = None


class Receivers:
    """Pictures of what each receiver hears that somebody looks at."""

    def __init__(self, watcher, pool):
        self._watcher, self._pool, self._of = watcher, pool, {}
        self._made_before = 0  # of receivers that are no longer watched

    @property
    def watching(self):
        return sum(pictures.watching for pictures in self._of.values())

    @property
    def made(self):
        return self._made_before + sum(pictures.made for pictures in self._of.values())

    def add(self, who, receiver):
        if receiver not in self._of:
            self._of[receiver] = Pictures(lambda: self._watcher.signal(receiver), self._pool)
        self._of[receiver].add(who)

    def remove(self, who, receiver):
        pictures = self._of.get(receiver)
        if pictures is None:
            return
        pictures.remove(who)
        if not pictures.watching:
            self._made_before += self._of.pop(receiver).made


class Viewer(websocket.WebSocketHandler):
    """A browser that cannot follow gets fewer pictures."""

    _sending = None

    def check_origin(self, origin):
        return True  # serving.Application has checked it

    def prepare(self):
        note_request(self.request.connection.stream, Rank.VIEWER)

    def send_when_free(self, make_text):
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send(make_text()))

    async def _send(self, text):
        try:
            await self.write_message(text)
        except websocket.WebSocketClosedError:
            self.on_close()


class Live(Viewer):
    def initialize(self, pictures):
        self._pictures = pictures

    def open(self):
        self._pictures.add(self)

    def on_close(self):
        self._pictures.remove(self)

    def on_message(self, message):
        pass

    def show(self, text):
        self.send_when_free(lambda: text)


class Heard(Viewer):
    """A request of the browser: {"receiver": program, "burst": key}."""

    def initialize(self, receivers):
        self._receivers, self._receiver, self._burst = receivers, None, ""

    def on_message(self, message):
        try:
            said = json.loads(message)
            receiver, burst = said["receiver"], said["burst"]
            if not isinstance(receiver, str) or not isinstance(burst, str):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError):
            self.close(1007, "receiver and burst are wanted, two texts")
            return
        self._burst = burst
        if receiver != self._receiver:
            self.on_close()
            self._receiver = receiver
            self._receivers.add(self, receiver)

    def on_close(self):
        self._receivers.remove(self, self._receiver)

    def show(self, signal):
        self.send_when_free(lambda: json.dumps({"receiver": self._receiver, **heard(signal, self._burst)}))
