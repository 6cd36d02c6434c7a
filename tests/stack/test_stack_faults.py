# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of radios with two MACs above them: what the virtual radio loses, delays and unplugs is counted, shown and recovered from."""
import sys
import unittest
from dataclasses import replace
from pathlib import Path

from support import StackCase
from wimax_tools.bench import cable
from wimax_tools.bench.lates import Stall
from wimax_tools.bench.profiles import Profile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "endurance"))
import faults  # noqa: E402 - the long command's own parts

OPENING_S = 0.3
TRY_S = 0.25  # of simulated time for each fault
LETTERS = {"overflow": "O", "underflow": "U", "lost_rx_packet": "S", "lost_tx_packet": "S"}


class Faults(StackCase):
    def start(self, personality, profile="3.5MHz-10ms", mode="free"):
        profile = Profile.parse(profile)
        stack = self.stack(str(profile.name), tun=False, traffic=faults.traffic(60), mode=mode)
        stack.cable = replace(cable.plan(stack.binaries, cable.names(personality), profile), opening_s=OPENING_S)
        stack.start()
        stack.wait_for_entry()
        faults.wait(stack, 0.6)
        return stack

    def test_each_is_counted_and_recovered_from_within_two_frames(self):
        stack = self.start("b210")
        before = faults.look(stack)
        for radio in stack.sites:
            for fault in (f for f in faults.COUNTED if f != "jitter"):  # lock-step knows none
                with self.subTest(radio=radio, fault=fault):
                    tried = faults.try_fault(stack, radio, fault, TRY_S, 0)
                    self.assertTrue(tried["counted"])
                    self.assertLessEqual(tried["frames"], faults.FRAMES_ALLOWED)
                    self.assertEqual(tried["late"], 0)
        after = faults.look(stack)
        lost = sum(after[site]["outage_frames"] - before[site]["outage_frames"] for site in after)
        self.assertGreater(lost, 0, "nothing was lost by any of them: there were none")
        injected = {radio: own["injected"] for radio, own in stack.answer("channeld")["radios"].items()}
        self.assertEqual(injected, {radio: {**{fault: int(fault != "jitter") for fault in faults.COUNTED}, "unplug": 0} for radio in stack.sites})
        for site in stack.sites:
            self.assert_shown(stack, site)
            self.assertTrue(stack.answer(f"{site}.macd")["operational"])

    def assert_shown(self, stack, site):
        """On the console: the letters, with what has come since the line before."""
        def lines():
            return (stack.folder / f"{site}.phyd.log").read_text(encoding="utf-8", errors="replace").splitlines()

        def shown(letter):
            return any(line.startswith("phy ") and f"  {letter} " in line and " (+" in line for line in lines())

        for letter in sorted(set(LETTERS.values())):
            self.wait_until(stack, f"{letter} on the console of {site}", lambda c=letter: shown(c))

    def test_whoever_is_unplugged_comes_back(self):
        """Simulated time is not faster than the wall clock here, by which radios are opened."""
        stack = self.start("b210", mode="paced")
        for radio in ("ss1", "bs"):
            with self.subTest(radio=radio):
                self.assertIsNotNone(faults.unplug(stack, radio, OPENING_S), "not healed")
                self.assertEqual(stack.answer(f"{radio}.phyd")["radio_losses"], 1)

    def test_fifty_milliseconds_without_reception(self):
        """RFNoC's devices begin anew so long after an overflow: five frames of 10 ms, and the next ones are good again."""
        stack = self.start("x310-ubx")
        for radio in stack.sites:
            with self.subTest(radio=radio):
                tried = faults.try_fault(stack, radio, "overflow", 0.5, 50)
                self.assertTrue(tried["counted"])
                self.assertLessEqual(tried["frames"], faults.FRAMES_ALLOWED)
                self.assertGreaterEqual(stack.answer(f"{radio}.phyd")["radio"]["lost_samples"], 0.05 * stack.profile.sample_rate_hz - 100)
                self.assertTrue(all(stack.answer(f"{site}.macd")["operational"] for site in stack.sites))


class Blame(unittest.TestCase):
    """The host's own stalls, made up here: three faults, 0.3 s each, one after the other."""

    def spoiled(self, stalls, late):
        tries = [{"begin_s": 10 + 0.3 * i, "end_s": 10.29 + 0.3 * i, "late": n} for i, n in enumerate(late)]
        faults.blame(tries, [Stall(*stall) for stall in stalls])
        return [faults.spoiled(one) for one in tries]

    def test_a_stall_spoils_what_is_under_way(self):
        self.assertEqual(self.spoiled([(10.45, 0.002)], [0, 0, 0]), [False, True, False])
        self.assertEqual(self.spoiled([(10.45, 0.0019)], [0, 0, 0]), [False, False, False])

    def test_a_short_one_only_if_something_was_late(self):
        self.assertEqual(self.spoiled([(10.45, 0.001)], [0, 0, 0]), [False, False, False])
        self.assertEqual(self.spoiled([(10.45, 0.001)], [0, 1, 0]), [False, True, False])

    def test_what_is_late_without_one_is_not_excused(self):
        self.assertEqual(self.spoiled([], [1, 1, 1]), [False, False, False])

    def test_one_at_the_end_spoils_what_follows(self):
        self.assertEqual(self.spoiled([(10.25, 0.001)], [1, 0, 0]), [True, True, False])
        self.assertEqual(self.spoiled([(10.15, 0.001)], [1, 0, 0]), [True, False, False])

    def test_what_was_late_before_needs_a_stall_before(self):
        self.assertEqual(self.spoiled([(10.45, 0.001)], [1, 0, 0]), [False, False, False])


if __name__ == "__main__":
    unittest.main()
