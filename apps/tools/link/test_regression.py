# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement of the regression test on numbers made up to be known."""
import unittest

import regression


class Regression(unittest.TestCase):
    CASE = {"rate": 3, "reference": {"blocks": 10_000, "block_errors": 1000}}

    def test_sigmas(self):
        # 0.1 against 0.1; then 0.13 of 2000: the difference deviates by sqrt(0.105 * 0.895 * (1/2000 + 1/10000)).
        self.assertEqual(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 200}), 0)
        self.assertAlmostEqual(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 260}), 3.996, delta=0.01)
        self.assertLess(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 100}), -regression.ALLOWED_SIGMA)

    def test_blocks_of_a_burst_are_not_independent(self):
        point = {"blocks": 2000, "block_errors": 260}
        self.assertAlmostEqual(regression.sigmas(dict(self.CASE, symbols=4), point),
                               regression.sigmas(self.CASE, point) / 2)


if __name__ == "__main__":
    unittest.main()
