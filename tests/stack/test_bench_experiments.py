# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of the field studies without a stack: what is asked of the bench, and what is made of its answers."""
import contextlib
import io
import types
import unittest
from unittest import mock

from wimax_tools.bench import experiments, report
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Clock


class FakeStack:
    """Simulated time runs at half the wall clock's speed."""
    bs_netns = "net-bs"

    def __init__(self, extra):
        self.extra, self.wall_s, self.quiet = extra, 100.0, 0

    def clock(self):
        self.wall_s += 4.0
        return Clock(self.wall_s / 2, self.wall_s)

    def wait_until_quiet(self):
        self.quiet += 1

    def route(self, i, direction):
        return ("net-bs", "net-ss1", self.ss_address(i)) if direction == "downlink" else ("net-ss1", "net-bs", "10.16.0.1")

    def ss_address(self, i):
        return f"10.16.0.{i + 2}"

    def capacity_kbps(self):
        return {"downlink": 8000.0, "uplink": 6000.0}


class FakeBench:
    def __init__(self, extra, answers):
        self.stack = FakeStack(extra)
        self.args = types.SimpleNamespace(duration=10.0, profile=Profile.parse("5MHz-10ms"))
        self.answers, self.asked = iter(answers), []

    def pace(self):
        return 0.5

    def start(self, flows):
        self.asked.append(list(flows))

    def results(self, _name):
        return [{"ip_bps": bps, "lost": 0, "packets": 0, "retransmissions": 0} for bps in next(self.answers)]


