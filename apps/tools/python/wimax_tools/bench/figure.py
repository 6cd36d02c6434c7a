# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured numbers with 95 % confidence bounds."""
import math
import statistics

# Student's t for two-sided 95 %, by degrees of freedom; beyond the table the normal distribution is close enough.
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)
NORMAL95 = 1.96


class Figure(float):
    """A number that knows its bounds; JSON and arithmetic see the number."""

    def __new__(cls, value, low, high):
        made = super().__new__(cls, value)
        made.low, made.high = float(low), float(high)
        return made


def t95(samples):
    freedom = samples - 1
    return T95[freedom - 1] if freedom <= len(T95) else NORMAL95 * (1 + 1.2 / freedom)  # within 1 % of Student's


def mean_figure(samples, digits=2):
    """Mean of independent samples; of a correlated series give means of batches that are longer than what correlates."""
    samples = list(samples)
    mean = statistics.fmean(samples)
    if len(samples) < 2:
        return Figure(round(mean, digits), -math.inf, math.inf)
    half = t95(len(samples)) * statistics.stdev(samples) / math.sqrt(len(samples))
    return Figure(round(mean, digits), round(mean - half, digits), round(mean + half, digits))


def share_figure(count, of, digits=4):
    """A share of independent trials, with Wilson's bounds."""
    if not of:
        return Figure(0.0, 0.0, 1.0)
    p, z = count / of, NORMAL95
    centre, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return Figure(round(p, digits), round(max(0.0, (centre - half) / (1 + z * z / of)), digits), round(min(1.0, (centre + half) / (1 + z * z / of)), digits))


def bounds(figures):
    """[low, high] wherever a figure has bounds, under the same keys."""
    found = {}
    for key, value in figures.items():
        if isinstance(value, Figure):
            found[key] = [value.low if math.isfinite(value.low) else None, value.high if math.isfinite(value.high) else None]
        elif isinstance(value, dict) and (inner := bounds(value)):
            found[key] = inner
    return found


def with_bounds(figures, known):
    """The reverse, of what was read from JSON."""
    result = {}
    for key, value in figures.items():
        limits = known.get(key)
        if isinstance(value, dict):
            result[key] = with_bounds(value, limits or {})
        elif limits and value is not None:
            low, high = limits
            result[key] = Figure(value, -math.inf if low is None else low, math.inf if high is None else high)
        else:
            result[key] = value
    return result
