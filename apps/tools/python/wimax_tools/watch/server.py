# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's server: what is watched (live.py), changes for who has the token."""

import asyncio
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado import web

from wimax_tools.control import Failed, Refused
from wimax_tools.metrics.exposition import Exposition
from wimax_tools.watch.live import Heard, Live, Pictures, Receivers

PAGE = Path(__file__).parent / "page"
LARGEST = 1 << 20  # octets of a request
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'"


class Guarded(web.RequestHandler):
    """Nothing without the token, not even the file: it may hold what is nobody else's business."""

    def initialize(self, changes, token, pool):
        self._changes, self._token, self._pool = changes, token, pool

    def prepare(self):
        given = self.request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
            self.set_status(403)
            self.finish({"error": ["a change needs the token that wimax watch has printed at its start"]})

    async def answer(self, work):
        try:
            self.finish({"done": await asyncio.get_running_loop().run_in_executor(self._pool, work)})
        except (Refused, Failed) as error:
            self.set_status(422 if isinstance(error, Refused) else 409)
            self.finish({"error": str(error).splitlines()})
        except OSError as error:
            self.set_status(409)
            self.finish({"error": [f"{error.filename}: {error.strerror}"]})

    def body(self):
        try:
            body = json.loads(self.request.body)
        except (ValueError, RecursionError):
            body = None
        return body if isinstance(body, dict) else {}


class Change(Guarded):
    async def post(self):
        body = self.body()
        await self.answer(lambda: self._changes.make(body.get("program"), body.get("key"), body.get("value"), bool(body.get("write"))))


class File(Guarded):
    async def get(self):
        await self.answer(self._changes.text)

    async def put(self):
        body = self.body()
        await self.answer(lambda: self._changes.replace(str(body.get("program")), str(body.get("text"))))


class Metrics(web.RequestHandler):
    """As wimax metrics serves them; the programs are asked for each scrape."""

    def initialize(self, exposition, pool):
        self._exposition, self._pool = exposition, pool

    async def get(self):
        accept = self.request.headers.get("Accept", "")
        text, content_type = await asyncio.get_running_loop().run_in_executor(self._pool, self._exposition.text, accept)
        self.set_header("Content-Type", content_type)
        self.finish(text)


class Status(web.RequestHandler):
    """What the server does: who watches, and how often it has asked for them."""

    def initialize(self, pictures, receivers):
        self._of = {"cell": pictures, "signal": receivers}

    def get(self):
        self.finish({name: {"watching": of.watching, "questions": of.made} for name, of in self._of.items()})


class Page(web.StaticFileHandler):
    def set_extra_headers(self, path):
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")


def application(watcher, changes, token):
    pool = ThreadPoolExecutor(4)
    pictures, receivers = Pictures(lambda: json.dumps(watcher.picture()), pool), Receivers(watcher, pool)
    guarded = {"changes": changes, "token": token, "pool": pool}
    return web.Application([
        (r"/live", Live, {"pictures": pictures}),
        (r"/signal", Heard, {"receivers": receivers}),
        (r"/status", Status, {"pictures": pictures, "receivers": receivers}),
        (r"/change", Change, guarded),
        (r"/file", File, guarded),
        (r"/metrics", Metrics, {"exposition": Exposition(watcher.programs), "pool": pool}),
        (r"/(.*)", Page, {"path": PAGE, "default_filename": "index.html"}),
    ], log_function=lambda handler: None, websocket_max_message_size=LARGEST, websocket_ping_interval=10)
