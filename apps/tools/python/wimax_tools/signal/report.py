#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of `wimax-iq decode --report DIR`: figures of analysis.py as tables and plots, in one HTML file."""
import json
import pathlib
import sys

import numpy as np

from wimax_tools.signal import analysis
from wimax_tools.signal import overview
from wimax_tools.signal.analysis import CARRIERS, EDGE, FFT, PILOTS, db
from wimax_tools.signal.page import FAINT, LIMIT, LINE, NEED, PILOT, RATE_COLOURS, RATES, Page, plt
from wimax_tools.signal.tables import summary, tables

from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Rectangle

DRAWN_FRAMES = 4
FULL_BAND = 16  # subchannel index
# What wimax-iq leaves for this module; recordings of others in the folder stay.
SCRATCH = ("recording.cf32", "standard-input.cf32", "trend.f64", "decoded.json")


def draw_spectrum(page, figures, bandwidth, transmitter=True):
    if "mask" not in figures:
        return
    m = figures["mask"]
    figure, axis = plt.subplots(figsize=(10, 4), layout="constrained")
    frequency, density = np.array(m["frequency_hz"]) / 1e6, np.array(m["density_db"])
    axis.plot(frequency, density, color=LINE, linewidth=1.2, label="bursts")
    colour = LIMIT if transmitter else FAINT
    axis.plot(frequency, np.array(m["limit_db"], float), "--", color=colour, linewidth=1.4,
              label="mask" if transmitter else "a transmitter's mask, for orientation")
    for edge in (-0.5, 0.5):
        axis.axvline(edge * bandwidth / 1e6, color="#999", linewidth=0.8, linestyle=":")
    axis.plot(m["at_hz"] / 1e6, np.interp(m["at_hz"] / 1e6, frequency, density), "o", color=colour, markersize=5)
    axis.set(xlabel="frequency from the carrier (MHz)", ylabel="density (dB to the used carriers)",
             xlim=(frequency[0], -frequency[0]), ylim=(max(-90, np.percentile(density, 1) - 8), 6),
             title=f"Power spectral density, {m['resolution_hz'] / 1e3:.1f} kHz resolution"
                   + (f"; margin {m['margin_db']:+.1f} dB at {m['at_hz'] / 1e6:+.3f} MHz" if transmitter else ""))
    axis.legend(loc="lower center", ncols=2)
    page.heading("Spectrum")
    page.figure(figure, "spectrum", "Spectrum with mask")
    page.note("Dotted: the channel's edges. Beyond the recorded span the radio's own filters decide.")


def draw_ccdf(page, figures):
    if "crest" not in figures:
        return
    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    levels, above = np.array(figures["crest"]["level_db"]), np.array(figures["crest"]["probability"])
    axis.semilogy(levels, np.where(above > 0, above, np.nan), color=LINE, linewidth=1.8, label="data symbols")
    axis.semilogy(levels, np.exp(-10 ** (levels / 10)), "--", color="#444", linewidth=1, label="Gaussian")
    axis.set(xlabel="power above the mean (dB)", ylabel="probability", ylim=(1e-6, 1),
             xlim=(0, 12.5), title=f"Instantaneous power: {figures['crest']['ccdf_db']['0.001']:.1f} dB exceeded by 0.1 %")
    axis.grid(alpha=0.12, which="minor")
    axis.legend()
    page.heading("Crest: complementary cumulative distribution")
    page.figure(figure, "ccdf", "CCDF")


def label_bursts(axis, frame, unit_ms):
    """Names above the map: the burst's number, and its rate where it is long enough."""
    total = frame.last_symbol
    for burst in frame.described["bursts"]:
        colour = RATE_COLOURS[burst["rate_id"]] if burst["fec_ok"] else LIMIT
        left, right = burst["start_symbol"] * unit_ms, burst["end_symbol"] * unit_ms
        axis.add_patch(Rectangle((left, 0), right - left, 1, facecolor=colour, edgecolor="white", linewidth=1))
        share = (right - left) / (total * unit_ms)
        text = f"{burst['index']}" + (f"\n{burst['rate']}" if share > 0.09 else "") + ("\nSTC" if burst.get("stc") else "")
        if burst["subchannel_index"] != FULL_BAND:
            text += f"\nsubchannel index {burst['subchannel_index']}"
        text += "" if burst["fec_ok"] else "\nfailed" if share > 0.05 else " ✗"
        if share > 0.018:
            axis.text((left + right) / 2, 0.5, text, ha="center", va="center", color="white", fontsize=8)
    for opportunity in sorted({code["opportunity"] for code in frame.codes}):
        heard = [f"{code['channel']}: {code['code']}" for code in frame.codes if code["opportunity"] == opportunity]
        left = 2 * opportunity * unit_ms
        axis.add_patch(Rectangle((left, 0), 2 * unit_ms, 1, facecolor=RATE_COLOURS[3], edgecolor="white", linewidth=1))
        axis.text(left + unit_ms, 0.5, "channel: code\n" + ", ".join(heard[:3]) + (" …" if len(heard) > 3 else ""), ha="center",
                  va="center", color="white", fontsize=8)
    axis.set(ylim=(0, 1), yticks=[], ylabel="codes" if frame.codes else "bursts")
    axis.grid(False)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)


