# SPDX-License-Identifier: GPL-3.0-or-later
"""/metrics over HTTP: one thread makes the texts, whatever the number of scrapes."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from tornado import web

from wimax_tools.metrics.exposition import Exposition
from wimax_tools.serving import Application

FRESH_S = 1.0      # age up to which answers of the programs, and texts, are used again
MOST_FILTERED = 4  # scrapes of different names at the same time


class Recent:
    """In the place of Programs: asks them at most once per FRESH_S."""

    def __init__(self, programs, clock):
        self._programs, self._clock, self._made_s, self._answers = programs, clock, None, None

    def answers(self):
        if self._made_s is None or self._clock() - self._made_s >= FRESH_S:
            self._answers, self._made_s = self._programs.answers(), self._clock()
        return self._answers


class Scrapes:
    """Scrapes of the same text at the same time wait for one making of it; a recent text is used again."""

    def __init__(self, programs, clock=time.monotonic):
        self._exposition, self._clock = Exposition(Recent(programs, clock)), clock
        self._thread = ThreadPoolExecutor(1)
        self._made, self._recent = {}, {}

    async def text(self, accept, names):
        """As Exposition.text(). HTTPError where too many different ones are wanted."""
        key = (self._exposition.kind(accept), tuple(sorted(set(names))))
        said, at_s = self._recent.get(key, (None, None))
        if said and self._clock() - at_s < FRESH_S:
            return said
        if key not in self._made:
            if names and sum(1 for _, filtered in self._made if filtered) >= MOST_FILTERED:
                raise web.HTTPError(503, reason="too many scrapes of different names")
            self._made[key] = asyncio.ensure_future(self._make(accept, key))
        return await asyncio.shield(self._made[key])

    async def _make(self, accept, key):
        try:
            said = await asyncio.get_running_loop().run_in_executor(self._thread, self._exposition.text, accept, key[1])
            if not key[1]:
                self._recent[key] = (said, self._clock())
            return said
        finally:
            del self._made[key]


class Metrics(web.RequestHandler):
    def initialize(self, scrapes):
        self._scrapes = scrapes

    async def get(self):
        text, content_type = await self._scrapes.text(self.request.headers.get("Accept", ""), self.get_query_arguments("name[]"))
        self.set_header("Content-Type", content_type)
        self.finish(text)


def application(scrapes, hosts):
    return Application([(r"/(?:metrics)?", Metrics, {"scrapes": scrapes})], hosts, compress_response=True)
