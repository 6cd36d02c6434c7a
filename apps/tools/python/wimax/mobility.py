# SPDX-License-Identifier: GPL-3.0-or-later
"""Radio paths of a simulated cell: path-loss models, positions and movements, and the SNR that follows from them.

Distances are in m, frequencies in Hz, losses in dB, times in s since the measurement began. The models give the median loss. They are written from
the publications named in each class; the class documents how certain its constants are. Arrays may have any shape unless a docstring names one. Wrong
values raise ValueError with name, value and allowed range.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Cost231Hata", "Erceg", "FreeSpace", "LinkBudget", "Mobile", "Motion", "Moving", "PathLoss", "Place", "SnrSeries", "SnrSource", "Waypoints"]

Array = npt.NDArray[np.float64]

LIGHT_M_PER_S = 299_792_458.0
LEAST_SNR_DB, MOST_SNR_DB = -30.0, 80.0
"""SNR that the simulator takes, in dB; the sources here limit theirs to it."""
THERMAL_DBM_PER_HZ = -174.0
"""Noise power density at 290 K."""


class PathLoss(Protocol):
    """A path-loss model: anything with the method `loss_db`."""

    def loss_db(self, distance_m: npt.ArrayLike) -> Array:
        """Median loss in dB at each distance (m); the same shape."""
        ...


def _check(**ranges: tuple[float, float, float]) -> None:
    """`name=(value, low, high)`; all faults at once."""
    faults = [f"{name}: value {value:g}: allowed {low:g}..{high:g}" for name, (value, low, high) in ranges.items() if not low <= value <= high]
    if faults:
        raise ValueError("\n".join(faults))


def _distances(distance_m: npt.ArrayLike) -> Array:
    """At least a metre, so that a station at the antenna has a loss."""
    distances = np.asarray(distance_m, np.float64)
    wrong = distances[~(np.isfinite(distances) & (distances >= 0))]
    if wrong.size:
        raise ValueError(f"distance_m: value {wrong.flat[0]}: allowed finite numbers from 0")
    return np.maximum(distances, 1.0)


@dataclass(frozen=True)
class FreeSpace:
    """Free-space loss (ITU-R P.525): 20 lg(4 pi d f / c). `frequency_hz`: 1e8..1e11. Certain."""

    frequency_hz: float = 3.5e9

    def __post_init__(self) -> None:
        _check(frequency_hz=(self.frequency_hz, 1e8, 1e11))

    def loss_db(self, distance_m: npt.ArrayLike) -> Array:
        """Loss in dB at each distance (m); distances below 1 m count as 1 m."""
        return np.asarray(20 * np.log10(4 * math.pi * _distances(distance_m) * self.frequency_hz / LIGHT_M_PER_S))


@dataclass(frozen=True)
class Cost231Hata:
    """COST 231 extension of Hata's model for towns (COST 231 final report, 1999, chapter 4). Certain.

    `frequency_hz`: 1.5e9..2e9 as published; up to 3.8e9 is an extrapolation that is common for WiMAX. `base_height_m` 30..200, `station_height_m` 1..10.
    `metropolitan`: 3 dB more. Published for 1..20 km; shorter distances are extrapolated, at least to the free-space loss.
    """

    frequency_hz: float = 2.0e9
    base_height_m: float = 30.0
    station_height_m: float = 1.5
    metropolitan: bool = False

    def __post_init__(self) -> None:
        _check(frequency_hz=(self.frequency_hz, 1.5e9, 3.8e9), base_height_m=(self.base_height_m, 30, 200),
               station_height_m=(self.station_height_m, 1, 10))

    def loss_db(self, distance_m: npt.ArrayLike) -> Array:
        """Median loss in dB at each distance (m)."""
        f, h = math.log10(self.frequency_hz / 1e6), math.log10(self.base_height_m)
        station = (1.1 * f - 0.7) * self.station_height_m - (1.56 * f - 0.8)
        distance = _distances(distance_m)
        loss = 46.3 + 33.9 * f - 13.82 * h - station + (44.9 - 6.55 * h) * np.log10(distance / 1e3) + 3 * self.metropolitan
        return np.maximum(loss, FreeSpace(self.frequency_hz).loss_db(distance))


@dataclass(frozen=True)
class Erceg:
    """Erceg's model of suburban terrain (Erceg et al. 1999; IEEE 802.16.3c-01/29r4 with its corrections for frequency and height), the model of SUI.

    `terrain`: "A" (hills, trees), "B", "C" (flat, few trees). `frequency_hz` 1.9e9..3.8e9, `base_height_m` 10..80, `station_height_m` 2..10. The
    constants are certain: public implementations have the same. Up to 100 m the loss is that of free space. Shadowing, 8 to 10 dB, is not part of the
    median: draw it and give it to the link (`shadowing_db`).
    """

    terrain: str = "B"
    frequency_hz: float = 3.5e9
    base_height_m: float = 30.0
    station_height_m: float = 2.0

    _TERRAINS = {"A": (4.6, 0.0075, 12.6, 10.8), "B": (4.0, 0.0065, 17.1, 10.8), "C": (3.6, 0.005, 20.0, 20.0)}
    _NEAR_M = 100.0

    def __post_init__(self) -> None:
        if self.terrain not in self._TERRAINS:
            raise ValueError(f"terrain: value {self.terrain!r}: allowed A, B, C")
        _check(frequency_hz=(self.frequency_hz, 1.9e9, 3.8e9), base_height_m=(self.base_height_m, 10, 80),
               station_height_m=(self.station_height_m, 2, 10))

    def loss_db(self, distance_m: npt.ArrayLike) -> Array:
        """Median loss in dB at each distance (m)."""
        a, b, c, height = self._TERRAINS[self.terrain]
        exponent = a - b * self.base_height_m + c / self.base_height_m
        distance = _distances(distance_m)
        free = FreeSpace(self.frequency_hz)
        beyond = 10 * exponent * np.log10(np.maximum(distance / self._NEAR_M, 1))
        corrections = 6 * math.log10(self.frequency_hz / 2e9) - height * math.log10(self.station_height_m / 2)
        far = distance > self._NEAR_M
        return np.asarray(free.loss_db(np.minimum(distance, self._NEAR_M)) + np.where(far, beyond + corrections, 0.0))


class Motion(Protocol):
    """A movement: anything with the method `positions`. The base station is at (0, 0)."""

    def positions(self, times_s: Array) -> Array:
        """Positions in m, shape (times, 2), at the times (s)."""
        ...


@dataclass(frozen=True)
class Place:
    """A fixed position: `x_m`, `y_m` from the base station, in m."""

    x_m: float
    y_m: float = 0.0

    def positions(self, times_s: Array) -> Array:
        """Shape (times, 2), m."""
        return np.broadcast_to([self.x_m, self.y_m], (len(times_s), 2)).astype(np.float64)


@dataclass(frozen=True)
class Moving:
    """Constant velocity (`vx_m_per_s`, `vy_m_per_s`, in m/s) from `x_m`, `y_m` (m) at time 0."""

    x_m: float
    y_m: float = 0.0
    vx_m_per_s: float = 0.0
    vy_m_per_s: float = 0.0

    def positions(self, times_s: Array) -> Array:
        """Shape (times, 2), m."""
        return np.asarray(np.array([self.x_m, self.y_m]) + np.outer(times_s, [self.vx_m_per_s, self.vy_m_per_s]))


@dataclass(frozen=True)
class Waypoints:
    """Straight lines between `points`: rows of time (s, rising), x and y (m). Before the first and after the last the station rests."""

    points: Sequence[Sequence[float]]
    _table: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = np.asarray(self.points, np.float64)
        if table.ndim != 2 or table.shape[1] != 3 or len(table) == 0 or np.any(np.diff(table[:, 0]) <= 0) or not np.all(np.isfinite(table)):
            raise ValueError(f"points: shape {table.shape}: allowed rows (time s, x m, y m) with rising times, at least one")
        object.__setattr__(self, "_table", table)

    def positions(self, times_s: Array) -> Array:
        """Shape (times, 2), m."""
        t = self._table
        return np.stack([np.interp(times_s, t[:, 0], t[:, 1]), np.interp(times_s, t[:, 0], t[:, 2])], axis=1)


@dataclass(frozen=True)
class LinkBudget:
    """SNR of a data carrier from powers, gains and path loss.

    `path_loss`: the model of the median loss. `base_power_dbm`, `station_power_dbm`: transmit powers in dBm. `base_gain_db`, `station_gain_db`: gains of the
    antennas in dBi less the loss of their cables. `noise_figure_db`: of both receivers, in dB. `bandwidth_hz`: of the noise, in Hz. `shadowing_db`: is added to
    the loss, in dB. The noise is thermal at 290 K. Finite numbers are allowed; the SNR is limited to -30..80 dB.
    """

    path_loss: PathLoss = field(default_factory=FreeSpace)
    base_power_dbm: float = 35.0
    station_power_dbm: float = 24.0
    base_gain_db: float = 15.0
    station_gain_db: float = 8.0
    noise_figure_db: float = 5.0
    bandwidth_hz: float = 5e6
    shadowing_db: float = 0.0

    def noise_dbm(self) -> float:
        """Noise power in a receiver."""
        return THERMAL_DBM_PER_HZ + 10 * math.log10(self.bandwidth_hz) + self.noise_figure_db

    def snr_db(self, distance_m: npt.ArrayLike) -> Array:
        """Downlink SNR in dB at each distance (m), limited to -30..80."""
        received = self.base_power_dbm + self.base_gain_db + self.station_gain_db - self.path_loss.loss_db(distance_m) - self.shadowing_db
        return np.clip(received - self.noise_dbm(), LEAST_SNR_DB, MOST_SNR_DB)

    def uplink_offset_db(self) -> float:
        """Uplink SNR at the station's highest power minus downlink SNR: the key path.uplink_offset_db of a scenario."""
        return self.station_power_dbm - self.base_power_dbm


