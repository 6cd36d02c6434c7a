# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of clause 8.3.10 on what `wimax-iq decode --report` left: decoded.json, symbols-N.cf32 (points and channel
of each data symbol as the receiver saw them) and recording.cf32. Errors are against the nearest constellation points.
"""
import json

import numpy as np

FFT, EDGE, USED = 256, 100, 200
CARRIERS = np.arange(-EDGE, EDGE + 1)
PILOTS = np.isin(CARRIERS, (-88, -63, -38, -13, 13, 38, 63, 88))
SPECTRUM_WINDOW, SPECTRUM_BINS = 256, 1024  # samples: wider than a carrier's spacing, so that symbols leave no ripple
OVERSAMPLING = 4  # for peaks between samples
# From these CINRs on nearly all decisions are right, by bits per carrier; dB.
RELIABLE_CINR_DB = {1: 5, 2: 9, 4: 16.5, 6: 23}


def db(power):
    return 10 * np.log10(np.maximum(power, 1e-20))


def decide(points, bits_per_carrier):
    """Nearest points of the constellation with unit mean power."""
    if bits_per_carrier == 1:
        return np.where(points.real < 0, -1.0, 1.0).astype(complex)
    side = 2 ** (bits_per_carrier // 2)
    scale = np.sqrt(2 * (side ** 2 - 1) / 3)
    nearest = lambda v: np.clip(2 * np.floor(v * scale / 2) + 1, 1 - side, side - 1) / scale
    return nearest(points.real) + 1j * nearest(points.imag)


class Frame:
    """A downlink frame or an uplink burst: rows of carriers, one for each data symbol."""

    def __init__(self, folder, number, described):
        self.described = described
        self.cp = FFT // int(described["cp"].split("/")[1])
        self.length = FFT + self.cp
        self.start = described["start_sample"]
        self.cfo_hz = described["cfo_hz"] or 0.0
        seen = described["symbols"]
        rows = np.fromfile(folder / f"symbols-{number}.cf32", "<c8").astype(complex).reshape(-1, 3, len(CARRIERS))
        self.points, self.response, self.second_response = rows[:, 0], rows[:, 1], rows[:, 2]
        self.stc = np.any(self.second_response, axis=1)  # points out of two channels
        self.burst_index = np.array([s["burst_index"] for s in seen], int)
        self.symbol = np.array([s["symbol"] for s in seen], int)
        self.phase = np.array([s["phase_rad"] for s in seen])
        self.delay = np.array([s["delay_samples"] for s in seen])
        # From the start of the FFT window that the channel's phase counts from to that of the body.
        self.body_after_window = np.array([self.start + described["start_fraction"] + self.cp - s["response_window"]
                                           for s in seen])
        bits = {b["index"]: b["bits_per_carrier"] for b in described["bursts"]}
        reliable = {b["index"]: b["cinr_db"] > RELIABLE_CINR_DB[b["bits_per_carrier"]] for b in described["bursts"]}
        self.reliable = np.array([reliable.get(i, False) for i in self.burst_index], bool)
        self.bits = np.array([bits.get(i, 1) for i in self.burst_index], int)  # the frame prefix is BPSK
        self.sent = np.abs(self.points) > 0
        self.data = self.sent & ~PILOTS
        self.want = np.ones_like(self.points)
        for b in np.unique(self.bits):
            rows = self.bits == b
            self.want[rows] = decide(self.points[rows], b)
        self.want[:, PILOTS] = 1
        self.error = np.where(self.sent, np.abs(self.points - self.want) ** 2, 0)
        self.power = np.where(self.sent, np.abs(self.want) ** 2, 0)
        self.zones = described.get("stc_zones", [])
        self.codes = described.get("contention", [])
        self.last_symbol = max([part["end_symbol"] for part in described["bursts"] + self.zones + self.codes], default=3)

    def bursts(self):
        """Each burst whose symbols were seen, with the selection of its rows."""
        for burst in self.described["bursts"]:
            rows = self.burst_index == burst["index"]
            if rows.any():
                yield burst, rows

    def error_db(self, rows, axis=None):
        """Relative constellation error of the data carriers; nan where there is none."""
        power = np.sum(self.power[rows] * self.data[rows], axis=axis)
        ratio = np.sum(self.error[rows] * self.data[rows], axis=axis) / np.maximum(power, 1e-12)
        return np.where(power > 0, db(ratio), np.nan)

    def channel(self):
        """Least squares over symbols with reliable decisions, not smoothed over carriers; 0 where nothing was sent. Antenna 0
        alone: without those of STC zones."""
        rows = self.reliable & ~self.stc
        top = np.sum((self.points * self.response * np.conj(self.want) * self.sent)[rows], axis=0)
        return top / np.maximum(np.sum(self.power[rows], axis=0), 1e-12)


class Recording:
    def __init__(self, folder, decoded):
        self.samples = np.fromfile(folder / "recording.cf32", "<c8")
        self.first, self.rate = decoded["first_sample"], decoded["sample_rate_hz"]

    def part(self, start, end):
        """Samples of the recording's own count; what is not there is left out."""
        return self.samples[max(start - self.first, 0):max(end - self.first, 0)]

    def symbols(self, frame):
        """Power per FFT bin -128..127 of every symbol of the frame, one row each; carrier offset removed."""
        rows = np.zeros((frame.last_symbol, FFT))
        for i in range(frame.last_symbol):
            start = frame.start + i * frame.length + frame.cp * 3 // 4
            body = self.part(start, start + FFT)
            turn = np.exp(-2j * np.pi * frame.cfo_hz / self.rate * np.arange(len(body)))
            rows[i] = np.abs(np.fft.fftshift(np.fft.fft(body * turn, FFT))) ** 2 * USED / FFT ** 2
        return rows


