# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of docs/mac.md: CINR and rates over the ramp of test_mac_air_adaptation.

    WIMAX_RAMP_CSV=ramp.csv build/bin/mac_air_cell_tests --gtest_filter='*Ramp*/1'
    ./wimax python docs/studies/link_adaptation.py ramp.csv docs/link-adaptation.svg
"""
import csv
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 - the backend is chosen first

from wimax_tools import pictures  # noqa: E402

RATES = ("BPSK 1/2", "QPSK 1/2", "QPSK 3/4", "16-QAM 1/2", "16-QAM 3/4", "64-QAM 2/3", "64-QAM 3/4")


def main(source, picture):
    with open(source, encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    seconds = [row["s"] for row in rows]
    figure, (level, rate) = plt.subplots(2, 1, sharex=True, figsize=(8, 4.5), height_ratios=(2, 3))
    level.plot(seconds, [row["cinr_db"] for row in rows], color="black", linewidth=1)
    level.set_ylabel("CINR, dB")
    for way, style in (("dl", "-"), ("ul", "--")):
        rate.step(seconds, [row[f"{way}_rate_id"] for row in rows], style, where="post", linewidth=1.2,
                  label={"dl": "downlink", "ul": "uplink"}[way])
    rate.set_yticks(range(len(RATES)), RATES)
    rate.set_xlabel("s")
    rate.legend(loc="upper center", frameon=False)
    for axes in (level, rate):
        axes.grid(alpha=0.3)
        axes.set_xlim(3, 8)
    figure.tight_layout()
    pictures.save(figure, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
