# SPDX-License-Identifier: GPL-3.0-or-later
"""Which seeds a group of points still needs: decided from whole prefixes of its seeds, so that the order in which results come is no matter."""
import math

from wimax_tools.bench.figure import mean_figure
from wimax_tools.campaign.description import Point


def narrow(values, relative):
    """What is no number, a list of points or nothing, is never narrow."""
    if len(values) < 2 or not all(isinstance(value, (int, float)) for value in values):
        return False
    mean = mean_figure(values, 12)
    return mean.high - mean <= relative * abs(mean) if math.isfinite(mean) else False


def next_points(campaign, rows):
    """Points that are to be computed now; none: all are there, or on their way."""
    wanted = campaign.points()
    if campaign.until is None:
        return [point for point in wanted if (point.group, point.seed) not in rows]
    found, first = [], max(2, campaign.repeat)
    for group, parameters in enumerate(campaign.groups()):
        seeds = [campaign.seed + n for n in range(campaign.until.most)]
        for n, seed in enumerate(seeds):
            if n >= first:
                done = [rows[group, s][campaign.until.figure] for s in seeds[:n] if (group, s) in rows]
                if len(done) < n or narrow(done, campaign.until.relative):
                    break
            if (group, seed) not in rows:
                found.append(Point(group, seed, parameters))
    return found
