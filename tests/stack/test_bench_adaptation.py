# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate adaptation against fixed rates: which packets are lost, which rates are measured and count, what is missed. Nothing runs here."""
import argparse
import contextlib
import io
import json
import tempfile
import unittest
from unittest import mock

from wimax_tools.bench import adaptation, run
from wimax_tools.bench.adaptation import Look
from wimax_tools.bench.profiles import RATE_NAMES, Profile
from wimax_tools.bench.stack import StackError

PROFILE = Profile.parse("5MHz-10ms")
CEILINGS = [adaptation.ceiling_kbps(PROFILE, rate) for rate in range(7)]


def result(kbps, lost=0, packets=10_000, **more):
    return {"kbps": kbps, "packets": packets, "lost": lost, "loss": lost / packets, "changes": 0, "changes_settled": 0, "rate": 4, **more}


def statuses(stations=True):
    flow = {"direction": "downlink", "backlog_packets": 10, "dropped_full": 3, "dropped_codel": 4, "dropped_pool": 5, "dropped_arq": 100, "dropped_no_room": 100}
    station = {"flows": [flow, {"direction": "uplink"}], "link": {"dl_rises": 1, "dl_falls": 2, "ul_rises": 4, "ul_falls": 8}, "dl_rate_id": 3, "ul_rate_id": 5}
    return {"bs": {"simulated_s": 1.0, "traffic": {"made": 1000, "received": 70}, "station": {"drops": {"unclassified": 2}, "stations": [station] if stations else []}},
            "ss1": {"simulated_s": 2.0, "traffic": {"made": 90, "received": 970},
                    "station": {"drops": {"unclassified": 3}, "flows": [{"direction": "downlink"}, {**flow, "direction": "uplink", "backlog_packets": 1}]}}}


class Measured(unittest.TestCase):
    def test_drops_before_a_flow_exists_and_of_queues_are_not_losses(self):
        down, up = (adaptation.look(statuses(), d) for d in ("downlink", "uplink"))
        self.assertEqual((down, down.lost), (Look(2.0, 1000, 14, 10, 970, 3, 3), 6))
        self.assertEqual((up, up.lost), (Look(1.0, 90, 15, 1, 70, 12, 5), 4))
        self.assertEqual(adaptation.look(statuses(stations=False), "downlink"), Look(2.0, 1000, 2, 0, 970, 0, None))

    def test_figures(self):
        looks = [Look(2 + s, 200 * s, 90 * s, 10, 100 * s, min(s, 6), 3 if s < 8 else 4) for s in range(25)]
        found = adaptation.figures(looks, Look(30, 5000, 2000, 0, 2990, 6, 4), 2, 22)
        self.assertEqual(found, {"kbps": 800.0, "packets": 3000, "lost": 10, "loss": 0.003333, "changes": 6, "changes_settled": 1, "rate": 4})
        never = [Look(2 + s, 100 * s, 0, 0, 0, 0, None) for s in range(25)]
        self.assertEqual(adaptation.figures(never, never[-1], 2, 22)["rate"], 0)

    def test_a_new_entry_sets_counters_back_and_is_no_loss(self):
        account = adaptation.Account()
        for one in (Look(2, 1000, 500, 40, 455, 7, 3), Look(3, 1100, 60, 0, 470, 0, None), Look(4, 1400, 100, 10, 717, 2, 1),
                    Look(5, 2000, 5, 0, 800, 0, None), Look(6, 2600, 600, 0, 800, 1, 2)):
            account.add(one)
        self.assertEqual([one.lost for one in account.looks], [5, 5, 8, 8, 13])
        self.assertEqual([one.changes for one in account.looks], [7, 7, 9, 9, 10])
        self.assertEqual(adaptation.figures(account.looks, account.looks[-1], 2, 6)["changes"], 3)

    def test_queues_are_full_and_all_runs_equal(self):
        for sent in (one[0] for one in adaptation.streams(PROFILE, 20).values()):
            self.assertAlmostEqual(8e-3 * sent["size_bytes"] / sent["period_s"], 1.2 * CEILINGS[6])
            self.assertAlmostEqual(sent["count"] * sent["period_s"], 20, delta=0.01)

    def test_configurations(self):
        self.assertEqual(adaptation.configuration("awgn", False), {})
        self.assertEqual(adaptation.configuration("sui1", False), {"bs": {"bs": {"profile": {"broadcast_rate_id": 0}}}})
        own = adaptation.configuration("sui1", True)
        self.assertEqual([flow["arq"]["block_lifetime_ms"] for flow in own["bs"]["bs"]["service_flows"]], [0, 0])
        self.assertEqual((own["bs"]["bs"]["profile"], own["ss1"]), ({"broadcast_rate_id": 0}, {"ss": {"codel_target_frames": 0}}))
        self.assertNotIn("profile", adaptation.configuration("awgn", True)["bs"]["bs"])


