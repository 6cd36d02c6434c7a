# SPDX-License-Identifier: GPL-3.0-or-later
"""Campaigns without a cluster: what a file means, what a point does, what is kept, when there are seeds enough."""
import itertools
import json
import os
from pathlib import Path
import tempfile
import types
import unittest
from unittest import mock

from wimax_tools import provenance
from wimax_tools.campaign import description, page, precision, store, tasks
from wimax_tools.campaign.__main__ import parse

FILE = """title: A sweep
kind: link
base: {channel: awgn, blocks: 100}
parameters:
  rate: [4, 6]
  snr_db: [12, 13.5, 14]
repeat: 2
seed: 7
figures: {per: points.0.per}
until: {figure: per, relative: 0.1, most: 5}
plots: [{x: snr_db, y: per, by: rate}]
"""


class Files(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "c.yml")
            path.write_text(text, encoding="utf-8")
            try:
                return description.read(path)
            except description.Faults as faults:
                return [line.replace(str(path), "c.yml") for line in str(faults).splitlines()]

    def test_a_whole_file(self):
        one = self.read(FILE)
        self.assertEqual(len(one.groups()), 6)
        self.assertEqual(one.groups()[4], (("rate", 6), ("snr_db", 13.5)))
        self.assertEqual([(p.group, p.seed) for p in one.points()][:4], [(0, 7), (0, 8), (1, 7), (1, 8)])
        self.assertEqual((one.until.figure, one.until.relative, one.until.most), ("per", 0.1, 5))
        self.assertEqual(one.plots, [{"x": "snr_db", "y": "per", "by": "rate", "log": "none"}])
        self.assertEqual(self.read(FILE.replace("y: per", "y: [per, snr_db]")).plots[0]["y"], ["per", "snr_db"])

    def test_all_faults_at_once(self):
        bad = FILE.replace("kind: link", "kind: lunk").replace("repeat: 2", "repeat: 0").replace("seed: 7", "sead: 7").replace("rate: [4, 6]", "rate: 4")
        bad = bad.replace("relative: 0.1", "relative: 2").replace("y: per", "y: ber")
        self.assertEqual(self.read(bad), [
            "c.yml:8: sead: unknown key, did you mean seed?",
            "c.yml:2: kind: value lunk: allowed link, sim, bench, curves",
            "c.yml:5: parameters.rate: allowed: a list of one or more values",
            "c.yml:7: repeat: value 0: allowed integers 1..10000",
            "c.yml:10: until.relative: value 2: allowed numbers 1e-06..1",
            "c.yml:11: plots.y: value ber: allowed rate, snr_db, per"])

    def test_values_are_plain(self):
        for value in ("{lifetime_ms: 0}", "[1, 2]"):
            self.assertEqual(self.read(FILE.replace("rate: [4, 6]", f"rate: [4, {value}]")), [
                "c.yml:5: parameters.rate: is a list or a map: allowed numbers, texts, true and false; keys with dots reach deeper"])

    CASES = FILE.replace("parameters:\n  rate: [4, 6]\n  snr_db: [12, 13.5, 14]\n", "cases:\n  - {rate: [4, 6], snr_db: [12, 14]}\n  - {rate: [0], direction: [uplink]}\n")

    def test_cases_have_combinations_of_their_own(self):
        one = self.read(self.CASES)
        self.assertEqual(one.groups(), [(("rate", 4), ("snr_db", 12)), (("rate", 4), ("snr_db", 14)), (("rate", 6), ("snr_db", 12)), (("rate", 6), ("snr_db", 14)),
                                        (("rate", 0), ("direction", "uplink"))])
        self.assertEqual(one.names(), ["rate", "snr_db", "direction"])
        self.assertEqual([(p.group, p.seed) for p in one.points()][-3:], [(3, 8), (4, 7), (4, 8)])
        self.assertEqual(self.read("kind: sim\nfigures: {}\ncases: [{}, {}]\n").groups(), [(), ()])

    def test_faults_of_cases(self):
        self.assertEqual(self.read(self.CASES.replace("[uplink]", "uplink").replace("by: rate", "by: rote")), [
            "c.yml:6: cases.1.direction: allowed: a list of one or more values",
            "c.yml:11: plots.by: value rote: allowed rate, snr_db, direction, per"])
        self.assertEqual(self.read(self.CASES.replace("  - {rate: [0], direction: [uplink]}", "  - 5")), ["c.yml:6: cases.1: allowed: keys with values"])
        for wrong in ("cases: []", "cases: {rate: [0]}"):
            self.assertEqual(self.read(f"kind: sim\nfigures: {{}}\n{wrong}\n"), ["c.yml:3: cases: allowed: a list of one or more maps of parameters"])
        self.assertEqual(self.read(FILE + "cases: [{rate: [0]}]\n"), ["c.yml:12: cases: given with parameters; allowed: one of them"])
        many = self.CASES.replace("rate: [0]", f"rate: {list(range(600_000))}")
        self.assertEqual(self.read(many), ["c.yml:1: parameters: 1200008 points: allowed at most 1000000"])

    def test_what_is_no_campaign(self):
        self.assertEqual(self.read("title: x\n"), ["c.yml:1: kind: is missing", "c.yml:1: parameters: is missing", "c.yml:1: figures: is missing"])
        self.assertIn("keys with values", self.read("- 1\n")[0])
        self.assertTrue(self.read("a: [\n")[0].startswith("c.yml:2: "))
        self.assertIn("keys with values", self.read("")[0])
        self.assertIn("1000000", self.read(FILE.replace("rate: [4, 6]", f"rate: {list(range(9000))}").replace("repeat: 2", "repeat: 100"))[0])

    def test_the_projects_own(self):
        folder = Path(provenance.TOP, "tests", "experiments", "campaigns")
        counts = {path.stem: len(description.read(path).points()) for path in folder.glob("*.yml")}
        self.assertEqual(counts["white-noise"], 200)
        self.assertIn("stations", counts)

    def test_a_fingerprint_is_of_what_decides(self):
        prints = {self.read(text).fingerprint() for text in (FILE, FILE.replace("A sweep", "Another"), FILE.replace("repeat: 2", "repeat: 3"))}
        self.assertEqual(len(prints), 1, "more seeds go on with what is there")
        for other in (self.CASES, FILE.replace("seed: 7", "seed: 8"), FILE.replace("blocks: 100", "blocks: 101"), FILE.replace("[4, 6]", "[4, 5]")):
            self.assertNotIn(self.read(other).fingerprint(), prints)


