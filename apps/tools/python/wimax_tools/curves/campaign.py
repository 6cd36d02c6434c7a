#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the error-rate curves of docs/error-rates.md with wimax-link, draws them and writes the tables.

One file of points and one picture per set and direction, in docs/curves. What is measured again, rate by rate,
replaces its points; each point names the commit of its receiver. The tables are made of all files that are there, so
sets may be measured one by one. Same build, same result."""
import argparse
import collections
import json
import os
from pathlib import Path
import subprocess
import sys
import time

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
KEPT_KEYS = ("rate_id", "direction", "symbols", "snr_db", "blocks", "block_errors", "missed", "per", "per_low",
             "per_high", "ber", "estimation", "doppler_hz", "midamble_interval")


class Effort:
    """Blocks of a point; `share` 1 for what is committed, less for a look."""

    def __init__(self, share):
        self.coarse = max(100, round(1000 * share))
        self.fine = max(100, round(10_000 * share))  # a hundred wrong blocks at the target
        self.mobility = max(50, round(1000 * share)) * curves_report.MOBILITY_SYMBOLS
        self.ber = max(1000, round(10_000_000 * share))  # at most: ends with BER_ERRORS


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


def setup_of(name):
    """wimax-link's options of a set. Carrier offsets are as many carriers as ±10 kHz at 5 MHz."""
    if name not in curves_report.OTHER_NUMEROLOGIES:
        return {"channel": name}
    channel, mhz, prefix = curves_report.OTHER_NUMEROLOGIES[name]
    return {"channel": channel, "bandwidth_hz": round(mhz * 1e6), "cp": f"1/{prefix}", "offset_hz": round(mhz * 2000)}


def measure_rate(options, effort, name, direction, rate):
    """The whole curve in coarse steps, then finely where one block in a hundred is lost. Real and genie see the same
    channels and the same noise at equal SNR."""
    setup = setup_of(name)
    reference, fading = GENIE_PER_DB[rate], setup["channel"] != "awgn"
    base = round(reference * 2) / 2
    coarse = grid(base - 3, 3, base + 27) if fading else grid(base - 2, 0.5, base + 2)
    common = {**setup, "direction": direction, "rate": rate, "errors": UNLIMITED}
    points = []
    for estimation in ESTIMATIONS:
        points += simulate(options, snr_db=coarse, estimation=estimation, blocks=effort.coarse, **common)
    found = [rough_crossing(curves_report.select(points, rate, estimation)) for estimation in ESTIMATIONS]
    found = [snr for snr in found if snr is not None]
    if found:
        step = 0.5 if fading else 0.125
        if max(found) - min(found) > 2 * step:
            step *= 2
        first, last = (round(snr / step) * step for snr in (min(found), max(found)))
        fine = grid(first - 2 * step, step, last + 2 * step)
        for estimation in ESTIMATIONS:
            points += simulate(options, snr_db=fine, estimation=estimation, blocks=effort.fine, **common)
    return points


def measure_bit_errors(options, effort, direction, rate):
    points = []
    for estimation in ESTIMATIONS:
        for offset in BER_OFFSETS_DB:
            snr = round(GENIE_BER_DB[rate] + offset, 2)
            points += simulate(options, channel="awgn", direction=direction, rate=rate, snr_db=grid(snr, 1, snr),
                               symbols=BER_SYMBOLS, estimation=estimation, blocks=effort.ber, errors=BER_ERRORS)
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


