# SPDX-License-Identifier: GPL-3.0-or-later
"""A host and a cell that only exist as numbers, for the bench: time passes when somebody sleeps or waits, programs are lines in a list, and
counters grow by plain arithmetic. The bench's own code runs on them unchanged."""
import contextlib
import io
import json
import re
import types
from unittest import mock

import yaml

from wimax_tools.bench import lates, stack as programs
from wimax_tools.bench.instruments import stream, video

CELL_BPS = {"downlink": 9.1e6, "uplink": 7.3e6}
LOOK_S = 0.02  # between two looks of a watch
GATE = {name: n for n, name in enumerate(("bursts", "late", "too_long", "too_often", "silenced", "underflows"), 20)}
RADIO = {"gate": GATE, "late": 3, "underflows": 1, "overflows": 2, "clipped_samples": 5}


def wobble(number, period=97):
    """From 0 to 1: the same with each library."""
    return number * 37 % period / period


class World:
    def __init__(self, pace):
        self.pace, self.wall_s, self.simulated_s = pace, 1000.0, 0.25
        self.stations, self.snr_db = 1, 30.0
        self.octets, self.loads, self.said, self.watches, self.looked_s = {}, {}, [], [], 0.0
        self.sent, self.asked = {}, 0

    def say(self, *words):
        text = re.sub(r"/tmp/wimax-\w+", "TMP", " ".join(map(str, words)))
        self.said.append(re.sub(r"/\S*python3?(\.\d+)? ", "python ", text))

    def begin(self, stack):
        """A new cell."""
        self.stations, self.snr_db, self.simulated_s = stack.stations, min(stack.snr_db, 30.0), 0.25
        self.octets.clear()
        self.loads = {site: ("downlink", 0, None) if site == "bs" else ("uplink", int(site[2:]) - 1, None) for site in stack.traffic}

    # Time
    def sleep(self, seconds):
        while seconds > 1e-12:
            step = min(seconds, LOOK_S)
            self.pass_by(step)
            seconds -= step

    def pass_by(self, seconds):
        self.wall_s += seconds
        self.simulated_s += seconds * self.pace
        for way, bps in CELL_BPS.items():
            own = [load for load in self.loads.values() if load[0] == way]
            for number, (_, i, offer_bps) in enumerate(own):
                share = bps / len(own) * (0.9 + 0.1 * wobble(int(50 * self.simulated_s) + 11 * number)) * min(1.0, max(0.0, self.snr_db + 7) / 30)
                rate = min(share, share if offer_bps is None else offer_bps / self.pace)
                self.octets[way, i] = self.octets.get((way, i), 0) + int(rate * seconds * self.pace / 8)
        if self.wall_s - self.looked_s >= LOOK_S:
            self.looked_s = self.wall_s
            for watch in self.watches:
                watch.look()

    def until(self, wall_s):
        self.sleep(max(0.0, wall_s - self.wall_s))

    # Status of programs
    def ask(self, name, request):
        self.asked += 1
        self.wall_s += 1e-4
        self.simulated_s += 1e-4 * self.pace
        if "set" in request:
            self.say("set", name, json.dumps(request["set"], sort_keys=True))
            link = request["set"].get("link")
            if isinstance(link, dict):
                self.snr_db = link.get("snr_db", 120 - link.get("path_loss_db", 90))
            return {}
        return {"status": getattr(self, name.rpartition(".")[2])(name.partition(".")[0])}

    def channeld(self, _):
        sites = ["bs", *(f"ss{i + 1}" for i in range(self.stations))]
        return {"time_s": self.simulated_s, "radios": {site: {"streaming": True, "lost_rx_chunks": n, "lost_tx_chunks": 2 * n} for n, site in enumerate(sites)}}

    def phyd(self, site):
        frames = int(self.simulated_s / 0.01)
        late = [{"frame": frame, "late_us": 100 + frame % 7, "at_s": 1000 + frame * 0.01 / self.pace + 1e-5 * sum(map(ord, site))}
                for frame in range(frames // 300 * 300, frames // 300 * 300 + 2)]
        return {"late": 7 + frames // 300, "frames": frames, "detected_preambles": frames - 2, "transformed_symbols": 40 * frames, "radio": RADIO,
                "late_frames": late if site == "bs" else late[:1],
                "answers": {"count": frames, "p50_us": 800 + len(site), "p99_us": 1900, "p999_us": 2500, "longest_us": 3100}}

    def macd(self, site):
        total = {d: sum(octets for (way, _), octets in self.octets.items() if way == d) for d in CELL_BPS}
        own = lambda d, i: self.octets.get((d, i), 0)  # noqa: E731
        t, made = self.simulated_s, int(40 * self.simulated_s)
        privacy = {"key_replies": int(t / 3), "authorizations": int(t / 5), "messages": {"bad": 1 + int(t / 4)}, "pdus": {"opened": int(9 * t), "stale": int(t / 2)}}
        common = {"simulated_s": t, "frames": int(t / 0.01), "pcap": {"dropped": 4 + len(site)}, "operational": True}
        rate_id = min(6, max(0, int(self.snr_db / 4)))
        if site == "bs":
            stations = [{"mac": programs.Stack.mac_address(i), "dl": {"backlog_bytes": 0, "sdus": own("downlink", i) // 1450},
                         "ul": {"bytes": own("uplink", i)}, "dl_rate_id": rate_id, "ul_rate_id": max(0, rate_id - 1),
                         "flows": [{"max_sustained_rate_bps": 2_000_000}], "privacy": privacy} for i in range(self.stations)]
            frames = int(t / 0.01)
            spent = {"dl": {"preamble": 2, "fch": 1, "maps": 3, "descriptors": 1, "data": 80, "idle": 6}, "ul": {"ranging": 4, "contention": 3, "preamble": 2, "data": 70}}
            symbols = {way: {purpose: count * frames + frames * n // 7 for n, (purpose, count) in enumerate(parts.items())} for way, parts in spent.items()}
            return {**common, "sdus": {"out": total["uplink"] // 1490, "out_bytes": total["uplink"]}, "traffic": {"made": made, "received": made - 3},
                    "station": {"stations": stations, "symbols": symbols, "frames": frames,
                                "capacity": {"downlink": {"kbps": 8800.0}, "uplink_shared": {"kbps": 7000.0}}}}
        i = int(site[2:]) - 1
        return {**common, "sdus": {"out": own("downlink", i) // 1490, "out_bytes": own("downlink", i)}, "traffic": {"made": made, "received": made - 5},
                "station": {"entry_time_s": 0.375 + i, "ul": {"backlog_bytes": 0, "sdus": own("uplink", i) // 1450}, "privacy": privacy}}

    # Programs
    def load(self, key, netns, address, bps):
        down = netns.endswith("-bs")
        self.loads[key] = ("downlink", int(address.rpartition(".")[2]) - 2, bps) if down else ("uplink", int(netns.rpartition("-ss")[2]) - 1, bps)

    def run(self, command, **_):
        """In place of subprocess.run."""
        words = list(map(str, command))
        text, t = " ".join(words), self.simulated_s
        if "wimax_tools.bench.traffic ping" in text:
            probes, frame_s = int(words[-4]), float(words[-3])
            self.say(text)
            self.sleep(3 * probes * frame_s)
            return said({"rtt_s": [0.011 + 0.02 * wobble(n) for n in range(probes - 2)], "lost": 2})
        if "/proc/net/" in text:
            return said(f"Tcp: A OutSegs RetransSegs\nTcp: 1 {int(900 * t)} {int(7 * t)}" if "snmp" in text else f"TcpExt: X TCPTimeouts\nTcpExt: 1 {int(t / 3)}")
        if "wimax-sim" in text:
            scenario = json.loads(open(words[-1], encoding="utf-8").read())
            self.say("wimax-sim", json.dumps(scenario, sort_keys=True))
            return said({"total": {d: {"delay_ms": {"mean": 7.5 + n}, "loss": 0.01 * n} for n, d in enumerate(CELL_BPS)}})
        if text == "ip netns list":
            return said("")
        self.say(text)
        if " -c " in text:  # a burst
            key = ("downlink" if words[3].endswith("-bs") else "uplink", 0)
            self.octets[key] = self.octets.get(key, 0) + 250 * 1500
        return said("")

    def started(self, command, **_):
        """In place of subprocess.Popen."""
        words = list(map(str, command))
        if words[0].startswith("/"):
            config = json.dumps(yaml.safe_load(open(words[-1], encoding="utf-8")), sort_keys=True)
            self.say(*(re.sub(".*/", "", word) for word in words), re.sub(r'[^"\s=]*/wimax-[\w-]+', "TMP", config))
        else:
            self.say(*words)
        return Process(self, words[4:] if words[:3] == ["ip", "netns", "exec"] else words, words[3] if len(words) > 3 else "")


def said(what):
    return types.SimpleNamespace(stdout=what if isinstance(what, str) else json.dumps(what), returncode=0)


class Process:
    pid, returncode = 1, None

    def __init__(self, world, words, netns):
        self.world, self.words, self.begin_s = world, words, world.wall_s
        self.stdout, self.stderr, self.result = io.StringIO("\n"), io.StringIO(), None
        verb = next((name for name in ("stream", "probe", "video") if words[2:3] == [f"wimax_tools.bench.instruments.{name}"]), "iperf" if "-c" in words else "")
        own = words[4:]
        if verb == "iperf":
            value = dict(zip(words, words[1:]))
            self.seconds, self.udp = float(value["-t"]), "-u" in words
            world.load(self, netns, value["-c"], float(value["-b"]) * 1500 / 1472 if self.udp else None)
        elif verb and words[3] in ("send", "probe"):
            self.send(verb, own)
            world.load(self, netns, own[0], 40e3)
        self.verb, self.own = verb, own

    def send(self, verb, own):
        port, begin, world = int(own[1]), self.begin_s, self.world
        count = int(own[5]) if verb == "probe" else int(own[4]) if verb == "stream" else int(own[3])
        gap_s = (float(own[3]) + float(own[4])) / 2 if verb == "probe" else float(own[3]) if verb == "stream" else float(own[2])
        times = [begin + n * gap_s for n in range(min(count, 20000))]
        self.seconds = count * gap_s + 0.1
        delay = lambda n: (0.009 + 0.018 * wobble(n)) / world.pace  # noqa: E731
        if verb == "stream":
            arrived = [(n, at + delay(n)) for n, at in enumerate(times) if n % 89 != 13]
            arrived[5:7] = arrived[6:4:-1]
            world.sent[port], self.result = arrived, times
        elif verb == "probe":
            echoed = [(n, at + delay(n)) for n, at in enumerate(times) if n % 71 != 9]
            world.sent[port], self.result = echoed, (times, [(n, at + (0.012 + 0.001 * wobble(n, 13)) / world.pace) for n, at in echoed])
        else:
            world.sent[port] = [(n, i, len(video.packets(n)), at + delay(n) + (0.5 if n % 50 > 46 else 0) + 1e-4 * i) for n, at in enumerate(times)
                                for i in range(len(video.packets(n))) if (n + 7 * i) % 301 != 44]
            self.result = times

    def communicate(self, **_):
        if self.verb == "iperf":
            return self.iperf(), ""
        if self.verb and self.words[3] in ("receive", "echo"):
            sender = next(load for load in self.world.loads if isinstance(load, Process) and load.own[1:2] == self.own[:1])
            self.world.until(sender.begin_s + sender.seconds)
            return json.dumps(self.world.sent[int(self.own[0])]), ""
        self.world.loads.pop(self, None)
        return json.dumps(self.result), ""

    def iperf(self):
        self.world.until(self.begin_s + self.seconds + 0.05)
        way, i, bps = self.world.loads.pop(self)
        octets = int((bps or CELL_BPS[way] * self.world.pace / (2 + i)) * self.seconds / 8)
        intervals = [{"sum": {"start": n * self.seconds / 20, "end": (n + 1) * self.seconds / 20, "bytes": int(octets / 20 * (0.9 + 0.2 * wobble(n)))}} for n in range(20)]
        received = {"bytes": octets, "seconds": self.seconds, "lost_packets": 5 + i, "packets": octets // 1472}
        sender = {"mean_rtt": 21_000 + 100 * i}
        return json.dumps({"end": {"sum_received": received, "sum_sent": {"bytes": octets + 9000, "retransmits": 11 + i},
                                   "streams": [{"sender": sender, "udp": {"out_of_order": 1}}]}, "server_output_json": {"intervals": intervals}})

    def poll(self):
        return None

    def kill(self):
        self.world.loads.pop(self, None)

    terminate = kill

    def wait(self, *_):
        return 0


class Stalls:
    longest_s = 0.0123

    def start(self):
        pass

    stop = start

    def stolen_share(self):
        return 0.0625


class Probe:
    """In place of the processes that watch the processors."""

    def start(self):
        pass

    def stop(self):
        return [lates.Stall(1003.0, 0.004), lates.Stall(1003.5, 0.001)]


class Stack(programs.Stack):
    """The bench's own, on the host's numbers."""
    world = None

    def __init__(self, *args, **words):
        super().__init__(*args, **words)
        self._stalls = Stalls()
        self.world.begin(self)

    def stop(self):
        super().stop()
        self.world.loads.clear()

    def netns(self, site):
        return f"wmx-{site}"

    def ask(self, daemon, request, timeout_ms=10_000):
        return self.world.ask(daemon, request)

    def cpu_seconds(self):
        return {name: self.world.simulated_s * (0.01 + 0.002 * n) for n, name in enumerate(self.daemons)}


@contextlib.contextmanager
def world(pace=1.6):
    """The host; `Stack` in the bench's modules is the one above."""
    here = World(pace)
    names = {"time.sleep": here.sleep, "time.monotonic": lambda: here.wall_s, "subprocess.run": here.run, "subprocess.Popen": here.started,
             "wimax_tools.provenance.commit": lambda: "0123456", "wimax_tools.bench.traffic.listens": lambda *_: True, "wimax_tools.bench.run.Stack": Stack, "wimax_tools.bench.matrix.Stack": Stack,
             "wimax_tools.bench.matrix.StallProbe": Probe, "wimax_tools.bench.lates.StallProbe": Probe, "wimax_tools.bench.run.signal.signal": lambda *_: None}
    with contextlib.ExitStack() as patches:
        for name, value in names.items():
            patches.enter_context(mock.patch(name, value))
        patches.enter_context(mock.patch.object(Stack, "world", here))
        patches.enter_context(mock.patch.object(stream.Watch, "start", lambda watch: here.watches.append(watch)))
        patches.enter_context(mock.patch.object(stream.Watch, "join", lambda watch: here.watches.remove(watch)))
        yield here
