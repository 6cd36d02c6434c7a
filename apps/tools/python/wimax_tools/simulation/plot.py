#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a result of wimax-sim: delays, throughput over time, how it is shared, and contention. As a program: the result's
JSON on standard input, the folder for the pictures as argument."""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from wimax_tools.curves.plot import save  # noqa: E402
from wimax_tools.simulation import PICTURE_NAMES  # noqa: E402

DIRECTIONS = ("downlink", "uplink")
CONTENTION = (("contention", "bandwidth requests"), ("codes", "codes"), ("ranging", "ranging"))
LEAST_SHARE = 1e-5  # of packets that are later: below it stands a handful
DELAY_PERCENTILES = (("p50", "50 %", 0.5), ("p99", "99 %", 0.99), ("p999", "99.9 %", 0.999))
SHARE_PERCENTILES = (5, 50, 95)


def percentile(values, percent):
    """Linear between the sorted values; NaN of none."""
    values = sorted(values)
    if not values:
        return float("nan")
    at = (len(values) - 1) * percent / 100
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def spread(values, unit):
    """"5/50/95 %: 10/20/30 kbit/s" of values."""
    return f"{'/'.join(map(str, SHARE_PERCENTILES))} %: {'/'.join(f'{percentile(values, p):.4g}' for p in SHARE_PERCENTILES)} {unit}"


def draw_delay(axes, result):
    """Complementary distribution, with marks at the percentiles that the result has."""
    for direction, colour in zip(DIRECTIONS, ("C0", "C1")):
        total = result["total"][direction]
        points = [(ms, 1 - share) for ms, share in total["delay_cdf"] if 1 - share >= LEAST_SHARE]
        if not points:
            continue
        delay = total["delay_ms"]
        texts = ", ".join(f"{name} {delay[key]:.4g}" for key, name, _ in DELAY_PERCENTILES)
        axes.step([ms for ms, _ in points], [late for _, late in points], where="post", color=colour, label=f"{direction}: mean {delay['mean']:.4g}, {texts} ms")
        axes.plot([delay[key] for key, _, _ in DELAY_PERCENTILES], [1 - share for _, _, share in DELAY_PERCENTILES], linestyle="", marker="o", color=colour, markersize=4)
    axes.set_yscale("log")
    axes.set_xlabel("delay of IP packets (ms)")
    axes.set_ylabel("share of packets that take longer")


def draw_throughput(axes, result):
    throughput = result["throughput"]
    for direction in DIRECTIONS:
        kbps = [bps / 1000 for bps in throughput[f"{direction}_bps"]]
        axes.plot([(i + 0.5) * throughput["interval_s"] for i in range(len(kbps))], kbps, label=f"{direction}, {spread(kbps, 'kbit/s')}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"time (s), means of {throughput['interval_s']:g} s")
    axes.set_ylabel("IP packets, all stations (kbit/s)")


def draw_fairness(axes, result):
    for direction in DIRECTIONS:
        total = result["total"][direction]
        shares = sorted(bps / 1000 for bps in total["station_bps"])
        axes.plot(range(1, len(shares) + 1), shares, marker=".", label=f"{direction}, Jain {total['jain']:.4f}, {spread(shares, 'kbit/s')}")
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("stations, the one with least first")
    axes.set_ylabel("goodput of a station (kbit/s)")


def draw_contention(axes, result):
    attempts, collided = ([result[key][figure] for key, _ in CONTENTION] for figure in ("requests", "collided"))
    names = [f"{name}\n{100 * lost / max(1, of):.3g} % collided" for (_, name), of, lost in zip(CONTENTION, attempts, collided)]
    axes.bar(names, [of - lost for of, lost in zip(attempts, collided)], label="alone")
    axes.bar(names, collided, bottom=[of - lost for of, lost in zip(attempts, collided)], label="collided")
    axes.set_ylim(0, 1.05 * max(1, *attempts))
    axes.set_ylabel("attempts in the measurement (number)")


PICTURES = dict(zip(PICTURE_NAMES, (("Delay of IP packets", draw_delay), ("Throughput over time", draw_throughput), ("Goodput of each station", draw_fairness),
                                    ("Contention", draw_contention)), strict=True))


def conditions(result):
    """What the second line of each title states."""
    count = result["stations"]
    return f"{count} station{'' if count == 1 else 's'}, {result['profile']}, {result['virtual_s']:g} s, seed {result['seed']}"


def draw(result, folder):
    """One picture each, as SVG."""
    os.makedirs(folder, exist_ok=True)
    for name, (title, draw_axes) in PICTURES.items():
        figure, axes = plt.subplots(figsize=(7, 4.5))
        draw_axes(axes, result)
        axes.grid(True, alpha=0.4)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small")
        axes.set_title(f"{title}\n{conditions(result)}", fontsize="medium")
        save(figure, os.path.join(folder, f"{name}.svg"), made=result.get("provenance"))


def main():
    try:
        draw(json.load(sys.stdin), sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"plot: {error}")


if __name__ == "__main__":
    main()