class Commands(unittest.TestCase):
    def test_link(self):
        command = tasks.link({"channel": "awgn"}, {"rate": 6, "snr_db": 13.5, "doppler_hz": 3}, 9, None)
        self.assertEqual(command[1:], ["--threads", "1", "--channel", "awgn", "--rate", "6", "--snr-db", "13.5:1:13.5", "--doppler-hz", "3", "--seed", "9", "--json", "-"])

    def test_scenarios_take_parameters_at_any_depth(self):
        with tempfile.TemporaryDirectory() as folder:
            base = {"seconds": 3, "traffic": [{"rate_bps": 1}]}
            command = tasks.sim(base, {"stations": 5, "traffic.0.rate_bps": 7, "base_station.name": "Lab"}, 9, Path(folder))
            written = json.loads(Path(command[2]).read_text(encoding="utf-8"))
            self.assertEqual(written, {"seconds": 3, "traffic": [{"rate_bps": 7}], "stations": 5, "base_station": {"name": "Lab"}})
            self.assertEqual(base, {"seconds": 3, "traffic": [{"rate_bps": 1}]})
            self.assertEqual(tasks.shown("sim", command, {"stations": 5}), "./wimax sim --scenario base+stations=5 --seed 9 --json -")

    def test_bench(self):
        command = tasks.bench({"experiment": "B5"}, {"snr_db": 20}, 2, Path("/tmp/x"))
        self.assertEqual(tasks.shown("bench", command, {}), "./wimax bench --quick --mode free --out /tmp/x/out --experiment B5 --snr-db 20 --seed 2 --json -")

    def test_curves(self):
        command = tasks.curves({"effort": 0.5}, {"what": "blocks", "set": "sui3"}, 2, None)
        self.assertEqual(tasks.shown("curves", command, {}),
                         "./wimax python -m wimax_tools.curves.measure --effort 0.5 --what blocks --set sui3 --seed 2 --json -")

    def test_programs_are_the_builds(self):
        with mock.patch.dict("os.environ", {"WIMAX_BUILD_DIR": "/b"}):
            self.assertEqual(tasks.program("x"), "/b/bin/x")
            del os.environ["WIMAX_BUILD_DIR"]
            self.assertEqual(tasks.program("x"), provenance.TOP + "/build/bin/x")

    def test_faults_of_a_point(self):
        self.assertEqual(tasks.finished(["echo", '{"a": 1}'], 5), {"a": 1})
        with self.assertRaisesRegex(tasks.PointFault, "ended with 3: no such rate"):
            tasks.finished(["sh", "-c", "echo no such rate >&2; exit 3"], 5)
        with self.assertRaisesRegex(tasks.PointFault, "timed out"):
            tasks.finished(["sleep", "5"], 0.1)
        with self.assertRaisesRegex(tasks.PointFault, "points.1.per"):
            tasks.figure_of({"points": [{"per": 1}]}, "points.1.per")
        with mock.patch("wimax_tools.provenance.commit", return_value="aaaaaaa"), self.assertRaisesRegex(tasks.PointFault, "has commit aaaaaaa, the campaign bbbbbbb"):
            tasks.run("link", {}, {}, 1, {}, 5, "bbbbbbb")


