# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rate and gains the bench gives two models of radios: of probes made up here."""
import unittest
from unittest import mock

from wimax_tools.bench import cable
from wimax_tools.bench.cable import Cable, End
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import StackError


def found(device_rate_hz, resampled, tx_high=31.5, rx_high=31.5):
    return {"tx": {"gain_db": {"low": 0, "high": tx_high}}, "rx": {"gain_db": {"low": 0, "high": rx_high}},
            "rates": [{"bandwidth_hz": 5_000_000, "device_rate_hz": device_rate_hz, "resampled": resampled},
                      {"bandwidth_hz": 28_000_000, "refused": "the device offers 25 MS/s"}]}


RADIOS = {"b210": found(5759999.992, False, 89.75, 76), "x310-ubx": found(6250000.0004, True), "n310": found(6.144e6, True, 65, 75),
          "deaf": found(5.76e6, False, 30, 12)}


class Planned(unittest.TestCase):
    def plan(self, *personalities, profile="5MHz-10ms", **options):
        with mock.patch.object(cable, "probe", lambda binaries, name, of: RADIOS[name]):
            return cable.plan(None, personalities, Profile.parse(profile), **options)

    def test_the_same_at_both_ends(self):
        self.assertEqual(self.plan("b210", "b210"), Cable(5_760_000, 60, End("b210", 71.75, 30), End("b210", 71.75, 30)))
        self.assertEqual(self.plan("n310", "n310", loss_db=50), Cable(6_144_000, 50, End("n310", 47, 30), End("n310", 47, 30)))

    def test_who_has_another_rate_is_told(self):
        self.assertEqual(self.plan("x310-ubx", "b210"), Cable(6_250_000, 60, End("x310-ubx", 13.5, 30), End("b210", 71.75, 30, 6_250_000)))
        self.assertEqual(self.plan("n310", "x310-ubx"), Cable(6_250_000, 60, End("n310", 47, 30, 6_250_000), End("x310-ubx", 13.5, 30)))

    def test_a_receiver_with_less_gain(self):
        self.assertEqual(self.plan("deaf", "deaf").ss.rx_gain_db, 12)

    def test_what_cannot_be(self):
        with self.assertRaisesRegex(StackError, "x310-ubx: the device offers 25 MS/s"):
            self.plan("x310-ubx", "x310-ubx", profile="28MHz-10ms")
        with self.assertRaisesRegex(StackError, "no plan for 6000000 Hz; those of wimax radio probe: 5 MHz, 28 MHz"):
            self.plan("b210", "b210", profile="6MHz-10ms")
        self.assertEqual((cable.names("a"), cable.names("a,b")), (("a", "a"), ("a", "b")))
        for text in ("", "a,", "a,b,c"):
            with self.assertRaisesRegex(ValueError, "is not one personality, or two"):
                cable.names(text)


if __name__ == "__main__":
    unittest.main()
