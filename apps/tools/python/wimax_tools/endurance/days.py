# SPDX-License-Identifier: GPL-3.0-or-later
"""Days of the full mix in the simulator: what ARQ promises, what services promise, stations that come back, keys that change, memory."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

from wimax_tools.control import Failed, columns
from wimax_tools.endurance import memory
from wimax_tools.keys.store import Store

DAY_S = 86400
INTERVALS = 1000            # looks at memory and goodput
FRAME_NUMBERS = 1 << 24
AK_S, TEK_S = 7200, 1800    # lifetimes of keys
LATE_ALLOWED = 0.001        # share of the packets of UGS, ertPS and rtPS that take longer than their bound
PDUS_OF_A_PACKET = 2        # at most, for the sizes of the scenario: one that is cut at the end of a frame has two
BOUND_SIGMAS = 5
CYCLES_KEPT = 0.9           # of the times that a station leaves coverage: the end of the run cuts the last ones


def scenario_file():
    source = Path(os.environ["WIMAX_SOURCE_DIR"], "config")
    installed = Path("/etc/wimax")
    return next(f / "scenarios/endurance.yml" for f in (source, installed) if (f / "scenarios/endurance.yml").is_file())


def make_keys(folder, stations):
    store = Store(folder)
    store.make_authority("endurance", 2048, "sha256", 365)
    for number in range(1, stations + 1):
        store.make_station(station_mac(number), 2048, "sha256", 365)


def station_mac(number):
    """MAC address of a station of the simulator, by its number from 1 (mac_of() in apps/sim/packet.h)."""
    high, low = divmod(number - 1, 256)
    return f"02:00:00:01:{high:02x}:{low:02x}"


def simulate(days, seed, run=subprocess.run):
    """The scenario, as read, and the simulator's result."""
    import yaml
    file = scenario_file()
    scenario = yaml.safe_load(file.read_text(encoding="utf-8"))
    seconds = days * DAY_S
    with tempfile.TemporaryDirectory() as folder:
        make_keys(Path(folder, "keys"), scenario["stations"])
        out = Path(folder, "result.json")
        done = run([str(Path(os.environ["WIMAX_BUILD_DIR"], "bin/wimax-sim")), "--scenario", str(file), "--seconds", f"{seconds:g}", "--seed", str(seed),
                    "--interval_s", f"{max(1, seconds / INTERVALS):g}", "--status", "true", "--privacy.keys", str(Path(folder, "keys")),
                    "--privacy.ak_lifetime_s", str(AK_S), "--privacy.tek_lifetime_s", str(TEK_S), "--json", str(out)], check=False)
        if done.returncode:
            raise Failed(f"wimax-sim ended with status {done.returncode}")
        return scenario, json.loads(out.read_text(encoding="utf-8"))


