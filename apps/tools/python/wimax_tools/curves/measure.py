#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task of the campaign that measures docs/error-rates.md: the points of one curve, with wimax-link on one core.

tests/experiments/campaigns/error-rates.yml has all tasks; `./wimax curves --from` puts their points into docs/curves. Same build, same result."""
import json
from pathlib import Path
import sys

from wimax_tools import command_line
from wimax_tools import progress
from wimax_tools import provenance
from wimax_tools.campaign import tasks
from wimax_tools.curves import plot
from wimax_tools.curves import report as curves_report
from wimax_tools.curves.threshold import GENIE_BER_DB, GENIE_PER_DB, rough_crossing

# Sets of points, each with its own files for both directions: channels at 5 MHz, CP 1/8, or at another numerology.
SETS = tuple(curves_report.NAMES)
ESTIMATIONS = ("real", "genie")
RATES = range(7)
BER_SYMBOLS = 10  # of the bursts that bit error rates are measured with
BER_ERRORS = 100  # wrong blocks of a point
BER_OFFSETS_DB = (-0.9, -0.6, -0.3, 0.0)  # against the reference for BER 1e-6
SECOND_ATTEMPTS_DB = -1.1  # that the real receiver needs besides; not at rate 0, which has no second attempts
UNLIMITED = 10**9
MOST_EFFORT = 100
INTERRUPTED = 130  # exit status


class Effort:
    """Blocks of a point; `share` 1 for published curves, less for a quick test."""

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
    """Options of wimax-link for a set. Carrier offsets are the same number of carriers as ±10 kHz at 5 MHz."""
    if name not in curves_report.OTHER_NUMEROLOGIES:
        return {"channel": name}
    channel, mhz, prefix = curves_report.OTHER_NUMEROLOGIES[name]
    return {"channel": channel, "bandwidth_hz": round(mhz * 1e6), "cp": f"1/{prefix}", "offset_hz": round(mhz * 2000)}


class Points(list):
    """Measured points; prints the progress, of `runs` runs."""

    def __init__(self, bar=None, runs=1):
        super().__init__()
        self.bar, self.runs, self.done = bar, runs, 0

    def measure(self, seed, **arguments):
        if self.bar:
            self.bar.show(self.done / self.runs, f"run {self.done + 1} of {self.runs}")
        self.extend(simulate(seed, **arguments))
        self.done += 1


def measure_rate(seed, effort, points, name, direction, rate):
    """The whole curve in coarse steps, then finely where one block in a hundred is lost. Real and genie see the same
    channels and the same noise at equal SNR."""
    setup = setup_of(name)
    reference, fading = GENIE_PER_DB[rate], setup["channel"] != "awgn"
    base = round(reference * 2) / 2
    coarse = grid(base - 3, 3, base + 27) if fading else grid(base - 2, 0.5, base + 2)
    common = {**setup, "direction": direction, "rate": rate, "errors": UNLIMITED}
    for estimation in ESTIMATIONS:
        points.measure(seed, snr_db=coarse, estimation=estimation, blocks=effort.coarse, **common)
    found = [rough_crossing(curves_report.select(points, rate, estimation)) for estimation in ESTIMATIONS]
    found = [snr for snr in found if snr is not None]
    if found:
        step = 0.5 if fading else 0.125
        if max(found) - min(found) > 2 * step:
            step *= 2
        first, last = (round(snr / step) * step for snr in (min(found), max(found)))
        fine = grid(first - 2 * step, step, last + 2 * step)
        for estimation in ESTIMATIONS:
            points.measure(seed, snr_db=fine, estimation=estimation, blocks=effort.fine, **common)


def measure_bit_errors(seed, effort, points, direction, rate):
    """Bit error rates in white noise, with bursts of BER_SYMBOLS symbols."""
    for estimation in ESTIMATIONS:
        for offset in BER_OFFSETS_DB:
            gain = SECOND_ATTEMPTS_DB if estimation == "real" and rate > 0 else 0
            snr = round(GENIE_BER_DB[rate] + offset + gain, 2)
            points.measure(seed, channel="awgn", direction=direction, rate=rate, snr_db=grid(snr, 1, snr),
                           symbols=BER_SYMBOLS, estimation=estimation, blocks=effort.ber, errors=BER_ERRORS)


def measure_mobility(seed, effort, points):
    for doppler in curves_report.MOBILITY_DOPPLER_HZ:
        for direction, interval in curves_report.MOBILITY_CASES:
            for estimation in ESTIMATIONS:
                points.measure(seed, channel="vehicular-a", doppler_hz=doppler, direction=direction,
                               midamble_interval=interval, rate=curves_report.MOBILITY_RATE,
                               symbols=curves_report.MOBILITY_SYMBOLS, snr_db="9:3:33", estimation=estimation,
                               blocks=effort.mobility, errors=UNLIMITED)


# What a task measures: how, the options that say which, and how often wimax-link runs at most.
MEASURES = {"blocks": (measure_rate, ("name", "direction", "rate"), 4), "bits": (measure_bit_errors, ("direction", "rate"), 8),
            "mobility": (measure_mobility, (), 30)}


def parse(argv=None):
    p = command_line.Parser(prog="wimax_tools.curves.measure", description=__doc__.split("\n")[0])
    p.add_argument("--what", choices=MEASURES, required=True,
                   help="blocks: block error rates of single symbols; bits: bit error rates in white noise; mobility: long bursts on the move")
    p.add_argument("--set", dest="name", choices=SETS, help="for blocks: a channel at 5 MHz, CP 1/8, or at the numerology that the name contains")
    p.add_argument("--direction", choices=curves_report.DIRECTIONS, help="for blocks and bits")
    p.add_argument("--rate", type=int, choices=RATES, help="for blocks and bits: Rate_ID")
    p.add_argument("--effort", type=float, default=1.0, help="share of the usual number of blocks (default 1)")
    p.add_argument("--seed", type=int, default=1, help="seed of all random numbers (default 1)")
    p.add_argument("--json", metavar="OUT", help="file for the points, - for standard output; without it a table is printed")
    args = p.parse_args(argv)
    wanted = MEASURES[args.what][1]
    for name in ("name", "direction", "rate"):
        if (getattr(args, name) is not None) != (name in wanted):
            p.error(f"--{'set' if name == 'name' else name}: {'is missing' if name in wanted else 'not allowed'} with --what {args.what}")
    if not 0 < args.effort <= MOST_EFFORT:
        p.error(f"--effort: allowed above 0, to {MOST_EFFORT}")
    return args


def table(points):
    """Table for the terminal: one line per point."""
    lines = [f"{'rate':<11} {'receiver':<8} {'SNR dB':>7} {'blocks':>9} {'wrong':>7}  block error rate (95 %)"]
    lines += [f"{plot.RATES[p['rate_id']]:<11} {p['estimation']:<8} {p['snr_db']:7.2f} {p['blocks']:9} {p['block_errors']:7}  "
              f"{p['per']:.2e} ({p['per_low']:.1e} .. {p['per_high']:.1e})" for p in points]
    return "\n".join(lines) + "\n"


def write(points, args, complete):
    if args.json is None:
        sys.stdout.write(table(points))
        return
    typed = provenance.command("python", ["-m", "wimax_tools.curves.measure", *sys.argv[1:]])
    text = json.dumps({"points": points, "complete": complete, "provenance": provenance.record("wimax_tools.curves.measure", typed, args.seed)}) + "\n"
    if args.json == "-":
        sys.stdout.write(text)
    elif complete or points:
        with progress.whole_file(args.json) as fresh:
            Path(fresh).write_text(text, encoding="utf-8")


def main(argv=None):
    args = parse(argv)
    measure, names, runs = MEASURES[args.what]
    bar = progress.Progress("wimax_tools.curves.measure")
    points, complete = Points(bar, runs), True
    try:
        measure(args.seed, Effort(args.effort), points, **{name: getattr(args, name) for name in names})
    except tasks.PointFault as error:
        bar.clear()
        sys.exit(f"wimax_tools.curves.measure: {error}")
    except KeyboardInterrupt:
        complete = False
    bar.clear()
    write(points, args, complete)
    if not complete:
        print(f"wimax_tools.curves.measure: stopped after {points.done} of {runs} runs; {len(points)} points so far", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
