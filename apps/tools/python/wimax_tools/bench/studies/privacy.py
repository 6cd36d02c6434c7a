# SPDX-License-Identifier: GPL-3.0-or-later
"""What privacy costs, and that keys change under traffic without a packet lost: the same cell without and with it."""
import functools
import tempfile
from pathlib import Path

from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.stack import Stack
from wimax_tools.bench.studies.cells import NO_QUEUE_MANAGEMENT
from wimax_tools.bench.traffic import PACKET
from wimax_tools.bench.transfers import DIRECTIONS, steady, transfers
from wimax_tools.keys.store import Store

OVERLOAD, NEAR_LIMIT = 1.2, 0.95
LIFETIMES_S = {"ak_lifetime_s": 120, "tek_lifetime_s": 60}  # of two TEKs that overlap by half: a new one each 30 s
GRACE_S = {"authorization_grace_s": 20, "tek_grace_s": 10}
NEW_AK_S, NEW_TEK_S = 120, 30
CHANGES_S = 600
LOAD_BPS, LOAD_S = 8e6, 30
SEALING, HEADER_AND_CRC = 12, 10  # octets of a PDU
WITHOUT, WITH = "without", "with"
LATER_S, SHARE, CPU = 1.0, (1 - 0.015) * (PACKET + HEADER_AND_CRC) / (PACKET + HEADER_AND_CRC + SEALING), 0.1


class Laboratory:
    """An authority and one station's certificate, as long as this program runs."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="wimax-keys-")
        self.store = Store(Path(self._folder.name))
        self.store.make_authority("bench", 2048, "sha256", 1)
        self.store.make_station(Stack.mac_address(0), 2048, "sha256", 1)

    @property
    def base(self):
        return {"policy": "required", "authorities": str(self.store.ca_pem), "revoked": str(self.store.revoked_pem), **LIFETIMES_S}

    @property
    def station(self):
        certificate = self.store.folder / "stations" / Stack.mac_address(0).replace(":", "-")
        return {"policy": "required", "authorities": str(self.store.ca_pem), "certificate": f"{certificate}.pem", "private_key": f"{certificate}.key", **GRACE_S}


@functools.cache
def laboratory():
    return Laboratory()


def cell(case, _profile):
    extra = {"bs": {"bs": {**NO_QUEUE_MANAGEMENT}}, "ss1": {"ss": {**NO_QUEUE_MANAGEMENT}}}
    if case == WITH:
        extra["bs"]["privacy"], extra["ss1"]["privacy"] = laboratory().base, laboratory().station
    return extra


def measure_privacy(bench):
    """Entry; what each direction carries; 8 Mb/s both ways with processor time; then both ways near the limit while keys change."""
    stack, capacity = bench.stack, bench.stack.capacity_kbps()
    entry_s = stack.answer("ss1.macd")["station"]["entry_time_s"]
    figures = {}
    for d in DIRECTIONS:
        _, rate = steady(bench, [(0, d, 1e3 * OVERLOAD * capacity[d])], bench.args.duration)
        figures[d] = {"entry_s": round(entry_s, 3), "kbps": rate[d]}
    cpu = processor_time(bench, {d: min(LOAD_BPS, 1e3 * NEAR_LIMIT * capacity[d]) for d in DIRECTIONS})
    before = keys(stack)
    changes = bench.seconds(CHANGES_S if before["aks"] else LOAD_S)  # nothing changes without
    begin = stack.clock().simulated_s
    results, _ = transfers(bench, [(0, d, 1e3 * NEAR_LIMIT * figures[d]["kbps"], None, changes) for d in DIRECTIONS])
    seconds, after = stack.clock().simulated_s - begin, keys(stack)
    for d, result in zip(DIRECTIONS, results):
        figures[d].update(bs_cpu=cpu["bs.macd"], ss_cpu=cpu["ss1.macd"], load_kbps=cpu[d], seconds=round(seconds, 1), packets=result["packets"], lost=result["lost"],
                          reordered=result["reordered"], **{what: after[what] - before[what] for what in after})
    return figures


def processor_time(bench, load_bps):
    """CPU seconds for each second of the air, by daemon; what was carried by direction, in kb/s."""
    stack = bench.stack
    marks = []

    def look():
        marks.append((stack.clock().simulated_s, stack.cpu_seconds(), {d: sum(s.octets for s in stack.delivered(d)) for d in DIRECTIONS}))

    def middle():
        stack.pass_time(0.3 * LOAD_S)
        look()
        stack.pass_time(0.5 * LOAD_S)
        look()

    transfers(bench, [(0, d, load_bps[d], None, LOAD_S) for d in DIRECTIONS], middle)
    (begin, cpu, octets), (end, cpu_end, octets_end) = marks
    return {**{daemon: round((cpu_end[daemon] - cpu[daemon]) / (end - begin), 4) for daemon in cpu},
            **{d: round(8e-3 * (octets_end[d] - octets[d]) / (end - begin), 1) for d in DIRECTIONS}}


def keys(stack):
    """How often keys have come, and PDUs and messages that either end did not take."""
    ends = [stack.answer("bs.macd")["station"]["stations"][0].get("privacy"), stack.answer("ss1.macd")["station"].get("privacy")]
    if None in ends:
        return {"teks": 0, "aks": 0, "refused": 0}
    refused = sum(sum(end["messages"].values()) + sum(n for cause, n in end["pdus"].items() if cause != "opened") for end in ends)
    return {"teks": ends[1]["key_replies"], "aks": ends[1]["authorizations"], "refused": refused}


def changes_in(figures, period_s):
    """How many there are at least: where the time began, one may have been just over."""
    return max(0, int(figures["seconds"] / period_s) - 1)


def privacy_goals(measured):
    lab, goals = measured.lab, []
    for d in DIRECTIONS:
        one, clear = lab[d][WITH], lab[d][WITHOUT]
        later, share = round(one["entry_s"] - clear["entry_s"], 3), round(one["kbps"] / clear["kbps"], 4)
        if d == DIRECTIONS[0]:
            goals += [("entry takes longer, s", LATER_S, later, later <= LATER_S),
                      ("new TEKs", changes_in(one, NEW_TEK_S), one["teks"], one["teks"] >= changes_in(one, NEW_TEK_S)),
                      ("new AKs", changes_in(one, NEW_AK_S), one["aks"], one["aks"] >= changes_in(one, NEW_AK_S)),
                      ("PDUs and messages refused at either end", 0, one["refused"], one["refused"] == 0)]
            goals += [(f"CPU time of wimax-macd at the {end}, of a core", CPU, one[f"{key}_cpu"], one[f"{key}_cpu"] < CPU)
                      for key, end in (("bs", "base station"), ("ss", "station"))]
        bad = one["lost"] + one["reordered"]
        goals += [(f"{d}, goodput as a share of that without", round(SHARE, 4), share, share >= SHARE),
                  (f"{d}, packets lost or out of order while keys change", 0, bad, bad == 0)]
    return goals


EXPERIMENTS = (Experiment("privacy", measure_privacy, privacy_goals, {case: Case(functools.partial(cell, case)) for case in (WITHOUT, WITH)}),)
