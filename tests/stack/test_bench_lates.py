# SPDX-License-Identifier: GPL-3.0-or-later
"""Late frames of statuses made up here: which of them the machine is to blame for, and what is said of them."""
import io
import multiprocessing
import threading
import time
import types
import unittest
from unittest import mock

from wimax_tools.bench import lates
from wimax_tools.bench.lates import Late, Stall, calm_figures, figures, of_the_machine

REACH_S = 0.015
FRAME_S = 0.01


def status(late=0, radio_late=0, underflows=0, frames=0, late_frames=()):
    return {"late": late, "frames": frames, "radio": {"late": radio_late, "underflows": underflows, "overflows": 7},
            "late_frames": [dict(zip(("frame", "late_us", "at_s", "count"), (*one, 1))) for one in late_frames],
            "answers": {"count": 5, "p50_us": 610, "p99_us": 1225, "p999_us": 2900, "longest_us": 3100, "within_us": {}}}


class Blame(unittest.TestCase):
    def test_a_stall_as_long_as_the_lateness_within_reach(self):
        late = Late("bs", 7, 2000, 100.0)
        for stall, blamed in ((Stall(99.999, 0.003), True), (Stall(99.999, 0.0019), False), (Stall(99.984, 0.003), False),
                              (Stall(100.5, 0.4), False), (Stall(100.001, 0.0035), True)):
            self.assertEqual(of_the_machine(late, [stall], REACH_S, FRAME_S), blamed, stall)
        self.assertFalse(of_the_machine(late, [], REACH_S, FRAME_S))

    def test_short_ones_add_up(self):
        self.assertTrue(of_the_machine(Late("bs", 7, 2000, 100.0), [Stall(99.990, 0.0011), Stall(99.995, 0.0011)], REACH_S, FRAME_S))

    def test_a_radio_says_no_number(self):
        late = Late("bs", 7, 0, 100.0)
        self.assertTrue(of_the_machine(late, [Stall(99.999, 0.0006)], REACH_S, FRAME_S))
        self.assertTrue(of_the_machine(late, [Stall(99.976, 0.0006)], REACH_S, FRAME_S))
        self.assertFalse(of_the_machine(late, [Stall(99.974, 0.0006)], REACH_S, FRAME_S))


