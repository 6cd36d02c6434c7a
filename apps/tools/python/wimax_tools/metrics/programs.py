# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that run here: where their control sockets are, what they answer, since when they run."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import zmq

from wimax_tools.control import Refused, expanded, runtime_folder

SUFFIX = ".ctl"
ANSWER_S = 1.0  # a program looks at its control socket some twenty times a second at least
RATES = "rates"


@dataclass(frozen=True)
class Answer:
    """What a program said; status None of one that is silent."""
    status: Optional[dict]
    rates: tuple = ()
    began_s: Optional[float] = None  # wall time; known of programs of this host


def in_folder(folder=None):
    """Name to endpoint, of the sockets in a folder: the runtime folder, unless told otherwise."""
    return {path.name.removesuffix(SUFFIX): f"ipc://{path}" for path in sorted(Path(folder or runtime_folder()).glob(f"*{SUFFIX}"))}


def named(words):
    """Of NAME=ENDPOINT."""
    endpoints = {}
    for word in words:
        name, _, endpoint = word.partition("=")
        if not name or "://" not in endpoint:
            raise Refused(f"'{word}': allowed NAME=ENDPOINT, for instance far.macd=tcp://host:5701")
        endpoints[name] = expanded(endpoint)
    return endpoints


def began_s(endpoint):
    """A program makes its socket when it begins, and nobody touches it afterwards."""
    try:
        return Path(endpoint.removeprefix("ipc://")).stat().st_mtime if endpoint.startswith("ipc://") else None
    except OSError:
        return None


def is_there(endpoint):
    """A program that was stopped has taken its socket along: nobody needs to wait for it."""
    return not endpoint.startswith("ipc://") or Path(endpoint.removeprefix("ipc://")).exists()


def received(socket):
    try:
        answer = socket.recv_json()
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"error": ["not an answer of these programs"]}


class Programs:
    """Asks all of them at once. Those that were there once stay on the list: who is gone is told as silent."""

    def __init__(self, elsewhere=None, folder=None, answer_s=ANSWER_S):
        """`elsewhere`: name to endpoint, beside those of the folder."""
        self._elsewhere, self._folder, self._answer_s = dict(elsewhere or {}), folder, answer_s
        self._seen = {}
        self._context = zmq.Context()

    def close(self):
        self._context.destroy(linger=0)

    def answers(self):
        """Name to Answer."""
        self._seen = {**self._seen, **in_folder(self._folder), **self._elsewhere}
        return self._ask_all(dict(self._seen))

    def _ask_all(self, endpoints):
        said, poller, sockets = {name: {} for name in endpoints}, zmq.Poller(), {}
        try:
            for name, endpoint in endpoints.items():
                if is_there(endpoint):
                    sockets[name] = self._opened(endpoint, poller)
            until = time.monotonic() + self._answer_s
            while sockets and (left_ms := 1e3 * (until - time.monotonic())) > 0:
                ready = dict(poller.poll(left_ms))
                for name in [name for name, socket in sockets.items() if socket in ready]:
                    said[name].update(received(sockets[name]))
                    if not self._goes_on(sockets[name], said[name]):
                        poller.unregister(sockets[name])
                        sockets.pop(name).close()
        finally:
            for socket in sockets.values():
                socket.close()
        return {name: Answer(answer.get("status"), tuple(answer.get(RATES, ())), began_s(endpoints[name])) for name, answer in said.items()}

    def _opened(self, endpoint, poller):
        socket = self._context.socket(zmq.REQ)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(endpoint)
        socket.send_json({"get": "status"})
        poller.register(socket, zmq.POLLIN)
        return socket

    @staticmethod
    def _goes_on(socket, answer):
        """A MAC is asked for its burst profiles, too."""
        if "error" in answer or RATES in answer or "station" not in answer.get("status", ()):
            return False
        socket.send_json({"get": RATES})
        return True
