# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels along a path, video, a channel that changes: their figures without a stack, worked out by hand."""
import math
import types
import unittest
from unittest import mock

import numpy
from matplotlib import pyplot

from wimax_tools.bench.experiment import Measured, description
from wimax_tools.bench.figure import Figure, share_figure
from wimax_tools.bench.instruments import drive, rssi, stream, video
from wimax_tools.bench.instruments.drive import Mark, Sample
from wimax_tools.bench.profiles import RATE_NAMES, Profile
from wimax_tools.bench.stack import Clock, Stack, StackError
from wimax_tools.bench.studies import EXPERIMENTS, changes, mobility

PROFILE = Profile.parse("5MHz-10ms")
DOWN, UP = "downlink", "uplink"


class Levels(unittest.TestCase):
    def test_mean_deviation_and_ends_are_those_of_the_study(self):
        for name, (mean, deviation, low, high) in {"urban": (-64.5, 14.3, -87, -33), "semi-rural": (-64.0, 8.6, -81, -42)}.items():
            for seed in (1, 2, 77):
                trace = rssi.trace_dbm(rssi.PATHS[name], seed)
                self.assertEqual(len(trace), 201)
                for got, wanted in ((trace.mean(), mean), (trace.std(), deviation), (trace.min(), low), (trace.max(), high)):
                    self.assertAlmostEqual(got, wanted, 6, (name, seed))

    def test_a_range_too_narrow_for_the_deviation_is_refused(self):
        with self.assertRaises(ValueError), numpy.errstate(all="ignore"):
            rssi.levels_dbm(rssi.Path(-60, 30, -61, -59, 50))

    def test_the_seed_decides(self):
        path = rssi.PATHS["urban"]
        self.assertTrue((rssi.trace_dbm(path, 5) == rssi.trace_dbm(path, 5)).all())
        self.assertFalse((rssi.trace_dbm(path, 5) == rssi.trace_dbm(path, 6)).all())

    def test_shadows_are_correlated_as_far_as_they_should(self):
        """exp(-1) after 50 m, exp(-2) after 100 m; variance 1 everywhere."""
        many = numpy.array([rssi.shadow(rssi.PATHS["urban"], seed) for seed in range(2000)])
        for at in (0, 100):
            for steps, wanted in ((0, 1), (10, math.exp(-1)), (20, math.exp(-2))):
                self.assertAlmostEqual((many[:, at] * many[:, at + steps]).mean(), wanted, delta=0.07)

    def test_high_shadow_high_level(self):
        path = rssi.PATHS["urban"]
        self.assertTrue((rssi.trace_dbm(path, 3).argsort() == rssi.shadow(path, 3).argsort()).all())

    def test_the_way(self):
        journey = rssi.Journey(rssi.PATHS["urban"], 1, 10)
        trace = rssi.trace_dbm(rssi.PATHS["urban"], 1)
        self.assertEqual(journey.seconds, 100)
        for second, wanted in ((0, trace[0]), (0.5, trace[1]), (0.25, (trace[0] + trace[1]) / 2), (100, trace[-1]), (200, trace[-1])):
            self.assertAlmostEqual(journey.rssi_dbm(second), wanted)

    def test_level_to_snr(self):
        """-174 dBm/Hz + 67.60 dB of 5.76 MHz + 5 dB = -101.40 dBm; 200 of 256 carriers: 1.07 dB more for each."""
        self.assertAlmostEqual(rssi.snr_db(-87, PROFILE), 15.468, 3)
        self.assertEqual(rssi.snr_db(-33, PROFILE), 40)
        self.assertAlmostEqual(rssi.path_loss_db(15.468, PROFILE), 30 + 87, 3)
        received_dbm = Stack.received_dbm.fget(types.SimpleNamespace(profile=PROFILE, snr_db=30, cable=None))
        self.assertAlmostEqual(rssi.snr_db(received_dbm, PROFILE), 30)

    def test_doppler(self):
        self.assertAlmostEqual(rssi.doppler_hz(1.4, 3.5e9), 16.34, 2)


