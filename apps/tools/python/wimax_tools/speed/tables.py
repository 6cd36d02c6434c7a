#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages from wimax-speed.

    tables.py table [--cpu] RESULT.json...  results side by side as a Markdown table
    tables.py profile WIMAX_SPEED OUT.svg   profile of the receiver by perf: a picture and the shares
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

ITEM, ROUNDS = "rx_64qam34", 200
SYMBOL_SAMPLES = 288
# First match counts. Libraries without symbols are recognised by their file.
STAGES = [
    ("not the receiver", r"wimax::channel|wimax::speed|DelaySmoother::DelaySmoother|::solve|bessel|Modulator|modulate|Encoder|Interleaver::interleave"
                         r"|\[kernel|ld-linux|libCLI|_dl_|Transmitter"),
    ("Viterbi decoder", r"[Vv]iterbi|fill_branches|acs_|traceback|advance_body|quantize_body|gather_body|scatter_body|InnerDecoder"),
    ("Reed-Solomon", r"ReedSolomon|parity_of"),
    ("randomizer, burst", r"Randomizer|BurstDecoder"),
    ("soft bits", r"demap"),
    ("equalizer, decisions", r"Equalizer|divide_body|decide_body|errors_body|DriftingState|LinkTracker|QualityMeter|atan"),
    ("channel tracking", r"ResponseTracker|complete_carriers"),
    ("FFT", r"libfftw"),
    ("frequency correction", r"libvolk|SymbolReader|derotate|turn_each_body|turn_all_body"),
    ("sample copies", r"mem(move|cpy|set)"),
    ("search, preambles", r"PreambleSearch|ChannelEstimator|DelaySmoother|carrier_ramp|FrameStartTracker|FftPlan|above_threshold"),
]


def table(paths, key):
    results = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    print("\n".join(lines(results, key)))


def lines(results, key):
    """Markdown of results side by side."""
    names = list(dict.fromkeys(item["name"] for result in results for item in result["items"]))
    out = ["| | unit | " + " | ".join(f"{r['isa']} | × real time" for r in results) + " |", "|---|---|" + "---:|---:|" * len(results)]
    for name in names:
        cells, unit = [], ""
        for result in results:
            item = next((i for i in result["items"] if i["name"] == name), None)
            unit = item["unit"] if item else unit
            if item is None:
                cells.append("- | -")
                continue
            faster = item[key] / item["value"] if item["unit"] != "us" else item["value"] / item[key]
            cells.append(f"{item[key]:.3g} | {item['x_real_time'] * faster:.3g}")
        out.append(f"| `{name}` | {unit} | " + " | ".join(cells) + " |")
    return out


def samples_by_stage(tool):
    """Microseconds of one symbol, and how many profile samples each stage got."""
    with tempfile.TemporaryDirectory() as folder:
        data, result = os.path.join(folder, "perf.data"), os.path.join(folder, "speed.json")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", data, tool, "--items", ITEM,
                        "--rounds", str(ROUNDS), "--json", result], check=True)
        with open(result, encoding="utf-8") as file:
            speed = json.load(file)["items"][0]["cpu_value"]
        lines = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso"], check=True, capture_output=True,
                               text=True).stdout.splitlines()
    stages = Counter()
    for line in filter(None, map(str.strip, lines)):
        stages[next((name for name, pattern in STAGES if re.search(pattern, line)), "other")] += 1
    del stages["not the receiver"]
    return SYMBOL_SAMPLES / speed, stages


def profile(tool, picture):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt
    from wimax_tools import pictures

    symbol_us, stages = samples_by_stage(tool)
    total = sum(stages.values())
    shares = [(name, count / total) for name, count in stages.most_common()]
    for name, share in shares:
        print(f"| {name} | {share:.1%} | {share * symbol_us:.2f} |")
    plt.rcParams.update({"font.size": 9})
    figure, axes = plt.subplots(figsize=(7, 0.32 * len(shares) + 0.9))
    bars = axes.barh([name for name, _ in shares], [share * symbol_us for _, share in shares], color="#3b6ea5")
    axes.bar_label(bars, [f"{share:.0%}" for _, share in shares], padding=3)
    axes.invert_yaxis()
    axes.set_xlabel(f"µs of one 64-QAM 3/4 symbol ({symbol_us:.1f} µs together)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.1)
    figure.tight_layout()
    pictures.save(figure, picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    printing = commands.add_parser("table")
    printing.add_argument("results", nargs="+")
    printing.add_argument("--cpu", action="store_const", const="cpu_value", default="value", dest="key",
                          help="values by CPU time, for a machine on which something else ran")
    drawing = commands.add_parser("profile")
    drawing.add_argument("tool")
    drawing.add_argument("picture")
    args = parser.parse_args()
    if args.command == "table":
        table(args.results, args.key)
    else:
        profile(args.tool, args.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