def read_points(path):
    """Points of a file, each with the commit of its receiver: its own or, in most, the file's."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        kept = json.load(file)
    return [{"commit": kept["commit"], **point} for point in kept["points"]]


def write_points(path, points):
    """A line a point, so that changes can be read; four digits are more than the statistics have."""
    def short(value):
        return float(f"{value:.4g}") if isinstance(value, float) else value

    usual = collections.Counter(point["commit"] for point in points).most_common(1)[0][0]
    lines = []
    for point in points:
        keys = KEPT_KEYS if point["commit"] == usual else (*KEPT_KEYS, "commit")
        lines.append(json.dumps({key: short(point[key]) for key in keys}))
    with open(path + ".new", "w") as file:
        file.write(f'{{"commit": "{usual}", "points": [\n' + ",\n".join(lines) + "\n]}\n")
    os.replace(path + ".new", path)


def measure_set(options, path, name, direction):
    """Rate by rate, so that an interruption costs one; with --missing goes on with those not yet of this commit."""
    effort = Effort(options.effort)
    for rate in RATES:
        kept = read_points(path)

        def is_old(point, symbols):
            return point["rate_id"] == rate and point["symbols"] in symbols

        for measure, symbols in ((measure_rate, (1,)), (measure_bit_errors, (BER_SYMBOLS,))):
            bits = measure is measure_bit_errors
            if bits and (name != "awgn" or options.no_bit_errors):
                continue
            old = [point for point in kept if is_old(point, symbols)]
            if options.missing and old and all(point["commit"] == options.commit for point in old):
                continue
            start = time.monotonic()
            new = measure(options, effort, direction, rate) if bits else measure(options, effort, name, direction, rate)
            for point in new:
                point["commit"] = options.commit
            kept = merge([point for point in kept if not is_old(point, symbols)] + new)
            write_points(path, kept)
            print(f"{name}-{direction} rate {rate}{' bits' * bits}: {time.monotonic() - start:.0f} s", flush=True)


def measure_mobility_set(options, path):
    kept = read_points(path)
    if options.missing and kept and all(point["commit"] == options.commit for point in kept):
        return
    points = measure_mobility(options)
    for point in points:
        point["commit"] = options.commit
    write_points(path, points)


def measure_wanted(options, folder):
    for name in options.channel or (*SETS, "mobility"):
        if name == "mobility":
            measure_mobility_set(options, os.path.join(folder, name + ".json"))
            continue
        for direction in [options.direction] if options.direction else ["downlink", "uplink"]:
            measure_set(options, os.path.join(folder, f"{name}-{direction}.json"), name, direction)


def commit_of(top):
    """Of the receiver that is measured, unless told."""
    command = ["git", "-C", top, "rev-parse", "--short=7", "HEAD"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def main():
    top = os.environ.get("WIMAX_SOURCE_DIR") or str(Path(__file__).resolve().parents[5])
    parser = argparse.ArgumentParser(prog="wimax curves", description=__doc__.split("\n")[0])
    parser.add_argument("--channel", action="append", choices=(*SETS, "mobility"),
                        help="measure this set only, a channel at 5 MHz, CP 1/8, or at the numerology it names\n"
                             "(repeatable; default all)")
    parser.add_argument("--direction", choices=("downlink", "uplink"), help="measure this one only (default both)")
    parser.add_argument("--missing", action="store_true", help="skip what has been measured with this commit already")
    parser.add_argument("--report-only", action="store_true",
                        help="measure nothing: pictures and tables from the files")
    parser.add_argument("--effort", type=float, default=1.0, help="share of the usual number of blocks (default 1)")
    parser.add_argument("--no-bit-errors", action="store_true", help="block error rates only")
    parser.add_argument("--commit", default=commit_of(top), help="of the receiver; default: the one checked out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--docs", default=os.path.join(top, "docs"), help="folder of error-rates.md and curves/")
    build = os.environ.get("WIMAX_BUILD_DIR", os.path.join(top, "build"))
    parser.add_argument("--tool", default=os.path.join(build, "bin", "wimax-link"), help="path of wimax-link")
    options = parser.parse_args()

    folder = os.path.join(options.docs, "curves")
    os.makedirs(folder, exist_ok=True)
    if not options.report_only:
        measure_wanted(options, folder)
    curves_report.write(options.docs)