def draw_frame(page, number, frame, recording, limits, transmitter=False):
    """Burst map, power on each carrier over time, power over time, error per symbol: one time axis."""
    heights = [0.5, 2.2, 1.3, 1.3][:4 if len(frame.symbol) else 3]  # contention codes have no error to show
    figure, axes = plt.subplots(len(heights), 1, figsize=(12, 1.5 * sum(heights)), sharex=True, layout="constrained",
                                gridspec_kw={"height_ratios": heights})
    names, plane, level = axes[:3]
    unit = frame.length / recording.rate * 1e3
    label_bursts(names, frame, unit)
    heads = [(0, 2, 3)] if frame.described["fch"] else []
    heads += [(z["start_symbol"], z["start_symbol"] + 1, z["end_symbol"]) for z in frame.zones]
    for begin, prefix, end in heads:
        for left, right, colour, name in ((begin, prefix, "#555", "preamble"), (prefix, end, "#999", "FCH")):
            names.add_patch(Rectangle((left * unit, 0), (right - left) * unit, 1, facecolor=colour, edgecolor="white"))
            if frame.last_symbol < 80:
                names.text((left + right) / 2 * unit, 0.5, name, rotation=90, color="white", ha="center", va="center",
                           fontsize=6.5)
    power = db(recording.symbols(frame))
    image = plane.imshow(power.T, aspect="auto", origin="lower", cmap="viridis", interpolation="nearest",
                         extent=(0, frame.last_symbol * unit, -FFT / 2 - 0.5, FFT / 2 - 0.5), vmin=power.max() - 45,
                         vmax=power.max())
    plane.set(ylabel="carrier", ylim=(-FFT / 2, FFT / 2 - 1))
    plane.grid(False)
    figure.colorbar(image, ax=plane, label="dBFS", pad=0.01)
    end = frame.start + frame.last_symbol * frame.length
    margin = frame.length
    samples = recording.part(frame.start - margin, end + margin)
    first = max(frame.start - margin, recording.first)
    smooth = np.convolve(np.abs(samples) ** 2, np.ones(32) / 32, "same") if len(samples) else samples
    time = (first - frame.start + np.arange(len(samples))) / recording.rate * 1e3
    level.plot(time, np.maximum(db(smooth), db(np.max(smooth, initial=1e-12)) - 70), color=LINE, linewidth=0.6)
    level.set(ylabel="power (dBFS)")
    axes[-1].set(xlabel="time from the start of the frame (ms)" if frame.described["fch"] else "time (ms)")
    names.set_title(f"Frame {number}: bursts, power per carrier, power, error vector magnitude per symbol"
                    if frame.described["fch"] else "Codes: opportunities, power per carrier, power" if frame.codes
                    else "Burst: power per carrier, power, error vector magnitude per symbol")
    if len(frame.symbol):
        draw_errors(axes[3], frame, unit, limits, transmitter)
    page.figure(figure, f"frame-{number}", f"Frame {number}: burst map")


def draw_errors(errors, frame, unit, limits, transmitter):
    legend = []
    for burst, rows in frame.bursts():
        colour = RATE_COLOURS[burst["rate_id"]]
        errors.plot((frame.symbol[rows] + 0.5) * unit, frame.error_db(rows, axis=1), ".-", color=colour, linewidth=0.8,
                    markersize=4)
        if burst["rate"] not in [entry.get_label() for entry in legend]:
            legend.append(Patch(color=colour, label=burst["rate"]))
    draw_limits(errors, frame, limits, transmitter)
    if legend:
        legend.append(Line2D([], [], color="black", linestyle="--", linewidth=1, label=error_limit(limits, 0, transmitter)[1]))
        errors.legend(handles=legend, ncols=len(legend), loc="upper right", fontsize=8)
        low, high = errors.get_ylim()
        errors.set_ylim(low - 1, high + max(3, 0.3 * (high - low)))
    errors.set(ylabel="EVM (dB)")