def active_stretches(frame):
    """[start, end) of what is on air without a break, preambles included."""
    ends = [[0, 3]] if frame.described["fch"] else []
    for burst in sorted(frame.described["bursts"] + frame.zones, key=lambda b: b["start_symbol"]):
        if ends and burst["start_symbol"] <= ends[-1][1]:
            ends[-1][1] = max(ends[-1][1], burst["end_symbol"])
        else:
            ends.append([burst["start_symbol"], burst["end_symbol"]])
    return [(frame.start + a * frame.length, frame.start + b * frame.length) for a, b in ends]


def spectrum(frames, recording, bandwidth_hz):
    """Welch's estimate over the bursts against the mean of the carriers sent on, but those at the band's edges and around carrier
    0: frequencies in Hz, dB, noise bandwidth."""
    window = np.hanning(SPECTRUM_WINDOW + 1)[:-1]
    total, count = np.zeros(SPECTRUM_BINS), 0
    for frame in frames:
        shift = np.exp(-2j * np.pi * frame.cfo_hz / recording.rate * np.arange(SPECTRUM_WINDOW))
        for start, end in active_stretches(frame):
            part = recording.part(start, end)
            for at in range(0, len(part) - SPECTRUM_WINDOW + 1, SPECTRUM_WINDOW // 2):
                total += np.abs(np.fft.fft(part[at:at + SPECTRUM_WINDOW] * window * shift, SPECTRUM_BINS)) ** 2
                count += 1
    frequency = np.fft.fftshift(np.fft.fftfreq(SPECTRUM_BINS, 1 / recording.rate))
    density = np.fft.fftshift(total / max(count, 1))
    spacing = recording.rate / FFT
    carrier = np.round(frequency / spacing)
    sent = [CARRIERS[frame.sent.any(axis=0)] for frame in frames if frame.sent.any()]
    inside = (np.abs(carrier) > 3) & (np.abs(carrier) < EDGE - 3)
    if sent:
        inside &= np.isin(carrier, [*np.unique(np.concatenate(sent)), 0])
    resolution = recording.rate * np.sum(window ** 2) / np.sum(window) ** 2
    return frequency, db(density / max(density[inside].mean(), 1e-20)), resolution, count


def mask_at(frequency, limits, bandwidth_hz):
    """Limit in dB at each frequency; nan inside the first point, the last level beyond the last."""
    offsets = np.abs(frequency) / bandwidth_hz
    points = limits["mask"]
    levels = np.interp(offsets, [p["bandwidths"] for p in points], [p["level_db"] for p in points])
    return np.where(offsets < points[0]["bandwidths"], np.nan, levels)


def instantaneous_power(frames, recording):
    """Power of the data symbols over their mean, oversampled, in rising order."""
    powers = []
    for frame in frames:
        for burst, _ in frame.bursts():
            first = burst["end_symbol"] - burst["data_symbols"]
            part = recording.part(frame.start + first * frame.length, frame.start + burst["end_symbol"] * frame.length)
            if len(part) < FFT:
                continue
            carriers = np.fft.fft(part)
            fine = np.zeros(OVERSAMPLING * len(part), complex)
            half = len(part) // 2
            fine[:half], fine[-half:] = carriers[:half], carriers[-half:]
            power = np.abs(np.fft.ifft(fine)) ** 2
            powers.append(power / max(power.mean(), 1e-20))
    return np.sort(np.concatenate(powers)) if powers else np.array([])


def constellation_error(frames, limits):
    """By rate over all frames: symbols, error, limit (8.3.10.1.2)."""
    sums = {}
    for frame in frames:
        for burst, rows in frame.bursts():
            s = sums.setdefault(burst["rate_id"], {"rate": burst["rate"], "symbols": 0, "error": 0.0, "power": 0.0})
            s["symbols"] += int(rows.sum())
            s["error"] += float(np.sum(frame.error[rows] * frame.data[rows]))
            s["power"] += float(np.sum(frame.power[rows] * frame.data[rows]))
    result = []
    for rate_id, s in sorted(sums.items()):
        error, limit = float(db(s["error"] / max(s["power"], 1e-12))), limits["constellation_error_db"][rate_id]
        result.append({"rate_id": rate_id, "rate": s["rate"], "symbols": s["symbols"], "error_db": error, "limit_db": limit,
                       "margin_db": limit - error})
    return result


def flatness(frames, limits):
    """Energy per carrier against the mean of the inner ones (8.3.10.1.1); None without reliable full-band symbols."""
    powers = [np.abs(f.channel()) ** 2 for f in frames if f.sent[f.reliable & ~f.stc].any(axis=0).sum() == USED]
    if not powers:
        return None
    power = np.mean(powers, axis=0)
    inner = (np.abs(CARRIERS) <= limits["flatness"][0]["last_offset"]) & (CARRIERS != 0)
    level = np.where(CARRIERS == 0, np.nan, db(power / max(power[inner].mean(), 1e-20)))
    low, high = np.full(len(CARRIERS), np.nan), np.full(len(CARRIERS), np.nan)
    for limit in reversed(limits["flatness"]):
        part = np.abs(CARRIERS) <= limit["last_offset"]
        low[part], high[part] = limit["low_db"], limit["high_db"]
    steps = np.abs(np.diff(level))
    return {"level_db": level, "low_db": low, "high_db": high, "neighbour_db": float(np.nanmax(steps)),
            "margin_db": float(np.nanmin(np.minimum(level - low, high - level))),
            "peak_to_peak_db": float(np.nanmax(level) - np.nanmin(level))}


def carrier_zero_db(frames, recording):
    """Power on carrier 0 against all carriers, data symbols only."""
    zero = total = 0.0
    for frame in frames:
        rows = recording.symbols(frame)[frame.symbol[frame.symbol < frame.last_symbol]]
        zero += float(np.sum(rows[:, FFT // 2]))
        total += float(np.sum(rows[:, FFT // 2 - EDGE:FFT // 2 + EDGE + 1]))
    return float(db(zero / max(total, 1e-20)))


def loaded(folder, decoded):
    frames = [Frame(folder, i, f) for i, f in enumerate(decoded["frames"]) if "symbols" in f]
    return decoded, frames, Recording(folder, decoded)


def load(folder):
    return loaded(folder, json.loads((folder / "decoded.json").read_text()))


def distribution(power):
    """Levels in dB over the mean, and the share of time above each."""
    levels = np.arange(0, 12.55, 0.05)
    return levels, 1 - np.searchsorted(power, 10 ** (levels / 10)) / power.size


def measure(decoded, frames, recording):
    """All figures, as they go into measurements.json, and the flatness over carriers (None without full-band symbols)."""
    limits, bandwidth = decoded["limits"], decoded["bandwidth_hz"]
    frequency, density, resolution, segments = spectrum(frames, recording, bandwidth)
    mask = mask_at(frequency, limits, bandwidth)
    power = instantaneous_power(frames, recording)
    flat = flatness(frames, limits)
    seen = [f for f in frames if len(f.symbol)]
    figures = {"measured_frames": len(frames), "constellation": constellation_error(frames, limits)}
    if flat:
        figures["flatness"] = {k: flat[k] for k in ("margin_db", "peak_to_peak_db", "neighbour_db")}
        figures["flatness"]["neighbour_limit_db"] = limits["neighbour_db"]
    if seen:
        figures["carrier_zero"] = {"level_db": carrier_zero_db(seen, recording), "limit_db": limits["carrier_zero_db"]}
    if segments:
        margin = mask - density
        worst = int(np.nanargmin(margin))
        figures["mask"] = {"margin_db": float(margin[worst]), "at_hz": float(frequency[worst]), "resolution_hz": resolution,
                           "frequency_hz": frequency.tolist(), "density_db": density.round(3).tolist(),
                           "limit_db": [None if np.isnan(level) else round(float(level), 3) for level in mask]}
    if power.size:
        over = lambda p: float(db(power[min(int((1 - p) * power.size), power.size - 1)]))
        figures["crest"] = {"papr_db": float(db(power[-1])),
                            "ccdf_db": {str(p): over(p) for p in (0.1, 0.01, 0.001, 0.0001)}}
        levels, above = distribution(power)
        figures["crest"]["level_db"], figures["crest"]["probability"] = levels.round(2).tolist(), above.tolist()
    return figures, flat