class Counted(unittest.TestCase):
    def test_what_no_list_has_is_ours(self):
        known = {Late("bs", 7, 2000, 100.0), Late("ss1", 7, 500, 101.0)}
        self.assertEqual(figures(known, 5, 20_000, [Stall(99.999, 0.003)], REACH_S, FRAME_S),
                         {"frames": 20_000, "late": 5, "late_by_machine": 1, "late_by_us": 4, "late_by_us_in_10000": 2.0, "worst_late_us": 2000,
                          "stalls": 1, "longest_stall_ms": 3.0})
        packets = {Late("bs", 7, 0, 100.0, 4), Late("ss1", 7, 0, 100.2)}
        self.assertEqual(figures(packets, 5, 20_000, [Stall(99.999, 0.003)], REACH_S, FRAME_S)["late"], 2)
        self.assertEqual(figures(set(), 0, 20_000, [], REACH_S, FRAME_S)["late_by_us_in_10000"], 0)

    def test_a_frame_counts_once_and_is_ours_if_any_of_it_is(self):
        packets = {Late("ss1", 7, 0, 100.0), Late("ss1", 7, 0, 100.1), Late("bs", 7, 0, 100.0), Late("ss1", 9, 0, 100.2), Late("ss1", 9, 0, 100.2001)}
        counted = figures(packets, 5, 20_000, [Stall(99.999, 0.003)], REACH_S, FRAME_S)
        self.assertEqual([counted[key] for key in ("late", "late_by_machine", "late_by_us")], [3, 1, 2])

    def test_frames_that_no_stall_was_near(self):
        # 10 s less 1.2 s: stalls of 0.1 and 0.3 s whose times of effect overlap, and one with an effect beyond the end.
        stalls = [Stall(101.1, 0.1), Stall(101.4, 0.3), Stall(109.9, 0.5)]
        packets = {Late("bs", 1, 0, 101.59), Late("bs", 2, 0, 101.61), Late("bs", 2, 0, 101.62), Late("ss1", 2, 900, 101.61), Late("bs", 9, 0, 109.95)}
        self.assertEqual(calm_figures(packets, 20_000, stalls, 100.0, 110.0), {"calm_frames": 17_600, "calm_late": 2, "calm_late_in_10000": 1.14})
        self.assertEqual(calm_figures(set(), 100, [Stall(105.0, 9.0), Stall(110.1, 5.0)], 100.0, 110.0)["calm_frames"], 0)

    def test_only_what_comes_while_it_watches(self):
        now = time.monotonic()
        said = {"bs.phyd": status(late=3, radio_late=2, underflows=1, late_frames=[(1, 9, now - 1)]), "ss1.phyd": status()}
        stack = types.SimpleNamespace(sites=["bs", "ss1"], answer=lambda daemon: said[daemon])
        watch = lates.Watch(stack)
        watch.look()
        self.assertEqual((watch.count, watch.lates), (0, set()))
        soon = time.monotonic()
        said["bs.phyd"] = status(late=4, radio_late=3, underflows=1, late_frames=[(1, 9, now - 1), (70, 300, soon)])
        said["ss1.phyd"] = status(underflows=1, late_frames=[(71, 0, soon)])
        for _ in range(2):  # the same again is the same
            watch.look()
            self.assertEqual((watch.count, watch.lates), (3, {Late("bs", 70, 300, soon), Late("ss1", 71, 0, soon)}))

    def test_table(self):
        result = {"profile": "5MHz-10ms", **figures({Late("bs", 7, 2000, 100.0)}, 3, 60_000, [Stall(99.999, 0.003)], REACH_S, FRAME_S),
                  "calm_frames": 59_000, "calm_late": 1, "calm_late_in_10000": 0.17, "host_stolen_share": 0.02,
                  "answers": {"bs": lates.answers_of(status())}, "overflows": {"bs": 7}}
        out = io.StringIO()
        lates.table(result, out)
        self.assertEqual(out.getvalue().splitlines(), [
            "5MHz-10ms: 60000 frames of all stations, 3 late: 1 while the machine stood still, 2 else (0.33 in 10 000); worst 2 ms",
            "of 59000 frames with no stall in the 0.2 s before: 1 late (0.17 in 10 000)",
            "stalls of the machine: 1, longest 3 ms; stolen 2%",
            "answers, ms       half   99 %  99.9 %  longest  overflows",
            "bs                0.61   1.23    2.90     3.10          7"])


class Probe(unittest.TestCase):
    def test_what_holds_the_sleeper_up_is_a_stall(self):
        """The clock jumps once by 5 ms, and by what is usual else."""
        clock, end, sent = [0.0], threading.Event(), []
        steps = iter([0.001, 0.0012, 0.006, 0.001])

        def sleep(_):
            clock[0] += next(steps, 0.001)
            if clock[0] > 0.009:
                end.set()

        with mock.patch.multiple(lates.os, sched_setaffinity=mock.DEFAULT, sched_setscheduler=mock.Mock(side_effect=PermissionError)), \
                mock.patch.object(lates.gc, "disable"), mock.patch.object(lates.time, "sleep", sleep), \
                mock.patch.object(lates.time, "monotonic", lambda: clock[0]):
            lates.watch_cpu(0, end, types.SimpleNamespace(send=sent.append))
        self.assertEqual([(round(s.end_s, 4), round(s.length_s, 4)) for s in sent[0]], [(0.0082, 0.005)])

    def test_one_for_each_processor_until_it_is_stopped(self):
        probe = lates.StallProbe()
        probe.start()
        self.assertEqual(len(multiprocessing.active_children()), len(lates.os.sched_getaffinity(0)))
        time.sleep(0.05)
        for stall in probe.stop():
            self.assertGreater(stall.length_s, lates.STALL_S)
        self.assertEqual(multiprocessing.active_children(), [])


if __name__ == "__main__":
    unittest.main()
