# SPDX-License-Identifier: GPL-3.0-or-later
import unittest

from wimax_tools.demo import story
from wimax_tools.demo.story import FADE_PERIOD_S, FALL_S, FIRST_FADE_S, PLACES

NEAR, MIDDLE, FAR = PLACES
DEEP_S = FIRST_FADE_S + FALL_S


class Channel(unittest.TestCase):
    def test_stations_differ_in_distance_and_level(self):
        self.assertEqual(sorted(PLACES, key=lambda p: p.km), sorted(PLACES, key=lambda p: -p.snr_db))
        self.assertEqual(len({p.delay_samples for p in PLACES}), len(PLACES))

    def test_one_station_fades_every_minute(self):
        for begin in (0, FADE_PERIOD_S, 5 * FADE_PERIOD_S):
            self.assertEqual(story.snr_db(MIDDLE, begin + DEEP_S + 1), MIDDLE.snr_db - MIDDLE.fade_db)
            self.assertEqual(story.snr_db(MIDDLE, begin + DEEP_S - FALL_S / 2), MIDDLE.snr_db - MIDDLE.fade_db / 2)
            self.assertEqual(story.snr_db(NEAR, begin + DEEP_S + 1), NEAR.snr_db)
            self.assertEqual(story.snr_db(FAR, begin + DEEP_S + 1), FAR.snr_db)
        self.assertEqual(story.snr_db(MIDDLE, 0), MIDDLE.snr_db)
        self.assertEqual(story.snr_db(MIDDLE, FIRST_FADE_S + FADE_PERIOD_S), MIDDLE.snr_db)

    def test_phases_follow_in_order(self):
        seen = []
        for tenth in range(int(10 * (FADE_PERIOD_S + FIRST_FADE_S))):
            if not seen or seen[-1] != story.phase(tenth / 10):
                seen.append(story.phase(tenth / 10))
        self.assertEqual(seen, ["steady", "falling", "deep", "rising", "steady", "falling"])
        self.assertEqual(set(story.PHASES), set(seen))


class Words(unittest.TestCase):
    def test_changes_of_rates(self):
        before = {"near": {"dl": 6, "ul": 6}, "middle": {"dl": 5, "ul": None}}
        now = {"near": {"dl": 6, "ul": 6}, "middle": {"dl": 3, "ul": 2}, "far": {"dl": 1, "ul": 1}}
        self.assertEqual(list(story.rate_changes(0, before, now)), [f"    0.0  middle: downlink slower, 64-QAM 2/3 -> 16-QAM 1/2, at an SNR of {MIDDLE.snr_db} dB"])
        self.assertIn("faster", next(story.rate_changes(0, now, before)))

    def test_a_row_fits_its_header(self):
        row = story.row(7, FAR, {"dl": 3, "ul": None, "cinr_db": None, "dl_kbps": 900.4, "ul_kbps": 0})
        self.assertEqual(len(row), len(story.HEADER))
        self.assertEqual(row.split(), ["7", "far", "4", "15.0", "-", "16-QAM", "1/2", "900", "-", "0"])


if __name__ == "__main__":
    unittest.main()
