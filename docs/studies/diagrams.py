#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/cell.svg and docs/fpga-chain.svg from the descriptions below. Usage: ./wimax python docs/studies/diagrams.py FOLDER
The test test_pictures fails when a picture differs from its description."""
import sys
from html import escape
from pathlib import Path

FONT = 'font-family="DejaVu Sans, Arial, sans-serif"'
FILL = {"program": "#dcfce7", "radio": "#fef3c7", "user": "#e0f2fe", "core": "#ede9fe", "alone": "#ffffff", "tool": "#f1f5f9", "group": "#f8fafc"}
LINE, HEIGHT_OF_LINE = "#334155", 18

# A box: name, kind, left, top, width, height, lines (the first one in bold). An arrow: points, text, place of the text, then options: both, dashed.
CELL = {
    "title": "Processes and sockets of a cell: base station and one subscriber station",
    "size": (1000, 470),
    "boxes": [
        ("group", 10, 10, 330, 282, ["Base station"]), ("group", 660, 10, 330, 282, ["Subscriber station"]),
        ("user", 24, 44, 302, 60, ["network namespace wimax-bs", "TUN interface wimax0, 10.1.0.1"]),
        ("user", 674, 44, 302, 60, ["network namespace wimax-ss1", "TUN interface wimax0, 10.1.0.2"]),
        ("program", 24, 142, 140, 54, ["wimax-macd", "the MAC"]), ("program", 186, 142, 140, 54, ["wimax-phyd", "the PHY"]),
        ("program", 674, 142, 140, 54, ["wimax-phyd", "the PHY"]), ("program", 836, 142, 140, 54, ["wimax-macd", "the MAC"]),
        ("radio", 186, 226, 140, 54, ["UHD device", "type=vrf (in the PHY)"]), ("radio", 674, 226, 140, 54, ["UHD device", "type=vrf (in the PHY)"]),
        ("program", 400, 204, 200, 98, ["wimax-channeld", "loss, fading, noise,", "offsets; simulated time", "listens at {run}/channel"]),
        ("tool", 10, 352, 980, 46, ["control sockets, one for each program: {run}/bs.macd.ctl, bs.phyd.ctl, ss.macd.ctl, ss.phyd.ctl, channeld.ctl",
                                    "JSON over ZeroMQ; {run} is /run/wimax for root"]),
        ("tool", 10, 424, 640, 36, ["./wimax ctl, status, flows, stations, metrics (HTTP, port 9816), watch (HTTP, port 9817)"]),
        ("tool", 670, 424, 320, 36, ["keeper: ./wimax up starts it; restarts programs"]),
    ],
    "arrows": [
        ([(94, 104), (94, 142)], "IP packets", (104, 127), "both"), ([(906, 104), (906, 142)], "IP packets", (916, 127), "both"),
        ([(164, 169), (186, 169)], "", None, "both"), ([(814, 169), (836, 169)], "", None, "both"),
        ([(175, 169), (175, 214), (112, 214)], "{run}/bs.sap", (24, 218), "plain"), ([(825, 169), (825, 214), (852, 214)], "{run}/ss.sap", (856, 218), "plain"),
        ([(256, 196), (256, 226)], "", None, "both"), ([(744, 196), (744, 226)], "", None, "both"),
        ([(326, 253), (400, 253)], "samples", (363, 246), "both middle"), ([(600, 253), (674, 253)], "samples", (637, 246), "both middle"),
        ([(500, 302), (500, 352)], "every program has one", (510, 332), "both dashed"),
        ([(330, 398), (330, 424)], "", None, "both dashed"),
    ],
    "notes": [(24, 236, "ZeroMQ, messages"), (24, 254, "of each frame"), (856, 236, "ZeroMQ, messages"), (856, 254, "of each frame"),
              (402, 192, "shared memory, 500 µs per chunk")],
}
CHAIN = {
    "title": "Cores between the antenna and the host",
    "size": (1000, 330),
    "boxes": [
        ("radio", 10, 60, 110, 60, ["receiver", "ADC, DDC"]), ("radio", 10, 220, 110, 60, ["transmitter", "DUC, DAC"]),
        ("core", 170, 50, 170, 80, ["preamble_detect", "correlation at lag 64,", "known preamble"]),
        ("core", 390, 50, 170, 80, ["ofdm_frontend", "frequency, prefix,", "FFT of 256"]),
        ("alone", 610, 50, 170, 80, ["demap_viterbi_rs", "soft bits, Viterbi,", "Reed-Solomon"]),
        ("core", 170, 210, 170, 80, ["burst_gate", "limits, T/R line, zeros", "around bursts, heartbeat"]),
        ("alone", 390, 210, 170, 80, ["ofdm_backend", "IFFT of 256,", "prefix"]),
        ("alone", 610, 210, 170, 80, ["encoder_mapper", "coding, interleaver,", "constellation, pilots"]),
        ("user", 840, 20, 150, 300, ["host", "wimax-phyd", "", "receiver and", "transmitter of the", "PHY core: they do", "what no core does"]),
    ],
    "arrows": [
        ([(120, 90), (170, 90)], "", None, ""), ([(340, 90), (390, 90)], "", None, ""),
        ([(840, 75), (780, 75)], "carriers", (810, 68), "dashed middle"), ([(780, 105), (840, 105)], "bytes", (810, 98), "dashed middle"),
        ([(255, 50), (255, 32), (840, 32)], "samples, and the time of each frame", (265, 26), ""),
        ([(475, 130), (475, 148), (840, 148)], "carriers of each symbol", (620, 142), ""),
        ([(840, 170), (430, 170), (430, 130)], "orders: times and frequency of symbols", (480, 184), ""),
        ([(840, 250), (780, 250)], "bytes", (810, 243), "dashed middle"), ([(610, 250), (560, 250)], "", None, "dashed"),
        ([(390, 250), (340, 250)], "", None, "dashed"), ([(170, 250), (120, 250)], "", None, ""),
        ([(840, 308), (255, 308), (255, 290)], "bursts of samples; limits", (265, 323), ""),
    ],
    "notes": [(10, 22, "violet: in the virtual radio"), (10, 40, "dashed: tested alone")],
}
DIAGRAMS = {"cell.svg": CELL, "fpga-chain.svg": CHAIN}


def text(x, y, words, size=12.5, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{weight} fill="#0f172a" text-anchor="{anchor}" {FONT}>{escape(words)}</text>'


def box(kind, left, top, width, height, lines):
    dashes = ' stroke-dasharray="5 4"' if kind == "alone" else ""
    yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="8" fill="{FILL[kind]}" stroke="{LINE}" stroke-width="1.3"{dashes}/>'
    if kind == "group":
        yield text(left + 14, top + 22, lines[0], 14, bold=True)
        return
    first = top + height / 2 - HEIGHT_OF_LINE * (len(lines) - 1) / 2 + 5
    for i, words in enumerate(lines):
        yield text(left + width / 2, first + i * HEIGHT_OF_LINE, words, anchor="middle", bold=i == 0 and kind != "tool")


def arrow(points, words, place, options):
    ends = "" if "plain" in options else ' marker-end="url(#a)"' + (' marker-start="url(#a)"' if "both" in options else "")
    dashes = ' stroke-dasharray="5 4"' if "dashed" in options else ""
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    yield f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.5"{dashes}{ends}/>'
    if words:
        yield text(*place, words, 12, "middle" if "middle" in options else "start")


def drawn(description):
    width, height = description["size"]
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"><title>{escape(description["title"])}</title>'
            '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
            f'<path d="M0 0 L10 5 L0 10 z" fill="{LINE}"/></marker></defs><rect width="{width}" height="{height}" fill="white"/>')
    parts = [part for one in description["boxes"] for part in box(*one)] + [part for one in description["arrows"] for part in arrow(*one)]
    return "\n".join([head, *parts, *(text(x, y, words, 12) for x, y, words in description["notes"]), "</svg>"]) + "\n"


if __name__ == "__main__":
    for name, content in DIAGRAMS.items():
        Path(sys.argv[1], name).write_text(drawn(content), encoding="utf-8")
