# SPDX-License-Identifier: GPL-3.0-or-later
"""A subscriber station whose base station is on the last channel of its list, and one that moves to another."""
import unittest

from support import StackCase, needs_root

HOME_HZ, OTHER_HZ, THERE_HZ = 3_500_000_000, 3_505_000_000, 3_510_000_000


@needs_root
class Search(StackCase):
    def test_finds_its_base_station_and_finds_it_again_elsewhere(self):
        stack = self.stack(mode="free", macd_extra={
            "bs": {"air": {"frequency_hz": THERE_HZ}},
            "ss1": {"air": {"frequency_hz": HOME_HZ}, "ss": {"scan_frequencies_hz": [OTHER_HZ, THERE_HZ]}}})
        stack.start()

        def station():
            return (stack.status("ss1.macd") or {}).get("station", {})

        self.wait_until(stack, "not operational", lambda: station().get("operational"), 30)
        self.assertEqual(station()["frequency_hz"], THERE_HZ)
        self.assertEqual(station()["channel_changes"] % 3, 2)  # rounds that it made before the base station was there
        self.wait_for_ping(stack, 3)

        # The base station restarts on the second channel: the subscriber station waits for the lost one, then tries the next two.
        stack.kill("bs.macd")
        config = stack.folder / "bs.macd.yml"
        config.write_text(config.read_text().replace(str(THERE_HZ), str(OTHER_HZ)))
        stack.start_daemon("bs.macd")
        self.wait_until(stack, "not operational again",
                        lambda: station().get("operational") and station()["frequency_hz"] == OTHER_HZ, 30)
        self.assertEqual(station()["channel_changes"] % 3, 1)
        self.wait_for_ping(stack, 3)


if __name__ == "__main__":
    unittest.main()
