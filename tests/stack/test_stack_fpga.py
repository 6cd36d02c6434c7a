# SPDX-License-Identifier: GPL-3.0-or-later
"""Cores of fpga/ in all radios, simulated: a narrow channel, whose samples are few. Detector, front end and gate are what brings the
station in and its packets through."""
import unittest

from wimax_tools.bench.traffic import ping
from support import StackCase, needs_root

FRAMES = 50              # of the station
SYMBOLS_LISTENED_TO = 3  # of a frame without traffic, at least: prefix, maps; some of the first frames are not listened to


class Cores(StackCase):
    @needs_root
    def test_entry_and_ping(self):
        stack = self.stack(profile="1.25MHz-10ms", fpga=True)
        stack.start()
        stack.wait_for_entry()
        self.assertEqual(ping(stack.bs_netns, stack.ss_address(0), 10, stack.profile.frame_s)["lost"], 0)
        self.wait_until(stack, f"not {FRAMES} frames", lambda: stack.answer("ss1.phyd")["frames"] > FRAMES)
        cores = stack.core_figures()
        self.assertGreaterEqual(cores["ss1"]["preambles"], 2)
        self.assertGreater(cores["ss1"]["symbols"], SYMBOLS_LISTENED_TO * cores["ss1"]["frames"])
        self.assertEqual((cores["bs"]["preambles"], cores["bs"]["symbols"]), (0, 0))
        for site, frames in (("bs", cores["ss1"]["frames"]), ("ss1", 10)):
            gate = cores[site]["gate"]
            self.assertGreaterEqual(gate["bursts"], frames, site)
            self.assertEqual([gate[fault] for fault in ("late", "too_long", "too_often", "underflows")], [0] * 4, site)


if __name__ == "__main__":
    unittest.main()
