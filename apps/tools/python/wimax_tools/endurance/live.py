# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of all programs, of the metrics server and of the server of the live page, over simulated time with traffic both ways. Packets are scripted:
no root is needed."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from tornado.websocket import websocket_connect

from wimax_tools import provenance
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Stack, StackError
from wimax_tools.control import columns
from wimax_tools.endurance import memory
from wimax_tools.progress import Progress

PROFILE, RATES_BPS, PACKET_BYTES = "5MHz-10ms", {"bs": 5e6, "ss1": 3e6}, 1200
BEGIN_S = 2.0          # of traffic, in simulated time: the station has entered
WARM_SCRAPES = 400     # of the server, whose interpreter takes more and more until then
WARM_PICTURES = 600    # of the page's server, likewise; five minutes
PAUSE_S = 0.2          # between looks at the simulated clock
STILL_S = 60           # of the wall clock without simulated time passing


def traffic(simulated_s):
    ends = {"bs": ("10.16.0.1", "10.16.0.2"), "ss1": ("10.16.0.2", "10.16.0.1")}
    return {site: [{"start_s": BEGIN_S, "period_s": 8 * PACKET_BYTES / bps, "count": int((simulated_s + 60) * bps / 8 / PACKET_BYTES),
                    "size_bytes": PACKET_BYTES, "source": ends[site][0], "destination": ends[site][1]}] for site, bps in RATES_BPS.items()}


def resident_kib(pid):
    return int(re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)[1])


@contextlib.contextmanager
def web_server(module, run):
    """(process, address). One arena of the allocator: what it keeps for each thread grows for half an hour, by a megabyte or two, and is no leak."""
    server = subprocess.Popen([sys.executable, "-B", "-m", f"wimax_tools.{module}", "--port", "0"],
                              env={**os.environ, "WIMAX_RUN": str(run), "MALLOC_ARENA_MAX": "1"}, stderr=subprocess.PIPE, text=True)
    try:
        yield server, re.search(r"http://[^\s#]+", server.stderr.readline())[0]
    finally:
        server.terminate()
        server.communicate()


class Onlooker:
    """A page that is open, with its signal panel: takes every picture and does nothing with it."""

    def __init__(self, address):
        self.pictures = self.signals = 0
        url = address.replace("http:", "ws:").rstrip("/")
        for look in (self._look, self._listen):
            threading.Thread(target=lambda look=look: asyncio.run(look(url)), daemon=True).start()

    async def _look(self, url):
        connection = await websocket_connect(url + "/live", max_message_size=1 << 26)
        while await connection.read_message() is not None:
            self.pictures += 1

    async def _listen(self, url):
        connection = await websocket_connect(url + "/signal", max_message_size=1 << 26)
        await connection.write_message(json.dumps({"receiver": "bs.phyd", "burst": ""}))
        while await connection.read_message() is not None:
            self.signals += 1


def scrape(address):
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "application/openmetrics-text"})) as reply:
        return reply.read().decode()


def goodput_kbps(stack):
    """By direction, since the traffic began."""
    status = stack.answer("bs.macd")
    own, seconds = status["station"]["stations"][0], max(1e-9, status["simulated_s"] - BEGIN_S)
    return {"downlink": 8e-3 * own["dl"]["bytes"] / seconds, "uplink": 8e-3 * own["ul"]["bytes"] / seconds}


def looks(stack, metrics, onlooker, pids, options, progress):
    """A sample each time so much simulated time has passed, until the end."""
    next_s, last_s, moved = 0.0, -1.0, time.monotonic()
    while last_s < options.simulated_s:
        stack.check_alive()
        now_s = stack.answer("channeld")["time_s"]
        if now_s > last_s:
            last_s, moved = now_s, time.monotonic()
        elif time.monotonic() - moved > STILL_S:
            raise StackError(f"no simulated time passed for {STILL_S} s")
        progress.show(min(1, now_s / options.simulated_s), f"{now_s:.0f} of {options.simulated_s:g} s simulated")
        if now_s >= next_s:
            next_s = now_s + options.every_s
            yield {"simulated_s": now_s, "metrics_bytes": len(scrape(metrics)), "pictures": onlooker.pictures, "resident_kib": {name: resident_kib(pid) for name, pid in pids.items()}}
        time.sleep(PAUSE_S)


def fit(samples, simulated_s):
    """Program to figures of a straight line through its memory, without the begin; of none where there is too little of one."""
    warm = [sample for sample in samples if sample["simulated_s"] >= memory.WARM_SHARE * simulated_s]
    counted = {name: [sample for sample in warm if name != "watch" or sample["pictures"] >= WARM_PICTURES] for name in (warm[0]["resident_kib"] if warm else ())}
    if any(len(of) < memory.LEAST_LOOKS for of in counted.values()):
        return {}
    return {name: memory.line([sample["simulated_s"] for sample in of], [sample["resident_kib"][name] for sample in of])
            for name, of in counted.items()}


def table(lines):
    rows = [{"program": name, "first KiB": f"{of['first_kib']:.0f}", "last KiB": f"{of['last_kib']:.0f}", "most KiB": f"{of['most_kib']:.0f}",
             "slope KiB/h": f"{of['slope_kib_per_h']:+.0f}", "by the line": f"{of['grown_kib']:+.0f}",
             "allowed": f"{of['allowed_kib']:.0f}", "flat": "yes" if of["flat"] else "NO"} for name, of in lines.items()]
    return columns(rows, tuple(rows[0])) if rows else "too short for a line"


def run(options):
    """What was measured; after Ctrl-C so far."""
    samples, progress = [], Progress("endurance")
    stack = Stack(Profile.parse(PROFILE), mode="free", tun=False, traffic=traffic(options.simulated_s))
    kbps, wall_s, pictures, signals = {}, 0.0, 0, 0
    try:
        stack.start()
        stack.wait_for_entry()
        began = time.monotonic()
        with web_server("metrics", stack.run) as (metrics, address), web_server("watch", stack.run) as (watch, page):
            onlooker = Onlooker(page)
            for _ in range(WARM_SCRAPES):
                scrape(address)
            pids = {**{name: process.pid for name, process in stack.processes.items()}, "metrics": metrics.pid, "watch": watch.pid}
            with contextlib.suppress(KeyboardInterrupt):
                for sample in looks(stack, address, onlooker, pids, options, progress):
                    samples.append(sample)  # one by one: what was seen before Ctrl-C stays
            kbps, wall_s, pictures, signals = goodput_kbps(stack), time.monotonic() - began, onlooker.pictures, onlooker.signals
    finally:
        progress.clear()
        stack.stop()
    reached_s = samples[-1]["simulated_s"] if samples else 0.0
    return {"provenance": provenance.record("wimax endurance", provenance.command("endurance"), stack.seed), "simulated_s": reached_s, "wall_s": wall_s,
            "goodput_kbps": kbps, "pictures": pictures, "signals": signals, "programs": fit(samples, reached_s), "samples": samples}


def text(result):
    return (f"{result['simulated_s']:.0f} s simulated in {result['wall_s']:.0f} s, {len(result['samples'])} looks, {result['pictures']} pictures of the page, "
            f"{result['signals']} of a signal, " + ", ".join(f"{way} {kbps:.0f} kbit/s" for way, kbps in result["goodput_kbps"].items())
            + "\n" + table(result["programs"]))


def holds(result):
    return bool(result["programs"]) and all(of["flat"] for of in result["programs"].values())
