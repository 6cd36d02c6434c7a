# SPDX-License-Identifier: GPL-3.0-or-later
"""help() documents each block, each argument, and each figure of its status."""
import re
import unittest

from gnuradio import wimax

CLASSES = sorted(name for name in dir(wimax) if isinstance(getattr(wimax, name), type))


class Docstrings(unittest.TestCase):
    def test_every_class_and_argument(self):
        self.assertEqual(CLASSES, ["bs_receiver", "burst_transmitter", "downlink_source", "radio_frontend", "radio_sink", "radio_source",
                                   "ss_receiver", "transmit_path"])
        for name in CLASSES:
            said = getattr(wimax, name).__doc__ or ""
            arguments = re.findall(r"[(,] (\w+):", getattr(wimax, name).__init__.__doc__ or "")
            self.assertGreater(len(said), 40, name)
            self.assertEqual([a for a in arguments if a != "self" and not re.search(rf"^[\w, ]*\b{a}\b[\w, ]*: ", said, re.M)], [], name)

    def test_figures(self):
        for block, method in ((wimax.bs_receiver(), "status"), (wimax.ss_receiver(), "status"), (wimax.burst_transmitter(), "counters")):
            said = getattr(type(block), method).__doc__.lower()
            self.assertEqual([key for key in getattr(block, method)() if key not in said], [])


if __name__ == "__main__":
    unittest.main()
