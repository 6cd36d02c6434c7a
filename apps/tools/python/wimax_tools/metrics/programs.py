# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that run here: where their control sockets are, what they answer, since when they run."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import zmq

from wimax_tools.control import Refused, expanded, runtime_folder
from wimax_tools.safe_files import check_server

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
    """Name to endpoint of the sockets in a folder, by default the runtime folder."""
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
    """A program makes its socket when it starts; nothing changes it afterwards."""
    try:
        return Path(endpoint.removeprefix("ipc://")).stat().st_mtime if endpoint.startswith("ipc://") else None
    except OSError:
        return None


def is_there(endpoint):
    """A stopped program has removed its socket, so there is no need to wait for it. Sockets of other users are ignored."""
    try:
        check_server(endpoint)
        return not endpoint.startswith("ipc://") or Path(endpoint.removeprefix("ipc://")).exists()
    except (OSError, Refused):
        return False


def received(socket):
    try:
        answer = socket.recv_json()
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"error": ["not an answer of these programs"]}


class Question:
    """One request to one program, and the answer where it has come."""

    def __init__(self, context, endpoint):
        self.said, self.asked_s = {}, time.monotonic()
        self._context, self._endpoint, self.socket = context, endpoint, None

    def ask(self):
        """False: there are no descriptors left."""
        try:
            self.socket = self._context.socket(zmq.REQ)
            self.socket.setsockopt(zmq.LINGER, 0)
            self.socket.connect(self._endpoint)
            self.socket.send_json({"get": "status"})
        except zmq.ZMQError:
            self.close()
        return self.socket is not None

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def has_answer(self):
        return self.socket is not None and self.socket.poll(0) != 0

    def goes_on(self):
        """Takes an answer. True: a MAC, which is asked for its burst profiles, too."""
        self.said.update(received(self.socket))
        if "error" in self.said or RATES in self.said or "station" not in (self.said.get("status") or ()):
            return False
        self.socket.send_json({"get": RATES})
        return True


class Programs:
    """Asks all of them at once. Those that were there once stay on the list, as silent when they are gone.

    A round waits for a silent program once. After that a question to it stays open, and no round waits for it until it answers."""

    def __init__(self, elsewhere=None, folder=None, answer_s=ANSWER_S):
        """`elsewhere`: name to endpoint, in addition to those of the folder."""
        self._elsewhere, self._folder, self._answer_s = dict(elsewhere or {}), folder, answer_s
        self._seen, self._silent = {}, {}
        self._context = zmq.Context()
        self._lock = threading.Lock()

    def close(self):
        self._context.destroy(linger=0)

    def answers(self):
        """Name to Answer. Called from any thread: rounds come one after the other."""
        with self._lock:
            self._seen = {**self._seen, **in_folder(self._folder), **self._elsewhere}
            return self._ask_all(dict(self._seen))

    def _ask_all(self, endpoints):
        asked = {name: self._question(name, endpoint) for name, endpoint in endpoints.items() if is_there(endpoint)}
        for name in self._silent.keys() - asked.keys():
            self._silent.pop(name).close()
        waited_for = {name: question for name, question in asked.items() if question.socket and name not in self._silent}
        self._collect(dict(waited_for))
        said = {name: question.said for name, question in waited_for.items()}
        return {name: Answer(said.get(name, {}).get("status"), tuple(said.get(name, {}).get(RATES, ())), began_s(endpoint))
                for name, endpoint in endpoints.items()}

    def _question(self, name, endpoint):
        """A new one; of a program that is silent the open one, asked again now and then, since another may serve the address by now."""
        open_one = self._silent.get(name)
        if open_one and not open_one.has_answer() and time.monotonic() - open_one.asked_s < self._answer_s:
            return open_one
        question = self._opened(endpoint)
        if open_one:
            if open_one.has_answer():
                del self._silent[name]
            else:
                self._silent[name] = question
            open_one.close()
        return question

    def _opened(self, endpoint):
        question = Question(self._context, endpoint)
        question.ask()
        return question

    def _collect(self, waiting):
        """Until all have answered, or it takes too long: those that have not are silent from then on."""
        poller, until = zmq.Poller(), time.monotonic() + self._answer_s
        for question in waiting.values():
            poller.register(question.socket, zmq.POLLIN)
        while waiting and (left_ms := 1e3 * (until - time.monotonic())) > 0:
            ready = dict(poller.poll(left_ms))
            for name in [name for name, question in waiting.items() if question.socket in ready]:
                if not waiting[name].goes_on():
                    question = waiting.pop(name)
                    poller.unregister(question.socket)
                    question.close()
        self._silent.update(waiting)
