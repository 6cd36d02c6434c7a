# SPDX-License-Identifier: GPL-3.0-or-later
"""A channel that changes (B3): how soon the rates follow, what they carry compared with the best fixed rate, and what is lost."""
import statistics

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Case, Experiment, merged
from wimax_tools.bench.figure import mean_figure, share_figure
from wimax_tools.bench.instruments.drive import course_of, drive, rates_kbps
from wimax_tools.bench.instruments.rssi import path_loss_db
from wimax_tools.bench.instruments.stream import Stream
from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.bench.studies import mobility_pictures as pictures
from wimax_tools.bench.studies.cells import ROBUST_MAPS, rates
from wimax_tools.bench.transfers import DIRECTIONS

LEVELS_DB = (25, 12, 18, 7)  # rates of 64-QAM, 16-QAM and QPSK; a step is as large as those of obstacles, up as well as down
BETWEEN = (25, 7, 25)        # of slopes
HOLD_S, QUICK_HOLD_S, STEP_S, RATE_S = 60, 6, 0.05, 0.25
FIXED_S, FIXED_SETTLE_S = 1.5, 0.5  # of each level at a fixed rate: white noise, nothing to wait for
# Where one block in a hundred is lost in white noise (docs/error-rates.md, uplink) a rate is left; the default thresholds lose one in 10^5.
CLOSE_EXIT_DB, CLOSE_HYSTERESIS_DB = (0, 4.25, 6.75, 10, 13, 17, 18.75), 0.75
USELESS = 0.02               # of the capacity: no lower level is worth trying
OFFER, FIRST_PORT, WALL_S = 1.2, 4700, 3600
USABLE = 0.02                # of the packets lost: TCP gets little of a rate that loses more
SHARE = 0.9                  # of the best fixed rate that is usable


def hold_s(bench):
    return HOLD_S if bench.args.whole else QUICK_HOLD_S if bench.args.quick else bench.args.duration


