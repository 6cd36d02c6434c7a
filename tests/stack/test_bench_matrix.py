# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrix of models: which cells, what each is held to, what is printed. Nothing runs here."""
import argparse
import contextlib
import io
import json
import unittest
from unittest import mock

from wimax_tools.bench import matrix, run
from wimax_tools.bench.matrix import Result
from wimax_tools.bench.stack import StackError


def both(down, up):
    return {"downlink": down, "uplink": up}


def result(bs="b210", ss=None, bandwidth_mhz=5, **changes):
    return Result(**{"bs": bs, "ss": ss or bs, "bandwidth_mhz": bandwidth_mhz, "rate_hz": 6.25e6, "entry_s": 1.2, "ping_ms": 12.5,
                     "lost": both(0, 0), "loss": both(0.0, 0.0), "symbols": both(93.0, 94.0), "sui2_loss": both(0.01, 0.0), **changes})


class Judged(unittest.TestCase):
    def test_what_does_not_hold_is_told(self):
        ideal = result("ideal", sui2_loss=both(0.0095, 0))
        for changes, fault in (
                ({}, None), ({"symbols": both(90.3, 94.0)}, None), ({"symbols": both(90.2, 94.0)}, "downlink: 97.0% of the ideal radio's symbols"),
                ({"lost": both(0, 1)}, "lost at 95 %"), ({"late": 1}, "1 late"), ({"clipped": 7}, "7 samples clipped"),
                ({"pings_lost": 2}, "2 of 20 pings lost"), ({"entry_s": 3.01}, "entry after 3.01 s"),
                ({"sui2_loss": both(0.0104, 0.0)}, None), ({"sui2_loss": both(0.0106, 0.0)}, "downlink over SUI-2: 0.11% more loss")):
            one = result(**changes)
            matrix.judge(one, ideal)
            self.assertEqual(len(one.faults), 0 if fault is None else 1, one.faults)
            self.assertIn(fault or "", "".join(one.faults))

    def test_real_time_and_entry(self):
        for loss, faults in ((0.001, 0), (0.0011, 1)):
            one = result(loss=both(0, loss))
            matrix.judge_real_time(one)
            self.assertEqual(len(one.faults), faults)
        for entry, lost, faults in ((3.0, 0, 0), (3.1, 0, 1), (1, 1, 1)):
            one = result(entry_s=entry, pings_lost=lost)
            matrix.judge_entry(one)
            self.assertEqual(len(one.faults), faults)

    def test_row(self):
        self.assertEqual(matrix.row(result("x310-ubx", "b210", wrong_db=-20, faults=["a", "b"])),
                         "| x310-ubx to b210, 5 MHz, references -20 dB | 6.25 | 1.20 | 12.5 | 93.0 / 94.0 | 0.00% / 0.00% | 1.00% / 0.00% | a; b |")
        self.assertEqual(matrix.row(Result("n310", "n310", 3.5)), "| n310, 3.5 MHz | 0 | 0.00 |  |  |  |  | holds |")
        self.assertEqual(matrix.row(Result("n310", "n310", 3.5, times=3)), "| n310, 3.5 MHz | 0 | 0.00 |  |  |  |  | holds, measured 3 times |")


class Cells(unittest.TestCase):
    def cells(self, **options):
        args = argparse.Namespace(**{"personality": None, "mode": "paced", "seed": 3, **options})
        return [given for given, _, _ in matrix.work(args)]

    def test_all_of_them(self):
        cells = self.cells()
        self.assertEqual(len(cells), 4 * (1 + 4) + 4 * 2)
        self.assertEqual(cells[:6], [("ideal", "ideal", 3.5), ("b210", "b210", 3.5), ("n210-sbx", "n210-sbx", 3.5), ("x310-ubx", "x310-ubx", 3.5),
                                     ("n310", "n310", 3.5), ("ideal", "ideal", 5)])
        self.assertEqual(cells[-2:], [("x310-ubx", "b210", 10, 20), ("x310-ubx", "b210", 10, -20)])

    def test_one_pair_and_real_time(self):
        pair = ("x310-ubx", "b210")
        self.assertEqual(self.cells(personality=pair), [x for b in (3.5, 5, 7, 10) for x in (("ideal", "ideal", b), (*pair, b))])
        self.assertEqual(self.cells(personality=pair, mode="rt"), [x for b in (3.5, 5) for x in (("ideal", "ideal", b), (*pair, b))])

    def test_the_command(self):
        asked = []

        def measured(bs, ss, bandwidth, seed):
            asked.append((bs, ss, bandwidth, seed))
            return result(bs, ss, bandwidth, symbols=both(93 if bs == "ideal" or bandwidth != 10 else 80, 94), faults=["no entry"] if bandwidth == 7 else [])

        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(matrix, "measured", measured), mock.patch.object(run.doctor, "faults_for", lambda checks: []), \
                mock.patch.object(run.signal, "signal"), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run.main(["--matrix", "--personality", "b210", "--seed", "5", "--json", "-"])
        self.assertEqual(code, 1)
        self.assertEqual(asked, [(m, m, b, 5) for b in (3.5, 5, 7, 10) for m in ("ideal", "b210")])
        self.assertEqual([len(cell["faults"]) for cell in json.loads(out.getvalue())["cells"]], [0, 0, 0, 0, 1, 1, 0, 1])
        self.assertIn("downlink: 86.0% of the ideal radio's symbols", err.getvalue())
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit):
            run.parse(["--matrix", "--experiment", "A1"])


