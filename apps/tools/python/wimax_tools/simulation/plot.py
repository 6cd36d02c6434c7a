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

DIRECTIONS = ("downlink", "uplink")
CONTENTION = (("contention", "requests"), ("codes", "codes"), ("ranging", "ranging"))
LEAST_SHARE = 1e-5  # of packets that are later: below it stands a handful


def draw_delay(axes, result):
    for direction in DIRECTIONS:
        points = [(ms, 1 - share) for ms, share in result["total"][direction]["delay_cdf"] if 1 - share >= LEAST_SHARE]
        axes.step([ms for ms, _ in points], [late for _, late in points], where="post", label=direction)
    axes.set_yscale("log")
    axes.set_xlabel("delay (ms)")
    axes.set_ylabel("share of packets that take longer")


def draw_throughput(axes, result):
    throughput = result["throughput"]
    for direction in DIRECTIONS:
        kbps = [bps / 1000 for bps in throughput[f"{direction}_bps"]]
        axes.plot([(i + 0.5) * throughput["interval_s"] for i in range(len(kbps))], kbps, label=direction)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("IP packets, all stations (kbit/s)")


def draw_fairness(axes, result):
    for direction in DIRECTIONS:
        total = result["total"][direction]
        shares = sorted(bps / 1000 for bps in total["station_bps"])
        axes.plot(range(1, len(shares) + 1), shares, marker=".", label=f"{direction}, Jain {total['jain']:.4f}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("stations, the one with least first")
    axes.set_ylabel("goodput (kbit/s)")


def draw_contention(axes, result):
    names = [name for _, name in CONTENTION]
    alone = [result[key]["requests"] - result[key]["collided"] for key, _ in CONTENTION]
    collided = [result[key]["collided"] for key, _ in CONTENTION]
    axes.bar(names, alone, label="alone")
    axes.bar(names, collided, bottom=alone, label="collided")
    axes.set_ylabel("attempts")


PICTURES = {"delay": draw_delay, "throughput": draw_throughput, "fairness": draw_fairness, "contention": draw_contention}


def draw(result, folder):
    """One picture each, as SVG."""
    os.makedirs(folder, exist_ok=True)
    for name, draw_axes in PICTURES.items():
        figure, axes = plt.subplots(figsize=(7, 4.5))
        draw_axes(axes, result)
        axes.grid(True, alpha=0.4)
        axes.legend(fontsize="small")
        axes.set_title(f"{result['stations']} station(s), {result['virtual_s']:g} s", fontsize="medium")
        save(figure, os.path.join(folder, f"{name}.svg"))


def main():
    try:
        draw(json.load(sys.stdin), sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"plot: {error}")


if __name__ == "__main__":
    main()
