# SPDX-License-Identifier: GPL-3.0-or-later
"""The transmitter against clause 8.3.10, measured by the analyser's report. Argument: path of wimax-iq."""
import sys
import unittest

import transmitter_study as study

TOOL = sys.argv.pop(1)


class Transmitter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.decoded, cls.plain = study.analyse(TOOL, study.signal())
        cls.shaped_decoded, cls.shaped = study.analyse(TOOL, study.signal(window_samples=16, target_papr_db=8))

    def test_constellation_error_is_ten_db_below_its_limit(self):
        self.assertEqual([c["rate_id"] for c in self.plain["constellation"]], list(range(7)))
        for c in self.plain["constellation"]:
            self.assertEqual(c["symbols"], 20 * 16)
            self.assertLess(c["error_db"], c["limit_db"] - 10, c["rate"])

    def test_spectrum_is_flat(self):
        for measured in (self.plain, self.shaped):
            self.assertGreater(measured["flatness"]["margin_db"], 1.5)
            self.assertLess(measured["flatness"]["neighbour_db"], measured["flatness"]["neighbour_limit_db"])
            self.assertLess(measured["carrier_zero"]["level_db"], -60)

    def test_windowing_keeps_the_mask(self):
        self.assertGreater(self.shaped["mask"]["margin_db"], 15)
        self.assertGreater(self.shaped["mask"]["margin_db"], self.plain["mask"]["margin_db"] + 10)

    def test_crest_reduction_lowers_peaks_within_the_error_limit(self):
        for c in self.shaped["constellation"]:
            self.assertGreater(c["margin_db"], 2.9, c["rate"])
        gain = self.plain["crest"]["ccdf_db"]["0.0001"] - self.shaped["crest"]["ccdf_db"]["0.0001"]
        self.assertGreater(gain, 0.8)
        self.assertAlmostEqual(self.plain["crest"]["ccdf_db"]["0.01"], 6.6, delta=0.15)  # Gaussian: 6.63 dB

    def test_frequency_and_timing_are_exact(self):
        for decoded in (self.decoded, self.shaped_decoded):
            frames = decoded["frames"]
            self.assertEqual([f["start_sample"] for f in frames], [1000 + 57600 * i for i in range(20)])
            for frame in frames:
                self.assertLess(abs(frame["cfo_hz"]), 1)
                self.assertLess(abs(frame["sfo_ppm"]), 0.5)
                self.assertEqual([b["fec_ok"] for b in frame["bursts"]], [True] * 7)


if __name__ == "__main__":
    unittest.main()
