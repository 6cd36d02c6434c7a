#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task of the campaign that measures docs/error-rates.md: the points of one curve, with wimax-link on one core.

tests/experiments/campaigns/error-rates.yml has all tasks; `./wimax curves --from` puts their points into docs/curves. Same build, same result."""
import argparse
import json
from pathlib import Path
import sys

from wimax_tools.campaign import tasks
from wimax_tools.curves import report as curves_report
from wimax_tools.curves.threshold import GENIE_BER_DB, GENIE_PER_DB, rough_crossing

# Sets of points, each with files of its own for both directions: channels at 5 MHz, CP 1/8, or at another numerology.
SETS = tuple(curves_report.NAMES)
ESTIMATIONS = ("real", "genie")
RATES = range(7)
BER_SYMBOLS = 10  # of the bursts that bit error rates are measured with
BER_ERRORS = 100  # wrong blocks of a point
BER_OFFSETS_DB = (-0.9, -0.6, -0.3, 0.0)  # against the reference for BER 1e-6
UNLIMITED = 10**9
MOST_EFFORT = 100


class Effort:
    """Blocks of a point; `share` 1 for what is committed, less for a look."""

    def __init__(self, share):
        self.coarse = max(100, round(1000 * share))
        self.fine = max(100, round(10_000 * share))  # a hundred wrong blocks at the target
        self.mobility = max(50, round(1000 * share)) * curves_report.MOBILITY_SYMBOLS
        self.ber = max(1000, round(10_000_000 * share))  # at most: ends with BER_ERRORS


def simulate(seed, **arguments):
    """Points of one run of wimax-link. One thread: the campaign's tasks share the cores."""
    command = [tasks.program("wimax-link"), *tasks.options({"threads": 1, "seed": seed, "json": "-", **arguments})]
    return tasks.finished(command, timeout_s=None)["points"]


def grid(start, step, stop):
    return f"{start:g}:{step:g}:{stop:g}"


def setup_of(name):
    """wimax-link's options of a set. Carrier offsets are as many carriers as ±10 kHz at 5 MHz."""
    if name not in curves_report.OTHER_NUMEROLOGIES:
        return {"channel": name}
    channel, mhz, prefix = curves_report.OTHER_NUMEROLOGIES[name]
    return {"channel": channel, "bandwidth_hz": round(mhz * 1e6), "cp": f"1/{prefix}", "offset_hz": round(mhz * 2000)}


def measure_rate(seed, effort, name, direction, rate):
    """The whole curve in coarse steps, then finely where one block in a hundred is lost. Real and genie see the same
    channels and the same noise at equal SNR."""
    setup = setup_of(name)
    reference, fading = GENIE_PER_DB[rate], setup["channel"] != "awgn"
    base = round(reference * 2) / 2
    coarse = grid(base - 3, 3, base + 27) if fading else grid(base - 2, 0.5, base + 2)
    common = {**setup, "direction": direction, "rate": rate, "errors": UNLIMITED}
    points = []
    for estimation in ESTIMATIONS:
        points += simulate(seed, snr_db=coarse, estimation=estimation, blocks=effort.coarse, **common)
    found = [rough_crossing(curves_report.select(points, rate, estimation)) for estimation in ESTIMATIONS]
    found = [snr for snr in found if snr is not None]
    if found:
        step = 0.5 if fading else 0.125
        if max(found) - min(found) > 2 * step:
            step *= 2
        first, last = (round(snr / step) * step for snr in (min(found), max(found)))
        fine = grid(first - 2 * step, step, last + 2 * step)
        for estimation in ESTIMATIONS:
            points += simulate(seed, snr_db=fine, estimation=estimation, blocks=effort.fine, **common)
    return points


def measure_bit_errors(seed, effort, direction, rate):
    """In white noise, of bursts of BER_SYMBOLS symbols."""
    points = []
    for estimation in ESTIMATIONS:
        for offset in BER_OFFSETS_DB:
            snr = round(GENIE_BER_DB[rate] + offset, 2)
            points += simulate(seed, channel="awgn", direction=direction, rate=rate, snr_db=grid(snr, 1, snr),
                               symbols=BER_SYMBOLS, estimation=estimation, blocks=effort.ber, errors=BER_ERRORS)
    return points


def measure_mobility(seed, effort):
    points = []
    for doppler in curves_report.MOBILITY_DOPPLER_HZ:
        for direction, interval in curves_report.MOBILITY_CASES:
            for estimation in ESTIMATIONS:
                points += simulate(seed, channel="vehicular-a", doppler_hz=doppler, direction=direction,
                                   midamble_interval=interval, rate=curves_report.MOBILITY_RATE,
                                   symbols=curves_report.MOBILITY_SYMBOLS, snr_db="9:3:33", estimation=estimation,
                                   blocks=effort.mobility, errors=UNLIMITED)
    return points


# What a task measures: how, and the options that say which.
MEASURES = {"blocks": (measure_rate, ("name", "direction", "rate")), "bits": (measure_bit_errors, ("direction", "rate")),
            "mobility": (measure_mobility, ())}


def parse(argv=None):
    p = argparse.ArgumentParser(prog="wimax_tools.curves.measure", description=__doc__.split("\n")[0])
    p.add_argument("--what", choices=MEASURES, required=True,
                   help="blocks: block error rates of single symbols; bits: bit error rates in white noise; mobility: long bursts on the move")
    p.add_argument("--set", dest="name", choices=SETS, help="of blocks: a channel at 5 MHz, CP 1/8, or at the numerology it names")
    p.add_argument("--direction", choices=curves_report.DIRECTIONS, help="of blocks and bits")
    p.add_argument("--rate", type=int, choices=RATES, help="of blocks and bits: rate_id")
    p.add_argument("--effort", type=float, default=1.0, help="share of the usual number of blocks (default 1)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--json", required=True, metavar="OUT", help="file for the points, - for standard output")
    args = p.parse_args(argv)
    wanted = MEASURES[args.what][1]
    for name in ("name", "direction", "rate"):
        if (getattr(args, name) is not None) != (name in wanted):
            p.error(f"--{'set' if name == 'name' else name}: {'is missing' if name in wanted else 'not allowed'} with --what {args.what}")
    if not 0 < args.effort <= MOST_EFFORT:
        p.error(f"--effort: allowed above 0, to {MOST_EFFORT}")
    return args


def main(argv=None):
    args = parse(argv)
    measure, names = MEASURES[args.what]
    try:
        points = measure(args.seed, Effort(args.effort), **{name: getattr(args, name) for name in names})
    except tasks.PointFault as error:
        sys.exit(f"wimax_tools.curves.measure: {error}")
    text = json.dumps({"points": points}) + "\n"
    if args.json == "-":
        sys.stdout.write(text)
    else:
        Path(args.json).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
