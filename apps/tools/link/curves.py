#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the error-rate curves of docs/error-rates.md with wimax-link, draws them and writes the tables.

One file of points and one picture per channel and direction, in docs/curves. A set that is measured again replaces its
files; the tables are made of all files that are there, so channels may be measured one by one. Same build, same
result."""
import argparse
import json
import os
import subprocess
import sys
import time

import curves_report
from threshold import GENIE_BER_DB, GENIE_PER_DB, rough_crossing

# Sets of points, each with files of its own: channels and directions, and one of long bursts on the move.
CHANNELS = ("awgn", "sui1", "sui2", "sui3", "sui4", "sui5", "sui6", "pedestrian-a", "pedestrian-b", "vehicular-a",
            "vehicular-b")
ESTIMATIONS = ("real", "genie")
RATES = range(7)
BER_SYMBOLS = 10  # of the bursts that bit error rates are measured with
BER_OFFSETS_DB = (-0.9, -0.6, -0.3, 0.0)  # against the reference for BER 1e-6
UNLIMITED = 10**9
KEPT_KEYS = ("rate_id", "direction", "symbols", "snr_db", "blocks", "block_errors", "missed", "per", "per_low",
             "per_high", "ber", "estimation", "doppler_hz", "midamble_interval")


class Effort:
    """Blocks of a point; `share` 1 for what is committed, less for a look."""

    def __init__(self, share):
        self.coarse = max(100, round(2000 * share))
        self.fine = max(100, round(2500 * share))
        self.mobility = max(50, round(1000 * share)) * curves_report.MOBILITY_SYMBOLS
        self.ber = max(1000, round(300_000 * share))


def simulate(options, **arguments):
    """Points of one run of wimax-link."""
    command = [options.tool, "--threads", str(options.threads), "--seed", str(options.seed), "--json", "-"]
    for name, value in arguments.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"curves: {' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout)["points"]


def grid(start, step, stop):
    return f"{start:g}:{step:g}:{stop:g}"


def measure_rate(options, effort, channel, direction, rate):
    """The whole curve in coarse steps, then finely where one block in a hundred is lost. Real and genie see the same
    channels and the same noise at equal SNR."""
    reference, fading = GENIE_PER_DB[rate], channel != "awgn"
    base = round(reference * 2) / 2
    coarse = grid(base - 3, 3, base + 27) if fading else grid(base - 2, 0.5, base + 2)
    common = {"channel": channel, "direction": direction, "rate": rate, "errors": UNLIMITED}
    points = []
    for estimation in ESTIMATIONS:
        points += simulate(options, snr_db=coarse, estimation=estimation, blocks=effort.coarse, **common)
    found = [rough_crossing(curves_report.select(points, rate, estimation)) for estimation in ESTIMATIONS]
    found = [snr for snr in found if snr is not None]
    if found:
        step = 0.5 if fading else 0.125
        first, last = (round(snr / step) * step for snr in (min(found), max(found)))
        fine = grid(first - 3 * step, step, last + 3 * step)
        for estimation in ESTIMATIONS:
            points += simulate(options, snr_db=fine, estimation=estimation, blocks=effort.fine, **common)
    return points


def measure_bit_errors(options, effort, direction, rate):
    points = []
    for estimation in ESTIMATIONS:
        for offset in BER_OFFSETS_DB:
            snr = round(GENIE_BER_DB[rate] + offset, 2)
            points += simulate(options, channel="awgn", direction=direction, rate=rate, snr_db=grid(snr, 1, snr),
                               symbols=BER_SYMBOLS, estimation=estimation, blocks=effort.ber, errors=100)
    return points


def measure_mobility(options):
    effort, points = Effort(options.effort), []
    for doppler in curves_report.MOBILITY_DOPPLER_HZ:
        for direction, interval in curves_report.MOBILITY_CASES:
            for estimation in ESTIMATIONS:
                points += simulate(options, channel="vehicular-a", doppler_hz=doppler, direction=direction,
                                   midamble_interval=interval, rate=curves_report.MOBILITY_RATE,
                                   symbols=curves_report.MOBILITY_SYMBOLS, snr_db="9:3:33", estimation=estimation,
                                   blocks=effort.mobility, errors=UNLIMITED)
    return points


def merge(points):
    """One point for equal setup and SNR: the fine grid may meet the coarse one; the larger sample is kept."""
    kept = {}
    for point in points:
        key = (point["symbols"], point["rate_id"], point["estimation"], point["snr_db"])
        if key not in kept or kept[key]["blocks"] < point["blocks"]:
            kept[key] = point
    return [kept[key] for key in sorted(kept)]


def measure_set(options, channel, direction):
    effort, points = Effort(options.effort), []
    for rate in RATES:
        points += measure_rate(options, effort, channel, direction, rate)
        if channel == "awgn":
            points += measure_bit_errors(options, effort, direction, rate)
    return merge(points)


def write_points(path, points):
    """A line a point, so that changes can be read; four digits are more than the statistics have."""
    def short(value):
        return float(f"{value:.4g}") if isinstance(value, float) else value

    lines = [json.dumps({key: short(point[key]) for key in KEPT_KEYS}) for point in points]
    with open(path, "w") as file:
        file.write('{"points": [\n' + ",\n".join(lines) + "\n]}\n")


def wanted_sets(options):
    """Name of each set, and what measures it."""
    for channel in options.channel or (*CHANNELS, "mobility"):
        if channel == "mobility":
            yield channel, lambda: measure_mobility(options)
            continue
        for direction in [options.direction] if options.direction else ["downlink", "uplink"]:
            yield f"{channel}-{direction}", lambda: measure_set(options, channel, direction)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    top = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    parser = argparse.ArgumentParser(prog="wimax curves", description=__doc__.split("\n")[0])
    parser.add_argument("--channel", action="append", choices=(*CHANNELS, "mobility"),
                        help="measure this one only (repeatable; default all)")
    parser.add_argument("--direction", choices=("downlink", "uplink"), help="measure this one only (default both)")
    parser.add_argument("--missing", action="store_true", help="skip sets whose file of points is there already")
    parser.add_argument("--report-only", action="store_true",
                        help="measure nothing: pictures and tables from the files")
    parser.add_argument("--effort", type=float, default=1.0, help="share of the usual number of blocks (default 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--docs", default=os.path.join(top, "docs"), help="folder of error-rates.md and curves/")
    build = os.environ.get("WIMAX_BUILD_DIR", os.path.join(top, "build"))
    parser.add_argument("--tool", default=os.path.join(build, "bin", "wimax-link"), help="path of wimax-link")
    options = parser.parse_args()

    folder = os.path.join(options.docs, "curves")
    os.makedirs(folder, exist_ok=True)
    for name, measure in [] if options.report_only else wanted_sets(options):
        path = os.path.join(folder, name + ".json")
        if options.missing and os.path.exists(path):
            continue
        start = time.monotonic()
        write_points(path, measure())
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    curves_report.write(options.docs)


if __name__ == "__main__":
    main()
