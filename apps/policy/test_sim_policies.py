# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies of users in wimax-sim: the examples as they are shipped, and faults. Arguments: wimax-sim, the folder of examples, the library
of the C++ example."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIM, EXAMPLES, MAX_WEIGHT = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
THRESHOLD_RATES = {"python": f"{EXAMPLES}/threshold_rates.py:ThresholdRates"}
PROPORTIONAL_FAIR = {"python": f"{EXAMPLES}/proportional_fair.py:ProportionalFair"}
FAULTY = """
class Built:
    def __init__(self, cell):
        self.calls = 0
    def schedule(self, frame):
        self.calls += 1
        left, units = int(frame.units), []
        for station in frame.stations:
            given = max(0, min(int(station.wanted_units + 0.999), left - frame.burst_overhead_units))
            left -= given + frame.burst_overhead_units
            units.append(given)
        return self.fault(frame, units) if self.calls in self.AT else units
class Throws(Built):
    AT = (200,)
    def fault(self, frame, units):
        raise RuntimeError("in call 200")
class ThrowsThrice(Throws):
    AT = (200, 210, 220)
class Nonsense(Built):
    AT = (200, 201)
    def fault(self, frame, units):
        return [frame.units + 1] * len(units)
"""
RATES = """
class Faulty:
    def __init__(self, cell):
        self.calls = 0
    def adapt(self, link):
        self.calls += 1
        if self.calls in (50, 60, 70):
            return self.fault(link)
        return link.lowest_rate_id
class Throws(Faulty):
    def fault(self, link):
        raise RuntimeError("no rate")
class Nonsense(Faulty):
    def fault(self, link):
        return link.highest_rate_id + 1
"""
ADMISSIONS = """
class Nobody:
    def __init__(self, cell): pass
    def admit(self, request):
        return request.kind != "station" or request.mac.endswith(":00:00") or "only the first station"
class Throws:
    def __init__(self, cell): pass
    def admit(self, request): raise RuntimeError("no decision")
"""
FADING = {"stations": 4, "seconds": 6, "warmup_s": 1, "seed": 4, "rate": "auto", "snr_db": [24, 17, 12, 8],
          "traffic": [{"direction": way, "kind": "saturate"} for way in ("downlink", "uplink")]}
HALF_DUPLEX = 0.75  # of the goodput: the examples do not know the groups
NEAR = 0.1   # of the goodput, of a rule that is simpler than the built-in one
SATURATED = {"stations": 2, "seconds": 3, "seed": 3, "traffic": [{"direction": way, "kind": "saturate"} for way in ("downlink", "uplink")]}
EQUAL = 0.03  # of the goodput