class Played(unittest.TestCase):
    def test_octets_of_a_second(self):
        self.assertEqual(sum(map(video.frame_octets, range(25))) * 8, 700_000)
        self.assertEqual([video.frame_octets(i) for i in (0, 1, 24, 25)], [15092, 3017, 3017, 15092])
        self.assertEqual([len(p) for p in video.packets(1)], [1400, 1400, 217])
        self.assertEqual(sum(map(len, video.packets(0))), 15092)
        self.assertEqual([video.HEADER.unpack_from(p) for p in video.packets(7)], [(7, 0, 3), (7, 1, 3), (7, 2, 3)])

    def test_a_frame_is_whole_with_its_last_packet(self):
        arrived = [(0, 0, 2, 1.0), (0, 0, 2, 1.1), (1, 0, 1, 1.2), (0, 1, 2, 1.3), (0, 1, 2, 1.4), (2, 1, 2, 1.5)]
        self.assertEqual(video.completed(arrived), {0: 1.3, 1: 1.2})

    def played(self, delays):
        """Frames of one packet 40 ms apart, by their delay in s; None: lost."""
        sent = [10 + 0.04 * i for i in range(len(delays))]
        return video.played(sent, [(i, 0, 1, sent[i] + delay) for i, delay in enumerate(delays) if delay is not None])

    def test_what_comes_within_the_buffer_is_shown(self):
        result = self.played([0.02, 0.31, 0.33, None, 0.02])
        self.assertEqual([ok for _, _, ok in result["frames"]], [True, True, False, False, True], "300 ms behind the first, which took 20")
        self.assertEqual((result["in_time"], result["stalls_s"], result["never_whole"]), (0.6, [0.08], 1))
        self.assertAlmostEqual(result["frames"][1][1], 0.31)
        self.assertIsNone(result["frames"][3][1])

    def test_stalls_are_counted_each(self):
        self.assertEqual(self.played([0.02, None, 0.02, None, None, 0.02, None])["stalls_s"], [0.04, 0.08, 0.04])
        self.assertEqual(self.played([0.02, 0.02])["stalls_s"], [])

    def test_before_the_first_whole_frame_nothing_is_shown(self):
        result = self.played([None, 0.02, 0.02])
        self.assertEqual([ok for _, _, ok in result["frames"]], [False, True, True])

    def test_nothing_came(self):
        result = self.played([None, None])
        self.assertEqual((result["in_time"], result["never_whole"]), (0.0, 2))
        self.assertAlmostEqual(result["stalls_s"][0], 0.08)

    def test_sender_and_receiver(self):
        """On the loopback interface, as the two programs that they are."""
        with mock.patch("wimax_tools.bench.traffic.in_namespace", lambda _, *command: list(map(str, command))), \
                mock.patch("wimax_tools.bench.traffic.LAST_REPLY_S", 1):
            one = video.Video(("", "", "127.0.0.1"), 45681, 2, pace=0.5)
        one.start()
        watch = stream.Watch(lambda: Clock(0, 0))
        watch.wall, watch.simulated = [0.0, 1e9], [0.0, 5e8]
        result = one.result(watch)
        self.assertEqual((len(result["frames"]), result["never_whole"]), (25, 0), "two seconds at half the pace")
        gaps = [b[0] - a[0] for a, b in zip(result["frames"], result["frames"][1:])]
        self.assertGreater(sum(gaps) / 24, 0.03, "40 ms of simulated time, or more where the host is slow")
        one.stop()


def mark(at_s, octets, packets=0, sent=0, rate=6):
    return Mark(at_s, octets, packets, sent, rate)


def sample(second, level=20, **down):
    return Sample(second, level, {DOWN: mark(**{"at_s": second, "octets": 0, **down}), UP: mark(second, 0)})