def steps(levels, hold):
    return lambda second: levels[min(len(levels) - 1, int(second // hold))]


def slopes(levels, hold):
    """Straight lines from one level to the next."""
    def course(second):
        i = min(len(levels) - 2, int(second // hold))
        return levels[i] + (levels[i + 1] - levels[i]) * min(1.0, second / hold - i)

    return course


class Saturated:
    """UDP that fills both directions; a context."""

    def __init__(self, bench):
        capacity, pace = bench.stack.capacity_kbps(), bench.pace()
        gaps = {d: 8e-3 * traffic.PACKET / (OFFER * capacity[d] * pace) for d in DIRECTIONS}
        self._streams = [Stream(bench.stack.route(0, d), FIRST_PORT + i, traffic.PACKET, gap_s, int(WALL_S / gap_s))
                         for i, (d, gap_s) in enumerate(gaps.items())]

    def __enter__(self):
        for stream in self._streams:
            stream.start()

    def __exit__(self, *_):
        for stream in self._streams:
            stream.stop()


def driven(bench, course, seconds):
    profile = bench.args.profile
    return drive(bench.stack, course, lambda snr_db: {"path_loss_db": path_loss_db(snr_db, profile)}, seconds, STEP_S)


def split(samples, hold, count):
    """Samples of each level in turn; each begins with the last one of the level before."""
    edges = [next((i for i, s in enumerate(samples) if s.second >= k * hold), len(samples) - 1) for k in range(count + 1)]
    return [samples[a:b + 1] for a, b in zip(edges, edges[1:])]


def kbps_of(samples, direction):
    a, b = samples[0].marks[direction], samples[-1].marks[direction]
    return 8e-3 * (b.octets - a.octets) / (b.at_s - a.at_s)


def settled_s(samples, direction):
    """From the step until the rate that its second half has is in use and stays; None: it changes until the end."""
    begin = samples[0].second
    used = [(s.second - begin, s.marks[direction].rate_id) for s in samples[1:]]
    final = statistics.mode(rate for at, rate in used[len(used) // 2:])
    others = [i for i, (_, rate) in enumerate(used) if rate != final]
    if not others:
        return 0.0
    return round(used[others[-1] + 1][0], 2) if others[-1] + 1 < len(used) else None


def lost(samples, direction):
    """Packets that left the queue and did not arrive, and all that left it. Of a station that entered again what its new count has."""
    sent = [s.marks[direction].sent for s in samples]
    left = sum(max(0, b - a) if b >= a else b for a, b in zip(sent, sent[1:]) if a is not None and b is not None)
    arrived = samples[-1].marks[direction].packets - samples[0].marks[direction].packets
    return max(0, left - arrived), max(1, left)


def measure_changes(bench):
    hold, sudden = hold_s(bench), bench.args.course == "sudden"
    levels = LEVELS_DB if sudden else BETWEEN
    count = len(levels) if sudden else len(levels) - 1
    with Saturated(bench):
        driven(bench, lambda _: levels[0], 1)
        samples = driven(bench, (steps if sudden else slopes)(levels, hold), count * hold)
    figures = {}
    for d in DIRECTIONS:
        bench.keep(d, {"course": course_of(samples, d), "rates": rates_kbps(samples, d, RATE_S)})
        figures[d] = {"kbps": mean_figure([kbps for _, kbps, _ in rates_kbps(samples, d, hold / 8)], 1), "lost": share_figure(*lost(samples, d))}
        for level, part in zip(levels, split(samples, hold, count)) if sudden else ():
            after = settled_s(part, d)
            figures[d].update({f"{level} dB, settled after s": after, f"{level} dB, kbps": round(kbps_of(part[len(part) // 2:], d), 1)})
    return figures


def measure_fixed(bench):
    """Each level for a moment, the best first, as long as the rate carries anything."""
    capacity, figures = bench.stack.capacity_kbps(), {d: {} for d in DIRECTIONS}
    with Saturated(bench):
        for level in sorted(LEVELS_DB, reverse=True):
            driven(bench, lambda _, level=level: level, FIXED_SETTLE_S)
            samples = driven(bench, lambda _, level=level: level, FIXED_S)
            for d in DIRECTIONS:
                figures[d].update({f"{level} dB, kbps": round(kbps_of(samples, d), 1), f"{level} dB, lost": share_figure(*lost(samples, d))})
            if all(figures[d][f"{level} dB, kbps"] < USELESS * capacity[d] for d in DIRECTIONS):
                return figures
    return figures


def measure(bench):
    return measure_fixed(bench) if bench.args.course == "fixed" else measure_changes(bench)


def change_goals(measured):
    goals = []
    for d in DIRECTIONS:
        for level in LEVELS_DB:
            key = f"{level} dB, kbps"
            fixed = [figures for name, figures in measured.lab[d].items() if name in RATE_NAMES]
            best = max(figures.get(key, 0) for figures in fixed if figures.get(f"{level} dB, lost", 1) <= USABLE)
            share = round(measured.lab[d]["sudden, close"][key] / max(1.0, best), 4)
            goals.append((f"{d}, share of the best usable rate at {level} dB, close thresholds", SHARE, share, share >= SHARE))
    return goals


def close(_profile):
    thresholds = {"exit_db": list(CLOSE_EXIT_DB), "entry_db": [db + CLOSE_HYSTERESIS_DB for db in CLOSE_EXIT_DB]}
    return merged(ROBUST_MAPS, {"bs": {"bs": {"profile": thresholds, "adaptation": {"margin_db": 0}}}})


FREE = {"snr_db": float(LEVELS_DB[0]), "mode": "free"}  # no program waits for responses: as fast as the machine can
AUTO = {**FREE, **rates(6), "dl_rate_auto": True, "ul_rate_auto": True}
COURSES = ("sudden", "gradual")
CASES = {**{course: Case(lambda _: ROBUST_MAPS, {**AUTO, "course": course}) for course in COURSES},
         **{f"{course}, close": Case(close, {**AUTO, "course": course}, ("lab",)) for course in COURSES},
         **{name: Case(lambda _: ROBUST_MAPS, {**FREE, **rates(i), "course": "fixed"}, ("lab",)) for i, name in enumerate(RATE_NAMES)}}

EXPERIMENTS = (
    Experiment("B3", measure, change_goals, CASES, {"trace": pictures.draw_changes}),
)
