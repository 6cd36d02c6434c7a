# SPDX-License-Identifier: GPL-3.0-or-later
"""What commands in Python ask of running programs, print and return. The programs are a thread that serves their control sockets from one recorded cell."""
import contextlib
import functools
import io
import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from unittest import mock

import zmq

import recorded
import test_recorded_pages as pages
from wimax_tools.ctl import command as ctl
from wimax_tools.flows import command as flows
from wimax_tools.metrics import command as metrics
from wimax_tools.radio import capture
from wimax_tools.speed import tables
from wimax_tools.stations import command as stations
from wimax_tools.watch import command as watch
from wimax_tools.watch.watcher import Watcher

HERE = Path(__file__).resolve().parent
CELL = pages.recorded_cell()
MAC = "02:00:00:00:00:01"
IDLE, ARMED = {"state": "idle", "fault": "", "file": "/tmp/x.sigmf-data"}, {"state": "armed", "fault": "", "file": ""}
RESULTS = [{"id": 1, "done": True, "ok": True, "sfid": 1, "text": "of another", "code": 0}, {"id": 77, "done": False, "ok": False, "sfid": 0, "text": "", "code": 0}]
FLOW = {"station": MAC, "sfid": 3, "cid": 643, "direction": "uplink", "scheduling": "rtps", "state": "active", "name": "a\x1b", "max_sustained_rate_bps": 5,
        "min_reserved_rate_bps": 4, "backlog_bytes": 6, "sdus": 7}
STATION = {"mac": MAC, "name": "hut", "basic_cid": 1, "state": "operational", "restriction": "none", "dl_rate_id": 6, "ul_rate_id": 5, "rssi_dbm": -60.5, "cinr_db": 30}
SPEED = [{"isa": isa, "items": [{"name": name, "unit": unit, "value": value, "cpu_value": 1.1 * value, "x_real_time": 3.5} for name, unit, value in items]}
         for isa, items in (("avx2", (("tx", "MS/s", 100.0), ("latency", "us", 20.0))), ("none", (("rx", "MS/s", 12.5), ("tx", "MS/s", 50.0))))]