class MovingStack:
    """Simulated time goes on by 40 ms with each look."""

    def __init__(self, registered=True):
        self.now_s, self.registered, self.set = 50.0, registered, []

    def clock(self):
        self.now_s += 0.04
        return Clock(self.now_s, 0)

    def ask(self, daemon, request):
        link = request["set"]["link"]
        self.set.append((daemon, link["name"], link["path_loss_db"]))
        return {"error": ["no"]} if link["path_loss_db"] < 0 else {"ok": True}

    def answer(self, daemon):
        if daemon == "bs.macd":
            station = {"dl": {"sdus": 12}, "dl_rate_id": 3, "ul_rate_id": 2}
            return {"simulated_s": 51, "sdus": {"out_bytes": 700, "out": 7}, "station": {"stations": [station] if self.registered else []}}
        return {"simulated_s": 52, "sdus": {"out_bytes": 1000, "out": 10}, "station": {"ul": {"sdus": 9}}}


class Driven(unittest.TestCase):
    def test_links_follow_the_course_and_marks_are_noted(self):
        stack = MovingStack()
        with mock.patch("time.sleep"):
            samples = drive.drive(stack, lambda second: 100 if second < 0.2 else 110, lambda level: {"path_loss_db": level}, 0.35)
        self.assertEqual(stack.set, [("channeld", link, loss) for loss in (100, 110) for link in ("bs->ss1", "ss1->bs")], "only what changes is set")
        self.assertEqual([s.level for s in samples], [100, 100, 110, 110])
        self.assertTrue(all(b.second - a.second >= 0.1 for a, b in zip(samples, samples[1:])))
        self.assertEqual(samples[0].marks, {DOWN: (52, 1000, 10, 12, 3), UP: (51, 700, 7, 9, 2)})

    def test_a_station_that_is_lost_has_no_rate(self):
        marks = drive.marks(MovingStack(registered=False))
        self.assertEqual((marks[DOWN].rate_id, marks[DOWN].sent, marks[UP].rate_id, marks[DOWN].octets), (None, None, None, 1000))

    def test_a_refused_setting_is_an_error(self):
        with self.assertRaises(StackError):
            drive.set_links(MovingStack(), {"path_loss_db": -1})

    def test_rates_of_periods(self):
        samples = [sample(0.5 * i, level=i, octets=1000 * i * i) for i in range(5)]
        self.assertEqual(drive.rates_kbps(samples, DOWN, 1), [(1.0, 32.0, 0.5), (2.0, 96.0, 2.5)])
        self.assertEqual(drive.course_of(samples[:1], DOWN), [(0.0, 0, 6)])


