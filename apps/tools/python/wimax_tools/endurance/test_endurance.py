# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import io
import os
import types
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

import yaml

from wimax_tools.endurance import command, days, memory

DAYS = 7
TOP = Path(__file__).resolve().parents[5]


def scenario():
    return yaml.safe_load((TOP / "config/scenarios/endurance.yml").read_text(encoding="utf-8"))


def good_result():
    """What a cell that keeps every promise reports."""
    given = scenario()
    flows = []
    for number, entry in enumerate(given["traffic"], 1):
        arq = entry.get("arq", True) and not entry.get("multicast")
        flows += [{"station": station, "entry": number, "offered_packets": 100_000, "lost_packets": 0 if arq else 400, "reordered_packets": 0,
                   "duplicated_packets": 0, "late_fraction": 0.0} for station in entry["stations"]]
    cycles = 2 * DAYS * 144
    stations = [{"mac": days.station_mac(n), "privacy": {"key_replies": 2 if n > 6 else DAYS * 48 + 5}, "link": {"dl_falls": 3, "dl_rises": 3}}
                for n in range(1, 9)]
    return {"virtual_s": DAYS * days.DAY_S, "seed": 1, "entered": 8, "least_operational": 6, "losses": cycles, "entries": cycles - 1, "flows": flows,
            "wall": {"frames": DAYS * 8_640_000, "times_real_time": 100}, "memory": {"interval_s": 604.8, "resident_bytes": [20 << 20] * 1000},
            "status": {"base_station": {"stations": stations}}}


def broken(change):
    """What does not hold once `change` was made to the result of a good cell."""
    result = copy.deepcopy(good_result())
    change(result)
    return [line["what"] for line in days.Judgement(scenario(), result).lines if line["holds"] != "yes"]


def set_in_flow(entry, station, key, value):
    def change(result):
        next(flow for flow in result["flows"] if (flow["entry"], flow["station"]) == (entry, station))[key] = value
    return change


class Days(unittest.TestCase):
    def test_a_good_cell_holds(self):
        self.assertEqual(broken(lambda result: None), [])
        judgement = days.Judgement(scenario(), good_result())
        self.assertTrue(judgement.holds())
        self.assertIn("7 days simulated at 100 times real time, 60480000 frames, seed 1\n", judgement.text())

    def test_each_promise_alone(self):
        def of(key, value):
            return lambda result: result.update({key: value})
        for change, what in (
                (set_in_flow(6, 4, "lost_packets", 1), "lost with ARQ, stations that stay"),
                (set_in_flow(8, 6, "reordered_packets", 1), "reordered with ARQ, stations that stay"),
                (set_in_flow(9, 8, "duplicated_packets", 1), "duplicated"),
                (set_in_flow(11, 2, "duplicated_packets", 1), "duplicated"),
                (set_in_flow(1, 1, "reordered_packets", 1), "reordered without ARQ"),
                (set_in_flow(3, 2, "lost_packets", 20_000), "lost without ARQ, by the losses asked for"),
                (set_in_flow(4, 3, "late_fraction", 0.0011), "beyond the latency promised, of the worst flow"),
                (of("entered", 7), "entered"), (of("least_operational", 5), "operational, always"),
                (of("losses", 1800), "losses of stations that leave, 2016 times out of reach"),
                (of("losses", 2019), "losses of stations that leave, 2016 times out of reach"),
                (of("entries", 1800), "entries of stations that leave, 2016 times out of reach"),
                (lambda result: result["wall"].update(frames=7215), "wraps of the frame number"),
                (lambda result: result["status"]["base_station"]["stations"][5]["privacy"].update(key_replies=335), "traffic keys given to each station that stays"),
                (lambda result: [s["link"].update(dl_falls=0, dl_rises=0) for s in result["status"]["base_station"]["stations"]], "changes of downlink rates"),
                (lambda result: result["memory"].update(resident_bytes=[(20 << 20) + 1000 * i for i in range(1000)]), "growth of memory, KiB"),
                (lambda result: result["memory"].update(resident_bytes=[20 << 20] * 3), "growth of memory, KiB")):
            self.assertEqual(broken(change), [what])

    def test_losses_that_were_asked_for_must_be_there(self):
        def none_lost(result):
            for flow in result["flows"]:
                flow["lost_packets"] = 0
        self.assertEqual(broken(none_lost), ["lost without ARQ, by the losses asked for"])

    def test_a_station_that_leaves_may_lose(self):
        self.assertEqual(broken(set_in_flow(8, 7, "lost_packets", 50_000)), [])
        self.assertEqual(broken(set_in_flow(9, 8, "reordered_packets", 5)), [])

    def test_what_the_simulator_is_asked(self):
        asked = []

        def run(words, check):
            asked.extend(words)
            self.assertTrue(Path(words[words.index("--privacy.keys") + 1], "ca.pem").is_file())
            Path(words[words.index("--json") + 1]).write_text('{"flows": []}', encoding="utf-8")
            return types.SimpleNamespace(returncode=0)
        with mock.patch.dict(os.environ, WIMAX_SOURCE_DIR=str(TOP), WIMAX_BUILD_DIR="/b"), \
                mock.patch.object(days.Store, "make_station", lambda self, mac, *_: asked.append(mac)):
            given, result = days.simulate(0.5, 9, run)
        self.assertEqual((given["stations"], result), (8, {"flows": []}))
        self.assertEqual(asked[:2] + asked[7:9], ["02:00:00:01:00:00", "02:00:00:01:00:01", "02:00:00:01:00:07", "/b/bin/wimax-sim"])
        options = dict(zip(asked[9::2], asked[10::2]))
        self.assertEqual((options["--seconds"], options["--seed"], options["--interval_s"], options["--status"]), ("43200", "9", "43.2", "true"))

    def test_a_simulator_that_fails(self):
        with mock.patch.dict(os.environ, WIMAX_SOURCE_DIR=str(TOP), WIMAX_BUILD_DIR="/b"), mock.patch.object(days, "make_keys", lambda *_: None), \
                self.assertRaisesRegex(days.Failed, "wimax-sim ended with status 3"):
            days.simulate(1, 1, lambda *_, **__: types.SimpleNamespace(returncode=3))


