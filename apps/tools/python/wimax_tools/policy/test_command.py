# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.policy import admissions, cells, command, rates, report

TWO_CLASSES = "class A:\n    def schedule(self, frame): pass\nclass B:\n    def schedule(self, frame): pass\n"
ADAPTS = "class A:\n    def adapt(self, link): pass\n"
BOTH_KINDS = "class A:\n    def admit(self, request): pass\n    def adapt(self, link): pass\n"
ONE_CLASS = "import no_such_module\nclass Helper: pass\nclass A:\n    def schedule(self, frame): pass\n"


def flow(station, direction, bps, packets=10, late=0.0, service="BE", entry=1):
    return {"station": station, "direction": direction, "goodput_bps": bps, "delivered_packets": packets, "late_fraction": late,
            "service": service, "entry": entry}


def result(goodputs, faults=None, late=0.0):
    flows = [flow(i + 1, way, bps) for way in cells.TRAFFIC_BOTH_WAYS for i, bps in enumerate(goodputs)]
    flows += [flow(9, way, 80_000, late=late, service="UGS", entry=2) for way in cells.TRAFFIC_BOTH_WAYS]
    total = {"goodput_bps": sum(goodputs), "jain": 0.75, "delay_ms": {"p50": 10.0, "p99": 20.0}, "offered_packets": 120, "lost_packets": 30,
             "refused_packets": 20}
    stations = [{"flows": [{"state": "active"}, {"state": "provisioned"}]}] * 2 + [{"flows": []}]
    one = {"flows": flows, "total": {way: total for way in cells.TRAFFIC_BOTH_WAYS}, "status": {"base_station": {"stations": stations}}}
    if faults is not None:
        policy = {"calls": 200, "spent_us": 8000, "longest_us": 333, "late": 0, "failed": faults, "nonsense": 0, "busy": 0, "replaced": faults >= 3}
        one["policies"] = dict.fromkeys(("dl_scheduler", "ul_scheduler", "admission", "link_adaptation"), policy)
        one["station_policies"] = {"link_adaptation": policy}
    return one