class Changes(unittest.TestCase):
    def test_courses(self):
        step, slope = changes.steps((25, 12, 18), 8), changes.slopes((25, 7, 25), 9)
        self.assertEqual([step(t) for t in (0, 7.9, 8, 15.9, 16, 99)], [25, 25, 12, 12, 18, 18])
        self.assertEqual([slope(t) for t in (0, 4.5, 9, 13.5, 18, 99)], [25, 16, 7, 16, 25, 25])

    def test_parts_of_the_way(self):
        parts = changes.split([sample(t) for t in range(7)], 3, 2)
        self.assertEqual([[s.second for s in part] for part in parts], [[0, 1, 2, 3], [3, 4, 5, 6]])

    def test_what_a_part_carries(self):
        self.assertEqual(changes.kbps_of([sample(0), sample(1), sample(2, octets=500)], DOWN), 2.0)

    def settled(self, rates):
        return changes.settled_s([sample(10 + 0.1 * i, rate=rate) for i, rate in enumerate(rates)], DOWN)

    def test_settled_from_the_last_other_rate_on(self):
        self.assertEqual(self.settled([6, 6, 6, 3, 3, 3, 3]), 0.3)
        self.assertEqual(self.settled([6, 3, 3, 4, 3, 3, 3]), 0.4)
        self.assertEqual(self.settled([6, 3, 3, 3]), 0.0, "with the first sample behind the step")
        self.assertEqual(self.settled([6, 6, 6, 6, 6, 6, 3, 3, 3, 3]), 0.6, "most of the second half, not of the whole")
        self.assertIsNone(self.settled([6, 3, 3, 3, 3, 4]))

    def test_lost_on_the_air(self):
        """100 left, 90 arrived; then the station entered again and counts from zero: 30 left, 30 arrived."""
        samples = [sample(0, sent=50, packets=40), sample(1, sent=150, packets=130), sample(2, sent=30, packets=160)]
        self.assertEqual(changes.lost(samples, DOWN), (10, 130))
        self.assertEqual(changes.lost([sample(0, sent=None), sample(1, sent=5, packets=0)], DOWN), (0, 1))

    def test_goals_compare_with_the_best_rate_that_can_be_used(self):
        def at(kbps, lost):
            figures = {}
            for level in changes.LEVELS_DB:
                figures.update({f"{level} dB, kbps": kbps, f"{level} dB, lost": share_figure(lost, 1000)})
            return figures

        lab = {d: {"sudden, close": at(900, 0), RATE_NAMES[1]: at(1000, 20), RATE_NAMES[2]: at(1500, 21)} for d in (DOWN, UP)}
        goals = changes.change_goals(Measured({}, {"lab": lab, "field": {}}, {}, PROFILE))
        self.assertEqual([(measured, met) for _, _, measured, met in goals], [(0.9, True)] * 8)
        lab[UP]["sudden, close"]["7 dB, kbps"] = 890
        self.assertEqual([what for what, _, _, met in changes.change_goals(Measured({}, {"lab": lab, "field": {}}, {}, PROFILE)) if not met],
                         ["uplink, share of the best usable rate at 7 dB, close thresholds"])

    def test_cases(self):
        plan = {(which, name): (extra, arguments) for which, name, extra, arguments in EXPERIMENTS["B3"].plan(PROFILE)}
        self.assertEqual(len(plan), 2 + 4 + 7)
        self.assertEqual(plan["field", "sudden"][0]["bs"]["bs"]["adaptation"], {"averaging_ms": 155, "margin_db": 4})
        thresholds = plan["field", "sudden"][0]["bs"]["bs"]["profile"]
        self.assertEqual({b - a for a, b in zip(thresholds["exit_db"], thresholds["entry_db"])}, {4}, "its hysteresis")
        close = plan["lab", "sudden, close"][0]["bs"]["bs"]
        self.assertEqual((close["adaptation"]["margin_db"], close["profile"]["entry_db"][6], close["profile"]["broadcast_rate_id"]), (0, 19.5, 0))
        self.assertTrue(plan["lab", "sudden"][1]["dl_rate_auto"])
        self.assertNotIn("dl_rate_auto", plan["lab", "16-QAM 3/4"][1])
        self.assertEqual(plan["lab", "16-QAM 3/4"][1]["ul_rate"], 4)


