#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a spectrum of `wimax radio spectrum`. As a program: the result's JSON on standard input, the picture's file as argument."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from wimax_tools import pictures  # noqa: E402


def draw(result, path):
    """Power a bin over frequency, the floor, and what is occupied."""
    megahertz = [(result["first_bin_hz"] + i * result["bin_hz"]) / 1e6 for i in range(len(result["bins_dbm"]))]
    figure, axes = plt.subplots(figsize=(9, 4.5))
    axes.plot(megahertz, result["bins_dbm"], linewidth=0.8)
    for band in result["bands"]:
        axes.axvspan(band["low_hz"] / 1e6, band["high_hz"] / 1e6, color="C1", alpha=0.2, label=f"{band['power_dbm']:.1f} dBm")
    axes.set_xlabel("MHz")
    axes.set_ylabel(f"dBm in {result['bin_hz'] / 1e3:.1f} kHz")
    axes.set_title(f"{result['frequency_hz'] / 1e6:g} MHz: {result['level_dbm']:.1f} dBm, floor {result['floor_dbm_per_hz']:.1f} dBm/Hz")
    axes.grid(True, alpha=0.4)
    if 0 < len(result["bands"]) <= 8:
        axes.legend(title="occupied", fontsize="small")
    figure.tight_layout()
    pictures.save(figure, path, dpi=110, made=result.get("provenance"))


if __name__ == "__main__":
    draw(json.load(sys.stdin), sys.argv[1])
