# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of README.md: goodput of rate adaptation and of all fixed rates over SNR; and the shares that docs/performance.md has.

    ./wimax campaign tests/experiments/campaigns/rates.yml --out rates
    ./wimax python docs/studies/rates_over_snr.py rates docs/rates-over-snr.svg

Without ARQ a fixed rate counts where it loses at most one packet in a thousand; with ARQ each counts.
"""
import json
from pathlib import Path
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 - the backend is chosen first

from wimax_tools import pictures  # noqa: E402

RATES = ("BPSK 1/2", "QPSK 1/2", "QPSK 3/4", "16-QAM 1/2", "16-QAM 3/4", "64-QAM 2/3", "64-QAM 3/4")
ADAPTED, MOST_LOST, WAYS = "auto", 1e-3, {"down": "downlink", "up": "uplink"}


def read(folder):
    """Rows by ARQ, rate and SNR."""
    rows = {}
    for line in (Path(folder) / "rows.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "snr_db" in row:
            rows[bool(row["arq"]), str(row["rate"]), float(row["snr_db"])] = row
    return rows


def best(rows, arq, snr, way):
    """Goodput of the best fixed rate that counts; 0: none does."""
    fixed = (rows.get((arq, str(rate), snr)) for rate in range(len(RATES)))
    return max((row[f"{way}_bps"] for row in fixed if row and (arq or row[f"{way}_loss"] <= MOST_LOST)), default=0)


def compare(rows, arq, way):
    """Prints the least share of the best fixed rate, and the largest loss where any rate counts."""
    found = [(snr, rows[arq, ADAPTED, snr], best(rows, arq, snr, way)) for kind, rate, snr in rows if kind == arq and rate == ADAPTED]
    shares = sorted((row[f"{way}_bps"] / of, snr) for snr, row, of in found if of > 0)
    losses = sorted(((row[f"{way}_loss"], snr) for snr, row, of in found if of > 0), reverse=True)
    print(f"{WAYS[way]}, {'with' if arq else 'without'} ARQ, {len(shares)} SNRs: share of the best fixed rate at least "
          f"{shares[0][0]:.3f} (at {shares[0][1]:g} dB), then {shares[1][0]:.3f} (at {shares[1][1]:g} dB), on average {sum(s for s, _ in shares) / len(shares):.3f}; "
          f"packets lost at most {losses[0][0]:.5f} (at {losses[0][1]:g} dB), then {losses[1][0]:.5f} (at {losses[1][1]:g} dB)")


def draw(axes, rows, arq, way):
    for rate, name in enumerate(RATES):
        points = sorted((snr, row) for (kind, of, snr), row in rows.items() if kind == arq and of == str(rate))
        axes.plot([snr for snr, _ in points], [row[f"{way}_bps"] / 1e6 for _, row in points], linewidth=0.8, label=name)
    points = sorted((snr, row) for (kind, of, snr), row in rows.items() if kind == arq and of == ADAPTED)
    axes.plot([snr for snr, _ in points], [row[f"{way}_bps"] / 1e6 for _, row in points], "k.", markersize=3, label="adaptation")
    axes.set_title(f"{WAYS[way]}, {'with' if arq else 'without'} ARQ", fontsize=9)
    axes.grid(alpha=0.3)


def main(folder, picture):
    rows = read(folder)
    figure, all_axes = plt.subplots(2, 2, sharex=True, sharey=True, figsize=(8, 5))
    for row, arq in zip(all_axes, (False, True)):
        for axes, way in zip(row, WAYS):
            compare(rows, arq, way)
            draw(axes, rows, arq, way)
        row[0].set_ylabel("goodput, Mb/s")
    for axes in all_axes[1]:
        axes.set_xlabel("SNR, dB")
    all_axes[0][0].legend(fontsize=7, frameon=False)
    figure.tight_layout()
    pictures.save(figure, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