class Judgement:
    """Lines of (what, measured, allowed, holds)."""

    def __init__(self, scenario, result):
        self.scenario, self.result, self.lines = scenario, result, []
        self.leaving = set(scenario["snr_series_stations"])
        self.with_arq = [flow for flow in result["flows"] if self._entry(flow).get("arq", True) and not self._entry(flow).get("multicast")]
        self.without = [flow for flow in result["flows"] if flow not in self.with_arq]
        for judge in (self._arq, self._losses, self._late, self._stations, self._wrap, self._keys, self._adaptation, self._memory):
            judge()

    def _entry(self, flow):
        return self.scenario["traffic"][flow["entry"] - 1]

    def _say(self, what, measured, allowed, holds):
        self.lines.append({"what": what, "measured": measured, "allowed": allowed, "holds": "yes" if holds else "NO"})

    def _none(self, what, flows, key):
        count = sum(flow[key] for flow in flows)
        self._say(what, f"{count} of {sum(flow['offered_packets'] for flow in flows)}", "0", count == 0)

    def _arq(self):
        stay = [flow for flow in self.with_arq if flow["station"] not in self.leaving]
        for key in ("lost", "reordered"):
            self._none(f"{key} with ARQ, stations that stay", stay, f"{key}_packets")
        self._none("duplicated", self.result["flows"], "duplicated_packets")
        self._none("reordered without ARQ", self.without, "reordered_packets")

    def _losses(self):
        """A packet is lost with any of its PDUs; the bound is that of the packets with the most."""
        offered, lost = (sum(flow[key] for flow in self.without) for key in ("offered_packets", "lost_packets"))
        share = PDUS_OF_A_PACKET * self.scenario["pdu_loss"]
        allowed = share * offered + BOUND_SIGMAS * (share * offered) ** 0.5
        self._say("lost without ARQ, by the losses asked for", f"{lost} of {offered}", f"{allowed:.0f}", offered > 0 and 0 < lost <= allowed)

    def _late(self):
        bound = [flow for flow in self.result["flows"] if self._entry(flow).get("max_latency_ms")]
        worst = max(flow["late_fraction"] for flow in bound)
        self._say("beyond the latency promised, of the worst flow", f"{worst:.6f}", f"{LATE_ALLOWED}", worst <= LATE_ALLOWED)

    def _stations(self):
        result, scenario = self.result, self.scenario
        cycles = len(self.leaving) * int(result["virtual_s"] / scenario["snr_period_s"])
        self._say("entered", f"{result['entered']}", f"{scenario['stations']}", result["entered"] == scenario["stations"])
        for key in ("losses", "entries"):
            least = int(CYCLES_KEPT * cycles)
            self._say(f"{key} of stations that leave, {cycles} times out of reach", f"{result[key]}", f"{least} .. {cycles + len(self.leaving)}",
                      least <= result[key] <= cycles + len(self.leaving))
        stay = scenario["stations"] - len(self.leaving)
        self._say("operational, always", f"{result['least_operational']}", f"{stay}", result["least_operational"] >= stay)

    def _wrap(self):
        wraps = (self.scenario["base_station"]["first_frame_number"] + self.result["wall"]["frames"]) // FRAME_NUMBERS
        self._say("wraps of the frame number", f"{wraps}", "1 or more", wraps >= 1)

    def _keys(self):
        leaving = {station_mac(number) for number in self.leaving}
        stations = [s for s in self.result["status"]["base_station"]["stations"] if s["mac"] not in leaving]
        least = int(self.result["virtual_s"] / TEK_S)
        replies = min(s["privacy"]["key_replies"] for s in stations)
        self._say("traffic keys given to each station that stays", f"{replies}", f"{least} or more", replies >= least)

    def _adaptation(self):
        changes = sum(s["link"]["dl_falls"] + s["link"]["dl_rises"] for s in self.result["status"]["base_station"]["stations"])
        self._say("changes of downlink rates", f"{changes}", "1 or more", changes > 0)

    def _memory(self):
        bytes_, interval_s = self.result["memory"]["resident_bytes"], self.result["memory"]["interval_s"]
        counted = [(i * interval_s, size / 1024) for i, size in enumerate(bytes_) if i >= memory.WARM_SHARE * len(bytes_)]
        if len(counted) < memory.LEAST_LOOKS:
            return self._say("growth of memory, KiB", "too few looks", "", False)
        line = memory.line(*zip(*counted))
        self._say("growth of memory, KiB", f"{line['grown_kib']:+.0f} of {line['first_kib']:.0f}", f"{line['allowed_kib']:.0f}", line["flat"])

    def holds(self):
        return all(line["holds"] == "yes" for line in self.lines)

    def text(self):
        wall = self.result["wall"]
        return (f"{self.result['virtual_s'] / DAY_S:g} days simulated at {wall['times_real_time']:.0f} times real time, {wall['frames']} frames, "
                f"seed {self.result['seed']}\n" + columns(self.lines, ("what", "measured", "allowed", "holds")))