class Policies(unittest.TestCase):
    def simulate(self, base_station, text=FAULTY, **scenario):
        with tempfile.TemporaryDirectory() as folder:
            file, rules = Path(folder, "cell.yml"), Path(folder, "faulty.py")
            rules.write_text(text, encoding="utf-8")
            schedulers = {key: {"python": f"{rules}:{value[1:]}"} if isinstance(value, str) and value.startswith(":") else value
                          for key, value in base_station.items()}
            file.write_text(json.dumps({**SATURATED, **scenario, "base_station": schedulers, "events": True}), encoding="utf-8")
            done = subprocess.run([SIM, "--scenario", file], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def assert_as_good(self, result, builtin):
        for direction in ("downlink", "uplink"):
            own, other = (r["total"][direction] for r in (result, builtin))
            self.assertGreater(own["goodput_bps"], (1 - EQUAL) * other["goodput_bps"], direction)
            self.assertGreater(own["jain"], 0.99, direction)

    def test_the_example_carries_as_much_as_the_built_in_one(self):
        builtin, _ = self.simulate({"dl_scheduler": "proportional_fair", "ul_scheduler": "proportional_fair"})
        self.assertNotIn("policies", builtin)
        result, _ = self.simulate({"dl_scheduler": PROPORTIONAL_FAIR, "ul_scheduler": PROPORTIONAL_FAIR})
        self.assert_as_good(result, builtin)
        for key in ("dl_scheduler", "ul_scheduler"):
            policy = result["policies"][key]
            self.assertGreater(policy["calls"], 300)
            self.assertGreater(policy["spent_us"], 0)
            self.assertEqual([policy[kind] for kind in ("late", "failed", "nonsense", "busy", "replaced")], [0, 0, 0, 0, False])

    def test_the_library_serves_both_directions(self):
        library = {"library": MAX_WEIGHT}
        result, _ = self.simulate({"dl_scheduler": library, "ul_scheduler": library})
        builtin, _ = self.simulate({})
        for direction in ("downlink", "uplink"):
            self.assertGreater(result["total"][direction]["goodput_bps"], (1 - EQUAL) * builtin["total"][direction]["goodput_bps"], direction)
        self.assertEqual(result["policies"]["ul_scheduler"]["nonsense"], 0)

    def test_results_follow_from_the_seed(self):
        digests = {self.simulate({"dl_scheduler": PROPORTIONAL_FAIR, "ul_scheduler": PROPORTIONAL_FAIR}, seconds=1, seed=seed)[0]["air_digest"]
                   for seed in (5, 5, 6)}
        self.assertEqual(len(digests), 2)

    def test_a_wrong_file_is_a_fault_of_its_key_and_line(self):
        for text, key, reason in ((f"dl_scheduler: {{python: '{EXAMPLES}/proportional_fair.py:Fair'}}", "dl_scheduler.python", "ProportionalFair"),
                                  ("ul_scheduler:\n    library: /nowhere.so", "ul_scheduler.library", "a file that exists"),
                                  ("ul_scheduler: fairest", "ul_scheduler", "or keys: python, library")):
            with self.subTest(key=key), tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "cell.yml")
                file.write_text(f"stations: 1\nbase_station:\n  {text}\n", encoding="utf-8")
                done = subprocess.run([SIM, "--scenario", file], capture_output=True, text=True, timeout=100, check=False)
                self.assertEqual(done.returncode, 2)
                line = 2 + len(text.splitlines())
                self.assertIn(f"{file}:{line}: base_station.{key}: value ", done.stderr)
                self.assertIn(reason, done.stderr)

    def test_each_fault_costs_a_frame_and_the_third_the_place(self):
        for name, kind, faults, replaced in (("Throws", "failed", 1, False), ("ThrowsThrice", "failed", 3, True), ("Nonsense", "nonsense", 2, False)):
            with self.subTest(policy=name):
                result, events = self.simulate({"dl_scheduler": f":{name}"})
                policy = result["policies"]["dl_scheduler"]
                self.assertEqual((policy[kind], policy["replaced"]), (faults, replaced))
                self.assertEqual(events.count("of the loaded policy"), faults, events)
                self.assertEqual("the built-in policy replaces the loaded one after 3 faults" in events, replaced)
                self.assertEqual(result["total"]["downlink"]["lost_packets"], 0)
                self.assertEqual(result["losses"], 0)

    def test_schedulers_serve_half_duplex_stations_in_fdd(self):
        cell = {"profile": "5MHz-fdd", "stations": 6, "half_duplex_stations": 4}
        builtin, _ = self.simulate({}, **cell)
        for policy in (PROPORTIONAL_FAIR, {"library": MAX_WEIGHT}):
            result, _ = self.simulate({"dl_scheduler": policy, "ul_scheduler": policy}, **cell)
            uplink = result["policies"]["ul_scheduler"]
            self.assertGreater(uplink["calls"], 2 * SATURATED["seconds"] / result["frame_s"], "one for each group and the others")
            for own in result["policies"].values():
                self.assertEqual([own[kind] for kind in ("late", "failed", "nonsense", "replaced")], [0, 0, 0, False])
            for way in ("downlink", "uplink"):
                self.assertGreater(result["total"][way]["goodput_bps"], HALF_DUPLEX * builtin["total"][way]["goodput_bps"], way)

    def adaptation(self, value, **scenario):
        """Result with the link adaptation at both ends."""
        keys = {"adaptation": {"policy": value}}
        with tempfile.TemporaryDirectory() as folder:
            file, rules = Path(folder, "cell.yml"), Path(folder, "rates.py")
            rules.write_text(RATES, encoding="utf-8")
            if isinstance(value, str) and value.startswith(":"):
                keys = {"adaptation": {"policy": {"python": f"{rules}{value}"}}}
            file.write_text(json.dumps({**FADING, **scenario, "base_station": keys, "subscriber_station": keys}), encoding="utf-8")
            done = subprocess.run([SIM, "--scenario", file], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_adaptation_example_is_near_the_built_in_one(self):
        builtin, result = self.adaptation("outcome"), self.adaptation(THRESHOLD_RATES)
        for way in ("downlink", "uplink"):
            self.assertGreater(result["total"][way]["goodput_bps"], (1 - NEAR) * builtin["total"][way]["goodput_bps"], way)
        self.assertEqual(sum(flow["lost_packets"] - flow.get("refused_packets", 0) for flow in result["flows"]), 0)
        for member in ("policies", "station_policies"):
            policy = result[member]["link_adaptation"]
            self.assertGreater(policy["calls"], 1000, member)
            self.assertEqual([policy[kind] for kind in ("late", "failed", "nonsense", "busy", "replaced")], [0, 0, 0, 0, False])

    def test_each_fault_of_an_adaptation_costs_a_frame_and_the_third_the_place(self):
        for name, kind in ((":Throws", "failed"), (":Nonsense", "nonsense")):
            with self.subTest(policy=name):
                result = self.adaptation(name)
                base, stations = (result[member]["link_adaptation"] for member in ("policies", "station_policies"))
                self.assertEqual((base[kind], base["replaced"], base["calls"]), (3, True, 70))
                self.assertEqual((stations[kind], stations["replaced"]), (12, True), "each of four stations")
                builtin = self.adaptation("outcome")
                for way in ("downlink", "uplink"):
                    self.assertGreater(result["total"][way]["goodput_bps"], (1 - NEAR) * builtin["total"][way]["goodput_bps"], way)

    def test_an_admission_rule_refuses_stations(self):
        result, events = self.simulate({"admission": ":Nobody"}, ADMISSIONS, stations=3)
        self.assertEqual(result["operational_at_end"], 1)
        self.assertIn("refused: only the first station", events)
        self.assertEqual(result["policies"]["admission"]["failed"], 0)

    def test_an_admission_rule_that_throws_is_replaced(self):
        result, events = self.simulate({"admission": ":Throws"}, ADMISSIONS)
        self.assertEqual(result["operational_at_end"], SATURATED["stations"])
        policy = result["policies"]["admission"]
        self.assertEqual((policy["failed"], policy["replaced"]), (3, True))
        self.assertIn("admission: the built-in policy replaces the loaded one after 3 faults", events)

    def test_the_admission_example_limits_and_overbooks(self):
        flows = [{"stations": [n], "direction": "downlink", "service": service, "kind": "cbr", "rate_bps": rate, "min_rate_bps": rate,
                  "max_rate_bps": rate, "packet_bytes": 1000}
                 for n, (service, rate) in enumerate((("rtPS", 1_500_000),) * 5 + (("rtPS", 4_000_000),), 1)]
        scenario = {"stations": 7, "snr_db": [25] * 6 + [1], "traffic": flows, "rate": "auto"}
        example = {"python": f"{EXAMPLES}/admission_limits.py:AdmissionLimits"}
        result, events = self.simulate({"admission": example}, **scenario)
        print(events[:2000])
        self.assertEqual(result["policies"]["admission"]["failed"], 0)
        self.assertIn("at least 3 dB needed", events)
        self.assertIn("at most", events)


if __name__ == "__main__":
    unittest.main()