class FakeStack:
    """A frame passes with each status of the base station; `received`: packets at both sinks by that time."""

    def __init__(self, received, waiting=lambda time_s: 0, **more):
        self.frame, self.received, self.waiting, self.more = 0, received, waiting, more

    def check_alive(self):
        pass

    def status(self, daemon):
        self.frame += daemon == "bs.macd"
        time_s = self.frame / 4
        found = statuses()[daemon.partition(".")[0]]
        flows = [flow for station in found["station"].get("stations", [found["station"]]) for flow in station["flows"]]
        for flow in flows:
            flow["backlog_packets"] = self.waiting(time_s)
        return {**found, "simulated_s": time_s, "phy_starts": 1, "traffic": {"made": 1000, "received": self.received(time_s)}, **self.more}


class Watched(unittest.TestCase):
    def setUp(self):
        sleeping = mock.patch.object(adaptation.time, "sleep", lambda _: None)
        sleeping.start()
        self.addCleanup(sleeping.stop)

    def test_until_nothing_arrives_any_more(self):
        stack = FakeStack(lambda s: min(980, int(100 * max(0, s - 2))))  # the last arrives after 11.8 s
        found = adaptation.Watch(stack, 5).figures()
        self.assertEqual((found["downlink"]["kbps"], found["downlink"]["lost"], found["uplink"]["lost"]), (800.0, 6, 5))
        self.assertEqual(stack.frame / 4, 12.5)
        stack = FakeStack(lambda s: 0)
        adaptation.Watch(stack, 5).figures()
        self.assertEqual(stack.frame / 4, 7.75)
        stack = FakeStack(lambda s: 0, lambda s: 1 if s < 9 else 0)
        adaptation.Watch(stack, 5).figures()
        self.assertEqual(stack.frame / 4, 9)

    def test_not_longer_than_ten_seconds(self):
        stack = FakeStack(lambda s: int(100 * s))
        adaptation.Watch(stack, 5).figures()
        self.assertEqual(stack.frame / 4, 17.25)

    def test_failures(self):
        for more, fault in (({"phy_starts": 2}, "a MAC has lost its PHY"), ({"simulated_s": 3.0}, "simulated time has stopped at 3 s")):
            with self.assertRaisesRegex(StackError, fault):
                adaptation.Watch(FakeStack(lambda s: 0, **more), 5).figures()

    def test_a_rate_is_measured_again(self):
        for failures, times in ((0, 1), (3, 4), (4, 4)):
            said, answers = [], [StackError("x")] * failures + ["measured"]
            with mock.patch.object(adaptation, "measure", mock.Mock(side_effect=answers)) as measure:
                try:
                    self.assertEqual(adaptation.tried(None, said.append, 5, None), "measured")
                except StackError:
                    self.assertEqual((failures, said[-1]), (4, "x"))
            self.assertEqual((measure.call_count, len(said)), (times, failures))


class Rates(unittest.TestCase):
    def measured(self, kbps, first):
        """Rates in the order in which they were measured. `kbps`: by direction and rate."""
        asked = []

        def measure(rate):
            asked.append(rate)
            return {d: own[rate] for d, own in kbps.items()}

        adaptation.fixed(measure, first, lambda value: value, CEILINGS)
        return asked

    def test_until_goodput_falls_on_both_sides(self):
        falling = [800, 1500, 2000, 2500, 1000, 300, 0]
        self.assertEqual(self.measured({"downlink": falling, "uplink": falling}, [3]), [3, 2, 4])
        self.assertEqual(self.measured({"downlink": falling, "uplink": falling}, [5]), [5, 4, 3, 2])
        self.assertEqual(self.measured({"downlink": falling, "uplink": [800, 900, 700, 600, 0, 0, 0]}, [3]), [3, 2, 1, 4, 0])

    def test_a_rate_that_cannot_carry_the_best_goodput_is_left_out(self):
        full = [0.94 * kbps for kbps in CEILINGS]
        self.assertEqual(self.measured({"downlink": [*full[:4], 0, 0, 0], "uplink": [*full[:4], 0, 0, 0]}, [3]), [3, 4])
        self.assertEqual(self.measured({"downlink": full, "uplink": full}, [6]), [6])
        self.assertEqual(self.measured({"downlink": full, "uplink": full}, [4]), [4, 5, 6])
        self.assertEqual(self.measured({"downlink": [0] * 7, "uplink": [0] * 7}, [2]), [2, 1, 0])

    def test_which_fixed_rates_count(self):
        for channel, arq, lost, counts in (("awgn", False, 10, True), ("awgn", False, 11, False), ("awgn", True, 5000, True), ("sui1", False, 5000, True)):
            self.assertEqual(adaptation.counted_kbps(result(700.0, lost), channel, arq), 700.0 if counts else 0, (channel, arq, lost))


