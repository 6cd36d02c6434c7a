#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws points of wimax-link as block error rate over SNR. As a program: the result's JSON on standard input, the
picture's file as argument."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

from wimax_tools import pictures  # noqa: E402
from wimax_tools.bench.profiles import RATE_NAMES as RATES  # noqa: E402

STYLES = {"real": {"linestyle": "-", "marker": "s"}, "genie": {"linestyle": "--", "elinewidth": 0}}
FEWEST_ERRORS = 3  # with fewer, a point is only an upper bound of the rate
BOUND = "at most (fewer than 3 errors)"


def draw_curve(axes, points, colour, label, estimation):
    """One curve, of a receiver that estimates with its 95 % bounds; those of a genie are as wide. Points of few errors are their
    upper bounds, off the line."""
    points = sorted(points, key=lambda point: point["snr_db"])
    few = [point for point in points if point["block_errors"] < FEWEST_ERRORS]
    if few:
        axes.plot([point["snr_db"] for point in few], [point["per_high"] for point in few], linestyle="", marker="v", markersize=3.5,
                  markerfacecolor="none" if estimation == "real" else colour, markeredgewidth=0.7, alpha=0.6, color=colour)
    points = [point for point in points if point["block_errors"] >= FEWEST_ERRORS]
    per = [point["per"] for point in points]
    bars = [[abs(point["per"] - point[bound]) for point in points] for bound in ("per_low", "per_high")]
    style = {"markersize": 2, "linewidth": 1.2, "elinewidth": 0.7} | STYLES[estimation]
    axes.errorbar([point["snr_db"] for point in points], per, yerr=bars, color=colour, label=label, **style)


def bound_handle(curves):
    """Of the mark of upper bounds for a legend, where there are some."""
    few = any(point["block_errors"] < FEWEST_ERRORS for points in curves for point in points)
    return [Line2D([], [], linestyle="", marker="v", markersize=4, markerfacecolor="none", color="#555", label=BOUND)] if few else []


def decorate(axes, title):
    axes.set_yscale("log")
    axes.set_ylim(top=1.3)
    axes.set_xlabel("Es/N0 per data carrier (dB)")
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.5)
    axes.grid(True, which="minor", alpha=0.15)


def rate_curves(points):
    """[(name of a rate, (points of the real receiver, of the genie))] of the rates that were measured."""
    sides = [(name, [[point for point in points if (point["rate_id"], point["estimation"]) == (rate, estimation)] for estimation in ("real", "genie")])
             for rate, name in enumerate(RATES)]
    return [(name, curves) for name, curves in sides if any(curves)]


def draw(points, title, path, made=None):
    """Rates by colour; a receiver that estimates solid, a genie dashed. The file's ending gives its format."""
    figure, axes = plt.subplots(figsize=(9, 6))
    seen = set()
    for estimation in ("real", "genie"):
        for rate, name in enumerate(RATES):
            curve = [point for point in points if (point["rate_id"], point["estimation"]) == (rate, estimation)]
            if curve:
                draw_curve(axes, curve, f"C{rate}", None if rate in seen else name, estimation)
                seen.add(rate)
    both = {point["estimation"] for point in points}
    decorate(axes, title + (": real receiver solid, genie dashed" if len(both) == 2 else f", {both.pop()} estimation"))
    axes.set_ylabel("block error rate, 95 % bounds")
    axes.legend(handles=axes.get_legend_handles_labels()[0] + bound_handle([points]), loc="lower left", fontsize="small")
    save(figure, path, made=made)


def draw_panels(panels, path):
    """Panels side by side, each (title, [(name, (points of the real receiver, of the genie))]); a colour a name."""
    figure, ((*all_axes,),) = plt.subplots(1, len(panels), figsize=(max(9, 4.5 * len(panels)), 5), sharey=True, squeeze=False)
    for axes, (title, curves) in zip(all_axes, panels):
        for number, (name, sides) in enumerate(curves):
            for estimation, points in zip(("real", "genie"), sides):
                draw_curve(axes, points, f"C{number}", name if estimation == "real" else None, estimation)
        decorate(axes, title)
    all_axes[0].set_ylabel("block error rate, 95 % bounds")
    handles, _ = all_axes[0].get_legend_handles_labels()
    handles += [Line2D([], [], color="#555", linestyle="-", label="receiver"), Line2D([], [], color="#555", linestyle="--", label="genie")]
    handles += bound_handle(side for _, curves in panels for _, sides in curves for side in sides)
    rows = 1 if len(panels) > 2 else 2
    figure.legend(handles=handles, loc="lower center", ncol=-(-len(handles) // rows), fontsize="small")
    save(figure, path, (0, 0.06 * rows, 1, 1))


def save(figure, path, axes_area=(0, 0, 1, 1), made=None):
    figure.tight_layout(rect=axes_area)
    pictures.save(figure, path, dpi=120, made=made)


def main():
    result = json.load(sys.stdin)
    points = result["points"]
    first = points[0]
    try:
        draw(points, f"{first['direction']}, {first['channel']}, {first['symbols']} symbol(s)", sys.argv[1], result.get("provenance"))
    except OSError as error:
        sys.exit(f"plot: {error}")


if __name__ == "__main__":
    main()
