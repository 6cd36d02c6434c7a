#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of docs/primer.md: a received downlink, its constellations, and one frame of a running cell with three stations. Usage, from a
built tree: ./wimax python docs/studies/primer_pictures.py FOLDER"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402

import wimax  # noqa: E402
from wimax_tools import pictures  # noqa: E402

BIN = pathlib.Path(os.environ["WIMAX_BUILD_DIR"]) / "bin"
PRIMER = pathlib.Path(__file__).resolve().parents[1] / "primer.md"
PNG_COLOURS = 224
SNR_DB = (30, 17, 9)  # of the three stations
STATION_COLOURS = ("#1f6fb4", "#d9822b", "#2a9d6e")
KIND_COLOURS = {"preamble": "#4b5563", "fch": "#8b95a3", "maps": "#7c3aed", "ranging": "#c0398f", "contention": "#e59bc8"}
KIND_NAMES = {"preamble": "preamble", "fch": "FCH", "maps": "maps", "ranging": "ranging region", "contention": "REQ region"}
TRIES = 400


def received_downlink(target):
    """Runs the commands of the primer; frame map and constellations come from the report."""
    text = PRIMER.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "frame.json").write_text(re.search(r"^```json\n(.*?)^```", text, re.M | re.S)[1], encoding="utf-8")
        for line in re.search(r"^```sh\n(.*?)^```", text, re.M | re.S)[1].splitlines():
            subprocess.run([BIN / "wimax-iq", *line.split()[2:]], cwd=folder, check=True)
        for name, picture in (("frame-0", "frame-map"), ("constellation-0", "constellations")):
            (target / f"{picture}.webp").write_bytes(pathlib.Path(folder, "page", f"{name}.png").read_bytes())
            pictures.few_colours(target / f"{picture}.webp", PNG_COLOURS)


def busy_frame():
    """A frame that has bursts of every station in both directions and all kinds of regions; the station of each CID; the layout of the frame."""
    with wimax.Stack(3, dl_rate="auto", ul_rate="auto", offer_kbps={"downlink": 1500, "uplink": 1200}) as cell:
        for station, snr_db in enumerate(SNR_DB, 1):
            cell.set_channel(station=station, snr_db=snr_db)
        cell.run(4.0)
        for _ in range(TRIES):
            cell.run(0.01)
            frame, status = cell._ask("bs", {"get": "frame"})["frame"], cell.metrics("bs")["station"]
            owner = {cid: int(one["name"].removeprefix("ss")) - 1 for one in status["stations"]
                     for cid in (one["basic_cid"], *(flow["cid"] for flow in one["flows"]))}
            seen = {(burst["direction"], owner[cid]) for burst in frame["bursts"] if burst["kind"] == "data" for cid in burst["cids"] if cid in owner}
            if len(seen) == 2 * len(SNR_DB) and {burst["kind"] for burst in frame["bursts"]} == {"maps", "data", "ranging", "contention"}:
                return frame["bursts"], owner, status["layout"]
    sys.exit("no frame has bursts of all stations in both directions, and both regions")


def draw_frame(path):
    bursts, owner, layout = busy_frame()
    figure, axes = plt.subplots(figsize=(11, 2.5), layout="constrained")
    bars = [(0, 2, KIND_COLOURS["preamble"], ""), (2, 1, KIND_COLOURS["fch"], "")]
    for burst in bursts:
        stations = [owner[cid] for cid in burst["cids"] if cid in owner]
        colour = KIND_COLOURS.get(burst["kind"]) or STATION_COLOURS[stations[0]]
        rate = wimax.RATES[burst["rate_id"]] if burst["kind"] == "data" else ""
        bars.append((burst["slot"] / layout["symbol_slots"], burst["symbols"], colour, rate))
    for begin, length, colour, name in bars:
        axes.add_patch(Rectangle((begin, 0), length, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
        axes.text(begin + length / 2, 0.5, name, ha="center", va="center", color="white", fontsize=9, rotation=0 if length > 20 else 90)
    turn = layout["ul_start_slot"] / layout["symbol_slots"]
    for left, right, name in ((0, layout["dl_symbols"], "downlink"), (turn, turn + layout["ul_symbols"], "uplink")):
        axes.annotate("", (left, 1.13), (right, 1.13), arrowprops={"arrowstyle": "<->", "color": "#333"})
        axes.text((left + right) / 2, 1.18, name, ha="center", va="bottom", fontsize=11)
    axes.set(xlim=(0, layout["frame_symbols"]), ylim=(0, 1.4), yticks=[], xlabel="OFDM symbol of the frame (50 µs each)")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    legend = [Patch(color=colour, label=f"station {i}, {snr_db} dB") for i, (colour, snr_db) in enumerate(zip(STATION_COLOURS, SNR_DB), 1)]
    legend += [Patch(color=KIND_COLOURS[kind], label=name) for kind, name in KIND_NAMES.items()]
    axes.legend(handles=legend, loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=len(legend), fontsize=8.5, frameon=False,
                handlelength=1.2, columnspacing=1.2)
    pictures.save(figure, path)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    received_downlink(folder)
    draw_frame(folder / "tdd-frame.svg")