class Memory(unittest.TestCase):
    def test_growth_is_found_and_a_swelling_is_not(self):
        times = [10.0 * i for i in range(360)]
        flat = memory.line(times, [20_000.0] * 360)
        self.assertEqual((flat["grown_kib"], flat["allowed_kib"], flat["flat"]), (0, 512, True))
        swollen = memory.line(times, [20_000.0 + (900 if 100 <= i < 160 else 0) for i in range(360)])
        self.assertEqual((swollen["flat"], swollen["most_kib"]), (True, 20_900))
        growing = memory.line(times, [20_000 + 0.2 * t for t in times])
        self.assertAlmostEqual(growing["slope_kib_per_h"], 720)
        self.assertAlmostEqual(growing["grown_kib"], 718)
        self.assertFalse(growing["flat"])
        large = memory.line(times, [100_000 + 0.2 * t for t in times])
        self.assertEqual((large["allowed_kib"], large["flat"]), (1000, True))


class Command(unittest.TestCase):
    def refused(self, *arguments):
        errors = io.StringIO()
        with redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            command.main(arguments)
        self.assertEqual(ended.exception.code, 2)
        return errors.getvalue()

    def test_wrong_options(self):
        self.assertIn("one of the arguments --days --live is required", self.refused())
        self.assertIn("not allowed with argument", self.refused("--days", "1", "--live"))
        for wrong in ("0", "11", "nan", "x", "-1", "inf"):
            self.assertIn("allowed: numbers from 0.01 to 10", self.refused(f"--days={wrong}"))
        self.assertIn("allowed: numbers from 60 to 86400", self.refused("--live", "--simulated-s", "59"))

    def test_exit_status_is_the_judgement(self):
        for change, status in ((lambda result: None, 0), (set_in_flow(6, 4, "lost_packets", 1), 1)):
            result = good_result()
            change(result)
            with mock.patch.object(days, "simulate", lambda *_, r=result: (scenario(), r)), mock.patch("builtins.print"):
                self.assertEqual(command.main(["--days", "7"]), status)


if __name__ == "__main__":
    unittest.main()
