# SPDX-License-Identifier: GPL-3.0-or-later
"""Delays of small packets on an idle cell."""
import copy
import statistics

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.stack import merge

PROBES_A_SECOND, PROBE_OCTETS = 100, 84  # of --duration; as long as ping's own


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

    return Case(extra)


SHORT_FRAME_MS = 4
ON_REQUEST = {"profile": {"unasked_symbols": 0, "grant_spare": False, "request_backoff_start": 0}}
SERVICES = {"ugs": served_as("ugs", ON_REQUEST), "rtps": served_as("rtps"), "be": served_as(bs=ON_REQUEST), "be_spare": served_as()}


def round_trip_goals(measured):
    """Means over probes from both ends."""
    frame = measured.profile.frame_ms
    short = frame < SHORT_FRAME_MS
    limits = {"ugs": 7.5 if short else frame + 2.5, "rtps": 8 if short else frame + 3.5, "be": 14 if short else 2 * frame + 4,
              "be_spare": 8 if short else frame + 3.5}
    means = {case: round(statistics.fmean(measured.lab[d][case]["mean_ms"] for d in ("downlink", "uplink")), 2) for case in limits}
    return [(f"mean round trip in ms, {case}, {frame:g} ms frames", limits[case], means[case], means[case] <= limits[case]) for case in limits]


EXPERIMENTS = (Experiment("A1", measure_round_trips, round_trip_goals, SERVICES),)
