# SPDX-License-Identifier: GPL-3.0-or-later
"""Received levels along a path of one kilometre, with given mean, deviation and range, and their SNR.

Shadowing is a Gaussian process along the path whose correlation falls by exp(-distance / decorrelation distance): Gudmundson's model.
Its values are mapped by rank, the lowest to the low end of the range and the highest to the high end, the others along a beta distribution
whose two parameters are solved so that the samples' mean and deviation are exact. The order, and thus the correlation of ranks, does not change.
"""
from dataclasses import dataclass
import math

import numpy

from wimax_tools.bench.stack import DB_OF_LOADED_CARRIERS, NOISE_FIGURE_DB, TX_POWER_DBM

LENGTH_M = 1000
STEP_M = 5  # between samples, which straight lines join: shadows have no sharper edges than the first Fresnel zone, 5 m at 3.5 GHz some 300 m away
# A person who walks; a car at the speed limit of a campus. The longer the same path takes, the slower are shadows and fading (Doppler).
SPEEDS_M_PER_S = {"foot": 1.4, "car": 8.3}
LIGHT_M_PER_S = 299_792_458
# A radio's own noise and distortion stay below its signal by so much however strong it is received: receivers of this class reach an
# error vector of -38 to -40 dB. The highest rate needs half of that, so that nothing is decided by the exact place of the cut.
MOST_SNR_DB = 40
EXACT = 1e-9  # of the range


@dataclass(frozen=True)
class Path:
    """`decorrelation_m`: from Report ITU-R M.2135 without line of sight: 50 m in its urban macro-cell, 120 m in its
    rural one."""
    mean_dbm: float
    deviation_db: float
    low_dbm: float
    high_dbm: float
    decorrelation_m: float


PATHS = {"urban": Path(-64.5, 14.3, -87, -33, 50), "semi-rural": Path(-64.0, 8.6, -81, -42, 120)}


def levels_dbm(path):
    """The levels of all samples of the path, in rising order."""
    from scipy import optimize, stats  # here: a bench without experiments runs where SciPy is not installed
    span = path.high_dbm - path.low_dbm
    shares = numpy.linspace(0, 1, LENGTH_M // STEP_M + 1)
    mean, variance = (path.mean_dbm - path.low_dbm) / span, (path.deviation_db / span) ** 2
    both = mean * (1 - mean) / variance - 1  # of the two parameters, were there infinitely many samples

    def apart(logarithms):
        found = stats.beta.ppf(shares, *numpy.exp(logarithms))
        return [found.mean() - mean, found.std() - math.sqrt(variance)]

    solved = optimize.root(apart, numpy.log([mean * both, (1 - mean) * both]), options={"xtol": 1e-13})
    if not numpy.abs(solved.fun).max() < EXACT:  # not a number, too
        raise ValueError(f"no distribution has {path}")
    return path.low_dbm + span * stats.beta.ppf(shares, *numpy.exp(solved.x))


def shadow(path, seed):
    """The Gaussian process, of variance 1."""
    from scipy import signal
    along = math.exp(-STEP_M / path.decorrelation_m)
    draws = numpy.random.default_rng(seed).standard_normal(LENGTH_M // STEP_M + 1)
    draws[1:] *= math.sqrt(1 - along ** 2)  # the first one has the whole variance
    return signal.lfilter([1], [1, -along], draws)


def trace_dbm(path, seed):
    """Levels each STEP_M along the path."""
    return levels_dbm(path)[shadow(path, seed).argsort().argsort()]


class Journey:
    """A path at a constant speed, once; then the station stays at its end."""

    def __init__(self, path, seed, speed_m_per_s):
        self._levels_dbm, self._speed_m_per_s = trace_dbm(path, seed), speed_m_per_s

    @property
    def seconds(self):
        return LENGTH_M / self._speed_m_per_s

    def rssi_dbm(self, second):
        """Level, linear between two samples; rounded, since the last digits depend on the version of SciPy."""
        return round(float(numpy.interp(second * self._speed_m_per_s / STEP_M, numpy.arange(len(self._levels_dbm)), self._levels_dbm)), 9)


def carrier_noise_dbm(profile):
    """Noise of a data carrier: that of a receiver with the bench's noise figure over the profile's sample rate, minus the share of
    unused carriers."""
    return -174 + 10 * math.log10(profile.sample_rate_hz) + NOISE_FIGURE_DB - DB_OF_LOADED_CARRIERS


def snr_db(rssi_dbm, profile):
    """SNR of a data carrier, limited by the radio's own noise and distortion."""
    return min(MOST_SNR_DB, rssi_dbm - carrier_noise_dbm(profile))


def path_loss_db(snr, profile):
    """Path loss with this SNR at the highest power, either way. Power control reacts to it, as with any moving station."""
    return TX_POWER_DBM - snr - carrier_noise_dbm(profile)


def doppler_hz(speed_m_per_s, frequency_hz):
    return speed_m_per_s * frequency_hz / LIGHT_M_PER_S
