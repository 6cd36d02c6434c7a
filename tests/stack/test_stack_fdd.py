# SPDX-License-Identifier: GPL-3.0-or-later
"""FDD: both directions are full at the same time, as in the simulator; the samples depend on nothing but the seed; models of radios carry it."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import StackCase
from wimax_tools.bench import cable, matrix
from wimax_tools.bench.profiles import Profile

BITS = Profile.bits_per_symbol(6)
FULL_KBPS = {"downlink": 20_000, "uplink": 20_000}  # more than 200 symbols of 10 ms carry
MEASURED_S = 4.0
AGREES = 0.01
EIGHT, EACH_KBPS, HALF_DUPLEX_S = 8, 2600, 2.0


class Fdd(StackCase):
    def fdd(self, profile="5MHz-fdd", **options):
        return self.stack(profile, mode="free", tun=False, **options)

    def symbols(self, stack, seconds=MEASURED_S):
        """IP symbols of a frame, by direction, of both at once."""
        stack.wait_for_entry()
        settled = max(2.5, stack.clock().simulated_s + 0.5)
        self.wait_until(stack, "no traffic", lambda: stack.clock().simulated_s > settled)
        begin = {d: stack.delivered(d)[0] for d in FULL_KBPS}
        self.wait_until(stack, "the measurement did not end", lambda: stack.clock().simulated_s > begin["uplink"].simulated_s + seconds)
        end = {d: stack.delivered(d)[0] for d in FULL_KBPS}
        return {d: 8 * (end[d].octets - begin[d].octets) / (end[d].simulated_s - begin[d].simulated_s) * stack.profile.frame_s / BITS
                for d in FULL_KBPS}

    def simulated(self, profile):
        """The same by the simulator."""
        with tempfile.TemporaryDirectory() as folder:
            scenario, out = Path(folder, "full.yml"), Path(folder, "out.json")
            scenario.write_text(f"profile: {profile}\nstations: 1\nseconds: 20\ntraffic:\n"
                                "  - {kind: saturate}\n  - {kind: saturate, direction: uplink}\n", encoding="utf-8")
            subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"], "bin", "wimax-sim"), scenario, "--json", out], check=True, timeout=60)
            total = json.loads(out.read_text())["total"]
        return {d: total[d]["ip_symbols_per_frame"] for d in FULL_KBPS}

    def test_both_directions_are_full_at_once_as_in_the_simulator(self):
        for profile in ("5MHz-fdd", "3.5MHz-fdd", "7MHz-fdd"):
            with self.subTest(profile):
                stack = self.fdd(profile, traffic=matrix.both_ways({d: 2 * kbps for d, kbps in FULL_KBPS.items()}, [(1.0, 1.5, 60)]))
                stack.start()
                found, simulated = self.symbols(stack), self.simulated(profile)
                counters = stack.counters()
                stack.stop()
                self.assertEqual(counters["late"], 0)
                for direction in FULL_KBPS:
                    self.assertAlmostEqual(found[direction] / simulated[direction], 1, delta=AGREES, msg=f"{found} {simulated}")
                if profile == "5MHz-fdd":
                    self.assertGreaterEqual(found["downlink"], 192)
                    self.assertGreaterEqual(found["uplink"], 193)

    def test_half_duplex_stations_share_both_carriers(self):
        """Eight stations with more to send than there is room for: sums of IP symbols of a frame, and shares."""
        def found(half_duplex):
            stations = range(1, EIGHT + 1)
            streams = {"bs": [matrix.stream("10.16.0.1", f"10.16.0.{1 + n}", EACH_KBPS, 1.0, 60) for n in stations],
                       **{f"ss{n}": [matrix.stream(f"10.16.0.{1 + n}", "10.16.0.1", EACH_KBPS, 1.0, 60)] for n in stations}}
            gaps = {"half_duplex": True, "ssttg_us": 50, "ssrtg_us": 50} if half_duplex else {}
            macs = {"bs": {"bs": {"codel_target_frames": 0, "half_duplex_stations": half_duplex}},
                    **{f"ss{n}": {"ss": {"codel_target_frames": 0, **gaps}} for n in stations}}
            stack = self.fdd(stations=EIGHT, traffic=streams, macd_extra=macs, shared=2)
            stack.start()
            stack.wait_for_entry()
            settled = max(2.5, stack.clock().simulated_s + 0.5)
            self.wait_until(stack, "no traffic", lambda: stack.clock().simulated_s > settled)
            begin = {d: stack.delivered(d) for d in FULL_KBPS}
            self.wait_until(stack, "the measurement did not end", lambda: stack.clock().simulated_s > settled + HALF_DUPLEX_S)
            end = {d: stack.delivered(d) for d in FULL_KBPS}
            stack.stop()
            return {d: [8 * (e.octets - b.octets) / (e.simulated_s - b.simulated_s) * stack.profile.frame_s / BITS for b, e in zip(begin[d], end[d])]
                    for d in FULL_KBPS}

        full, half = found(False), found(True)
        for direction, shares in half.items():
            print(f"{direction}: {sum(shares):.1f} symbols, {sum(full[direction]):.1f} of full-duplex stations")
            self.assertGreater(sum(shares), 0.9 * sum(full[direction]), direction)
            self.assertGreater(sum(shares) ** 2 / (EIGHT * sum(x * x for x in shares)), 0.98, f"{direction}: {shares}")

    def test_lock_step_depends_on_the_seed_alone(self):
        def hashes(**options):
            stack = self.fdd(traffic=matrix.both_ways(FULL_KBPS, [(1.0, 1.5, 1.0)]), channel="sui2", snr_db=25, dl_rate=3, ul_rate=3,
                             channel_extra={"hash_s": 2.5, "time": {"hold": True}}, **options)
            stack.start()
            matrix.wait(stack, 2.6)
            found = {name: radio["hash"] for name, radio in stack.status("channeld")["radios"].items()}
            stack.stop()
            return found

        first = hashes()
        self.assertEqual(first, hashes(macd_extra={"ss1": {"sap": {"answer_delay_ms": 4}}}), "subscriber station slowed down")
        self.assertNotEqual(first, hashes(seed=2), "another seed gives other noise")

    def test_models_of_radios_lose_nothing_at_either_error_of_their_clocks(self):
        """Each receives at a second antenna while it transmits. Frames of a slow station overlap by a sample now and then."""
        for model, ppm in (("b210", 20), ("x310-ubx", -20), ("n310", -20)):
            with self.subTest(f"{model}, {ppm} ppm"):
                ends = cable.plan(Path(os.environ["WIMAX_BUILD_DIR"], "bin"), (model, model), Profile.parse("5MHz-fdd"))
                stack = self.fdd(cable=ends, traffic=matrix.both_ways(FULL_KBPS, [(1.0, 1.5, 60)]),
                                 channel_extra={"radios": [{"name": "ss1", "carrier_ppm": ppm, "clock_ppm": ppm}]})
                stack.start()
                found = self.symbols(stack, 1.5)
                bad = {site: stack.status(f"{site}.macd")["bursts"]["bad"] for site in ("bs", "ss1")}
                counters = stack.counters()
                stack.stop()
                self.assertEqual((bad, counters["late"]), ({"bs": 0, "ss1": 0}, 0))
                self.assertGreater(min(found.values()), 188, found)


if __name__ == "__main__":
    unittest.main()