class Kept(unittest.TestCase):
    ROW = {"group": 0, "seed": 1, "per": 0.5}

    def test_rows_survive(self):
        with tempfile.TemporaryDirectory() as folder:
            one = store.Store(folder, "f", "abc")
            one.add(self.ROW)
            one.add(dict(self.ROW, group=2))
            with open(one.journal, "ab") as file:
                file.write(b'{"group": 3, "se')  # of a client that was killed
            again = store.Store(folder, "f", "abc")
            self.assertEqual([row["group"] for row in again.sorted()], [0, 2])
            again.add(dict(self.ROW, group=1))
            third = store.Store(folder, "f", "abc")
            self.assertEqual([row["group"] for row in third.sorted()], [0, 1, 2])
            self.assertTrue(third.has(description.Point(1, 1, ())))
            self.assertEqual(third.repeated, 0)
            third.add(dict(self.ROW, per=0.75))
            for opened in (one, again, third):
                opened.close()
            with self.assertRaises(ValueError):  # nothing is written after the end
                third.add(dict(self.ROW, group=5))
            third = store.Store(folder, "f", "abc")
            third.close()
            self.assertEqual((third.repeated, len(third.sorted())), (1, 3), "said, and once in the result")
            self.assertEqual(third.sorted()[0]["per"], 0.5, "what came first")
            for other in (("g", "abc"), ("f", "abd")):
                with self.assertRaises(store.StoreError):
                    store.Store(folder, *other)

    def test_without_pyarrow(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("sys.modules", {"pyarrow": None}):
            one = store.Store(folder, "f", "abc")
            one.close()
            with self.assertRaisesRegex(store.StoreError, "rows.jsonl"):
                one.table()

    def test_columns_of_texts_and_numbers_become_texts(self):
        self.assertEqual(store.column(["auto", 6, None, 0.5]), ["auto", "6", None, "0.5"])
        self.assertEqual(store.column([1, None, 2.5]), [1, None, 2.5])


class Usage(unittest.TestCase):
    def test_processor_time_is_of_the_program_and_of_its_children(self):
        usage = {tasks.resource.RUSAGE_SELF: (1, 20), tasks.resource.RUSAGE_CHILDREN: (300, 4000)}
        with mock.patch("resource.getrusage", lambda who: types.SimpleNamespace(ru_utime=usage[who][0], ru_stime=usage[who][1])):
            self.assertEqual(tasks.cpu_s(), 4321)


class Precision(unittest.TestCase):
    def campaign(self, most=5, repeat=2):
        return description.Campaign("", "link", {}, [{"rate": [1, 2]}], {"per": "per"}, seed=1, repeat=repeat, until=description.Until("per", 0.1, most))

    def asked(self, rows, **more):
        return [(p.group, p.seed) for p in precision.next_points(self.campaign(**more), {key: {"per": per} for key, per in rows.items()})]

    def test_seeds_are_added_until_the_bounds_are_narrow(self):
        self.assertEqual(self.asked({}), [(0, 1), (0, 2), (1, 1), (1, 2)], "two first")
        both = {(0, 1): 1.0, (0, 2): 1.001, (1, 1): 1.0, (1, 2): 2.0}
        self.assertEqual(self.asked(both), [(1, 3)], "the first group's are narrow")
        self.assertEqual(self.asked({**both, (1, 3): 1.5}), [(1, 4)])
        self.assertEqual(self.asked({**both, (1, 3): 1.5, (1, 4): 1.5, (1, 5): 1.5}), [], "no more than that")

    def test_the_order_of_results_is_no_matter(self):
        self.assertEqual(self.asked({(0, 2): 1.0, (0, 3): 1.0, (1, 1): 1.0, (1, 2): 1.0}), [(0, 1)])

    def test_without_it(self):
        one = description.Campaign("", "link", {}, [{"rate": [1]}], {"per": "per"}, seed=4, repeat=3)
        self.assertEqual([p.seed for p in precision.next_points(one, {(0, 5): {}})], [4, 6])

    def test_zero_is_never_narrow(self):
        self.assertFalse(precision.narrow([0.0, 1.0], 0.1))
        self.assertFalse(precision.narrow([5.0], 0.1))
        self.assertTrue(precision.narrow([0.0, 0.0], 0.1))

    def test_bounds_are_relative_to_the_mean(self):
        """The same values on another scale, or below zero, are as precise."""
        for spread, narrow in ((0.001, True), (0.02, True), (0.3, False), (2.0, False)):
            values = [1 + spread * step for step in (-0.5, 0, 0.5, -0.25, 0.25)]
            for scale in (1e-4, 0.02, 1, 5000, -0.02, -7):
                self.assertEqual(precision.narrow([scale * value for value in values], 0.1), narrow, (spread, scale))

    def test_the_limit_of_the_bounds(self):
        """Student's t of four degrees of freedom, 2.776, times the deviation of 1..5 over the root of five: 1.963 about 3."""
        self.assertFalse(precision.narrow([1, 2, 3, 4, 5], 0.654))
        self.assertTrue(precision.narrow([1, 2, 3, 4, 5], 0.655))

    def test_more_seeds_are_asked_for_by_whole_prefixes_only(self):
        """Whatever has come in whatever order: nothing beyond the first seed that is missing, but for the first two."""
        wide = {seed: 1.0 + seed % 2 for seed in range(1, 6)}
        for there in itertools.product((False, True), repeat=5):
            rows = {(group, seed): wide[seed] for group in (0, 1) for seed in wide if there[seed - 1]}
            missing = [seed for seed in wide if not there[seed - 1]]
            expected = [seed for seed in missing if seed <= 2] or missing[:1]
            self.assertEqual(self.asked(rows), [(group, seed) for group in (0, 1) for seed in expected], there)

    def test_what_is_no_number_is_never_narrow(self):
        self.assertFalse(precision.narrow([[1, 2], [1, 2]], 0.1))
        self.assertFalse(precision.narrow([1.0, None], 0.1))


class Pages(unittest.TestCase):
    def test_what_it_says(self):
        campaign = description.Campaign("Sweep <1>", "link", {}, [{"rate": [1, 2]}], {"per": "per"})
        runner = types.SimpleNamespace(campaign=campaign, store=types.SimpleNamespace(rows={(0, 1): {"rate": 1, "seed": 1, "per": 0.25, "host": [3, 4]}}), planned=lambda: 2, failed={},
                                       workers=3, seconds=10.0, computed=1, commit="abcdef0")
        with tempfile.TemporaryDirectory() as folder:
            text = page.write(runner, folder, True).read_text(encoding="utf-8")
            for words in ('<progress max="2" value="1">', "1 of 2 points, 3 workers, 10 s, about 10 s left", "Sweep &lt;1&gt;", "<td>0.25</td>", "<td>2 entries</td>", "http-equiv"):
                self.assertIn(words, text)
            self.assertNotIn("http-equiv", page.write(runner, folder, False).read_text(encoding="utf-8"))
            self.assertEqual(os.listdir(folder), ["index.html"])

    def test_curves_have_means_and_bounds(self):
        rows = [{"x": 1, "y": 1.0, "b": 7}, {"x": 1, "y": 3.0, "b": 7}, {"x": 2, "y": 5.0, "b": 8}]
        found = page.curves({"x": "x", "y": "y", "by": "b"}, rows)
        self.assertEqual({curve: [(x, float(y)) for x, y in points] for curve, points in found.items()}, {("y", 7): [(1, 2.0)], ("y", 8): [(2, 5.0)]})
        self.assertEqual(page.curves({"x": "x", "y": "y"}, [{"y": 1.0}, {"x": 1}]), {}, "rows of other cases")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(page.draw([{"x": "x", "y": "y", "by": "b", "log": "both"}], rows, folder), ["y-x-b.svg"])
            self.assertIn("<svg", Path(folder, "y-x-b.svg").read_text(encoding="utf-8"))

    def test_axes_have_words_and_units(self):
        self.assertEqual([page.label_of(key) for key in ("up_mean_ms", "snr_db", "traffic.0.rate_bps", "stations", "per")],
                         ["up mean (ms)", "snr (dB)", "rate (bit/s)", "stations", "per"])
        rows = [{"stations": 1, "up_bps": 1.0}]
        for more, words in (({}, ">up (bit/s)<"), ({"ylabel": "uplink goodput (bit/s)", "title": "Goodput"}, ">uplink goodput (bit/s)<")):
            with tempfile.TemporaryDirectory() as folder:
                name, = page.draw([{"x": "stations", "y": "up_bps", "log": "none", **more}], rows, folder)
                text = Path(folder, name).read_text(encoding="utf-8")
            self.assertIn(words, text)
            self.assertIn(">stations<", text)
            self.assertEqual(">Goodput<" in text, "title" in more)

    def test_several_figures_in_one_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            name, = page.draw([{"x": "stations", "y": ["up_mean_ms", "up_p99_ms"], "log": "both"}], [{"stations": 1, "up_mean_ms": 8, "up_p99_ms": 14}], folder)
            text = Path(folder, name).read_text(encoding="utf-8")
        self.assertEqual(name, "up_mean_ms-up_p99_ms-stations.svg")
        self.assertIn(">up mean (ms)<", text)
        self.assertIn(">up p99 (ms)<", text)


class Arguments(unittest.TestCase):
    def test_wrong_ones(self):
        for argv in (["x.yml", "--scheduler", "host:1"], ["x.yml", "--workers", "0"], ["x.yml", "--scheduler", "tcp://h:1", "--workers", "2"],
                     ["x.yml", "--tls-cert", "c"], []):
            with self.assertRaises(SystemExit) as caught, mock.patch("sys.stderr"):
                parse(argv)
            self.assertEqual(caught.exception.code, 2)
        self.assertEqual(parse(["a/b.yml"]).out, "b")


if __name__ == "__main__":
    unittest.main()
