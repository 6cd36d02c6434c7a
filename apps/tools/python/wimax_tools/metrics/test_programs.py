# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs behind control sockets: some answer, some are silent, some are gone."""

import errno
import json
import os
import tempfile
import threading
import time
import types
import unittest
from contextlib import closing
from pathlib import Path
from unittest import mock

import zmq

from wimax_tools.control import Refused
from wimax_tools.metrics.programs import Programs, began_s, in_folder, named

RATE = {"id": 0, "name": "BPSK 1/2", "needs_db": 3.4}
MAC = {"role": "bs", "station": {}}


class Double:
    """A program that answers as told; None: it hears and says nothing."""

    def __init__(self, endpoint, answers):
        self._context, self._answers, self.requests = zmq.Context(), answers, []
        self._socket = self._context.socket(zmq.REP)
        self._socket.bind(endpoint)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        try:
            while True:
                self.requests.append(self._socket.recv_json())
                answer = self._answers(self.requests[-1])
                if answer is None:
                    self._socket.recv_json()  # refused in this state: ends the thread's work
                self._socket.send(answer if isinstance(answer, bytes) else json.dumps(answer).encode())
        except zmq.ZMQError:
            pass
        finally:
            self._socket.close(linger=0)

    def close(self):
        self._context.term()
        self._thread.join()


def mac(request):
    return {"status": MAC} if request == {"get": "status"} else {"rates": [RATE]}


class Asked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def double(self, name, answers):
        double = Double(f"ipc://{self.folder}/{name}.ctl", answers)
        self.addCleanup(lambda: double and double.close())
        return double

    def test_all_that_are_in_the_folder(self):
        self.double("bs.macd", mac)
        phy = self.double("bs.phyd", lambda request: {"status": {"radio_open": True}})
        self.double("bad.macd", lambda request: b"no JSON")
        self.double("list", lambda request: [1])
        self.double("silent", lambda request: None)
        (self.folder / "killed.phyd.ctl").touch()
        with closing(Programs({"far.macd": f"ipc://{self.folder}/far"}, self.folder, answer_s=0.5)) as programs:
            answers = programs.answers()
            self.assertEqual({name: answer.status for name, answer in answers.items()},
                             {"bs.macd": MAC, "bs.phyd": {"radio_open": True}, "bad.macd": None, "list": None, "silent": None, "killed.phyd": None,
                              "far.macd": None})
            self.assertEqual((answers["bs.macd"].rates, answers["bs.phyd"].rates), ((RATE,), ()))
            self.assertEqual(phy.requests, [{"get": "status"}])
            self.assertEqual(answers["bs.macd"].began_s, os.stat(self.folder / "bs.macd.ctl").st_mtime)

    def test_who_is_gone_is_remembered_and_not_waited_for(self):
        (self.folder / "ss.phyd.ctl").touch()
        with closing(Programs(folder=self.folder, answer_s=0.05)) as programs, \
                mock.patch.object(programs, "_opened", wraps=programs._opened) as opened:
            self.assertEqual(list(programs.answers()), ["ss.phyd"])
            (self.folder / "ss.phyd.ctl").unlink()
            self.assertEqual({name: answer.status for name, answer in programs.answers().items()}, {"ss.phyd": None})
            self.assertEqual(opened.call_count, 1)

    def test_a_silent_program_is_waited_for_once(self):
        """And one that answers again, or another one in its place, is heard."""
        self.double("bs.macd", mac)
        silent = Double(f"ipc://{self.folder}/silent.ctl", lambda request: None)
        with closing(Programs(folder=self.folder, answer_s=0.3)) as programs:
            def statuses():
                return {name: answer.status for name, answer in programs.answers().items()}

            self.assertEqual(statuses(), {"bs.macd": MAC, "silent": None})
            with mock.patch.object(programs, "_answer_s", 3600):
                said = []
                rounds = threading.Thread(target=lambda: said.extend(statuses() for _ in range(3)), daemon=True)
                rounds.start()
                rounds.join(60)
                self.assertEqual(said, 3 * [{"bs.macd": MAC, "silent": None}])
            self.assertEqual(len(silent.requests), 1)
            silent.close()
            with mock.patch.object(programs, "_answer_s", 0.05):
                self.double("silent", lambda request: {"status": {"radio_open": True}})
                until = time.monotonic() + 60
                while statuses()["silent"] is None and time.monotonic() < until:
                    time.sleep(0.02)
                self.assertEqual(statuses(), {"bs.macd": MAC, "silent": {"radio_open": True}})

    def test_a_program_that_stops_between_two_answers_is_silent(self):
        """What it said then is not repeated later."""
        self.double("bs.macd", lambda request: {"status": MAC} if request == {"get": "status"} else None)
        with closing(Programs(folder=self.folder, answer_s=0.3)) as programs:
            self.assertEqual([programs.answers()["bs.macd"].status for _ in range(3)], [MAC, None, None])

    def test_no_descriptor_is_left(self):
        self.double("bs.macd", mac)
        with closing(Programs(folder=self.folder, answer_s=5)) as programs:
            none = types.SimpleNamespace(socket=mock.Mock(side_effect=zmq.ZMQError(errno.EMFILE)))
            with mock.patch.object(programs, "_context", none):
                self.assertIsNone(programs.answers()["bs.macd"].status)
            self.assertEqual(programs.answers()["bs.macd"].status, MAC)

    def test_names(self):
        for name in ("b.phyd", "a.macd"):
            (self.folder / f"{name}.ctl").touch()
        (self.folder / "supervisor.sock").touch()
        self.assertEqual(in_folder(self.folder), {name: f"ipc://{self.folder}/{name}.ctl" for name in ("a.macd", "b.phyd")})
        self.assertEqual(named(["far=tcp://host:1"]), {"far": "tcp://host:1"})
        for word in ("far", "far=host", "=tcp://host:1"):
            with self.assertRaisesRegex(Refused, f"'{word}': allowed NAME=ENDPOINT"):
                named([word])
        self.assertEqual((began_s("tcp://host:1"), began_s(f"ipc://{self.folder}/none")), (None, None))


if __name__ == "__main__":
    unittest.main()
