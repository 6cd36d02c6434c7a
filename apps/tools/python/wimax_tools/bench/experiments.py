# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of the field studies that can be run again: conditions, what is measured, what was published, our goals.

Each is measured twice on the whole stack: with the operational network's profile as far as it is known, and with our own.
Times and rates are simulated ones.
"""
import copy
import time
from dataclasses import dataclass
from typing import Callable

from wimax_tools.bench import traffic

PING_SHARE = 0.8  # of a transfer, in its middle, in which it is probed

# Study A's network: profile Default, maps that describe the next frame, frames prepared ahead, no queue management.
FIELD_A = {"bs": {"bs": {"profile": {"name": "Default"}, "map_relevance": "next_frame", "sdu_hold_frames": 1, "codel_target_frames": 0}},
           "ss1": {"ss": {"sdu_hold_frames": 1, "codel_target_frames": 0}}}
# Study B's: three parts of the frame uplink to two downlink, no queue management.
FIELD_B = {"bs": {"bs": {"dl_share": 0.4, "codel_target_frames": 0}}, "ss1": {"ss": {"codel_target_frames": 0}}}


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    conditions: dict
    published: dict
    field_extra: dict           # merged into the configurations by site
    measure: Callable           # of a Bench whose stack runs: figures under the keys of `published`
    goals: Callable             # of the lab profile's figures: [(what, goal, measured, whether it is met)]

    def run(self, bench_of, progress):
        """`bench_of(extra)`: a Bench whose stack has this configuration, as a context that starts and stops it."""
        figures = {}
        for key, extra in (("field_profile", self.field_extra), ("lab_profile", {})):
            progress(f"{self.name}, {key.replace('_', ' ')}")
            with bench_of(copy.deepcopy(extra)) as bench:
                figures[key] = self.measure(bench)
        goals = [{"what": what, "goal": goal, "measured": measured, "met": bool(met)}
                 for what, goal, measured, met in self.goals(figures["lab_profile"])]
        return {"experiment": self.name, "conditions": self.conditions, "published": self.published, **figures, "goals": goals}


def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) if any(rates) else 0.0


def transfers(bench, flows, meanwhile=None):
    """Transfers (station, direction, offered IP bit/s or None for TCP) at once; their figures, rates in simulated time."""
    bench.stack.wait_until_quiet()
    begin, factor = bench.stack.clock(), bench.pace()
    bench.start((i, direction, None if offer is None else offer * factor) for i, direction, offer in flows)
    said = meanwhile() if meanwhile else None
    results = bench.results(" and ".join("TCP" if offer is None else "UDP" for _, _, offer in flows))
    factor = bench.stack.clock().factor_since(begin)
    return [dict(r, ip_bps=r["ip_bps"] / factor) for r in results], said


def probed(bench, direction="downlink"):
    """A TCP transfer, and round trips beside it, in ms."""
    duration, frame_s = bench.args.duration, bench.args.profile.frame_s
    trips = {}

    def probe():
        time.sleep(duration * (1 - PING_SHARE) / 2)
        begin = bench.stack.clock()
        probes = max(50, int(PING_SHARE * duration / (3 * frame_s)))
        result = traffic.ping(bench.stack.bs_netns, bench.stack.ss_address(0), probes, frame_s)
        factor = bench.stack.clock().factor_since(begin)
        trips["ms"] = [1e3 * s * factor for s in result["rtt_s"]]
        trips["lost"] = result["lost"]

    (tcp,), _ = transfers(bench, [(0, direction, None)], probe)
    return tcp, trips


def measure_round_trip_under_load(bench):
    figures = {}
    for direction in ("downlink", "uplink"):
        tcp, trips = probed(bench, direction)
        ms = trips["ms"]
        figures[direction] = {"tcp_kbps": round(tcp["ip_bps"] / 1e3, 1), "rtt_p50_ms": round(traffic.percentile(ms, 0.5), 1),
                              "rtt_p99_ms": round(traffic.percentile(ms, 0.99), 1), "probes": len(ms), "lost": trips["lost"]}
    return figures


def measure_two_tcp(bench):
    figures = {}
    for direction in ("downlink", "uplink"):
        results, _ = transfers(bench, [(0, direction, None)] * 2)
        rates = [r["ip_bps"] / 1e3 for r in results]
        figures[direction] = {"kbps": [round(r, 1) for r in rates], "jain": round(jain(rates), 4)}
    return figures


def measure_tcp_beside_udp(bench):
    """UDP at 120 % of what the layout carries, and one TCP transfer in the same service flow."""
    capacity = bench.stack.capacity_kbps()
    figures = {}
    for direction in ("downlink", "uplink"):
        results, _ = transfers(bench, [(0, direction, None), (0, direction, 1.2e3 * capacity[direction])])
        tcp, udp = (r["ip_bps"] / 1e3 for r in results)
        figures[direction] = {"tcp_kbps": round(tcp, 1), "udp_kbps": round(udp, 1), "capacity_kbps": round(capacity[direction], 1),
                              "tcp_share": round(tcp / capacity[direction], 4)}
    return figures


def at_least(what, key, goal):
    return lambda lab: [(f"{what}, {d}", goal, lab[d][key], lab[d][key] >= goal) for d in ("downlink", "uplink")]


def at_most(what, key, goal):
    return lambda lab: [(f"{what}, {d}", goal, lab[d][key], lab[d][key] <= goal) for d in ("downlink", "uplink")]


EXPERIMENTS = {e.name: e for e in (
    Experiment("A7", "Round-trip time beside a saturating TCP transfer",
               {"stations": 1, "frame_ms": 10, "traffic": "one TCP transfer, echo requests with gaps of two to four frames"},
               {"downlink": {"rtt_modes_ms": [140, 150]}}, FIELD_A, measure_round_trip_under_load,
               at_most("99th percentile of the round trip in ms", "rtt_p99_ms", 50)),
    Experiment("B4", "Two TCP transfers through one station",
               {"stations": 1, "traffic": "two TCP transfers at once in one service flow"},
               {"downlink": {"jain": None}}, FIELD_B, measure_two_tcp, at_least("Jain's index", "jain", 0.98)),
    Experiment("B5", "TCP beside UDP in the same service flow",
               {"stations": 1, "traffic": "UDP at 120 % of the capacity, one TCP transfer"},
               {"downlink": {"tcp_kbps": 0}}, FIELD_B, measure_tcp_beside_udp,
               at_least("TCP's share of the capacity", "tcp_share", 0.45)),
)}