class Simulator:
    """In the place of wimax-sim."""

    def __init__(self, goodputs=(1000, 1000), faults=0):
        self.goodputs, self.faults, self.scenarios = goodputs, faults, []

    def __call__(self, scenario):
        self.scenarios.append(scenario)
        loaded = any(isinstance(value, dict) and ("python" in value or isinstance(value.get("policy"), dict))
                     for place in ("base_station", "subscriber_station") for value in scenario.get(place, {}).values())
        return result(self.goodputs if loaded else (1000, 1000), self.faults if loaded else None, 0.25 if loaded else 0.0)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = Path(self.folder, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def rows(self, simulator, *options):
        return command.check(command.parser().parse_args(["check", self.file("one.py", ONE_CLASS), *options]), simulator)["schedule"]


class Files(InFolder):
    def test_the_only_class_is_found_without_running_the_file(self):
        path = self.file("one.py", ONE_CLASS)
        self.assertEqual(command.chosen(path), ({"python": f"{path}:A"}, ["schedule"]))
        self.assertEqual(command.chosen(f"{path}:Helper"), ({"python": f"{path}:Helper"}, None))

    def test_methods_name_the_kinds(self):
        path = self.file("both.py", BOTH_KINDS)
        self.assertEqual(command.chosen(path)[1], ["admit", "adapt"])

    def test_a_relative_path_becomes_absolute(self):
        self.file("one.py", ONE_CLASS)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        self.assertEqual(command.chosen("one.py"), ({"python": f"{os.getcwd()}/one.py:A"}, ["schedule"]))

    def test_other_files_are_libraries(self):
        path = self.file("rule.so", "")
        self.assertEqual(command.chosen(path), ({"library": path}, None))

    def test_what_is_refused(self):
        for name, text, reason in (("two.py", TWO_CLASSES, "classes with schedule(), admit(), adapt(), manage() or classify(): A, B"), ("none.py", "x = 1\n", "none"), ("wrong.py", "def (\n", "wrong.py:1")):
            with self.assertRaisesRegex(command.Refused, reason.replace("(", r"\(").replace(")", r"\)")):
                command.chosen(self.file(name, text))
        for path in ("/nowhere/a.py", "/nowhere/a.so"):
            with self.assertRaisesRegex(command.Refused, path):
                command.chosen(path)


class Reports(InFolder):
    def test_each_cell_is_simulated_with_both_schedulers(self):
        simulator = Simulator()
        rows = self.rows(simulator)
        self.assertEqual([(row["cell"], row["direction"]) for row in rows], [(name, way) for name in cells.CELLS for way in cells.TRAFFIC_BOTH_WAYS])
        self.assertEqual(len(simulator.scenarios), 2 * len(cells.CELLS))
        for own, other in zip(simulator.scenarios[::2], simulator.scenarios[1::2]):
            self.assertEqual({**own, "base_station": 0}, {**other, "base_station": 0}, "the same traffic and seed")
            self.assertEqual(other["base_station"], {"dl_scheduler": "fair", "ul_scheduler": "fair"})

    def test_one_direction_and_cell(self):
        simulator = Simulator()
        rows = self.rows(simulator, "--cell", "voice", "--direction", "uplink", "--seed", "7", "--seconds", "2")
        self.assertEqual([(row["cell"], row["direction"]) for row in rows], [("voice", "uplink")])
        self.assertEqual(list(simulator.scenarios[0]["base_station"]), ["ul_scheduler"])
        self.assertEqual((simulator.scenarios[0]["seed"], simulator.scenarios[0]["seconds"]), (7, 2))

    def test_figures(self):
        row = self.rows(Simulator((1900, 50)), "--cell", "equal")[0]
        self.assertEqual(row["policy"]["starved_stations"], [])
        self.assertEqual(row["policy"]["late_fraction"], 0.25)
        self.assertEqual(row["cost"]["mean_us"], 40)
        row = self.rows(Simulator((1990, 10)), "--cell", "equal")[0]
        self.assertEqual(row["policy"]["starved_stations"], [2], "voice at its small rate does not starve")
        self.assertEqual(row["built_in"]["starved_stations"], [])

    def test_table(self):
        text = report.table(self.rows(Simulator((1500, 1500)), "--cell", "equal"))
        self.assertIn("equal  downlink          3  150.0   0.750   0.750     10.0     20.0     20.0   25.00        0      40      333", text)
        self.assertIn("no faults", text)
        text = report.table(self.rows(Simulator(faults=3), "--cell", "equal"))
        self.assertIn("equal downlink: 0 late, 3 failed, 0 nonsense; replaced by the built-in policy", text)


class Kinds(InFolder):
    def of(self, text, simulator, *options):
        return command.check(command.parser().parse_args(["check", self.file("kinds.py", text), *options]), simulator)

    def test_link_adaptation(self):
        simulator = Simulator((1500, 1500))
        rows = self.of(ADAPTS, simulator)
        self.assertEqual(list(rows), ["adapt"])
        self.assertEqual([(row["cell"], row["direction"]) for row in rows["adapt"]], [(name, way) for name in rates.CELLS for way in cells.TRAFFIC_BOTH_WAYS])
        own, other = simulator.scenarios[:2]
        for place in ("base_station", "subscriber_station"):
            self.assertIn("python", own[place]["adaptation"]["policy"])
            self.assertEqual(other[place]["adaptation"]["policy"], "outcome")
        self.assertIn("steady downlink          3    150.0   10.00    10.00      40      333", rates.table(rows["adapt"]))

    def test_link_adaptation_of_one_direction(self):
        simulator = Simulator()
        self.of(ADAPTS, simulator, "--direction", "uplink", "--cell", "steady")
        self.assertNotIn("subscriber_station", simulator.scenarios[0])

    def test_admission(self):
        simulator = Simulator((1500, 1500))
        rows = self.of(BOTH_KINDS, simulator, "--kind", "admit")
        self.assertEqual([row["cell"] for row in rows["admit"]], list(admissions.CELLS))
        self.assertEqual(simulator.scenarios[1]["base_station"], {"admission": "built-in"})
        row = rows["admit"][0]
        self.assertEqual(row["policy"], {"stations": 2, "admitted_flows": 2, "refused_flows": 2, "goodput_bps": 6000, "late_fraction": 0.25})
        self.assertIn("calls          2        2        2        2        2        2        6        4   25.00     0.00      40      333",
                      admissions.table(rows["admit"]))

    def test_all_kinds_of_a_class(self):
        self.assertEqual(list(self.of(BOTH_KINDS, Simulator())), ["admit", "adapt"])

    def test_a_library_is_tried_for_all_kinds(self):
        simulator = Simulator()

        def run(scenario):
            for key in ("admission", "queue_management", "classifier"):
                if key in scenario["base_station"]:
                    raise command.Refused(f"cell:1: base_station.{key}.library: value ./a.so: allowed a library with a policy for {key}")
            return simulator(scenario)

        options = command.parser().parse_args(["check", self.file("rule.so", "")])
        self.assertEqual(list(command.check(options, run)), ["schedule", "adapt"])
        options = command.parser().parse_args(["check", self.file("rule.so", ""), "--kind", "admit"])
        with self.assertRaisesRegex(command.Refused, "a library with a policy for admission"):
            command.check(options, run)

    def test_cells_of_other_kinds(self):
        with self.assertRaisesRegex(command.Refused, "cells of its kinds"):
            self.of(ADAPTS, Simulator(), "--cell", "voice")


class Status(InFolder):
    def run_main(self, simulator, *options):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(command, "check", lambda options: CHECK(options, simulator)), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = command.main(["check", *options])
        return status, out.getvalue(), err.getvalue()

    def test_exit_status(self):
        path = self.file("one.py", ONE_CLASS)
        status, out, _ = self.run_main(Simulator(), path, "--json")
        self.assertEqual((status, len(json.loads(out))), (0, 2 * len(cells.CELLS)))
        self.assertEqual(self.run_main(Simulator(faults=1), path)[0], 1)
        status, out, err = self.run_main(Simulator(), "/nowhere/a.py")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("wimax policy: /nowhere/a.py: No such file or directory", err)

    def test_what_the_simulator_refuses(self):
        def refuses(_):
            raise command.Refused("cell:1: dl_scheduler.python: ...")

        def fails(_):
            raise command.Failed("wimax-sim ended with status 1: ...")

        path = self.file("one.py", ONE_CLASS)
        self.assertEqual(self.run_main(refuses, path)[0], 2)
        self.assertEqual(self.run_main(fails, path)[0], 1)


CHECK = command.check

if __name__ == "__main__":
    unittest.main()
