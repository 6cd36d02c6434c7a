#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the project's transmitter with its analyser (wimax-iq generate, decode --report) for docs/transmitter.md.

Usage: ./wimax python docs/studies/transmitter_study.py WIMAX_IQ FOLDER. Prints tables in Markdown, writes transmitter-mask.svg, transmitter-ccdf.svg.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

BYTES_PER_SYMBOL = (12, 24, 36, 48, 72, 96, 108)
FRAMES, SYMBOLS = 20, 16  # the least that the standard's test of the constellation error takes


def signal(**shape):
    """Frames of seven bursts, one for each rate, with random payloads."""
    rng = random.Random(802)
    frames = []
    for number in range(FRAMES):
        bursts = [{"rate_id": r, "diuc": r + 1, "preamble": 0, "data_symbols": SYMBOLS,
                   "payload": rng.randbytes(BYTES_PER_SYMBOL[r] * SYMBOLS - 1).hex()} for r in range(7)]
        frames.append({"frame_number": number, "bursts": bursts})
    return {"direction": "downlink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "20E9FA102240", "change_count": 1,
            "lead_in_samples": 1000, "frame_duration_s": 0.01, "frames": frames, **shape}


def analyse(tool, spec):
    """(decoded result, measurements) of a generated signal."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "spec.json").write_text(json.dumps(spec))
        recording = folder / "signal.cf32"
        subprocess.run([tool, "generate", "--spec", folder / "spec.json", "--out", recording], check=True)
        subprocess.run([tool, "decode", "--in", recording, "--spec", folder / "spec.json", "--json", folder / "result.json",
                        "--report", folder / "report"], check=True)
        return (json.loads((folder / "result.json").read_text()),
                json.loads((folder / "report" / "measurements.json").read_text()))


def draw(folder, windows, crests):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from wimax_tools import pictures
    plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False,
                         "axes.spines.right": False, "legend.frameon": False})
    colours = ("#777777", "#2ca089", "#1f5fa8", "#8e3b12")
    save = lambda figure, name: pictures.save(figure, folder / name)
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    curve = lambda m, name: np.array(m["mask"][name], float)[len(m["mask"][name]) // 2:]  # the upper half
    for colour, (samples, m) in zip(colours, windows.items()):
        axis.plot(curve(m, "frequency_hz") / 5e6, curve(m, "density_db"), color=colour, linewidth=1.3,
                  label=f"overlap of {samples} samples" if samples else "no overlap")
    axis.plot(curve(m, "frequency_hz") / 5e6, curve(m, "limit_db"), "--", color="#c0392b", label="mask")
    axis.set(xlabel="offset from the carrier (channel bandwidths)", ylabel="density (dB to the used carriers)",
             xlim=(0.42, 0.576), ylim=(-70, 4))
    axis.legend(loc="lower left")
    save(figure, "transmitter-mask.svg")
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for colour, (target, m) in zip(colours, crests.items()):
        above = np.array(m["crest"]["probability"])
        axis.semilogy(m["crest"]["level_db"], np.where(above > 0, above, np.nan), color=colour, linewidth=1.3,
                      label=f"target {target} dB" if target else "off")
    levels = np.array(m["crest"]["level_db"])
    axis.semilogy(levels, np.exp(-10 ** (levels / 10)), "--", color="black", linewidth=0.8, label="Gaussian")
    axis.set(xlabel="power above the mean (dB)", ylabel="probability", ylim=(1e-6, 1), xlim=(3, 12))
    axis.legend(loc="lower left")
    save(figure, "transmitter-ccdf.svg")


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    windows = {w: analyse(tool, signal(window_samples=w))[1] for w in (0, 4, 8, 16)}
    crests = {t: windows[0] if t is None else analyse(tool, signal(target_papr_db=t))[1] for t in (None, 9, 8, 7)}
    draw(folder, windows, crests)
    plain = windows[0]
    flat = plain["flatness"]
    print(f"Flatness {flat['peak_to_peak_db']:.3f} dB peak to peak, neighbours {flat['neighbour_db']:.4f} dB, "
          f"carrier 0 {plain['carrier_zero']['level_db']:.0f} dB\n\n| rate | limit dB | plain dB | "
          + " | ".join(f"target {t} dB" for t in (9, 8, 7)) + " |\n|---|---|---|---|---|---|")
    for rate_id, row in enumerate(plain["constellation"]):
        cells = [f"{m['constellation'][rate_id]['error_db']:.1f}" for m in crests.values()]
        print(f"| {row['rate']} | {row['limit_db']} | " + " | ".join(cells) + " |")
    print("\n| overlap, samples | mask margin dB | density at the recorded span's edge dB |\n|---|---|---|")
    for samples, m in windows.items():
        print(f"| {samples} | {m['mask']['margin_db']:+.1f} | {m['mask']['density_db'][0]:.1f} |")
    print("\n| target dB | exceeded by 1 % | 0.1 % | 0.01 % | highest |\n|---|---|---|---|---|")
    for target, m in crests.items():
        levels = " | ".join(f"{m['crest']['ccdf_db'][p]:.1f}" for p in ("0.01", "0.001", "0.0001"))
        print(f"| {target or 'off'} | {levels} | {m['crest']['papr_db']:.1f} |")


if __name__ == "__main__":
    main()
