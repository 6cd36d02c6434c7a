# SPDX-License-Identifier: GPL-3.0-or-later
"""A radio channel and stations that do harm: a step in path loss, interference, two stations with one address."""
import unittest

from measure import ping
from support import StackCase, needs_root

HEALED_S = 5.0   # simulated time until a ping is answered again
NEAR_DB = 70     # path loss at which the station sends 20 dB below its limit
TARGET_DBM = -60


@needs_root
class Hostile(StackCase):
    def near(self, **up):
        """A station well below its limit of power; `up`: keys of its uplink."""
        link = {"path_loss_db": NEAR_DB, "delay_samples": 20.0, "both": False}
        stack = self.stack(channel_extra={"links": [{"from": "bs", "to": "ss1", **link}, {"from": "ss1", "to": "bs", **link, **up}]},
                           macd_extra={"bs": {"bs": {"target_rssi_dbm": TARGET_DBM}}})
        stack.start()
        stack.wait_for_entry()
        self.wait_for_ping(stack, HEALED_S)
        return stack

    def station(self, stack):
        return stack.status("ss1.macd")["station"]

    def test_step_of_path_loss(self):
        stack = self.near()
        before = self.station(stack)
        self.assertAlmostEqual(before["power_dbm"], NEAR_DB + TARGET_DBM, delta=2)
        for link in ("bs->ss1", "ss1->bs"):
            self.assertNotIn("error", stack.ask("channeld", {"set": {"link": link, "path_loss_db": NEAR_DB + 30}}))
        self.wait_for_ping(stack, HEALED_S)
        after = self.station(stack)
        self.assertAlmostEqual(after["power_dbm"], 30, delta=1)  # its limit
        self.assertEqual(after["restarts"], before["restarts"])  # corrected, not entered again

    def test_interference(self):
        """5 s, 20 dB above the station."""
        begin_s, length_s = 8, 5
        stack = self.near(interference={"power_dbm": TARGET_DBM + 20, "start_ms": 1e3 * begin_s, "duration_ms": 1e3 * length_s})
        def failed():
            return sum(sum(s["ul"][k] for k in ("missed", "fec_errors")) for s in stack.status("bs.macd")["station"]["stations"])

        self.assertLess(stack.clock().simulated_s, begin_s, "the host was too slow to be ready before the interference")
        before = failed()
        self.wait_until(stack, "not disturbed", lambda: failed() >= before + 20, begin_s + 1)
        self.wait_until(stack, "interference", lambda: stack.clock().simulated_s > begin_s + length_s, begin_s + length_s + 2)
        self.wait_for_ping(stack, HEALED_S)
        self.assertTrue(stack.status("bs.macd")["station"]["operational"])
        self.assertAlmostEqual(self.station(stack)["power_dbm"], NEAR_DB + TARGET_DBM, delta=2)

    def test_two_stations_of_one_address(self):
        stack = self.stack(stations=2, macd_extra={"ss2": {"ss": {"mac": "02:00:00:00:00:01"}}})
        stack.write_configuration()
        for daemon in stack.daemons:
            if daemon != "ss2.macd":
                stack.start_daemon(daemon)
        self.wait_until(stack, "the first is not served", lambda: self.pings(stack))
        stack.start_daemon("ss2.macd")
        result = ping(stack.bs_netns, stack.ss_address(0), 300, stack.profile.frame_s)
        self.assertLessEqual(result["lost"], 0.05 * 300)
        self.wait_until(stack, "nobody was sent away",
                        lambda: stack.status("bs.macd")["station"]["ranging"]["duplicates"] > 0)
        self.assertFalse(stack.status("ss2.macd")["station"]["operational"])
        self.assertTrue(stack.status("ss1.macd")["station"]["operational"])
        self.assertIn("a second station with this address", (stack.folder / "bs.macd.log").read_text())


if __name__ == "__main__":
    unittest.main()