class Experiments(unittest.TestCase):
    def run_it(self, name, answers):
        """`answers`: of both profiles, the rates of the transfers in the wall clock's time."""
        benches = []

        @contextlib.contextmanager
        def bench_of(extra):
            benches.append(FakeBench(extra, answers[len(benches)]))
            yield benches[-1]

        said = []
        with mock.patch("time.sleep"):
            result = experiments.EXPERIMENTS[name].run(bench_of, said.append, Profile.parse("5MHz-10ms"))
        self.assertEqual(said, [f"{name}, field profile", f"{name}, lab profile"])
        self.assertEqual(set(result), {"experiment", "conditions", "published", "field_profile", "lab_profile", "goals"})
        self.assertEqual(benches[1].stack.extra, {}, "our own profile is the default")
        self.assertTrue(all(b.stack.quiet == len(b.asked) == 2 for b in benches))
        return result, benches

    def test_two_tcp(self):
        result, (field, _) = self.run_it("B4", [[(3e6, 1e6), (2e6, 2e6)], [(2e6, 1.9e6), (1.2e6, 1.8e6)]])
        self.assertEqual(field.asked[0], [(0, "downlink", None)] * 2)
        self.assertEqual(field.stack.extra["bs"]["bs"], {"dl_share": 0.4, "codel_target_frames": 0})
        self.assertEqual(result["field_profile"]["downlink"], {"kbps": [6000.0, 2000.0], "jain": 0.8})
        self.assertEqual(result["lab_profile"]["uplink"], {"kbps": [2400.0, 3600.0], "jain": 0.9615})
        self.assertEqual([(g["what"], g["goal"], g["measured"], g["met"]) for g in result["goals"]],
                         [("Jain's index, downlink", 0.98, 0.9993, True), ("Jain's index, uplink", 0.98, 0.9615, False)])

    def test_tcp_beside_udp(self):
        result, (_, lab) = self.run_it("B5", [[(0.1e6, 3e6)] * 2, [(1.8e6, 1.9e6), (1.349e6, 1.5e6)]])
        self.assertEqual(lab.asked[1], [(0, "uplink", None), (0, "uplink", 1.2 * 6000e3 * 0.5)], "offers are made in simulated time")
        self.assertEqual(result["lab_profile"]["downlink"],
                         {"tcp_kbps": 3600.0, "udp_kbps": 3800.0, "capacity_kbps": 8000.0, "tcp_share": 0.45})
        self.assertEqual([g["met"] for g in result["goals"]], [True, False])

    def test_round_trip_under_load(self):
        trips = {"rtt_s": [i / 1e3 for i in range(1, 101)], "lost": 3}
        with mock.patch("wimax_tools.bench.traffic.ping", return_value=trips) as ping:
            result, (field, _) = self.run_it("A7", [[(3e6,), (2e6,)], [(3e6,), (2e6,)]])
        ping.assert_called_with("net-bs", "10.16.0.2", 266, 0.01)
        self.assertEqual(field.stack.extra["ss1"]["ss"], {"sdu_hold_frames": 1, "codel_target_frames": 0})
        self.assertEqual(result["lab_profile"]["downlink"],
                         {"tcp_kbps": 6000.0, "rtt_p50_ms": 25.5, "rtt_p99_ms": 50.0, "probes": 100, "lost": 3})
        self.assertEqual([g["met"] for g in result["goals"]], [True, True])

    def test_round_trips_by_service(self):
        """Four services with either profile, probed from both ends; only our own profile's means are held against the goals."""
        for name, offset, goals in (("5MHz-10ms", 0.0, [12.5, 13.5, 24, 13.5]), ("5MHz-5ms", 0.0, [7.5, 8.5, 14, 8.5]),
                                    ("5MHz-2.5ms", 0.0, [7.5, 8, 14, 8])):
            stacks = []

            @contextlib.contextmanager
            def bench_of(extra):
                stacks.append(extra)
                bench = FakeBench(extra, [])
                bench.args.profile = Profile.parse(name)
                yield bench

            # In seconds of the wall clock, which is twice as fast.
            trips = [{"rtt_s": [0.004, 0.006, 0.010, 0.012 + i / 1000], "lost": 1} for i in range(16)]
            said = []
            with mock.patch("wimax_tools.bench.traffic.ping", side_effect=trips) as ping:
                result = experiments.EXPERIMENTS["A1"].run(bench_of, said.append, Profile.parse(name))
            frame_s = Profile.parse(name).frame_s
            self.assertEqual([call.args for call in ping.call_args_list[:2]],
                             [("net-bs", "10.16.0.2", 1000, frame_s), ("net-ss1", "10.16.0.1", 1000, frame_s)])
            self.assertEqual({call.kwargs["octets"] for call in ping.call_args_list}, {84})
            self.assertEqual(said[:2], ["A1, field profile, ugs", "A1, field profile, rtps"])
            self.assertEqual(said[7], "A1, lab profile, be_spare")
            up = stacks[4]["bs"]["bs"]["service_flows"][0]
            self.assertEqual((up["scheduling"], up["max_sustained_rate_bps"]), ("ugs", round(672 / frame_s)))
            self.assertEqual(stacks[6]["bs"]["bs"]["profile"], {"unasked_symbols": 0, "grant_spare": False, "request_backoff_start": 0})
            self.assertEqual(stacks[2]["bs"]["bs"]["profile"]["name"], "Default")
            self.assertEqual(stacks[7]["bs"]["bs"], {"map_relevance": "next_frame"} if frame_s < 0.004 else {})
            lab = result["lab_profile"]
            self.assertEqual(set(lab["uplink"]), set(result["published"]["uplink"]))
            self.assertEqual(lab["downlink"]["ugs"], {"mean_ms": 5.0, "sigma_ms": 3.08, "p99_ms": 10.0, "probes": 4, "lost": 1})
            self.assertEqual([g["goal"] for g in result["goals"]], goals)
            self.assertEqual([g["measured"] for g in result["goals"]], [5.06, 5.31, 5.56, 5.81])
            self.assertEqual([g["met"] for g in result["goals"]], [True] * 4)

    def test_the_page_says_what_is_missed(self):
        result, _ = self.run_it("B4", [[(1e6, 1e6)] * 2, [(1e6, 1e6), (1e6, 3e6)]])
        out = io.StringIO()
        report.goals("Two", result, out)
        text = out.getvalue()
        self.assertIn("met    Jain's index, downlink: 1.0 (goal 0.98)", text)
        self.assertIn("MISSED Jain's index, uplink: 0.8 (goal 0.98)", text)
        self.assertIn("own profile          uplink    kbps [2000.0, 6000.0], jain 0.8", text)


if __name__ == "__main__":
    unittest.main()
