# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's first pictures: the whole recording, its changes from frame to frame, and, if nothing was found, what the
recording contains instead."""
import numpy as np

from wimax_tools.signal.analysis import FFT, db
from wimax_tools.signal.page import FAINT, LIMIT, LINE, PILOT, RATE_COLOURS, RATES, plt

MOST_POINTS = 2000  # of a trend
LIKELY = 0.5  # a preamble repeats with this at 0 dB


def facts(page, decoded):
    """Source of the recording and of the page."""
    recording, made = decoded["recording"], decoded["provenance"]
    duration = recording["samples"] / decoded["sample_rate_hz"]
    page.facts([("recording", recording["name"]), ("written", recording["date"]),
                ("length", f"{recording['samples']} samples, {duration:.6g} s"),
                ("judged as", "a transmitter at its own port" if decoded["transmitter"] else "a signal as received"),
                ("report made", made["date"]), ("by", f"{made['program']} {made['version']}, commit {made['commit']}"),
                ("command", made["command"]), ("seed", made.get("seed")), ("machine", made["machine"])])


def power_over_time(decoded):
    """Seconds, mean and peak in dBFS of the recording's bins."""
    power = decoded["power"]
    energy = np.array(power["energy"], float)
    counts = np.full(len(energy), float(power["bin_samples"]))
    if len(counts):
        counts[-1] = decoded["recording"]["samples"] - power["bin_samples"] * (len(counts) - 1)
    time = (np.arange(len(energy)) + 0.5) * power["bin_samples"] / decoded["sample_rate_hz"]
    return time, db(energy / np.maximum(counts, 1)), db(np.array(power["peak"], float))


def draw_power(page, decoded):
    time, mean, peak = power_over_time(decoded)
    if not len(time):
        return
    figure, axis = plt.subplots(figsize=(12, 2.8), layout="constrained")
    floor = max(peak.max() - 90, -180)
    axis.fill_between(time, np.maximum(mean, floor), np.maximum(peak, floor), color=FAINT, linewidth=0, label="up to the peak")
    axis.plot(time, np.maximum(mean, floor), color=LINE, linewidth=0.8, label="mean")
    starts = [frame["start_sample"] / decoded["sample_rate_hz"] for frame in decoded["frames"]]
    if 0 < len(starts) <= 60:
        axis.plot(starts, np.full(len(starts), peak.max() + 2), "v", color=PILOT, markersize=4, label="frames found")
    low, high = axis.get_ylim()
    axis.set_ylim(low - 0.25 * (high - low), high)
    width = decoded["power"]["bin_samples"] / decoded["sample_rate_hz"]
    axis.set(xlabel="time (s)", ylabel="power (dBFS)", xlim=(0, decoded["recording"]["samples"] / decoded["sample_rate_hz"]),
             title=f"The recording: power in steps of {width * 1e6:.4g} µs")
    axis.legend(loc="lower right", ncols=3, fontsize=8)
    page.heading("Power over time")
    page.figure(figure, "power", "Power over time of the whole recording")


def load_trends(folder, decoded):
    """Columns by name, one value per frame; "evm_db" has one column per rate."""
    names = decoded["trend_columns"]
    rows = np.fromfile(folder / "trend.f64").reshape(-1, len(names) + len(RATES))
    return {**{name: rows[:, i] for i, name in enumerate(names)}, "evm_db": rows[:, len(names):]}


