# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's server: pictures through a WebSocket while somebody watches, changes for who has the token."""

import asyncio
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado import web, websocket

from wimax_tools.control import Failed, Refused
from wimax_tools.metrics.exposition import Exposition

PAGE = Path(__file__).parent / "page"
PERIOD_S = 0.5
LARGEST = 1 << 20  # octets of a request
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'"


class Pictures:
    """One after the other for all that watch; none while nobody does."""

    def __init__(self, watcher, pool):
        self._watcher, self._pool, self._watching, self._task = watcher, pool, set(), None

    def add(self, who):
        self._watching.add(who)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def remove(self, who):
        self._watching.discard(who)

    async def _run(self):
        loop = asyncio.get_running_loop()
        while self._watching:
            begin = loop.time()
            text = json.dumps(await loop.run_in_executor(self._pool, self._watcher.picture))
            for who in tuple(self._watching):
                who.show(text)
            await asyncio.sleep(max(0.0, PERIOD_S - (loop.time() - begin)))
        self._task = None


class Live(websocket.WebSocketHandler):
    """A browser that cannot follow gets fewer pictures."""

    def initialize(self, pictures):
        self._pictures, self._sending = pictures, None

    def open(self):
        self._pictures.add(self)

    def on_close(self):
        self._pictures.remove(self)

    def on_message(self, message):
        pass

    def show(self, text):
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send(text))

    async def _send(self, text):
        try:
            await self.write_message(text)
        except websocket.WebSocketClosedError:
            self._pictures.remove(self)


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
        except ValueError:
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


class Page(web.StaticFileHandler):
    def set_extra_headers(self, path):
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")


def application(watcher, changes, token):
    pool = ThreadPoolExecutor(4)
    guarded = {"changes": changes, "token": token, "pool": pool}
    return web.Application([
        (r"/live", Live, {"pictures": Pictures(watcher, pool)}),
        (r"/change", Change, guarded),
        (r"/file", File, guarded),
        (r"/metrics", Metrics, {"exposition": Exposition(watcher.programs), "pool": pool}),
        (r"/(.*)", Page, {"path": PAGE, "default_filename": "index.html"}),
    ], log_function=lambda handler: None, websocket_max_message_size=LARGEST, websocket_ping_interval=10)
