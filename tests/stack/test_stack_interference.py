# SPDX-License-Identifier: GPL-3.0-or-later
"""Periodic interference at the base station's receiver, 20 dB above the stations, a tenth of the time."""
import unittest

from wimax_tools.bench.traffic import ping
from support import StackCase, needs_root

HEALED_S = 5.0
TARGET_DBM = -60
NEAR_DB = 70
PINGS = 150


@needs_root
class Interference(StackCase):
    def pings_answered(self, period_ms, start_ms):
        """Of PINGS, 100 ms apart, from the moment it begins."""
        burst = {"power_dbm": -200, "start_ms": start_ms, "duration_ms": period_ms / 10, "period_ms": period_ms}
        link = {"path_loss_db": NEAR_DB, "delay_samples": 20.0, "both": False}
        stack = self.stack(channel_extra={"links": [{"from": "bs", "to": "ss1", **link},
                                                    {"from": "ss1", "to": "bs", **link, "interference": burst}]},
                           macd_extra={"bs": {"bs": {"target_rssi_dbm": TARGET_DBM}}})
        stack.start()
        stack.wait_for_entry()
        self.wait_for_ping(stack, HEALED_S)
        before = stack.status("ss1.macd")["station"]["restarts"]
        self.assertNotIn("error", stack.ask("channeld", {"set": {"link": "ss1->bs", "interference_dbm": TARGET_DBM + 20}}))
        result = ping(stack.bs_netns, stack.ss_address(0), PINGS, stack.profile.frame_s)
        status = stack.status("bs.macd")["station"]
        up = status["stations"][0]["ul"]
        print(f"period {period_ms} ms from {start_ms} ms: {result['lost']} of {PINGS} pings lost, "
              f"{up['missed'] + up['fec_errors']} of {up['grants']} grants failed, {status['lost_stations']} stations lost", flush=True)
        self.assertEqual(stack.status("ss1.macd")["station"]["restarts"], before)
        self.assertTrue(status["operational"])
        return PINGS - result["lost"]

    def of_a_frame(self, start_ms):
        self.assertGreaterEqual(self.pings_answered(10, start_ms), 145)

    def test_period_of_the_frame_from_0_ms(self):
        self.of_a_frame(0)

    def test_period_of_the_frame_from_2_ms(self):
        self.of_a_frame(2)

    def test_period_of_the_frame_from_4_ms(self):
        self.of_a_frame(4)

    def test_period_of_the_frame_from_6_ms(self):
        self.of_a_frame(6)

    def test_period_of_the_frame_from_8_ms(self):
        self.of_a_frame(8)

    def test_any_other_period(self):
        """What is hit is lost, (3.7 + 0.7) ms of 37."""
        self.assertGreaterEqual(self.pings_answered(37, 0), 122)


if __name__ == "__main__":
    unittest.main()