class Mobility(unittest.TestCase):
    def test_parts_and_their_ratio(self):
        self.assertEqual(mobility.batches(list(range(20)))[:3], [0.5, 2.5, 4.5])
        self.assertEqual(mobility.batches([1.0, 2.0]), [1.0, 2.0])
        same = mobility.ratio([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
        self.assertEqual((same, same.low, same.high), (0.5, 0.5, 0.5), "wherever it is faster it is so for both")
        # Without the first part 2 / 2, without the second 1 / 2: t of one degree of freedom 12.706 x 0.25 x sqrt(1)
        apart = mobility.ratio([1.0, 2.0], [2.0, 2.0])
        self.assertEqual((apart, apart.low, apart.high), (0.75, -2.4265, 3.9265))

    def test_counters_of_the_kernel(self):
        tables = {"snmp": "Ip: Forwarding\nIp: 1\nTcp: OutSegs RetransSegs\nTcp: 100 7\n", "netstat": "TcpExt: A TCPTimeouts\nTcpExt: 1 3\n"}
        with mock.patch("subprocess.run", lambda command, **_: types.SimpleNamespace(stdout=tables[command[-1].rpartition("/")[2]])):
            self.assertEqual(mobility.tcp_counters("net"), {"segments": 100, "again": 7, "timeouts": 3})

    def test_a_walk_takes_twelve_minutes_and_less_when_it_is_quick(self):
        def seconds(**more):
            args = types.SimpleNamespace(**{**dict(whole=False, quick=False, duration=20, seed=1, path="urban"), **more})
            return round(mobility.journey_of(types.SimpleNamespace(args=args)).seconds)

        self.assertEqual((seconds(whole=True), seconds(quick=True), seconds()), (714, 28, 20))

    def test_links_of_a_level(self):
        keys = mobility.link_of(types.SimpleNamespace(args=types.SimpleNamespace(profile=PROFILE)))(-87)
        self.assertAlmostEqual(keys["path_loss_db"], 117)
        self.assertEqual(keys["doppler_hz"], 16.34)

    def test_only_our_own_profile_has_arq(self):
        plan = {(which, name): extra for which, name, extra, _ in EXPERIMENTS["C2"].plan(PROFILE)}
        self.assertEqual(set(plan), {(which, path) for which in ("field", "lab") for path in rssi.PATHS})
        for (which, _), extra in plan.items():
            flows = extra["bs"]["bs"].get("service_flows", [])
            self.assertEqual([flow["arq"]["enable"] for flow in flows], [True, True] if which == "lab" else [])
            self.assertEqual(extra["bs"]["bs"].get("adaptation", {}).get("target_loss"), None if which == "lab" else 0)
            self.assertEqual(extra["bs"]["bs"].get("codel_target_frames"), None if which == "lab" else 0)

    def test_goal(self):
        lab = {DOWN: {"urban": {"single_of_parallel": Figure(0.9, 0.8, 1.0)}, "semi-rural": {"single_of_parallel": Figure(0.89, 0.8, 1.0)}}}
        goals = mobility.path_goals(Measured({}, {"lab": lab, "field": {}}, {}, PROFILE))
        self.assertEqual([met for *_, met in goals], [True, False])


class Pictures(unittest.TestCase):
    def drawn(self, name, series):
        measured = Measured(description(name)["published"], {}, series, PROFILE)
        for draw in EXPERIMENTS[name].pictures.values():
            figure = draw(measured)
            figure.tight_layout()
            yield figure
            pyplot.close(figure)

    def test_the_way(self):
        download = {"course": [[0, -60, 6], [1, -70, None]], "seconds": [[1, 3000, -60], [2, 4000, -70]]}
        kept = {"single": download, "parallel": download, "video": {**download, "frames": [[5, 0.1, True], [5.04, None, False]]}}
        series, spread = self.drawn("C2", {which: {path: kept for path in rssi.PATHS} for which in ("field", "lab")})
        self.assertEqual(len(series.axes), 10)
        urban = [axes for axes in series.axes if axes.get_title() == "urban"][0]
        self.assertEqual(list(urban.lines[0].get_ydata()), [-60, -70])
        self.assertEqual([list(line.get_ydata()) for line in series.axes[8].lines], [[0, 0, 1]] * 2, "frames missed so far")
        self.assertEqual(len(spread.axes), 2)

    def test_changes(self):
        kept = {d: {"course": [[0, 25, 6], [1, 12, 3]], "rates": [[1, 3000, 25]]} for d in (DOWN, UP)}
        figure, = self.drawn("B3", {"field": {"sudden": kept}, "lab": {"sudden": kept, "sudden, close": kept, "QPSK 1/2": {}}})
        self.assertEqual(len(figure.axes), 6)
        self.assertEqual([len(axes.lines) for axes in figure.axes], [1, 1, 2, 1, 2, 1])


if __name__ == "__main__":
    unittest.main()
