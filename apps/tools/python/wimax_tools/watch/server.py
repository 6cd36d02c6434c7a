# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's server: what is watched (live.py), changes for who has the token."""

import asyncio
import functools
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado import web

from wimax_tools.control import Failed, Refused
from wimax_tools.metrics.scrapes import Metrics, Scrapes
from wimax_tools.serving import Application, Hosts, Rank, note_request
from wimax_tools.watch import reference
from wimax_tools.watch.live import Heard, Live, Pictures, Receivers

PAGE = Path(__file__).parent / "page"
LARGEST_MESSAGE = 4096  # bytes of a browser's message through a WebSocket
SIGNALS = 8             # receivers that are asked at the same time
CHANGED = 64            # programs that are changed, each with a thread
FILES = 2
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'none'"


class Threads:
    """One for each program that is changed, so that a silent one keeps no change of another waiting."""

    def __init__(self):
        self._of = {}

    def of(self, program):
        if program not in self._of and len(self._of) >= CHANGED:
            raise Refused(f"changes of {CHANGED} programs were asked for: begin again")
        return self._of.setdefault(program, ThreadPoolExecutor(1))


class Guarded(web.RequestHandler):
    """Nothing without the token, not even the file: it may have confidential contents."""

    def initialize(self, changes, token, threads, files):
        self._changes, self._token, self._threads, self._files = changes, token, threads, files

    def prepare(self):
        given = self.request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
            self.set_status(403)
            self.finish({"error": ["a change needs the token that wimax watch has printed at its start"]})
        else:
            note_request(self.request.connection.stream, Rank.TRUSTED)

    async def answer(self, work, program=None):
        """`program`: that is asked."""
        try:
            thread = self._files if program is None else self._threads.of(program)
            self.finish({"done": await asyncio.get_running_loop().run_in_executor(thread, work)})
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
        await self.answer(lambda: self._changes.make(body.get("program"), body.get("key"), body.get("value"), bool(body.get("write"))),
                          str(body.get("program")))


class File(Guarded):
    async def get(self):
        await self.answer(self._changes.text)

    async def put(self):
        body = self.body()
        program = str(body.get("program"))
        await self.answer(lambda: self._changes.replace(program, str(body.get("text"))), program)


class Status(web.RequestHandler):
    """Figures of the server: number of viewers, and of the requests for them."""

    def initialize(self, pictures, receivers):
        self._of = {"cell": pictures, "signal": receivers}

    def get(self):
        self.finish({name: {"watching": of.watching, "questions": of.made} for name, of in self._of.items()})


class Fields(web.RequestHandler):
    """Fields of the forms. Everybody may see them: they are the same for all cells."""

    def initialize(self, describe, thread):
        self._describe, self._thread = describe, thread

    async def get(self):
        self.finish(await asyncio.get_running_loop().run_in_executor(self._thread, self._describe))


class Page(web.StaticFileHandler):
    def set_extra_headers(self, path):
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")


def application(watcher, changes, token, hosts=None, describe=None):
    """Work for viewers without the token has separate threads: it delays no change and no file. `describe`: fields of the forms."""
    describe = functools.cache(describe or (lambda: reference.forms(reference.printed())))
    pictures = Pictures(lambda: json.dumps(watcher.picture()), ThreadPoolExecutor(1))
    receivers = Receivers(watcher, ThreadPoolExecutor(SIGNALS))
    guarded = {"changes": changes, "token": token, "threads": Threads(), "files": ThreadPoolExecutor(FILES)}
    return Application([
        (r"/live", Live, {"pictures": pictures}),
        (r"/signal", Heard, {"receivers": receivers}),
        (r"/fields", Fields, {"describe": describe, "thread": ThreadPoolExecutor(1)}),
        (r"/status", Status, {"pictures": pictures, "receivers": receivers}),
        (r"/change", Change, guarded),
        (r"/file", File, guarded),
        (r"/metrics", Metrics, {"scrapes": Scrapes(watcher.programs)}),
        (r"/(.*)", Page, {"path": PAGE, "default_filename": "index.html"}),
    ], hosts or Hosts(), websocket_max_message_size=LARGEST_MESSAGE, websocket_ping_interval=10)
