# SPDX-License-Identifier: GPL-3.0-or-later
"""Thresholds and distances of curves on numbers made up to be known; the document says what its points say."""
import math
import os
import unittest

from wimax_tools.curves import report as curves_report
from wimax_tools.curves import threshold

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 5, "docs")


def curve(snr_at_target, db_per_decade=2.0, blocks=10_000, start=-3.0):
    """Points on a straight line of log(PER) through 1e-2 at `snr_at_target`."""
    points = []
    for step in range(25):
        snr = start + 0.25 * step
        errors = round(blocks * min(1, 10 ** (-2 - (snr - snr_at_target) / db_per_decade)))
        points.append({"snr_db": snr, "blocks": blocks, "block_errors": errors, "per": errors / blocks})
    return points


class Threshold(unittest.TestCase):
    def test_crossing_is_found(self):
        for at in (-1.0, 0.13, 1.9):
            self.assertAlmostEqual(threshold.crossing(curve(at)), at, delta=0.02)
            self.assertAlmostEqual(threshold.rough_crossing(curve(at)), at, delta=0.02)

    def test_no_crossing(self):
        self.assertIsNone(threshold.crossing(curve(20)))
        self.assertIsNone(threshold.rough_crossing(curve(20)))
        self.assertIsNone(threshold.crossing([]))
        floor = [dict(point, per=0.02, block_errors=200) for point in curve(0)]
        self.assertIsNone(threshold.crossing(floor))

    def test_points_without_errors_count(self):
        """Few blocks: leaving out the points without errors would move the crossing up by half a dB."""
        few = curve(0.0, db_per_decade=1.0, blocks=300)
        self.assertEqual(few[-1]["block_errors"], 0)
        self.assertAlmostEqual(threshold.crossing(few), 0.0, delta=0.15)

    def test_bit_errors(self):
        """A wrong block has 30 wrong bits of 1000: BER 1e-6 where the block error rate is 1e-6 * 1000 / 30."""
        points = [dict(point, ber=point["per"] * 0.03) for point in curve(0.0, blocks=10_000_000)]
        self.assertAlmostEqual(threshold.ber_crossing(points), -2 * (math.log10(1e-6 / 0.03) + 2), delta=0.05)
        self.assertIsNone(threshold.ber_crossing([dict(point, ber=0.0) for point in points]))

    def test_gap_with_deviation(self):
        distance, deviation = threshold.gap(curve(0.7), curve(0.2))
        self.assertAlmostEqual(distance, 0.5, delta=0.02)
        self.assertLess(deviation, 0.05)
        jagged = curve(0.7)
        for i, point in enumerate(jagged):
            point["block_errors"] = round(point["block_errors"] * (1.5 if i % 2 else 0.7))
            point["per"] = point["block_errors"] / point["blocks"]
        self.assertGreater(threshold.gap(jagged, curve(0.2))[1], 0.1)
        self.assertIsNone(threshold.gap(curve(20), curve(0)))


class Document(unittest.TestCase):
    def test_tables_are_those_of_the_points(self):
        sets = curves_report.read_sets(DOCS)
        wanted = {f"{name}-{direction}" for name in curves_report.NAMES for direction in curves_report.DIRECTIONS}
        others = {name for name in wanted if name.rsplit("-", 1)[0] in curves_report.OTHER_NUMEROLOGIES}
        self.assertLessEqual(wanted - others | {"mobility"}, set(sets))
        self.assertEqual(curves_report.split_document(DOCS)[1], curves_report.tables(sets))


if __name__ == "__main__":
    unittest.main()
