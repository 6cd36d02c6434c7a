#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the result of wimax-link (JSON on standard input) as block error rate over SNR. Argument: the PNG file."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RATES = ("BPSK 1/2", "QPSK 1/2", "QPSK 3/4", "16-QAM 1/2", "16-QAM 3/4", "64-QAM 2/3", "64-QAM 3/4")


def main():
    points = json.load(sys.stdin)["points"]
    figure, axes = plt.subplots(figsize=(9, 6))
    for rate in dict.fromkeys(point["rate_id"] for point in points):
        # A logarithmic axis has no place for zero; the upper bound of such points is still in the JSON.
        curve = [point for point in points if point["rate_id"] == rate and point["block_errors"] > 0]
        per = [point["per"] for point in curve]
        bars = [[point["per"] - point["per_low"] for point in curve], [point["per_high"] - point["per"] for point in curve]]
        axes.errorbar([point["snr_db"] for point in curve], per, yerr=bars, marker="o", markersize=3, capsize=2,
                      label=RATES[rate])
    first = points[0]
    axes.set_yscale("log")
    axes.set_xlabel("Es/N0 per data carrier (dB)")
    axes.set_ylabel("block error rate, 95 % bounds")
    axes.set_title(f"{first['direction']}, {first['channel']}, {first['symbols']} symbol(s), {first['estimation']} estimation")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[1], format="png", dpi=120)


if __name__ == "__main__":
    main()