def error_limit(limits, rate_id, transmitter):
    """(dB, what it is, colour): what a transmitter must keep, or what a receiver needs."""
    if transmitter:
        return limits["constellation_error_db"][rate_id], "limit, 8.3.10", LIMIT
    return -limits["receiver_snr_db"][rate_id], "needed at this rate", NEED


def draw_constellations(page, number, frame, limits, transmitter=False):
    bursts = list(frame.bursts())[:12]
    if not bursts:
        return
    columns = min(4, len(bursts))
    rows = -(-len(bursts) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.1 * columns, 3.5 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(bursts):]:
        axis.axis("off")
    for axis, (burst, seen) in zip(axes.flat, bursts):
        points = frame.points[seen][frame.data[seen]]
        step = max(1, len(points) // 8000)
        axis.plot(points.real[::step], points.imag[::step], ".", color=LINE, markersize=2.2, alpha=0.45, markeredgewidth=0)
        pilots = frame.points[seen][:, PILOTS][frame.sent[seen][:, PILOTS]]
        axis.plot(pilots.real, pilots.imag, ".", color=PILOT, markersize=3, alpha=0.6, markeredgewidth=0)
        ideal = np.unique(np.round(frame.want[seen][frame.data[seen]], 4))
        axis.plot(ideal.real, ideal.imag, "+", color="black", markersize=5, markeredgewidth=0.7)
        reach = max(1.35, min(2.2, 1.1 * np.percentile(np.abs(points), 99.5)))
        limit, meaning, colour = error_limit(limits, burst["rate_id"], transmitter)
        for point in ideal:
            axis.add_patch(Circle((point.real, point.imag), 10 ** (limit / 20), fill=False, edgecolor=colour, linewidth=0.6, alpha=0.8))
        axis.set(xlabel="I", ylabel="Q", title=f"burst {burst['index']}: {burst['rate']}{', STC' if burst.get('stc') else ''}\nEVM {burst['evm_db']:.1f} dB, {int(seen.sum())} symbols",
                 xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    marks = [Line2D([], [], marker=".", linestyle="", color=LINE, label="data"), Line2D([], [], marker=".", linestyle="", color=PILOT, label="pilots"),
             Line2D([], [], marker="+", linestyle="", color="black", label="ideal"),
             Line2D([], [], marker="o", linestyle="", markerfacecolor="none", color=colour, label=f"RMS error: {meaning}")]
    figure.legend(handles=marks, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4, fontsize=8)  # below the axes
    page.figure(figure, f"constellation-{number}", f"Frame {number}: constellation of each burst")


def draw_limits(axis, frame, limits, transmitter):
    """A line for each rate of the frame, in its colour."""
    for rate_id in sorted({burst["rate_id"] for burst, _ in frame.bursts()}):
        level, meaning, _ = error_limit(limits, rate_id, transmitter)
        axis.axhline(level, color=RATE_COLOURS[rate_id], linestyle="--", linewidth=1, label=f"{RATES[rate_id]}: {meaning}")


def draw_carriers(page, number, frame, flat, limits, transmitter=False):
    """Error and energy over carriers."""
    figure, axes = plt.subplots(1, 2 if flat else 1, figsize=(12 if flat else 7, 3.7), layout="constrained", squeeze=False)
    left = axes[0, 0]
    for burst, rows in list(frame.bursts())[:8]:
        left.plot(CARRIERS, frame.error_db(rows, axis=0), linewidth=0.8, color=RATE_COLOURS[burst["rate_id"]],
                  label=f"burst {burst['index']}, {burst['rate']}")
    draw_limits(left, frame, limits, transmitter)
    left.set(xlabel="carrier", ylabel="EVM (dB)", title="Error vector magnitude per carrier", xlim=(-EDGE - 4, EDGE + 4))
    left.legend(fontsize=7, ncols=2, loc="upper center")
    low, high = left.get_ylim()
    left.set_ylim(low, high + 0.25 * (high - low))
    if flat:
        right = axes[0, 1]
        right.plot(CARRIERS, flat["level_db"], color=LINE, linewidth=1)
        for name in ("low_db", "high_db"):
            right.plot(CARRIERS, flat[name], "--", color=LIMIT if transmitter else FAINT, linewidth=1.2)
        shown = np.concatenate((flat["level_db"], [-4.8, 2.8]))
        right.set_ylim(max(-25, np.nanmin(shown)) - 0.4, min(15, np.nanmax(shown)) + 0.4)
        right.set(xlabel="carrier", ylabel="dB", xlim=(-EDGE - 4, EDGE + 4),
                  title="Spectral flatness: energy to the mean of the inner carriers")
    page.figure(figure, f"evm-flatness-{number}", f"Frame {number}: EVM per carrier, spectral flatness")


def ways(frame, known):
    """(name, colour, channel by carrier) from each antenna that sent; delays count from the measured start of the frame."""
    found = [("receiver's estimate", LINE, frame.response[0], 0)]
    if frame.stc.any():
        row = int(np.argmax(frame.stc))
        found = [("antenna 0", LINE, frame.response[0], 0), ("antenna 1, STC zone", PILOT, frame.second_response[row], row)]
    for name, colour, response, row in found:
        response = response * np.exp(2j * np.pi * CARRIERS * frame.body_after_window[row] / FFT)
        if known[EDGE]:  # nothing is sent on carrier 0
            response[EDGE] = (response[EDGE - 1] + response[EDGE + 1]) / 2
        yield name, colour, response


def draw_impulse(axis, frame, responses, rate):
    fine = 16
    time = (np.arange(FFT * fine) / fine - FFT / 2) / rate * 1e6
    prefix = frame.cp / rate * 1e6
    axis.axvspan(0, prefix, color="#eef3f9", label="cyclic prefix")
    lines = []
    for colour, response in responses:
        bins = np.zeros(FFT * fine, complex)
        bins[CARRIERS] = response * np.hanning(len(CARRIERS) + 2)[1:-1]
        lines.append((colour, np.abs(np.fft.fftshift(np.fft.ifft(bins))) ** 2))
    strongest = max(1e-20, *(taps.max() for _, taps in lines))
    for colour, taps in lines:
        axis.plot(time, db(taps / strongest), color=colour, linewidth=1.2)
    axis.set(xlabel="delay from the first path (µs)", ylabel="dB", title="Impulse response (Hann window)", ylim=(-60, 3),
             xlim=(-0.5 * prefix, 1.6 * prefix))
    axis.legend(fontsize=8, loc="upper right")


def draw_channel(page, number, frame, recording):
    """Magnitude, phase, group delay and impulse response, of both antennas where there is an STC zone."""
    used = frame.sent.any(axis=0)
    whole_band = used.sum() == analysis.USED
    known = used | (whole_band & (CARRIERS == 0))
    gaps = np.where(np.diff(CARRIERS[known]) > 1)[0] + 1  # lines break there
    broken = lambda values: np.insert(np.asarray(values, float), gaps, np.nan)
    lines = list(ways(frame, known))
    # Some subchannels do not resolve echoes: no impulse response then.
    figure, axes = plt.subplots(*((2, 2) if whole_band else (1, 3)), figsize=(12, 6.4 if whole_band else 3.4), layout="constrained")
    magnitude, phase, delay = axes.flat[:3]
    spacing = recording.rate / FFT
    taken = [(colour, response) for _, colour, response in lines]
    if (frame.reliable & ~frame.stc).any():
        fitted = frame.channel() * np.exp(2j * np.pi * CARRIERS * frame.body_after_window[0] / FFT)
        magnitude.plot(CARRIERS[used], db(np.abs(fitted[used]) ** 2), ".", color=FAINT, markersize=4, label="data symbols")
        taken[0] = (LINE, np.where(used, fitted, taken[0][1]))
    spread = 0.1
    for name, colour, response in lines:
        magnitude.plot(CARRIERS, np.where(known, db(np.abs(response) ** 2), np.nan), color=colour, linewidth=1.4, label=name)
        angle = np.unwrap(np.angle(response[known]))
        phase.plot(broken(CARRIERS[known]), broken(np.degrees(angle)), color=colour, linewidth=1.4)
        group = -np.gradient(angle, CARRIERS[known]) / (2 * np.pi * spacing) * 1e6
        delay.plot(broken(CARRIERS[known]), broken(group), color=colour, linewidth=1.4)
        spread = max(spread, 1.15 * np.percentile(np.abs(group), 98))
    levels = np.concatenate([db(np.abs(response[known]) ** 2) for _, _, response in lines])
    if np.ptp(levels) < 2:
        magnitude.set_ylim(np.median(levels) - 2, np.median(levels) + 2)
    magnitude.set(xlabel="carrier", ylabel="gain (dB)", title="Magnitude")
    magnitude.legend(fontsize=8)
    phase.set(xlabel="carrier", ylabel="degrees", title="Phase")
    delay.set(xlabel="carrier", ylabel="µs", title="Group delay", ylim=(-spread, spread))
    for axis in (magnitude, phase, delay):
        axis.set_xlim(-EDGE - 4, EDGE + 4)
    if whole_band:
        draw_impulse(axes[1, 1], frame, taken, recording.rate)
    page.figure(figure, f"channel-{number}", f"Frame {number}: channel response")


def draw_tracking(page, number, frame):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 3), layout="constrained")
    left.plot(frame.symbol, np.degrees(np.unwrap(frame.phase)), ".-", color=LINE, linewidth=0.8, markersize=4)
    left.set(xlabel="symbol", ylabel="degrees", title="Carrier phase beyond the constant offset")
    right.plot(frame.symbol, frame.delay, ".-", color=LINE, linewidth=0.8, markersize=4)
    right.set(xlabel="symbol", ylabel="samples", title="Delay since the channel was estimated")
    for axis, least in ((left, 2.0), (right, 0.05)):
        low, high = axis.get_ylim()
        if high - low < 2 * least:
            axis.set_ylim((low + high) / 2 - least, (low + high) / 2 + least)
        axis.ticklabel_format(useOffset=False)
    page.figure(figure, f"tracking-{number}", f"Frame {number}: phase and timing per symbol")