class Compared(unittest.TestCase):
    def missed(self, adapted, channel="awgn", arq=False, fixed=None):
        return adaptation.compare(adapted, fixed or {3: result(900.0), 4: result(1000.0), 5: result(1200.0, lost=11)}, channel, arq)["faults"]

    def test_share_of_the_best_that_counts(self):
        found = adaptation.compare(result(970.0), {4: result(1000.0), 5: result(1200.0, lost=11)}, "awgn", False)
        self.assertEqual(found, {"best": 4, "best_kbps": 1000.0, "share": 0.97, "faults": []})
        self.assertEqual(self.missed(result(969.0)), ["share 0.969, goal 0.97"])
        self.assertEqual(self.missed(result(1163.0), arq=True), ["share 0.969, goal 0.97"])
        self.assertEqual((self.missed(result(1176.0), "sui1"), self.missed(result(1175.0), "sui1")), ([], ["share 0.979, goal 0.98"]))

    def test_no_rate_counts(self):
        found = adaptation.compare(result(100.0, lost=500), {0: result(500.0, lost=11)}, "awgn", False)
        self.assertEqual(found, {"best": None, "best_kbps": None, "share": None, "faults": []})

    def test_verdict(self):
        def point(**up):
            return {"downlink": {"share": 1.0, "faults": []}, "uplink": {"share": 1.0, "faults": [], **up}}

        self.assertEqual([adaptation.verdict(point(**up)) for up in ({}, {"share": None}, {"faults": ["a", "b"]})],
                         ["holds", "no fixed rate counts", "uplink: a; uplink: b"])

    def test_losses(self):
        self.assertEqual((self.missed(result(1000.0, lost=10)), self.missed(result(1000.0, lost=11))), ([], ["0.110% lost, goal 0.1%"]))
        self.assertEqual(self.missed(result(1200.0, lost=1), arq=True), ["1 packets lost with ARQ"])
        self.assertEqual(self.missed(result(1200.0, lost=1), "sui1", arq=True), ["1 packets lost with ARQ"])
        self.assertEqual(self.missed(result(1200.0, lost=900), "sui1"), [])

    def test_flapping(self):
        self.assertEqual(self.missed(result(1000.0, changes=4, changes_settled=0)), [])
        self.assertEqual(self.missed(result(1000.0, changes_settled=2)), ["2 changes of the rate after 5 s"])
        self.assertEqual(self.missed(result(1200.0, changes_settled=200), "sui1"), [])


class Command(unittest.TestCase):
    def run_it(self, folder, *more, share=0.99):
        asked = []

        def measure(args, snr_db, rate):
            asked.append((args.channel, args.duration, args.arq, snr_db, rate))
            return {d: result(1000.0 * share if rate is None else 1000.0 if rate == 4 else 400.0) for d in ("downlink", "uplink")}

        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(adaptation, "measure", measure), mock.patch.object(run.doctor, "faults_for", lambda checks: []), \
                mock.patch.object(run.signal, "signal"), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run.main(["--adaptation", "12,15", "--out", folder, "--json", "-", *more])
        return code, asked, out.getvalue(), err.getvalue()

    def test_the_command_continues(self):
        with tempfile.TemporaryDirectory() as folder:
            code, asked, out, err = self.run_it(folder)
            self.assertEqual((code, asked), (0, [("awgn", 20, False, snr, rate) for snr in (12, 15) for rate in (None, 4, 3, 5)]))
            self.assertEqual([sorted(point["fixed"]) for point in json.loads(out)["points"]], [sorted(RATE_NAMES[3:6])] * 2)
            self.assertIn("| awgn | 15 | 990 / 990 | 1000 (16-QAM 3/4) / 1000 (16-QAM 3/4) | 0.990 / 0.990 | 0.000% / 0.000% | 0 / 0 | holds |", err)
            self.assertEqual(self.run_it(folder)[1], [], "nothing is measured again")
            self.assertEqual(len(self.run_it(folder, "--arq")[1]), 8)

    def test_a_missed_goal(self):
        with tempfile.TemporaryDirectory() as folder:
            code, asked, _, err = self.run_it(folder, "--channel", "sui2", share=0.9)
            self.assertEqual((code, asked[0]), (1, ("sui2", 60, False, 12, None)))
            self.assertIn("| downlink: share 0.900, goal 0.98; uplink: share 0.900, goal 0.98 |", err)

    def test_what_is_refused(self):
        for words in (["--arq"], ["--adaptation", "5", "--matrix"], ["--adaptation", "5", "--experiment", "A1"], ["--adaptation", "5", "--lates", "9"],
                      ["--adaptation", "5,x"], ["--adaptation", "5,200"], ["--adaptation", ""]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
                run.parse(words)
            self.assertIn("--a", said.getvalue(), words)
        self.assertIsInstance(run.parse(["--adaptation", "0,30"]), argparse.Namespace)


if __name__ == "__main__":
    unittest.main()
