# SPDX-License-Identifier: GPL-3.0-or-later
import unittest

import numpy as np

from wimax import mobility
from wimax.mobility import Cost231Hata, Erceg, FreeSpace, LinkBudget, Mobile, Moving, Place, SnrSeries, Waypoints


class Losses(unittest.TestCase):
    def test_free_space(self):
        self.assertAlmostEqual(float(FreeSpace(2.4e9).loss_db(100)), 80.05, delta=0.01)  # 32.45 + 20 lg(2400 MHz) + 20 lg(0.1 km)
        loss = FreeSpace(3.5e9).loss_db([1000, 2000, 10_000])
        np.testing.assert_allclose(np.diff(loss), [20 * np.log10(2), 20 * np.log10(5)])
        self.assertTrue(np.isfinite(FreeSpace().loss_db(0)))

    def test_cost_231_hata(self):
        # By hand: 46.3 + 33.9 lg 1800 - 13.82 lg 30 - a + (44.9 - 6.55 lg 30) lg 5, a = (1.1 lg 1800 - 0.7) 1.5 - (1.56 lg 1800 - 0.8)
        self.assertAlmostEqual(float(Cost231Hata(1.8e9, 30, 1.5).loss_db(5000)), 160.818, delta=0.01)
        near, town = Cost231Hata(2e9), Cost231Hata(2e9, metropolitan=True)
        self.assertAlmostEqual(float(town.loss_db(3000) - near.loss_db(3000)), 3.0)
        self.assertAlmostEqual(float(near.loss_db(1)), float(FreeSpace(2e9).loss_db(1)))

    def test_erceg(self):
        # Terrain B, 2 GHz, 30 m, 2 m: no corrections; exponent 4 - 0.195 + 0.57 = 4.375.
        model = Erceg("B", 2e9, 30, 2)
        self.assertAlmostEqual(float(model.loss_db(1000)), float(FreeSpace(2e9).loss_db(100)) + 43.75, places=6)
        self.assertAlmostEqual(float(Erceg("B", 3.5e9, 30, 2).loss_db(1000) - model.loss_db(1000)), 26 * np.log10(1.75), places=6)
        self.assertAlmostEqual(float(Erceg("C", 2e9, 30, 6).loss_db(1000) - Erceg("C", 2e9, 30, 2).loss_db(1000)), -20 * np.log10(3), places=6)
        self.assertAlmostEqual(float(model.loss_db(50)), float(FreeSpace(2e9).loss_db(50)))
        self.assertGreater(*(float(Erceg(terrain).loss_db(3000)) for terrain in "AC"))

    def test_distances_are_finite(self):
        for model in (FreeSpace(), Cost231Hata(), Erceg()):
            for wrong in (float("nan"), -1, [5, float("inf")]):
                with self.assertRaisesRegex(ValueError, "distance_m: value .*: allowed finite numbers from 0"):
                    model.loss_db(wrong)

    def test_ranges_are_refused_all_at_once(self):
        with self.assertRaises(ValueError) as raised:
            Cost231Hata(1e9, 10, 20)
        self.assertEqual(str(raised.exception).splitlines(), ["frequency_hz: value 1e+09: allowed 1.5e+09..3.8e+09", "base_height_m: value 10: allowed 30..200",
                                                              "station_height_m: value 20: allowed 1..10"])
        with self.assertRaisesRegex(ValueError, "terrain: value 'D': allowed A, B, C"):
            Erceg("D")
        with self.assertRaisesRegex(ValueError, "frequency_hz"):
            FreeSpace(float("nan"))


class Movements(unittest.TestCase):
    def test_positions(self):
        times = np.array([0.0, 1.0, 10.0])
        np.testing.assert_array_equal(Place(3, 4).positions(times), [[3, 4]] * 3)
        np.testing.assert_array_equal(Moving(100, 0, -2, 5).positions(times), [[100, 0], [98, 5], [80, 50]])
        np.testing.assert_array_equal(Waypoints([(0.5, 0, 0), (2.5, 20, 40)]).positions(times), [[0, 0], [5, 10], [20, 40]])
        for wrong in ([(0, 1)], [(1, 0, 0), (1, 0, 0)], [], [(0, 0, float("inf"))]):
            with self.assertRaisesRegex(ValueError, "points: shape .*: allowed rows"):
                Waypoints(wrong)

    def test_snr_follows_the_distance(self):
        link = LinkBudget(FreeSpace(3.5e9), base_power_dbm=20, base_gain_db=0, station_gain_db=0, noise_figure_db=5, bandwidth_hz=5e6)
        self.assertAlmostEqual(link.noise_dbm(), -102.01, delta=0.01)
        self.assertAlmostEqual(float(link.snr_db(1000)), 20 + 102.01 - 103.33, delta=0.05)
        snr = Mobile(Moving(1000, 0, 1000, 0), link).snr_db_at(np.array([0.0, 1.0, 3.0]))
        np.testing.assert_allclose(np.diff(snr), [-20 * np.log10(2)] * 2)
        self.assertEqual(float(link.snr_db(1e9)), -30.0)
        self.assertAlmostEqual(link.uplink_offset_db(), 4.0)

    def test_series(self):
        series = SnrSeries([0, 2, 4], [10, 20, 0], period_s=5)
        np.testing.assert_allclose(series.snr_db_at(np.array([0, 1, 3, 4.5, 6, 8])), [10, 15, 10, 0, 15, 10])
        with self.assertRaises(ValueError) as raised:
            SnrSeries([0, 0, 1], [10, 90])
        self.assertEqual(len(str(raised.exception).splitlines()), 3)

    def test_every_public_name_is_documented(self):
        for name in mobility.__all__:
            self.assertGreater(len(getattr(mobility, name).__doc__ or ""), 40, name)


if __name__ == "__main__":
    unittest.main()
