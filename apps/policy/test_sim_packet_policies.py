# SPDX-License-Identifier: GPL-3.0-or-later
"""Queue management and classifiers of users in wimax-sim: the examples as they are shipped. Arguments: wimax-sim, the folder of examples."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIM, EXAMPLES = sys.argv.pop(1), sys.argv.pop(1)
PIE = {"python": f"{EXAMPLES}/pie.py:Pie"}
SHORT_FIRST = {"python": f"{EXAMPLES}/by_length.py:ShortFirst"}
TARGET_MS = 30  # of pie.py
WAYS = ("downlink", "uplink")
NO_FAULTS = {"late": 0, "failed": 0, "nonsense": 0, "busy": 0, "replaced": False}


def simulate(scenario):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cell.yml")
        file.write_text(json.dumps({"seed": 3, "status": True, **scenario}), encoding="utf-8")
        done = subprocess.run([SIM, "--scenario", file], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def both_ends(key, value, **others):
    return {end: {key: value, **others} for end in ("base_station", "subscriber_station")}


def sending_flows(result, way):
    """Status of the service flows, where they are sent."""
    status = result["status"]
    flows = status["base_station"]["stations"] if way == "downlink" else status["stations"]
    return [flow for station in flows for flow in station["flows"] if flow["direction"] == way]


def count(result, way, key):
    return sum(flow.get(key, 0) for flow in sending_flows(result, way))


class QueueManagement(unittest.TestCase):
    def overloaded(self, ends, **entry):
        """Two stations that are offered more than the cell carries."""
        packets = {"kind": "poisson", "rate_bps": 8e6, **entry}
        return simulate({"stations": 2, "seconds": 8, "warmup_s": 8, "traffic": [{"direction": way, **packets} for way in WAYS], **ends})

    def assert_no_faults(self, result):
        for policies in (result["policies"], *(station["policies"] for station in result["status"]["stations"])):
            policy = policies["queue_management"]
            self.assertGreater(policy["calls"], 100)
            self.assertEqual({key: policy[key] for key in NO_FAULTS}, NO_FAULTS)

    def test_pie_keeps_the_delay_near_its_target(self):
        without = self.overloaded(both_ends("codel_target_frames", 0))
        pie = self.overloaded(both_ends("queue_management", PIE))
        self.assert_no_faults(pie)
        for way in WAYS:
            own, other = (result["total"][way] for result in (pie, without))
            print(way, {name: (round(r["goodput_bps"] / 1e3), r["delay_ms"]) for name, r in (("pie", own), ("none", other))})
            self.assertGreater(own["goodput_bps"], 0.97 * other["goodput_bps"], way)
            self.assertLess(abs(own["delay_ms"]["p50"] - TARGET_MS), 10, way)
            self.assertGreater(other["delay_ms"]["p50"], 10 * TARGET_MS, way)
            self.assertGreater(count(pie, way, "dropped_policy"), 1000, way)
            self.assertEqual(count(pie, way, "dropped_codel"), 0, way)

    def test_pie_marks_where_the_ends_support_it(self):
        """After slow start, in which the probability exceeds what PIE marks."""
        counts = []
        for seconds in (4, 16):
            result = simulate({"stations": 2, "seconds": seconds, "warmup_s": 4, "traffic": [{"direction": "downlink", "kind": "tcp"}],
                               "base_station": {"queue_management": PIE}})
            counts.append([count(result, "downlink", key) for key in ("marked", "dropped_policy")])
        print("marked, dropped:", *counts)
        self.assertEqual(counts[0][1], counts[1][1], "no drops in the last 12 s")
        self.assertGreater(counts[1][0], counts[0][0] + 20)

    def test_results_follow_from_the_seed(self):
        scenario = {"stations": 2, "seconds": 2, "traffic": [{"direction": way, "kind": "poisson", "rate_bps": 8e6} for way in WAYS],
                    **both_ends("queue_management", PIE)}
        digests = [simulate({**scenario, "seed": seed})["air_digest"] for seed in (5, 5, 6)]
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[0], digests[2])


class Classifier(unittest.TestCase):
    def test_short_packets_move_to_the_flow_of_the_highest_priority(self):
        """Entry 3 of each direction shares the service flow of long packets, as far as rules are concerned."""
        traffic = [{"direction": way, **entry} for way in WAYS for entry in (
            {"kind": "cbr", "rate_bps": 50000, "packet_bytes": 200, "service": "rtPS", "min_rate_bps": 100000},
            {"kind": "cbr", "rate_bps": 200000, "packet_bytes": 1200})]
        traffic += [{"direction": way, "kind": "cbr", "rate_bps": 40000, "packet_bytes": 100, "same_flow_as": same} for way, same in (("downlink", 2), ("uplink", 4))]
        scenario = {"stations": 2, "seconds": 4, "traffic": traffic}
        rules, short = simulate(scenario), simulate({**scenario, **both_ends("classifier", SHORT_FIRST)})
        for way in WAYS:
            shares = []
            for result in (rules, short):
                by_service = {}
                for flow in sending_flows(result, way):
                    by_service[flow["scheduling"]] = by_service.get(flow["scheduling"], 0) + flow["sdus"]
                shares.append(by_service)
            print(way, *shares)
            self.assertLess(shares[1]["BE"], 0.5 * shares[0]["BE"], "short packets are gone")
            total = result["total"][way]
            self.assertEqual(total["lost_packets"], 0)
        for policies in (short["policies"], short["status"]["stations"][0]["policies"]):
            self.assertEqual({key: policies["classifier"][key] for key in NO_FAULTS}, NO_FAULTS)


if __name__ == "__main__":
    unittest.main()
