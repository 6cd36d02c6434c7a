# SPDX-License-Identifier: GPL-3.0-or-later
"""Delays of small packets on an idle cell: by service (A1), by the rule that explains them (A9), the least there is (D1)."""
import copy
import statistics

from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.instruments.probe import LEGS, Probes, described, distance_from_uniform
from wimax_tools.bench.instruments.stream import HEADERS, Stream, Watch
from wimax_tools.bench.stack import merge
from wimax_tools.bench.studies import delay_pictures
from wimax_tools.bench.studies.cells import CREEP
from wimax_tools.bench.studies.frame_rule import account
from wimax_tools.bench.transfers import DIRECTIONS

# A1

PROBE_OCTETS, FIRST_PROBE_PORT = 56, 4600
WHOLE, QUICK = (1200, (0.5, 1.5)), (150, (0.1, 0.3))  # probes from either end, and their gaps in simulated s
FIELD_DL_RATE, FIELD_UL_RATE = 4, 0  # 16-QAM 3/4 and BPSK 1/2, of those of the study; in a faster uplink the symbol of a poll holds the whole probe
# Since the probe before: a station that has sent is polled for eight frames more, and a probe then needs no request. The study left 0.5 s at least.
SILENCE_S = 0.16
SHORT_FRAME_MS = 4
SURE_DISTANCE = 1.95  # over the root of the samples: uniform ones are further off once in a thousand times
UNIFORM_SIGMA, SIGMA_TOLERANCE, MODAL = 12 ** -0.5, 0.05, 0.95  # of a frame; share within 1 ms


def probed(bench, direction):
    """Probes from that direction's source on the idle cell."""
    bench.stack.wait_until_quiet()
    count, gaps_s = WHOLE if bench.args.whole else QUICK
    pace = bench.pace()
    route, port = bench.stack.route(0, direction), FIRST_PROBE_PORT + DIRECTIONS.index(direction)
    with Watch(bench.stack.clock) as watch:
        return Probes(route, port, PROBE_OCTETS, [gap / pace for gap in gaps_s], count, bench.args.seed).start().result(watch)


def measure_probes(bench):
    """From either end: by direction of the first leg."""
    figures = {}
    for direction in DIRECTIONS:
        result = probed(bench, direction)
        bench.keep(direction, {leg: [round(ms, 2) for ms in result[leg]] for leg in LEGS})
        figures[direction] = {"probes": result["probes"], "lost": result["lost"], **{leg: described(result[leg]) for leg in LEGS}}
        figures[direction]["after_silence"] = spread(result, bench.args.profile.frame_ms)
    return figures


def spread(result, frame_ms):
    """Of the probes that come when the station has been silent: how even their delays are on the way out, how alike on the way back."""
    sent = [at for at, *_ in result["times"]]
    silent = [i for i, at in enumerate(sent) if i == 0 or at - sent[i - 1] >= SILENCE_S]
    outgoing, back = ([result[leg][i] for i in silent] for leg in ("outgoing", "return"))
    return {"probes": len(silent), "outgoing_sigma_ms": round(statistics.stdev(outgoing), 2),
            "outgoing_from_uniform": round(distance_from_uniform(outgoing, frame_ms), 3), "return_around_mode": described(back)["around_mode"]}


def served_as(scheduling=None, bs=None, profiles=("field", "lab")):
    """The only station's uplink flow has this service. Maps describe the next frame where frames are too short for another way."""

    def extra(profile):
        base = {"map_relevance": "next_frame"} if profile.frame_ms < SHORT_FRAME_MS else {}
        merge(base, copy.deepcopy(bs or {}))
        if scheduling:
            up = {"name": "up", "direction": "uplink", "scheduling": scheduling}
            if scheduling == "ugs":  # a probe each frame
                up["max_sustained_rate_bps"] = round(8 * PROBE_OCTETS / profile.frame_s)
            base.update(service_flows=[up, {"name": "down", "direction": "downlink"}], stations=[],
                        accept_unknown=True, unknown_station={"flows": ["up", "down"]})
        return {"bs": {"bs": base}}

    return Case(extra, profiles=profiles, field_arguments={"dl_rate": FIELD_DL_RATE, "ul_rate": FIELD_UL_RATE})


ON_REQUEST = {"profile": {"unasked_symbols": 0, "grant_spare": False, "turn_regions": False, "request_backoff_start": 0}}
SERVICES = {"ugs": served_as("ugs", ON_REQUEST), "rtps": served_as("rtps", ON_REQUEST), "rtps_spare": served_as("rtps", profiles=("lab",)),
            "be": served_as(bs=ON_REQUEST), "be_spare": served_as(profiles=("lab",))}
FIELD_ORDER = ("ugs", "rtps", "be")


def service_goals(measured):
    return field_goals(measured) + round_trip_goals(measured)


def field_goals(measured):
    """What the study's network shows: its order, an even spread over a frame, a fixed way back."""
    frame, goals = measured.profile.frame_ms, []
    for d in DIRECTIONS:
        field = measured.field[d]
        means = [field[case]["round_trip"]["mean_ms"] for case in FIELD_ORDER]
        goals.append((f"{d} probes, round trips of UGS, rtPS, BE in the study's network", "rising", ", ".join(f"{ms:g}" for ms in means),
                      all(a.high < b.low for a, b in zip(means, means[1:]))))
        for case in FIELD_ORDER:
            one, sigma, who = field[case]["after_silence"], frame * UNIFORM_SIGMA, f"{d} probes, {case}"
            limit, distance, out = round(SURE_DISTANCE / one["probes"] ** 0.5, 3), one["outgoing_from_uniform"], one["outgoing_sigma_ms"]
            goals += [(f"{who}, outgoing: distance from the uniform distribution over a frame", f"<= {limit}", distance, distance <= limit),
                      (f"{who}, outgoing: sigma in ms", f"{sigma:.2f} within {frame * SIGMA_TOLERANCE:g}", out, abs(out - sigma) <= frame * SIGMA_TOLERANCE),
                      (f"{who}, return: share within 1 ms of the mode", MODAL, one["return_around_mode"], one["return_around_mode"] >= MODAL)]
    return goals