def subtitle(decoded):
    count = decoded["frame_count"]
    unit = "frame" if decoded["direction"] == "downlink" else "burst"
    return (f"{decoded['direction']}, channel {decoded['bandwidth_hz'] / 1e6:g} MHz, {decoded['sample_rate_hz'] / 1e6:g} MS/s, "
            f"{count} {unit}{'' if count == 1 else 's'}")


def describe(page, decoded):
    """Pictures of the whole first, then figures, frames in detail, and tables."""
    folder, transmitter = page.folder, decoded["transmitter"]
    _, frames, recording = analysis.loaded(folder, decoded)
    overview.facts(page, decoded)
    overview.draw_power(page, decoded)
    if not decoded["frames"]:
        overview.draw_search(page, decoded, recording)
        return {"measured_frames": 0, "reasons": decoded["reasons"]}
    overview.draw_trends(page, decoded, overview.load_trends(folder, decoded))
    figures, flat = analysis.measure(decoded, frames, recording)
    summary(page, figures, transmitter)
    draw_spectrum(page, figures, decoded["bandwidth_hz"], transmitter)
    draw_ccdf(page, figures)
    for number, frame in enumerate(frames[:DRAWN_FRAMES]):
        page.heading(f"Frame {number}" if decoded["direction"] == "downlink" else "Codes" if frame.codes else "Burst in detail")
        draw_frame(page, number, frame, recording, decoded["limits"], transmitter)
        if len(frame.symbol):
            draw_constellations(page, number, frame, decoded["limits"], transmitter)
            draw_carriers(page, number, frame, flat, decoded["limits"], transmitter)
            draw_channel(page, number, frame, recording)
            draw_tracking(page, number, frame)
    if decoded["frame_count"] > min(len(frames), DRAWN_FRAMES):
        page.note(f"{decoded['frame_count']} frames decoded, {len(frames)} measured, {min(len(frames), DRAWN_FRAMES)} drawn.")
    tables(page, decoded)
    return figures


def main():
    folder = pathlib.Path(sys.argv[1])
    decoded = json.loads((folder / "decoded.json").read_text())
    page = Page(folder, decoded["provenance"])
    figures = {"provenance": decoded["provenance"], **describe(page, decoded)}
    (folder / "measurements.json").write_text(json.dumps(figures, indent=1) + "\n")
    page.write(f"wimax-iq report: {pathlib.Path(decoded['recording']['name']).name}", subtitle(decoded))
    for scratch in [*folder.glob("symbols-*.cf32"), *(folder / name for name in SCRATCH)]:
        scratch.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
