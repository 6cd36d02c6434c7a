# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of signals: EVM and CINR (8.3.9), spectrum, spectral mask and flatness (8.3.10). Limits are those of the C++ core.

Wrong arguments raise ValueError with name, shape or value, and allowed range."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wimax._core import core
from wimax.phy._checks import CARRIERS, Arguments
from wimax.phy.carriers import hard_labels, map_labels
from wimax.phy.numerology import Numerology, Rate

TRANSMIT_MASK: tuple[tuple[float, float], ...] = tuple(core.limits["mask"])
"""Transmit spectral mask (8.3.10): (offset from the centre over the bandwidth, dB), linear between the points. The standard has it for licence-exempt
channels of 20 and 10 MHz; other bandwidths scale it."""
FLATNESS_LIMITS: tuple[tuple[int, float, float], ...] = tuple(core.limits["flatness"])
"""Spectral flatness (8.3.10.1.1): (last offset of carriers on both sides, lowest, highest energy in dB relative to the mean of the inner carriers)."""


def _decibels(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    level: NDArray[np.float64] = 10 * np.log10(np.maximum(ratio, 1e-30))
    return level


def _points(arguments: Arguments, name: str, value: ArrayLike, like: Optional[NDArray[np.complex128]] = None) -> NDArray[np.complex128]:
    read = arguments.array(name, value, np.complex128)
    array: NDArray[np.complex128] = read.restore(read.rows)
    if like is not None and not arguments.faults and array.shape != like.shape:
        arguments.fault(f"{name}: shape {array.shape}: allowed {like.shape}")
        return like
    return array


def evm_db(points: ArrayLike, reference: Optional[ArrayLike] = None, *, rate: Optional[Union[Rate, int, str]] = None) -> NDArray[np.float64]:
    """Error vector magnitude (...) of points (..., n): 20 log10 of RMS error over RMS reference (8.3.10.1.2).

    `reference` (..., n): sent points; without it, those of `rate` that are nearest. One of both must be given."""
    arguments = Arguments()
    if (reference is None) == (rate is None):
        arguments.fault("reference, rate: allowed one of both")
    received = _points(arguments, "points", points)
    arguments.refuse()
    sent = received
    if rate is not None:
        sent = map_labels(hard_labels(received, rate), rate).astype(np.complex128)
    elif reference is not None:
        sent = _points(arguments, "reference", reference, received)
    arguments.refuse()
    return _decibels(np.sum(np.abs(received - sent) ** 2, -1) / np.sum(np.abs(sent) ** 2, -1))


def cinr_db(received: ArrayLike, response: ArrayLike, sent: ArrayLike) -> NDArray[np.float64]:
    """Carrier to interference and noise ratio (...) of carriers (..., n): power of the sent points after the channel over that of the rest (8.3.9.2).

    `received`, `response`, `sent`: arrays of one shape."""
    arguments = Arguments()
    carriers = _points(arguments, "received", received)
    expected = _points(arguments, "response", response, carriers) * _points(arguments, "sent", sent, carriers)
    arguments.refuse()
    return _decibels(np.sum(np.abs(expected) ** 2, -1) / np.maximum(np.sum(np.abs(carriers - expected) ** 2, -1), 1e-30))


def papr_db(samples: ArrayLike) -> NDArray[np.float64]:
    """Peak power over mean power (...) of samples (..., n)."""
    arguments = Arguments()
    powers = np.abs(_points(arguments, "samples", samples)) ** 2
    arguments.refuse()
    return _decibels(np.max(powers, -1) / np.maximum(np.mean(powers, -1), 1e-30))


@dataclass(frozen=True)
class Spectrum:
    """Power spectral density. `frequency_hz` (bins): rising, from minus half the sample rate. `density` (bins): power per Hz; the sum times
    `resolution_hz` is the mean sample power. `density_db`: 10 log10 of it."""
    frequency_hz: NDArray[np.float64]
    density: NDArray[np.float64]
    resolution_hz: float

    @property
    def density_db(self) -> NDArray[np.float64]:
        """dB relative to power 1 per Hz (bins)."""
        return _decibels(self.density)


def spectrum(samples: ArrayLike, sample_rate_hz: float, bins: int = 1024) -> Spectrum:
    """Power spectral density of samples (n) after Welch: Hann windows of `bins` samples (8..2^20) that overlap by half.

    Shorter signals are filled with zeros."""
    arguments = Arguments()
    read = arguments.array("samples", samples, np.complex64)
    if read.lead:
        arguments.fault(f"samples: shape {read.lead + read.rows.shape[1:]}: allowed (n)")
    rate = arguments.number("sample_rate_hz", sample_rate_hz, 1, 1e12)
    count = arguments.integer("bins", bins, 8, 1 << 20)
    arguments.refuse()
    signal = read.rows[0]
    if len(signal) < count:
        signal = np.concatenate([signal, np.zeros(count - len(signal), signal.dtype)])
    window = np.hanning(count + 1)[:-1]
    parts = np.lib.stride_tricks.sliding_window_view(signal, count)[::count // 2]
    power = np.zeros(count)
    for first in range(0, len(parts), 256):
        power += np.sum(np.abs(np.fft.fft(parts[first:first + 256] * window, axis=1)) ** 2, axis=0)
    density = np.fft.fftshift(power) / (len(parts) * rate * np.sum(window ** 2))
    frequencies: NDArray[np.float64] = ((np.arange(count) - count // 2) * (rate / count)).astype(np.float64)
    return Spectrum(frequencies, density, rate / count)


@dataclass(frozen=True)
class MaskMargin:
    """Distance to the transmit mask. `margin_db`: smallest, negative: exceeded; infinite if the sample rate shows no offset of the mask. `at_hz`: its
    frequency. `covered_hz`: largest offset that was compared."""
    margin_db: float
    at_hz: float
    covered_hz: float

    @property
    def passed(self) -> bool:
        """True if the mask is kept at all offsets that were compared."""
        return self.margin_db >= 0


def mask_limit_db(offset_hz: ArrayLike, bandwidth_hz: int) -> NDArray[np.float64]:
    """Highest density allowed at these offsets from the centre, dB relative to the used carriers (8.3.10): NaN before the mask's first point, constant
    after its last."""
    places = np.abs(np.asarray(offset_hz, np.float64)) / bandwidth_hz
    points = np.array(TRANSMIT_MASK)
    return np.where(places < points[0, 0], np.nan, np.interp(places, points[:, 0], points[:, 1]))


def mask_margin(measured: Spectrum, numerology: Numerology = Numerology()) -> MaskMargin:
    """Compares a spectrum with the transmit mask of 8.3.10. The reference is the mean density of the used carriers."""
    used = (np.abs(measured.frequency_hz) <= 100.5 * numerology.carrier_spacing_hz) & \
        (np.abs(measured.frequency_hz) >= 0.5 * numerology.carrier_spacing_hz)
    if not used.any():
        raise ValueError(f"measured: resolution {measured.resolution_hz:g} Hz: allowed less than {100 * numerology.carrier_spacing_hz:g} Hz")
    limits = mask_limit_db(measured.frequency_hz, numerology.bandwidth_hz)
    compared = np.flatnonzero(~np.isnan(limits))
    if not len(compared):
        return MaskMargin(float("inf"), 0.0, 0.0)
    margins = limits[compared] - measured.density_db[compared] + 10 * np.log10(float(np.mean(measured.density[used])))
    worst = int(np.argmin(margins))
    frequencies = measured.frequency_hz[compared]
    return MaskMargin(float(margins[worst]), float(frequencies[worst]), float(np.abs(frequencies).max()))


@dataclass(frozen=True)
class Flatness:
    """Spectral flatness (8.3.10.1.1). `energy_db` (201): energy of each carrier relative to the mean of the inner ones, NaN on carrier 0. `margin_db`:
    smallest distance to FLATNESS_LIMITS, negative: exceeded."""
    energy_db: NDArray[np.float64]
    margin_db: float

    @property
    def passed(self) -> bool:
        """True if all carriers are within the limits."""
        return self.margin_db >= 0


def flatness(response: ArrayLike) -> Flatness:
    """Spectral flatness of a channel (201), or of the mean energy of several (..., 201): for instance `SeenBurst.response` at a transmitter's port."""
    arguments = Arguments()
    read = arguments.array("response", response, np.complex64, CARRIERS)
    arguments.refuse()
    if not read.rows.size or not np.isfinite(read.rows).all() or not read.rows.any():
        raise ValueError(f"response: shape {read.lead + (CARRIERS,)}: allowed at least one, finite, not all 0")
    energy = np.mean(np.abs(read.rows.astype(np.complex128)) ** 2, axis=0)
    offsets = np.abs(np.arange(-100, 101))
    inner = (offsets > 0) & (offsets <= FLATNESS_LIMITS[0][0])
    relative = _decibels(energy / np.mean(energy[inner]))
    relative[100] = np.nan
    margin, last = float("inf"), 0
    for end, low, high in FLATNESS_LIMITS:
        part = relative[(offsets > last) & (offsets <= end)]
        margin, last = min(margin, float(np.min(part)) - low, high - float(np.max(part))), end
    return Flatness(relative, margin)


__all__ = ["FLATNESS_LIMITS", "TRANSMIT_MASK", "Flatness", "MaskMargin", "Spectrum", "cinr_db", "evm_db", "flatness", "mask_limit_db", "mask_margin", "papr_db",
           "spectrum"]