class SnrSource(Protocol):
    """SNR over time: anything with the method `snr_db_at`."""

    def snr_db_at(self, times_s: Array) -> Array:
        """SNR in dB, -30..80, at each time (s since the measurement began); shape (times,)."""
        ...


@dataclass(frozen=True)
class SnrSeries:
    """Measured or invented SNR: `snr_db` (dB, -30..80) at `times_s` (s, rising), both of the shape (points,); linear between them, constant beyond.

    `period_s`: the series starts again after this time, 0: never. Raises ValueError for shapes, order and range.
    """

    times_s: npt.ArrayLike
    snr_db: npt.ArrayLike
    period_s: float = 0.0

    def __post_init__(self) -> None:
        times, snr = np.asarray(self.times_s, np.float64), np.asarray(self.snr_db, np.float64)
        faults = []
        if times.ndim != 1 or times.shape != snr.shape or len(times) == 0:
            faults.append(f"times_s, snr_db: shapes {times.shape} and {snr.shape}: allowed one-dimensional arrays of one length, at least one value")
        if times.ndim == 1 and not (np.isfinite(times).all() and np.all(np.diff(times) > 0)):
            faults.append("times_s: allowed finite, rising times")
        if not np.all((snr >= LEAST_SNR_DB) & (snr <= MOST_SNR_DB)):
            faults.append(f"snr_db: allowed {LEAST_SNR_DB:g}..{MOST_SNR_DB:g}")
        if faults:
            raise ValueError("\n".join(faults))

    def snr_db_at(self, times_s: Array) -> Array:
        """SNR in dB at each time (s)."""
        at = np.mod(times_s, self.period_s) if self.period_s > 0 else times_s
        return np.asarray(np.interp(at, np.asarray(self.times_s, np.float64), np.asarray(self.snr_db, np.float64)))


@dataclass(frozen=True)
class Mobile:
    """A station that moves by `motion`: the SNR of `link` follows from its distance to the base station."""

    motion: Motion
    link: LinkBudget = field(default_factory=LinkBudget)

    def snr_db_at(self, times_s: Array) -> Array:
        """SNR in dB at each time (s)."""
        positions = self.motion.positions(np.asarray(times_s, np.float64))
        return self.link.snr_db(np.hypot(positions[:, 0], positions[:, 1]))
