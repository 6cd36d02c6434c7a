#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a result of wimax-sim: distribution of delays, throughput over time, and how it is shared. As a program: the
result's JSON on standard input, the picture's file as argument."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from wimax_tools.curves.plot import save  # noqa: E402

DIRECTIONS = ("downlink", "uplink")
LEAST_SHARE = 1e-5  # of packets that are later: below it stands a handful


def draw_delays(axes, totals):
    for direction in DIRECTIONS:
        points = [(ms, 1 - share) for ms, share in totals[direction]["delay_cdf"] if 1 - share >= LEAST_SHARE]
        axes.step([ms for ms, _ in points], [late for _, late in points], where="post", label=direction)
    axes.set_yscale("log")
    axes.set_xlabel("delay (ms)")
    axes.set_ylabel("share of packets that take longer")


def draw_throughput(axes, throughput):
    for direction in DIRECTIONS:
        kbps = throughput[f"{direction}_kbps"]
        axes.plot([(i + 0.5) * throughput["interval_s"] for i in range(len(kbps))], kbps, label=direction)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("IP packets, all stations (kbit/s)")


def draw_shares(axes, totals):
    for direction in DIRECTIONS:
        shares = sorted(totals[direction]["station_kbps"])
        axes.plot(range(1, len(shares) + 1), shares, marker=".", label=f"{direction}, Jain {totals[direction]['jain']:.4f}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("stations, the one with least first")
    axes.set_ylabel("goodput (kbit/s)")


def draw(result, path):
    """Three panels; the file's ending gives its format."""
    figure, (delays, throughput, shares) = plt.subplots(1, 3, figsize=(14, 4.5))
    draw_delays(delays, result["total"])
    draw_throughput(throughput, result["throughput"])
    draw_shares(shares, result["total"])
    for axes in (delays, throughput, shares):
        axes.grid(True, alpha=0.4)
        axes.legend(fontsize="small")
    figure.suptitle(f"{result['stations']} station(s), {result['seconds']:g} s")
    save(figure, path)


def main():
    try:
        draw(json.load(sys.stdin), sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"plot: {error}")


if __name__ == "__main__":
    main()
