# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of radios at both ends of a cable: a small part of `wimax bench --matrix`, and lock-step through the resampler bit by bit."""
import os
import unittest
from pathlib import Path

from support import StackCase, needs_root
from wimax_tools.bench import cable, matrix
from wimax_tools.bench.profiles import Profile

COMPARED_S = 2.5  # simulated time whose samples are compared: entry (about 1.3 s) and data both ways


class Personalities(StackCase):
    def hashes(self, **options):
        """Of what each radio received, and packets that arrived."""
        profile = Profile.parse("5MHz-10ms")
        ends = cable.plan(Path(os.environ["WIMAX_BUILD_DIR"], "bin"), ("x310-ubx", "x310-ubx"), profile)
        self.assertEqual(ends.rate_hz, 6_250_000)
        limits = {"downlink": 8000, "uplink": 8000}
        stack = self.stack(mode="free", tun=False, cable=ends, channel="sui2", traffic=matrix.both_ways(limits, [(0.9, 1.5, 0.8)]),
                           channel_extra={"hash_s": COMPARED_S, "time": {"hold": True}}, **options)
        stack.start()
        matrix.wait(stack, COMPARED_S + 0.1)
        found = {name: radio["hash"] for name, radio in stack.status("channeld")["radios"].items()}
        lost, _ = matrix.lost(stack)
        self.assertEqual((lost, stack.counters()["late"]), ({"downlink": 0, "uplink": 0}, 0))
        stack.stop()
        return found

    def test_lock_step_through_the_resampler_depends_on_nothing_else(self):
        first = self.hashes()
        self.assertEqual(first, self.hashes(macd_extra={"ss1": {"sap": {"answer_delay_ms": 4}}}), "subscriber station slowed down")
        self.assertNotEqual(first, self.hashes(seed=2), "another seed gives other noise")

    @needs_root
    def test_a_resampled_model_does_what_ideal_radios_do(self):
        ideal, result = (matrix.measured(model, model, 3.5) for model in ("ideal", "n310"))
        self.assertEqual((ideal.faults, result.faults), ([], []))
        matrix.judge(result, ideal)
        self.assertEqual(result.faults, [], matrix.row(result))
        self.assertEqual(result.rate_hz, 4_096_000)

    @needs_root
    def test_a_mixed_pair_with_wrong_references_enters(self):
        for wrong_db in (20, -20):
            result = matrix.with_wrong_references("x310-ubx", "b210", 5, wrong_db)
            matrix.judge_entry(result)
            self.assertEqual(result.faults, [], matrix.row(result))
            self.assertEqual(result.rate_hz, 6_250_000)


if __name__ == "__main__":
    unittest.main()
