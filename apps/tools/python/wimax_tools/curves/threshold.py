# SPDX-License-Identifier: GPL-3.0-or-later
"""SNR at which a measured curve reaches an error rate, and how far two curves are apart there, with uncertainty."""
import math

TARGET_PER = 1e-2
TARGET_BER = 1e-6
# An independent simulation with exact metrics: perfect synchronisation and channel, white noise, one symbol a burst.
GENIE_PER_DB = (-0.23, 4.08, 6.58, 9.66, 12.87, 16.76, 18.37)
GENIE_BER_DB = (1.76, 5.59, 8.36, 11.05, 14.42, 18.34, 19.94)
# Up to this many times the target, log(rate) is taken for a straight line over SNR; bit error rates have so few errors
# at the target that the line has to be longer.
NEAR_PER, NEAR_BER = 8, 40
FEWEST_ERRORS = 5  # on the whole line


def rough_crossing(points, target=TARGET_PER):
    """First SNR at which the block error rate falls to `target`, between neighbouring points; None: it does not."""
    points = sorted(points, key=lambda point: point["snr_db"])
    rates = [max(point["per"], 0.3 / point["blocks"]) for point in points]
    for (a, b), (rate_a, rate_b) in zip(zip(points, points[1:]), zip(rates, rates[1:])):
        if rate_a > target >= rate_b:
            part = math.log(rate_a / target) / math.log(rate_a / rate_b)
            return a["snr_db"] + part * (b["snr_db"] - a["snr_db"])
    return None


def fit_line(points):
    """(level, slope, centre) of the likeliest log(PER) = level + slope * (snr - centre) for the errors counted, points
    without any included: Poisson statistics, by Newton's method."""
    centre = sum(point["snr_db"] for point in points) / len(points)
    level, slope = math.log(sum(p["block_errors"] for p in points) / sum(p["blocks"] for p in points)), 0.0
    for _ in range(50):
        score = [0.0, 0.0]
        information = [0.0, 0.0, 0.0]
        for point in points:
            x = point["snr_db"] - centre
            expected = point["blocks"] * math.exp(min(level + slope * x, 0))
            score[0] += point["block_errors"] - expected
            score[1] += (point["block_errors"] - expected) * x
            for power in range(3):
                information[power] += expected * x**power
        determinant = information[0] * information[2] - information[1] ** 2
        if determinant <= 0:
            break
        steps = ((information[2] * score[0] - information[1] * score[1]) / determinant,
                 (information[0] * score[1] - information[1] * score[0]) / determinant)
        largest = max(1.0, *(abs(step) for step in steps))
        level, slope = level + steps[0] / largest, slope + steps[1] / largest
    return level, slope, centre


def line_around(points, target=TARGET_PER, near=NEAR_PER, extrapolate=False):
    """The points near `target`, as far beyond it as before it, so that they do not reach into a floor; none if the
    curve does not reach the target (unless extrapolated)."""
    rough = rough_crossing(points, target)
    above = max((point["snr_db"] for point in points if point["per"] > near * target), default=-math.inf)
    line = [point for point in points if point["snr_db"] > above]
    if rough is None or not line:
        return line if extrapolate else []
    reach = max(rough - min(point["snr_db"] for point in line), 0.1)
    return [point for point in line if point["snr_db"] <= rough + reach]


def line_crossing(line, target=TARGET_PER):
    if len(line) < 2 or sum(point["block_errors"] for point in line) < FEWEST_ERRORS:
        return None
    level, slope, centre = fit_line(line)
    return centre + (math.log(target) - level) / slope if slope < 0 else None


def crossing(points):
    """SNR at a block error rate of 1e-2; None: the points do not reach it."""
    fitted = line_crossing(line_around(points))
    return rough_crossing(points) if fitted is None else fitted


def ber_crossing(points):
    """SNR at BER 1e-6. Bits go wrong with their block, so the line is that of block errors, and a wrong block has as
    many wrong bits as it has on the average."""
    bits, blocks = (sum(point[key] * point["blocks"] for point in points) for key in ("ber", "per"))
    if bits == 0:
        return None
    target = TARGET_BER * blocks / bits
    return line_crossing(line_around(points, target, NEAR_BER, extrapolate=True), target)


def gap(real, genie):
    """dB that `real` needs more than `genie` at PER 1e-2, and two standard deviations of that: at equal SNR both saw
    the same channels and noise, so each SNR is left out once from both (jackknife). None where a curve misses the
    target."""
    lines = [line_around(side) for side in (real, genie)]

    def distance(left_out):
        sides = [line_crossing([point for point in line if point["snr_db"] != left_out]) for line in lines]
        return None if None in sides else sides[0] - sides[1]

    whole = distance(None)
    if whole is None:
        return None
    parts = [distance(snr) for snr in sorted({point["snr_db"] for line in lines for point in line})]
    parts = [part for part in parts if part is not None]
    if len(parts) < 2:
        return whole, math.inf
    mean = sum(parts) / len(parts)
    return whole, 2 * math.sqrt((len(parts) - 1) / len(parts) * sum((part - mean) ** 2 for part in parts))