class Peers(threading.Thread):
    """All programs of the cell; notes what they are asked."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.asked, self.captures, self.results, self._over = [], [], [], False
        self._context, self._poller, self._names = zmq.Context(), zmq.Poller(), {}
        for name in CELL["statuses"]:
            socket = self._context.socket(zmq.REP)
            socket.bind(f"ipc://{folder}/{name}.ctl")
            self._poller.register(socket, zmq.POLLIN)
            self._names[socket] = name

    def run(self):
        while not self._over:
            for socket, _ in self._poller.poll(20):
                name, request = self._names[socket], socket.recv_json()
                self.asked.append([name, request])
                socket.send_json(self.reply(name, request))
        for socket in self._names:
            socket.close(linger=0)
        self._context.term()

    def stop(self):
        self._over = True
        self.join()

    def reply(self, name, request):
        if "set" in request:
            (key, value), = request["set"].items()
            if key.startswith("flows."):
                ok = value.get("sfid") != 9
                self.results = [RESULTS, [*RESULTS[:1], {"id": value["id"], "done": True, "ok": ok, "sfid": value.get("sfid", 12), "text": "done" if ok else "no\x07", "code": 0 if ok else 4}]]
            return {"error": [f"{key}: allowed something else"]} if "wrong" in key else {"ok": True}
        key = request["get"]
        replies = {"status": lambda: CELL["statuses"][name], "rates": lambda: CELL["rates"], "stations": lambda: [STATION],
                   "flows": lambda: {"flows": [FLOW, {**FLOW, "sfid": 4, "refusal": "full"}], "multicast": [{"members": 3, "listeners": 2, "cid": 9}],
                                     "results": self.results.pop(0) if len(self.results) > 1 else self.results[0] if self.results else RESULTS},
                   "reload": lambda: {"unchanged": ["tun.name", "sap"]}, "capture": lambda: self.captures.pop(0) if len(self.captures) > 1 else self.captures[0],
                   "events": lambda: {"events": [{"wall": 5.0 * n + len(name), "text": f"{name} {n}"} for n in range(60)]},
                   "frame": lambda: {"bursts": [1, 2]}, "signal": lambda: {"spectrum": [1]}}
        if key == "":
            return {"help": {"get": {"status": "figures", "rates": "profiles"}, "set": {"log.mac": "level"}}}
        if key not in replies or name.endswith("phyd") and key in ("events", "frame"):
            return {"error": [f"get: value {key}: not known"]}
        return {key: replies[key]()}


@contextlib.contextmanager
def cell():
    with tempfile.TemporaryDirectory(prefix="wimax-") as folder, mock.patch.dict(os.environ, WIMAX_RUN=folder, NO_COLOR="1", COLUMNS="100"):
        before = os.umask(0o077)
        peers = Peers(folder)
        os.umask(before)
        peers.start()
        try:
            yield Path(folder), peers
        finally:
            peers.stop()


def run(main, folder, peers, *words):
    """One command: its end, what it printed, and what it asked."""
    out, err, first = io.StringIO(), io.StringIO(), len(peers.asked)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch("random.getrandbits", lambda _: 77), mock.patch("signal.signal"), mock.patch.object(sys, "argv", ["x", *words]):
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = ended.code
    lines = {key: stream.getvalue().replace(str(folder), "RUN").splitlines() for key, stream in (("out", out), ("err", err))}
    if len(lines["out"]) > 60:  # figures of metrics
        values = [line for line in lines["out"] if not line.startswith("#") and "_created" not in line]
        lines["out"] = [len(values), *values[:20]]
    asked = sorted(json.dumps(one, sort_keys=True).replace(os.getcwd(), "HERE") for one in peers.asked[first:])
    return {"code": code, **lines, "asked": asked if len(asked) < 8 else [*asked[:8], len(asked)]}


def lines_of(main, *commands):
    with cell() as (folder, peers):
        return {" ".join(words): run(main, folder, peers, *words) for words in commands}


def captures():
    found = {}
    with cell() as (folder, peers):
        for name, states, words in (("at once", [IDLE], ()), ("later", [ARMED, {**ARMED, "state": "writing"}, IDLE], ("--trigger", "late")),
                                    ("never", [ARMED], ("--timeout-s", "0.1")), ("slow", [{**ARMED, "state": "writing"}] * 3 + [IDLE], ("--timeout-s", "0.1")),
                                    ("broken", [{**IDLE, "fault": "disk full"}], ())):
            peers.captures = list(states)
            one = run(capture.main, folder, peers, "--phy", "bs.phyd", "--out", "x.sigmf-data", *words)
            found[name] = {**one, "asked": sorted(set(one["asked"]))}
        found["nothing"] = run(capture.main, folder, peers, "--phy", "nope", "--out", "x")
        found["wrong"] = run(capture.main, folder, peers, "--phy", "bs.phyd", "--out", "x", "--timeout-s", "0.09", "--trigger", "x")
    return found


def watched():
    with cell() as (folder, peers), contextlib.closing(Watcher({"far": "tcp://127.0.0.1:9"}, folder)) as watcher:
        watcher.programs._elsewhere = {}
        first, second = watcher.picture(), watcher.picture()
        kept = ("events", "frames", "rates", "to_type")
        found = {"first": {key: first[key] for key in kept}, "keys": sorted(second), "cells": [len(one["cells"]) for one in (first, second)],
                 "asked": sorted({json.dumps(one) for one in peers.asked}), "signal": [watcher.signal(name) for name in ("bs.phyd", "nope")],
                 "endpoints": [(watcher.endpoint(name) or "").replace(str(folder), "RUN") for name in ("bs.macd", "far", "nope")]}
        found["first"]["events"] = [found["first"]["events"][n] for n in (0, 1, 2, -1)] + [len(first["events"])]
        wrong = Path(folder, "wrong.yml")
        wrong.write_bytes(b"\xff")
        found["commands"] = {" ".join(words).replace(str(folder), "RUN"): run(watch.main, folder, peers, *words)
                             for words in (("x",), ("--file", f"{folder}/none.yml"), ("--file", str(wrong)), ("--port", "65536"), ("--port", "-1"))}
        return found


def measured_speed():
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{n}.json") for n in range(len(SPEED))]
        for path, result in zip(paths, SPEED):
            path.write_text(json.dumps(result), encoding="utf-8")
        none = mock.Mock(asked=[])
        return {name: run(lambda _: tables.main(), folder, none, "table", *more, *map(str, paths)) for name, more in (("wall", ()), ("cpu", ("--cpu",)))}


CASES = {
    "ctl": functools.partial(lines_of, ctl.main, [], ["--json"], ["bs"], ["bs", "--json"], ["bs", "get", "status.station.stations.0.mac", "status.frames"], ["ss1", "get", "rates"],
                             ["ss1", "--json", "get", "rates.0"], ["bs", "set", "log.mac", "debug"], ["bs", "--json", "set", "log.mac", "[1]"], ["bs", "set", "wrong", "1"],
                             ["bs", "get"], ["bs", "set", "a"], ["nope"], ["bss"], ["bs", "watch", "status.frames", "--count", "2", "--every", "0.01"], ["ss1.phyd", "get", "x"],
                             ["bs", "get", "status", "--every", "0"], ["bs", "watch", "status.frames", "--count", "0"], ["bs", "gett"], ["ipc://{run}/none.ctl"]),
    "flows": functools.partial(lines_of, flows.main, ["list"], ["--json", "list"], ["ss1", "list"], ["add", "--station", MAC, "direction=uplink", "x=[1]"], ["change", "3", "rate=2", "name=x"],
                               ["delete", "5"], ["delete", "9"], ["--json", "delete", "5"], ["nope", "list"], ["--control", "ipc:///nowhere.ctl", "list"], ["delete", "0"],
                               ["delete", str(2**32)], ["delete", str(2**32 - 1)], ["add", "x"], ["list", "--json", "/nowhere/x.json"], []),
    "stations": functools.partial(lines_of, stations.main, ["list"], ["list", "--json"], ["suspend", MAC], ["--json", "reset", MAC], ["rates", MAC, "--dl-rate", "4", "--ul-lowest", "0"],
                                  ["rates", MAC, "--dl", "7"], ["rates", MAC, "--ul", "6", "--dl-lowest", "1"], ["reload"], ["reload", "--json"], ["ss1", "resume", MAC], ["silence"]),
    "metrics": functools.partial(lines_of, metrics.main, ["x"], ["x=tcp"], ["--port", "65536", "--once"], ["--once"]),
    "capture": captures, "watch": watched, "speed": measured_speed}


def main():
    return recorded.main(CASES, lambda name: CASES[name](), HERE / "commands.json.xz", ["--jobs", "1", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