def thinned(values, most, count):
    """Groups of neighbours, each with the value that `most` selects; NaN if a group has none."""
    group = -(-len(values) // count)
    padded = np.full(-(-len(values) // group) * group, np.nan)
    padded[:len(values)] = values
    rows = padded.reshape(-1, group)
    found = np.full(len(rows), np.nan)
    known = ~np.isnan(rows).all(axis=1)
    found[known] = most(rows[known], axis=1)
    return found


def draw_trends(page, decoded, trends):
    """SNR, levels, offsets, errors and failures from frame to frame; of many the worst of neighbours."""
    if len(trends["start_sample"]) < 2:
        return
    time = thinned(trends["start_sample"], np.nanmin, MOST_POINTS) / decoded["sample_rate_hz"]
    take = lambda name, most: thinned(trends[name], most, MOST_POINTS)
    figure, axes = plt.subplots(5, 1, figsize=(12, 9), sharex=True, layout="constrained")
    style = {"linewidth": 0.8, "marker": ".", "markersize": 3 if len(time) < 300 else 0}
    axes[0].plot(time, take("snr_db", np.nanmin), color=LINE, label="SNR per data carrier", **style)
    axes[0].plot(time, take("rssi_dbfs", np.nanmin), color=PILOT, label="RSSI (dBFS)", **style)
    axes[0].set(ylabel="dB")
    axes[0].legend(ncols=2, fontsize=8)
    for rate, name in enumerate(RATES):
        errors = thinned(trends["evm_db"][:, rate], np.nanmax, MOST_POINTS)
        if not np.isnan(errors).all():
            axes[1].plot(time, errors, color=RATE_COLOURS[rate], label=name, **style)
            needed = -decoded["limits"]["receiver_snr_db"][rate]
            axes[1].axhline(needed, color=RATE_COLOURS[rate], linestyle="--", linewidth=0.8)
    axes[1].set(ylabel="worst EVM (dB)\n- - needed")
    axes[1].legend(ncols=4, fontsize=8)
    axes[2].plot(time, take("cfo_hz", np.nanmean), color=LINE, **style)
    axes[2].set(ylabel="carrier offset (Hz)")
    axes[3].plot(time, take("sfo_ppm", np.nanmean), color=LINE, **style)
    axes[3].set(ylabel="clock offset (ppm)")
    failed, bad_prefix = take("failed", np.nansum), thinned(1 - trends["fch_ok"], np.nansum, MOST_POINTS)
    axes[4].plot(time, take("corrected_bytes", np.nansum), color=FAINT, label="octets corrected", **style)
    axes[4].plot(time, failed, color=LIMIT, label=f"bursts failed ({int(np.nansum(trends['failed']))} of {int(np.nansum(trends['bursts']))})", **style)
    axes[4].plot(time, bad_prefix, color=PILOT, label=f"FCH failed ({int(np.nansum(1 - trends['fch_ok']))})", **style)
    axes[4].set(ylabel="count", xlabel="time (s)")
    axes[4].legend(ncols=3, fontsize=8)
    for axis in (axes[2], axes[3]):
        axis.ticklabel_format(useOffset=False)
    page.heading("From frame to frame")
    page.figure(figure, "trends", "Trends over frames")


def draw_search(page, decoded, recording):
    """Page if nothing was found: spectrum of the strongest part, and repetitions like those of preambles."""
    page.heading("Nothing found")
    for reason in decoded["reasons"]:
        page.note(reason[0].upper() + reason[1:] + ".")
    samples = recording.samples
    if len(samples) < FFT:
        return
    rate = decoded["sample_rate_hz"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3.8), layout="constrained")
    window = np.hanning(4 * FFT + 1)[:-1]
    padded = np.pad(samples, (0, max(0, len(window) - len(samples))))
    parts = np.lib.stride_tricks.sliding_window_view(padded, len(window))[::len(window) // 2]
    density = np.mean(np.abs(np.fft.fft(parts * window)) ** 2, axis=0) / np.sum(window ** 2) / len(window)
    frequency = np.fft.fftshift(np.fft.fftfreq(len(window), 1 / rate)) / 1e6
    left.plot(frequency, db(np.fft.fftshift(density)), color=LINE, linewidth=0.9)
    for edge in (-0.5, 0.5):
        left.axvline(edge * decoded["bandwidth_hz"] / 1e6, color="#999", linewidth=0.8, linestyle=":")
    left.set(xlabel="frequency from the centre (MHz)", ylabel=f"power in {rate / len(window) / 1e3:.1f} kHz (dBFS)",
             title="Spectrum of the strongest part (dotted: the channel's edges)")
    hop = decoded["repetition"]["hop_samples"] / rate * 1e3
    first = decoded["first_sample"] / rate * 1e3
    for name, colour, label in (("long_preamble", LINE, "as a long preamble (64 samples)"), ("short_preamble", PILOT, "as a short one (128)")):
        values = np.array(decoded["repetition"][name])
        right.plot(first + np.arange(len(values)) * hop, values, color=colour, linewidth=0.7, label=label)
    right.axhline(LIKELY, color="#666", linestyle="--", linewidth=0.9, label="a preamble's")
    right.set(xlabel="time (ms)", ylabel="correlation", ylim=(0, 1.02), title="Repetition in the strongest part")
    right.legend(fontsize=8, loc="upper right")
    page.figure(figure, "search", "Spectrum and correlation")
