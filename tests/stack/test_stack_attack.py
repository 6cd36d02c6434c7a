# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks of both malicious ends, and more connections than descriptors, in short; all kinds: tests/endurance/attack.py."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from support import needs_root

sys.path.insert(0, str(Path(__file__).parents[1] / "endurance"))

import attack  # noqa: E402
import hostile  # noqa: E402

SECONDS = 2.0
KINDS = ("dsa_names", "random_messages", "flows_to_and_fro", "ranging_storm", "three_flows_a_frame", "frequency_3600000_khz", "no_descriptors")


class Pdus(unittest.TestCase):
    def decoded(self, octets):
        done = subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"], "bin/wimax-pdu"), "decode", "--hex", "-"], input=octets.hex(), capture_output=True,
                              text=True, check=True)
        return json.loads(done.stdout)

    def test_a_receiver_reads_them(self):
        """Without faults: an attack that is dropped at the first octet attacks nothing."""
        numbers = hostile.Numbers(2, 322, 643, 1, 321, 641, bytes((10, 16, 0, 3)), bytes((10, 16, 0, 2)))
        chance = hostile.Chance(1)
        for kind in ("rng_req_of_the_victim", "dsd_flood", "ugs_of_4_gbps", "requests_of_all", "address_of_the_victim"):
            said = json.dumps(self.decoded(hostile.OF_A_STATION[kind](numbers, chance)))
            self.assertIn('"error": null', said, kind)
            self.assertNotRegex(said, r'"error": "|"(crc|hcs)_ok": false', kind)

    def test_bursts_are_as_long_as_before(self):
        numbers = hostile.Numbers(2, 322, 643, 1, 321, 641, bytes((10, 16, 0, 3)), bytes((10, 16, 0, 2)))
        for kind, make in hostile.OF_A_STATION.items():
            for length in (40, 100, 1000):
                self.assertEqual(len(hostile.filled(bytes(length), make, numbers, hostile.Chance(kind))), length, kind)

    def test_kinds(self):
        self.assertGreaterEqual(len(hostile.OF_A_STATION), 20)
        self.assertGreaterEqual(len(hostile.OF_A_BASE_STATION), 15)


@needs_root
class Short(unittest.TestCase):
    def test_bounds_hold(self):
        every = attack.attacks()
        outcomes = attack.run([every[kind] for kind in KINDS], SECONDS)
        self.assertEqual(([outcome.kind for outcome in outcomes], [outcome.kind for outcome in outcomes if outcome.broken]), (list(KINDS), []),
                         f"\n{attack.table(outcomes)}")


if __name__ == "__main__":
    unittest.main()
