#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures and draws what wimax-iq left in a report directory: measured.json, recording.cf32, reference-N.cf32.

The reference is the frame modulated anew from its decoded payloads, so every carrier of every symbol is known: the channel
is the least-squares fit over all symbols, errors are against it (common phase and clock drift removed per symbol).
"""
import html
import json
import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

FFT = 256
EDGE = 100
PILOTS = (-88, -63, -38, -13, 13, 38, 63, 88)
CARRIERS = np.array([k for k in range(-EDGE, EDGE + 1) if k != 0])
# Transmit spectral mask relative to the in-band density, (offset / bandwidth, dB): our own limit line for orientation, at
# the level of the usual regulatory masks; the standard leaves the mask to the regulator.
MASK = ((0.475, 0), (0.545, -25), (0.975, -32), (1.475, -50), (2.0, -50))
# Spectral flatness of clause 8.3.10.1.1: +-2 dB on the inner 100 carriers, +2 / -4 dB beyond.
FLAT_INNER, FLAT_OUTER = 50, 100
MAX_FRAMES = 4


def read(path):
    return np.fromfile(path, dtype="<c8")


def db(power):
    return 10 * np.log10(np.maximum(power, 1e-20))


def save(figure, folder, name, images, title):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=100)
    plt.close(figure)
    images.append((name, title))


def symbols(samples, start, cp_samples, count, advance):
    """FFTs of `count` symbols; the window begins `advance` samples before the body, undone by the known phase ramp."""
    length = FFT + cp_samples
    rows = []
    for i in range(count):
        first = start + i * length + cp_samples - advance
        body = samples[max(first, 0):max(first, 0) + FFT]
        rows.append(np.pad(body, (0, FFT - len(body))))
    spectrum = np.fft.fft(np.array(rows).reshape(count, FFT), axis=1) * np.sqrt(200) / FFT
    return spectrum[:, CARRIERS] * np.exp(2j * np.pi * CARRIERS * advance / FFT)


def measure(frame, recording, sent, rate):
    """Channel, equalised carriers and their reference, per symbol."""
    cp = FFT // int(frame["cp"].split("/")[1])
    length = FFT + cp
    start = int(frame["start_sample"])
    count = len(sent) // length
    stretch = recording[max(start, 0):max(start, 0) + len(sent) + FFT]
    n = np.arange(len(stretch))
    corrected = stretch * np.exp(-2j * np.pi * frame["cfo_hz"] / rate * n)
    got, want = symbols(corrected, 0, cp, count, cp // 4), symbols(sent, 0, cp, count, cp // 4)
    used = np.abs(want) > 0.1
    channel = np.zeros(len(CARRIERS), complex)
    phase = np.zeros(count)
    slope = np.zeros(count)
    # Alternate between the channel (fixed) and each symbol's phase and slope (carrier and clock error left).
    for _ in range(4):
        turned = got * np.exp(-1j * (phase[:, None] + slope[:, None] * CARRIERS))
        channel = np.sum(turned * np.conj(want), axis=0) / np.maximum(np.sum(np.abs(want) ** 2, axis=0), 1e-9)
        rest = got * np.conj(want * channel)
        for i in range(count):
            error = np.angle(rest[i] * np.exp(-1j * (phase[i] + slope[i] * CARRIERS)))
            weight = np.abs(rest[i]) * used[i]
            if weight.sum() > 0:
                phase[i] += np.sum(weight * error) / weight.sum()
                slope[i] += np.sum(weight * error * CARRIERS) / np.sum(weight * CARRIERS ** 2)
    turned = got * np.exp(-1j * (phase[:, None] + slope[:, None] * CARRIERS))
    equalised = turned / np.where(np.abs(channel) > 1e-9, channel, 1)
    return {"channel": channel, "got": equalised, "want": want, "used": used}


def evm_db(got, want):
    return db(np.sum(np.abs(got - want) ** 2) / max(np.sum(np.abs(want) ** 2), 1e-20))


def draw_constellations(folder, number, frame, m, images):
    data = ~np.isin(CARRIERS, PILOTS)
    bursts = [b for b in frame["bursts"] if b["start_symbol"] + b["data_symbols"] <= len(m["got"])]
    if not bursts:
        return
    columns = min(4, len(bursts))
    rows = -(-len(bursts) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 3.5 * rows), squeeze=False)
    for axis in axes.flat[len(bursts):]:
        axis.axis("off")
    for axis, burst in zip(axes.flat, bursts):
        end = min(burst["end_symbol"], len(m["got"]))
        part = slice(burst["start_symbol"], end)
        # Preambles and midambles stand out by their carriers' amplitude of sqrt(2) and 2 on every second and fourth one.
        is_data = np.mean(m["used"][part], axis=1) > 0.9
        got, want = m["got"][part][is_data][:, data], m["want"][part][is_data][:, data]
        axis.plot(got.real.ravel()[:6000], got.imag.ravel()[:6000], ".", markersize=2, alpha=0.4)
        points = np.unique(np.round(want.ravel(), 3))
        axis.plot(points.real, points.imag, "+", color="black", markersize=5)
        axis.set(title=f"burst {burst['index']}, rate {burst['rate_id']}\nEVM {evm_db(got, want):.1f} dB", xlim=(-1.6, 1.6),
                 ylim=(-1.6, 1.6), aspect="equal")
        axis.grid(alpha=0.3)
    save(figure, folder, f"constellation-{number}", images, f"Frame {number}: constellation of each burst")


def draw_errors(folder, number, m, images):
    error = np.abs(m["got"] - m["want"]) ** 2 * m["used"]
    power = np.abs(m["want"]) ** 2 * m["used"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3.6))
    left.plot(CARRIERS, db(error.sum(axis=0) / np.maximum(power.sum(axis=0), 1e-20)))
    left.set(xlabel="carrier", ylabel="EVM (dB)", title="EVM per carrier")
    right.plot(db(error.sum(axis=1) / np.maximum(power.sum(axis=1), 1e-20)), ".-")
    right.set(xlabel="symbol", ylabel="EVM (dB)", title="EVM per symbol")
    for axis in (left, right):
        axis.grid(alpha=0.3)
    save(figure, folder, f"evm-{number}", images, f"Frame {number}: error vector magnitude")


def draw_channel(folder, number, m, rate, images):
    response = m["channel"]
    figure, axes = plt.subplots(1, 3, figsize=(14, 3.6))
    axes[0].plot(CARRIERS, db(np.abs(response) ** 2))
    axes[0].set(xlabel="carrier", ylabel="gain (dB)", title="Amplitude")
    axes[1].plot(CARRIERS, np.unwrap(np.angle(response)))
    axes[1].set(xlabel="carrier", ylabel="phase (rad)", title="Phase")
    bins = np.zeros(FFT, complex)
    bins[CARRIERS] = response * np.hanning(len(CARRIERS) + 2)[1:-1]
    taps = np.abs(np.fft.fftshift(np.fft.ifft(bins))) ** 2
    axes[2].plot((np.arange(FFT) - FFT / 2) / rate * 1e6, db(taps / max(taps.max(), 1e-20)))
    axes[2].set(xlabel="delay (us)", ylabel="dB", title="Impulse response", xlim=(-4e6 * 2 / rate * 4, FFT / 4 / rate * 1e6),
                ylim=(-60, 3))
    for axis in axes:
        axis.grid(alpha=0.3)
    save(figure, folder, f"channel-{number}", images, f"Frame {number}: channel response")


def draw_flatness(folder, number, m, images):
    """Mean power per carrier against the mean over all, with the limits of clause 8.3.10.1.1."""
    power = np.abs(m["channel"]) ** 2
    figure, axis = plt.subplots(figsize=(8, 3.6))
    axis.plot(CARRIERS, db(power / max(power.mean(), 1e-20)))
    for sign in (-1, 1):
        inner, outer = [0, sign * FLAT_INNER], [sign * FLAT_INNER, sign * FLAT_OUTER]
        for where, low, high in ((inner, -2, 2), (outer, -4, 2)):
            axis.plot(where, [low, low], "r--", where, [high, high], "r--", linewidth=1)
    axis.set(xlabel="carrier", ylabel="dB", title="Energy per carrier against the mean")
    axis.grid(alpha=0.3)
    save(figure, folder, f"flatness-{number}", images, f"Frame {number}: spectral flatness")


def active_part(data, recording):
    """The samples of the bursts alone, so that silence does not count."""
    parts = []
    for frame in data["frames"][:MAX_FRAMES]:
        length = FFT + FFT // int(frame["cp"].split("/")[1])
        last = max((b["end_symbol"] for b in frame["bursts"]), default=3)
        start = max(int(frame["start_sample"]), 0)
        parts.append(recording[start:start + last * length])
    joined = np.concatenate(parts) if parts else recording
    return joined if len(joined) >= FFT else recording


def draw_spectrum(folder, data, samples, images):
    figure, axis = plt.subplots(figsize=(10, 4))
    size = 1024
    if len(samples) >= size:
        window = np.hanning(size)
        blocks = [np.abs(np.fft.fftshift(np.fft.fft(samples[i:i + size] * window))) ** 2
                  for i in range(0, min(len(samples) - size, 400 * size) + 1, size // 2)]
        density = np.mean(blocks, axis=0)
        frequency = np.fft.fftshift(np.fft.fftfreq(size, 1 / data["sample_rate_hz"]))
        inside = np.abs(frequency) < 0.4 * data["bandwidth_hz"]
        axis.plot(frequency / 1e6, db(density / max(density[inside].mean(), 1e-20)))
    offsets = np.array([m[0] for m in MASK]) * data["bandwidth_hz"] / 1e6
    levels = [m[1] for m in MASK]
    axis.plot(offsets, levels, "r--", -offsets, levels, "r--", linewidth=1, label="mask")
    half = data["sample_rate_hz"] / 2e6
    axis.set(xlabel="frequency (MHz)", ylabel="dB", title="Power spectral density of the bursts", xlim=(-half, half))
    axis.grid(alpha=0.3)
    save(figure, folder, "spectrum", images, "Spectrum with mask")


def draw_ccdf(folder, samples, images):
    figure, axis = plt.subplots(figsize=(8, 4))
    power = np.abs(samples) ** 2
    if power.size and power.mean() > 0:
        levels = np.linspace(0, 13, 131)
        ordered = np.sort(power / power.mean())
        above = 1 - np.searchsorted(ordered, 10 ** (levels / 10)) / len(ordered)
        axis.semilogy(levels, np.maximum(above, 1e-7), label="measured")
        axis.semilogy(levels, np.exp(-10 ** (levels / 10)), "k--", linewidth=1, label="Gaussian")
        axis.legend()
    axis.set(xlabel="power above the mean (dB)", ylabel="probability", ylim=(1e-6, 1), title="CCDF of the instantaneous power")
    axis.grid(alpha=0.3, which="both")
    save(figure, folder, "ccdf", images, "CCDF")


def table(header, rows):
    cells = "".join(f"<th>{html.escape(h)}</th>" for h in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>{body}</table>"


def write_page(folder, data, images):
    frames = [(i, f["start_sample"], f["cp"], f"{f['cfo_hz']:.1f}", f["sfo_ppm"], f["snr_db"], f["rssi_dbfs"],
               f["fch"] and ("ok" if f["fch"]["hcs_ok"] else "failed")) for i, f in enumerate(data["frames"])]
    bursts = [(i, b["index"], b["rate_id"], b["diuc"], b["start_symbol"], b["data_symbols"], b["evm_db"], b["cinr_db"],
               "ok" if b["fec_ok"] else "failed", b["corrected_bytes"], len(b["payload"]) // 2,
               b["payload"][:32] + ("…" if len(b["payload"]) > 32 else ""))
              for i, f in enumerate(data["frames"]) for b in f["bursts"]]
    pictures = "".join(f"<h2>{html.escape(title)}</h2><img src='{name}.png' alt='{html.escape(title)}'>"
                       for name, title in images)
    note = "" if len(data["frames"]) <= MAX_FRAMES else f"<p>Plots show the first {MAX_FRAMES} frames.</p>"
    page = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>wimax-iq report</title>
<style>body{{font-family:sans-serif;margin:2em;max-width:80em}}table{{border-collapse:collapse}}
td,th{{border:1px solid #bbb;padding:.2em .6em;text-align:right}}img{{max-width:100%}}</style>
<h1>wimax-iq report</h1><p>{html.escape(data['direction'])}, {data['bandwidth_hz'] / 1e6} MHz,
{data['sample_rate_hz'] / 1e6} MS/s, {len(data['frames'])} frame(s)</p><h2>Frames</h2>
{table(("frame", "start sample", "CP", "CFO (Hz)", "SFO (ppm)", "SNR (dB)", "RSSI (dBFS)", "FCH"), frames)}
<h2>Burst list</h2>
{table(("frame", "burst", "rate", "DIUC", "start symbol", "data symbols", "EVM (dB)", "CINR (dB)", "FEC", "corrected",
        "bytes", "payload"), bursts)}
{note}{pictures}</html>"""
    (folder / "index.html").write_text(page)


def main():
    folder = pathlib.Path(sys.argv[1])
    data = json.loads((folder / "measured.json").read_text())
    recording = read(folder / "recording.cf32")
    images = []
    bursts_only = active_part(data, recording)
    draw_spectrum(folder, data, bursts_only, images)
    draw_ccdf(folder, bursts_only, images)
    for number, frame in enumerate(data["frames"][:MAX_FRAMES]):
        if frame["reference"] is None:
            continue
        m = measure(frame, recording, read(folder / frame["reference"]), data["sample_rate_hz"])
        draw_constellations(folder, number, frame, m, images)
        draw_errors(folder, number, m, images)
        draw_flatness(folder, number, m, images)
        draw_channel(folder, number, m, data["sample_rate_hz"], images)
    write_page(folder, data, images)
    for scratch in folder.glob("*.cf32"):
        scratch.unlink()


if __name__ == "__main__":
    main()
