# SPDX-License-Identifier: GPL-3.0-or-later
import unittest

from wimax_tools.policy import classifiers, queues
from wimax_tools.policy.cells import TRAFFIC_BOTH_WAYS

FAULTLESS = {"calls": 200, "spent_us": 8000, "longest_us": 333, "late": 0, "failed": 0, "nonsense": 0, "busy": 0, "replaced": False}


def flow(direction, scheduling, sdus, dropped=0, marked=0):
    return {"direction": direction, "scheduling": scheduling, "sdus": sdus, "dropped": dropped, "marked": marked}


def result(key, faults=None, bps=1000):
    """Of one station: three quarters of the packets in rtPS at the end that sends."""
    flows = [flow(way, service, sdus, 5, 7) for way in TRAFFIC_BOTH_WAYS for service, sdus in (("rtPS", 30), ("BE", 10))]
    other = [flow(way, "BE", 1000, 1000, 1000) for way in TRAFFIC_BOTH_WAYS]
    status = {"base_station": {"stations": [{"flows": flows[:2] + other[1:]}]}, "stations": [{"flows": other[:1] + flows[2:]}]}
    one = {"status": status, "total": {way: {"goodput_bps": bps, "delay_ms": {"p50": 10.0, "p99": 20.0}} for way in TRAFFIC_BOTH_WAYS}}
    if faults is not None:
        one["policies"] = {key: FAULTLESS}
        one["station_policies"] = {key: {**FAULTLESS, "failed": faults, "replaced": faults >= 3}}
    return one


class Kinds(unittest.TestCase):
    def test_the_policy_is_used_where_the_direction_is_sent(self):
        for kind in (queues, classifiers):
            for name in kind.CELLS:
                scenario = kind.scenario(name, 5, 1, {"python": "a.py:A"}, ("uplink",))
                self.assertEqual(scenario["subscriber_station"], {kind.KEY: {"python": "a.py:A"}})
                self.assertNotIn("base_station", scenario)
                self.assertTrue(scenario["status"])

    def test_figures_are_those_of_the_sending_end(self):
        for kind in (queues, classifiers):
            rows = kind.compare(next(iter(kind.CELLS)), result(kind.KEY, 0, 1500), result(kind.KEY), TRAFFIC_BOTH_WAYS)
            self.assertEqual([row["direction"] for row in rows], list(TRAFFIC_BOTH_WAYS))
            for row in rows:
                self.assertEqual(row["policy"], {"goodput_bps": 1500, "delay_ms": {"p50": 10.0, "p99": 20.0}, "dropped": 10, "marked": 14,
                                                 "shares": {"BE": 0.25, "rtPS": 0.75}})
                self.assertEqual((row["cost"]["calls"], row["cost"]["mean_us"]), (200, 40))

    def test_tables(self):
        text = queues.table(queues.compare("tcp", result("queue_management", 0, 1500), result("queue_management"), TRAFFIC_BOTH_WAYS))
        self.assertIn("tcp      downlink          2    150.0     10.0     10.0     20.0     20.0       10       10       14       14     200      40      333", text)
        self.assertIn("no faults", text)
        text = classifiers.table(classifiers.compare("mixed", result("classifier", 3), result("classifier"), TRAFFIC_BOTH_WAYS))
        self.assertIn("BE 25.0 %, rtPS 75.0 % (BE 25.0 %, rtPS 75.0 %)", text)
        self.assertIn("mixed uplink: 0 late, 3 failed, 0 nonsense; replaced by the built-in policy", text)

    def test_short_packets_share_the_flow_of_long_ones(self):
        traffic = classifiers.CELLS["mixed"][1]["traffic"]
        for entry in traffic:
            if "same_flow_as" in entry:
                shared = traffic[entry["same_flow_as"] - 1]
                self.assertEqual((shared["direction"], shared["packet_bytes"]), (entry["direction"], 1200))


if __name__ == "__main__":
    unittest.main()
