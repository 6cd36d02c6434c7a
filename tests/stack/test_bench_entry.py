# SPDX-License-Identifier: GPL-3.0-or-later
"""Why stations do not enter: what the bench says, by what they measure."""
import types
import unittest

from wimax_tools.bench import entry

RATES = [{"id": i, "name": f"rate {i}", "needs_db": needs} for i, needs in enumerate((1.89, 5.73, 8.48, 11.18, 14.61, 18.41, 20.13))]


def status(state="ranging", cinr_db=25.0, **changes):
    return {"operational": False, "phy_alive": True, "synchronised": True, **changes,
            "station": {"state": state, "cinr_db": cinr_db, "power_dbm": 12.34, "ranging": {"attempts": 7}}}


class Reasons(unittest.TestCase):
    def test_a_rate_that_needs_more(self):
        self.assertEqual(entry.reason(status(cinr_db=10.0), None, RATES, 6, 1), "downlink rate 6 (rate 6) needs 20.1 dB, its CINR is 10.0")
        self.assertEqual(entry.reason(status(cinr_db=10.0), {"cinr_db": 4.0}, RATES, 6, 1),
                         "downlink rate 6 (rate 6) needs 20.1 dB, its CINR is 10.0; uplink rate 1 (rate 1) needs 5.7 dB, its CINR is 4.0")

    def test_where_the_rates_would_do(self):
        for given, words in ((None, "its MAC does not answer"), (status(phy_alive=False), "its MAC has no PHY"),
                             (status(synchronised=False), "it hears no base station"),
                             (status("DCD/UCD wait"), "it is synchronised, CINR 25.0 dB, and reads no maps (DCD/UCD wait)"),
                             (status(), "7 ranging requests were not answered, 12.3 dBm the last"), (status("REG"), "it stays in REG")):
            self.assertEqual(entry.reason(given, {"cinr_db": -100}, RATES, 6, 6), words)

    def test_a_line_for_each_that_is_not_operational(self):
        stack = types.SimpleNamespace(sites=["bs", "ss1", "ss2"], dl_rate=6, ul_rate=6, mac_address=str, ask=lambda *_: {"rates": RATES})
        bs = {"station": {"stations": [{"mac": "1", "cinr_db": 3.0}]}}
        self.assertEqual(entry.reasons(stack, [bs, {"operational": True}, status()]), ["ss2: uplink rate 6 (rate 6) needs 20.1 dB, its CINR is 3.0"])
        self.assertEqual(entry.reasons(stack, [None, None, None]), ["bs: its MAC does not answer"])


if __name__ == "__main__":
    unittest.main()