class FakeStack:
    sites = ["bs", "ss1"]

    def __init__(self, times=()):
        self.times = iter(times)

    def check_alive(self):
        pass

    def status(self, daemon):
        return next(self.times)

    def answer(self, daemon):
        made, received = {"bs": (100, 190), "ss1": (200, 99)}[daemon.partition(".")[0]]
        return {"traffic": {"made": made, "received": received}}


class Figures(unittest.TestCase):
    def test_counters(self):
        answers = {"bs.phyd": {"late": 1, "radio": {"late": 2, "clipped_samples": 5}}, "ss1.phyd": {"late": 10, "radio": {"late": 20, "clipped_samples": 50}},
                   "channeld": {"radios": {"bs": {"lost_rx_chunks": 3, "lost_tx_chunks": 4}, "ss1": {"lost_rx_chunks": 30, "lost_tx_chunks": 40}}}}
        stack = FakeStack()
        stack.answer = answers.get
        with mock.patch.object(matrix.cable, "plan"), mock.patch.dict(matrix.os.environ, WIMAX_BUILD_DIR="/"):
            cell = matrix.Cell("b210", "n310", 5)
        cell.count(stack)
        self.assertEqual((cell.result.late, cell.result.clipped, cell.result.lost_chunks), (33, 55, 77))

    def test_what_a_host_spoils_is_measured_again(self):
        for stalls_s, losses, times in (([0], [0.01], 1), ([0.0019], [0.01], 1), ([0.004], [0.001], 1), ([0.004, 0], [0.01, 0.01], 2),
                                        ([0.004, 0.002, 0.004], [0.01, 0.01, 0], 3), ([0.004] * 4, [0.01] * 4, 4)):
            looks = iter(zip(stalls_s, losses))

            def real_time(cell, looks=looks):
                cell.result.longest_stall_s, loss = next(looks)
                cell.result.loss = both(0, loss)

            with mock.patch.object(matrix.cable, "plan"), mock.patch.dict(matrix.os.environ, WIMAX_BUILD_DIR="/"), \
                    mock.patch.object(matrix.Cell, "enter"), mock.patch.object(matrix.Cell, "real_time", real_time):
                self.assertEqual(matrix.in_real_time("b210", "b210", 5).times, times)
            self.assertIsNone(next(looks, None))

    def test_lost_packets(self):
        self.assertEqual(matrix.lost(FakeStack()), (both(1, 10), both(0.01, 0.05)))

    def test_packets_of_a_share_of_the_limit(self):
        made = matrix.both_ways(both(8000, 4000), [(0.95, 1.5, 2.0), (1.2, 4.0, 1.0)])
        self.assertEqual([(s["start_s"], s["count"], s["size_bytes"]) for s in made["bs"]], [(1.5, 1266, 1500), (4.0, 800, 1500)])
        self.assertEqual([s["count"] for s in made["ss1"]], [633, 400])
        self.assertEqual((made["ss1"][0]["source"], made["ss1"][0]["destination"]), ("10.16.0.2", "10.16.0.1"))

    def test_waiting(self):
        matrix.wait(FakeStack([None, {"time_s": 0.5}, {"time_s": 1.0}]), 1.0)
        with mock.patch.object(matrix.time, "monotonic", mock.Mock(side_effect=[0, 1, 2, 100])), self.assertRaisesRegex(StackError, "has stopped at 0.5 s"):
            matrix.wait(FakeStack([{"time_s": 0.5}] * 5), 1.0)


if __name__ == "__main__":
    unittest.main()
