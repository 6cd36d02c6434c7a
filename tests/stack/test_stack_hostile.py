# SPDX-License-Identifier: GPL-3.0-or-later
"""A radio channel and stations that do harm: a step in path loss, a fade, jumps of the delay, interference, two stations with one
address."""
import unittest

from wimax_tools.bench.traffic import ping
from support import StackCase, needs_root

HEALED_S = 5.0   # simulated time until a ping is answered again
NEAR_DB = 70     # path loss at which the station sends 20 dB below its limit
JUMPED_S = 0.5   # the same after a jump of the delay
TARGET_DBM = -60
RX_GAIN_DB = 30  # with which a base station takes the target 20 dB below full scale


@needs_root
class Hostile(StackCase):
    def near(self, bs=None, dl_rate=6, **up):
        """A station well below its limit of power; `up`: keys of its uplink, `bs` of the base station."""
        link = {"path_loss_db": NEAR_DB, "delay_samples": 20.0, "both": False}
        stack = self.stack(channel_extra={"links": [{"from": "bs", "to": "ss1", **link}, {"from": "ss1", "to": "bs", **link, **up}]},
                           dl_rate=dl_rate, macd_extra={"bs": {"air": {"rx_gain_db": RX_GAIN_DB},
                                              "bs": {"target_rssi_dbm": TARGET_DBM, **(bs or {})}}})
        stack.start()
        stack.wait_for_entry()
        self.wait_for_ping(stack, HEALED_S)
        return stack

    def set_links(self, stack, **keys):
        for link in ("bs->ss1", "ss1->bs"):
            self.assertNotIn("error", stack.ask("channeld", {"set": {"link": link, **keys}}))

    def ul_rate(self, stack):
        return stack.status("bs.macd")["station"]["stations"][0]["ul_rate_id"]

    def test_fade_with_lower_rates(self):
        """To 14.5 dB at full power, where 64-QAM fails."""
        stack = self.near({"ul_lowest_rate_id": 0}, dl_rate=1)
        before = self.station(stack)["restarts"]
        for path_loss_db in (90, 105, 118):
            self.set_links(stack, path_loss_db=path_loss_db)
            self.wait_for_ping(stack, HEALED_S)
        self.assertIn(self.ul_rate(stack), (3, 4))
        self.assertEqual(self.station(stack)["restarts"], before)
        self.set_links(stack, path_loss_db=NEAR_DB)
        self.wait_until(stack, "the rate stays low", lambda: self.ul_rate(stack) == 6, HEALED_S)
        self.wait_for_ping(stack, HEALED_S)
        self.assertEqual(self.station(stack)["restarts"], before)

    def test_fade_at_a_fixed_rate(self):
        stack = self.near(dl_rate=1)
        self.set_links(stack, path_loss_db=105)
        self.wait_for_ping(stack, HEALED_S)
        self.set_links(stack, path_loss_db=118)
        self.wait_until(stack, "both are still operational", lambda: not stack.status("bs.macd")["station"]["operational"]
                        and not self.station(stack)["operational"], 2.5)
        log = stack.folder / "ss1.macd.log"
        tries = log.read_text().count("SBC: ranging succeeded")
        begin = stack.clock().simulated_s
        self.wait_until(stack, "", lambda: stack.clock().simulated_s > begin + 6)
        self.assertEqual(log.read_text().count("SBC: ranging succeeded"), tries)  # it waits for the link
        self.set_links(stack, path_loss_db=105)
        self.wait_for_ping(stack, HEALED_S)
        self.assertEqual(log.read_text().count("SBC: ranging succeeded"), tries + 1)

    def station(self, stack):
        return stack.status("ss1.macd")["station"]

    def test_jumps_of_the_delay(self):
        stack = self.near()
        before = self.station(stack)["restarts"]
        for to in (60, 200, 60, 20):
            self.set_links(stack, delay_samples=to)
            self.wait_until(stack, f"not corrected at {to} samples",
                            lambda n=to: abs(self.station(stack)["timing_advance_samples"] - 2 * n) < 12, JUMPED_S)
            self.wait_for_ping(stack, JUMPED_S)
        self.assertEqual(self.station(stack)["restarts"], before)

    def test_step_of_path_loss(self):
        stack = self.near()
        before = self.station(stack)
        self.assertAlmostEqual(before["power_dbm"], NEAR_DB + TARGET_DBM, delta=2)
        self.set_links(stack, path_loss_db=NEAR_DB + 30)
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