def round_trip_goals(measured):
    """Means over probes from both ends."""
    frame = measured.profile.frame_ms
    short = frame < SHORT_FRAME_MS
    asked, unasked = 14 if short else 2 * frame + 4, 8 if short else frame + 3.5
    limits = {"ugs": 7.5 if short else frame + 2.5, "rtps": asked, "rtps_spare": unasked, "be": asked, "be_spare": unasked}
    means = {case: round(statistics.fmean(measured.lab[d][case]["round_trip"]["mean_ms"] for d in DIRECTIONS), 2) for case in limits}
    return [(f"mean round trip in ms, {case}, {frame:g} ms frames", limits[case], means[case], means[case] <= limits[case]) for case in limits]


# A9

LEFT_MS = 0.5  # that nothing measured explains


def burst_ends_ms(stack, profile):
    """How long after its frame's begin the burst with a probe ends, by direction, as the base station counts symbols."""
    frames = {d: stack.usage[d]["frames"] for d in DIRECTIONS}
    down, up = ({purpose: count / frames[d] for purpose, count in stack.usage[d].items()} for d in DIRECTIONS)
    symbol_ms, probe = profile.frame_ms / profile.frame_symbols, 1  # symbol, which is enough at FIELD_DL_RATE
    ends = {"downlink": sum(down.get(k, 0) for k in ("preamble", "fch", "maps", "descriptors")) + probe,
            "uplink": profile.frame_symbols / 2 + sum(up.get(k, 0) for k in ("ranging", "contention", "preamble", "data"))}
    return {d: symbols * symbol_ms for d, symbols in ends.items()}


def measure_rule(bench):
    """What the rule predicts, what is measured, and what each part of the difference is."""
    stack, frame_ms, figures, times = bench.stack, bench.args.profile.frame_ms, {}, {}
    stack.forget_usage()
    for d in DIRECTIONS:
        times[d] = probed(bench, d)["times"]
    for d in DIRECTIONS:
        stack.keep_usage(d)
    ends = burst_ends_ms(stack, bench.args.profile)
    begin_s = stack.answer("bs.macd")["simulated_s"]
    accounts = account({d: [[1e3 * (at - begin_s) for at in one] for one in times[d]] for d in DIRECTIONS}, ends, frame_ms)
    for d, (legs, points) in accounts.items():
        figures[d] = {leg: {key: value if key == "measured_ms" else round(value, 2) for key, value in parts.items()} for leg, parts in legs.items()}
        bench.keep(d, {"points": [(round(at, 2), round(ms, 2)) for at, ms in points], **figures[d]["outgoing"]})
    return figures


def rule_goals(measured):
    goals = []
    for d in DIRECTIONS:
        for leg, parts in measured.field[d].items():
            goals.append((f"{d} probes, {leg}: ms of the mean that nothing measured explains", f"within {LEFT_MS:g}", parts["left_ms"],
                          abs(parts["left_ms"]) <= LEFT_MS))
    return goals


# D1

SPARSE_OCTETS, SPARSE_GAP_S = 20 + HEADERS, 0.04
SPARSE_PACKETS, QUICK_SPARSE_PACKETS, FIRST_SPARSE_PORT = 6000, 600, 4700
PUBLISHED_DELAYS_MS = (("downlink", "spare symbols", 14), ("uplink", "spare symbols", 25), ("uplink", "on request", 80))


def measure_least_delay(bench):
    """One way, of a packet now and then."""
    stack, figures = bench.stack, {}
    for i, d in enumerate(DIRECTIONS):
        stack.wait_until_quiet()
        gap_s = (SPARSE_GAP_S + CREEP * bench.args.profile.frame_s) / bench.pace()
        count = SPARSE_PACKETS if bench.args.whole else QUICK_SPARSE_PACKETS
        with Watch(stack.clock) as watch:
            result = Stream(stack.route(0, d), FIRST_SPARSE_PORT + i, SPARSE_OCTETS, gap_s, count).start().result(watch)
        bench.keep(d, [round(ms, 2) for ms in result["ms"]])
        figures[d] = {**described(result["ms"]), "packets": result["packets"], "lost": result["lost"]}
    return figures


def least_delay_goals(measured):
    """Not worse than there, and asking costs a frame or so, not five."""
    means = [(d, case, limit, measured.lab[d][case]["mean_ms"]) for d, case, limit in PUBLISHED_DELAYS_MS]
    return [(f"{d}, mean one-way delay in ms, {case}", f"< {limit}", ms, ms < limit) for d, case, limit, ms in means]


LEAST_DELAY_CASES = {"spare symbols": Case(profiles=("lab",)), "on request": Case(lambda _: {"bs": {"bs": ON_REQUEST}})}

EXPERIMENTS = (
    Experiment("A1", measure_probes, service_goals, SERVICES, {d: delay_pictures.probes(d) for d in DIRECTIONS}),
    Experiment("A9", measure_rule, rule_goals, {"": served_as("ugs", ON_REQUEST, ("field",))}, {"rule": delay_pictures.rule}),
    Experiment("D1", measure_least_delay, least_delay_goals, LEAST_DELAY_CASES, {"delays": delay_pictures.least_delays}),
)
