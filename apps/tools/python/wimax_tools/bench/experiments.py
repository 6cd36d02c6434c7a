# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of the field studies that can be run again: conditions, what is measured, what was published, our goals.

Each is measured twice on the whole stack: with the operational network's profile as far as it is known, and with our own.
Times and rates are simulated ones.
"""
import copy
import statistics
import time

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Experiment, jain, transfers
from wimax_tools.bench.promises import PROMISES
from wimax_tools.bench.stack import merge

PING_SHARE = 0.8  # of a transfer, in its middle, in which it is probed

# Study A's network: profile Default, maps that describe the next frame, frames prepared ahead, no queue management.
FIELD_A = {"bs": {"bs": {"profile": {"name": "Default"}, "map_relevance": "next_frame", "sdu_hold_frames": 1, "codel_target_frames": 0}},
           "ss1": {"ss": {"sdu_hold_frames": 1, "codel_target_frames": 0}}}
# Study B's: three parts of the frame uplink to two downlink, no queue management.
FIELD_B = {"bs": {"bs": {"dl_share": 0.4, "codel_target_frames": 0}}, "ss1": {"ss": {"codel_target_frames": 0}}}


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


PROBES_A_SECOND, PROBE_OCTETS = 100, 84  # of --duration; as long as ping's own
FROM_END = {"downlink": "probes of the base station", "uplink": "probes of the station"}


def measure_round_trips(bench):
    """On the idle cell, from either end."""
    figures = {}
    for direction in ("downlink", "uplink"):
        source, _, address = bench.stack.route(0, direction)
        bench.stack.wait_until_quiet()
        begin = bench.stack.clock()
        result = traffic.ping(source, address, int(PROBES_A_SECOND * bench.args.duration), bench.args.profile.frame_s, octets=PROBE_OCTETS)
        factor = bench.stack.clock().factor_since(begin)
        ms = [1e3 * s * factor for s in result["rtt_s"]]
        figures[direction] = {"mean_ms": round(statistics.fmean(ms), 2), "sigma_ms": round(statistics.pstdev(ms), 2),
                              "p99_ms": round(traffic.percentile(ms, 0.99), 2), "probes": len(ms), "lost": result["lost"]}
    return figures


def served_as(scheduling=None, bs=None):
    """The only station's uplink flow has this service. Maps describe the next frame where frames are too short for another way."""

    def extra(profile):
        base = {"map_relevance": "next_frame"} if profile.frame_ms < SHORT_FRAME_MS else {}
        merge(base, copy.deepcopy(bs or {}))
        if scheduling:
            up = {"name": "up", "direction": "uplink", "scheduling": scheduling}
            if scheduling == "ugs":  # a probe each frame
                up["max_sustained_rate_bps"] = round(8 * PROBE_OCTETS / profile.frame_s)
            base.update(service_flows=[up, {"name": "down", "direction": "downlink"}], stations=[],
                        unknown_station={"flows": ["up", "down"]})
        return {"bs": {"bs": base}}

    return extra


SHORT_FRAME_MS = 4
ON_REQUEST = {"profile": {"unasked_symbols": 0, "grant_spare": False, "request_backoff_start": 0}}
SERVICES = {"ugs": served_as("ugs", ON_REQUEST), "rtps": served_as("rtps"), "be": served_as(bs=ON_REQUEST), "be_spare": served_as()}


def round_trip_goals(lab, profile):
    """Means over probes from both ends."""
    frame = profile.frame_ms
    short = frame < SHORT_FRAME_MS
    limits = {"ugs": 7.5 if short else frame + 2.5, "rtps": 8 if short else frame + 3.5, "be": 14 if short else 2 * frame + 4,
              "be_spare": 8 if short else frame + 3.5}
    means = {case: round(statistics.fmean(lab[d][case]["mean_ms"] for d in ("downlink", "uplink")), 2) for case in limits}
    return [(f"mean round trip in ms, {case}, {frame:g} ms frames", limits[case], means[case], means[case] <= limits[case]) for case in limits]


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
    return lambda lab, _: [(f"{what}, {d}", goal, lab[d][key], lab[d][key] >= goal) for d in ("downlink", "uplink")]


def at_most(what, key, goal):
    return lambda lab, _: [(f"{what}, {d}", goal, lab[d][key], lab[d][key] <= goal) for d in ("downlink", "uplink")]


EXPERIMENTS = {e.name: e for e in (
    Experiment("A1", "Round trips on an idle cell by scheduling service",
               {"stations": 1, "packet_octets": PROBE_OCTETS, "published_packet_octets": 56, "directions": FROM_END,
                "traffic": f"{PROBES_A_SECOND} echo requests for each second of --duration, with gaps of two to four frames"},
               {"downlink": {"ugs": {"mean_ms": 40.24, "sigma_ms": 2.88}, "rtps": {"mean_ms": 60.34, "sigma_ms": 2.95},
                             "be": {"mean_ms": 80.29, "sigma_ms": 2.93}, "be_spare": None},
                "uplink": {"ugs": {"mean_ms": 36.69, "sigma_ms": 2.93}, "rtps": {"mean_ms": 56.74, "sigma_ms": 2.85},
                           "be": {"mean_ms": 76.77, "sigma_ms": 2.89}, "be_spare": None}}, FIELD_A, measure_round_trips, round_trip_goals, SERVICES),
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
    *PROMISES,
)}
