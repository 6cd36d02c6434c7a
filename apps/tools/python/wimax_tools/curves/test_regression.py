# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement of the regression test on numbers made up to be known."""
import contextlib
import io
import unittest
import unittest.mock

from wimax_tools.curves import regression


class Regression(unittest.TestCase):
    CASE = {"rate": 3, "reference": {"blocks": 10_000, "block_errors": 1000}}

    def test_sigmas(self):
        # 0.1 against 0.1; then 0.13 of 2000: the difference deviates by sqrt(0.105 * 0.895 * (1/2000 + 1/10000)).
        self.assertEqual(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 200}), 0)
        self.assertAlmostEqual(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 260}), 3.996, delta=0.01)
        self.assertLess(regression.sigmas(self.CASE, {"blocks": 2000, "block_errors": 100}), -regression.ALLOWED_SIGMA)

    def test_white_noise_is_independent_in_every_block(self):
        point = {"blocks": 2000, "block_errors": 260}
        self.assertAlmostEqual(regression.sigmas(dict(self.CASE, channel="awgn", symbols=100), point), 3.996, delta=0.01)

    def test_verdicts(self):
        allowed = regression.ALLOWED_SIGMA
        self.assertTrue(3 <= regression.ALLOWED_MEAN_SIGMA <= allowed <= 4)
        for distance, verdict in ((allowed + 0.01, "WORSE"), (allowed - 0.01, "ok"), (0, "ok"), (0.01 - allowed, "ok"),
                                  (-allowed - 0.01, "BETTER, regenerate")):
            self.assertEqual(regression.judge(distance, allowed), verdict)

    def run_check(self, errors):
        """Cases of the present receiver against a tool that finds these errors in 2000 blocks each."""
        cases = [dict(self.CASE, snr_db=snr) for snr in range(len(errors))]
        found = iter(errors)

        def measured(tool, case, seed, factor):
            self.assertEqual((tool, seed, factor), ("tool", regression.TEST_SEED, 1))
            count = next(found)
            return {"blocks": 2000, "block_errors": count, "per": count / 2000}

        with unittest.mock.patch("wimax_tools.curves.regression.measure", measured), contextlib.redirect_stdout(io.StringIO()) as shown:
            return regression.check("tool", cases, ""), shown.getvalue()

    def test_one_point_off_fails_both_ways(self):
        self.assertEqual(self.run_check([200] * 9)[0], 0)
        off, shown = self.run_check([200] * 8 + [260])  # 4 sigma
        self.assertEqual((off, shown.count("WORSE")), (1, 1))
        off, shown = self.run_check([200] * 8 + [140])
        self.assertEqual((off, shown.count("BETTER")), (1, 1))

    def test_a_little_worse_everywhere_fails(self):
        off, shown = self.run_check([218] * 9)  # 1.2 sigma each
        self.assertEqual((off, shown.count("WORSE")), (1, 1))
        self.assertIn("all 9 together: +3.7 sigma: WORSE", shown)
        self.assertEqual(self.run_check([212] * 9)[0], 0)

    def test_blocks_of_a_burst_are_not_independent(self):
        point = {"blocks": 2000, "block_errors": 260}
        self.assertAlmostEqual(regression.sigmas(dict(self.CASE, symbols=4), point),
                               regression.sigmas(self.CASE, point) / 2)


if __name__ == "__main__":
    unittest.main()
