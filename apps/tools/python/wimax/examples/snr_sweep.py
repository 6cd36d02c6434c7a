# SPDX-License-Identifier: GPL-3.0-or-later
"""Downlink goodput against SNR for all rates, with error bars (95 % of the mean of ten parts of a second each)."""
import argparse

import matplotlib
import numpy as np

import wimax
from wimax_tools import pictures

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--rates", type=int, nargs="+", default=range(7), help="Rate_IDs (default: all)")
options.add_argument("--snr-db", type=float, nargs="+", default=range(30, 0, -2), help="SNR values in dB (default: 30 down to 2)")
options.add_argument("--seconds", type=float, default=1.0, help="simulated seconds at each point")
options.add_argument("--out", default="goodput.svg")
known = options.parse_args()

figure, axes = pyplot.subplots(figsize=(8, 5))
for rate in known.rates:
    with wimax.Stack(dl_rate=rate, ul_rate=0, offer_kbps={"downlink": 10_000}) as cell:
        rows = []
        for snr_db in known.snr_db:
            cell.set_channel(snr_db=snr_db)
            cell.run(0.2)  # until queues and channel have settled
            parts = cell.goodput_kbps("downlink", seconds=known.seconds, parts=10)
            rows.append((snr_db, np.mean(parts), 1.96 * np.std(parts, ddof=1) / np.sqrt(len(parts))))
            print(f"{wimax.RATES[rate]:>10} {snr_db:5.1f} dB {rows[-1][1]:7.0f} kb/s +- {rows[-1][2]:.0f}", flush=True)
    axes.errorbar(*np.transpose(rows), capsize=3, marker=".", label=wimax.RATES[rate])
axes.set(xlabel="SNR of a data carrier, dB", ylabel="downlink goodput, kb/s of IP", title="5 MHz, frames of 10 ms, AWGN")
axes.legend()
axes.grid(alpha=0.3)
pictures.save(figure, known.out)
print(f"picture: {known.out}")
