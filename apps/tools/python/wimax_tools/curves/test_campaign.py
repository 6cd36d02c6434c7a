# SPDX-License-Identifier: GPL-3.0-or-later
"""measure.py, campaign.py, plot.py and `regression.py --regenerate` with a wimax-link whose error rates are a known function of SNR:
which points are asked for, which are kept, what is drawn and stored."""
import contextlib
import io
import json
import os
from pathlib import Path
import stat
import sys
import tempfile
import unittest
from unittest import mock

import matplotlib.pyplot as plt

from wimax_tools import provenance
from wimax_tools.campaign import description, store, tasks
from wimax_tools.curves import campaign as curves
from wimax_tools.curves import measure
from wimax_tools.curves import points
from wimax_tools.curves import report as curves_report
from wimax_tools.curves import plot
from wimax_tools.curves import regression
from wimax_tools.curves.threshold import GENIE_BER_DB, GENIE_PER_DB


def per_at(snr_db, crossing_db, db_per_decade=2.0):
    return min(1.0, 10 ** (-2 - (snr_db - crossing_db) / db_per_decade))


def values(grid):
    start, step, stop = map(float, grid.split(":"))
    return [start + i * step for i in range(int(round((stop - start) / step)) + 1)]


class Link:
    """Stands for wimax-link: the real receiver crosses 1e-2 `loss_db` above the genie's reference."""

    def __init__(self, loss_db=0.4):
        self.loss_db, self.runs = loss_db, []

    def simulate(self, _seed, **arguments):
        self.runs.append(arguments)
        points = []
        for snr in values(arguments["snr_db"]):
            crossing = GENIE_PER_DB[arguments["rate"]] + (self.loss_db if arguments["estimation"] == "real" else 0)
            per = per_at(snr, crossing)
            points.append({"rate_id": arguments["rate"], "direction": arguments["direction"], "symbols": arguments.get("symbols", 1),
                           "snr_db": snr, "blocks": arguments["blocks"], "block_errors": round(per * arguments["blocks"]),
                           "missed": 0, "per": per, "per_low": per / 2, "per_high": per * 2, "ber": per / 100,
                           "estimation": arguments["estimation"], "doppler_hz": arguments.get("doppler_hz", 0),
                           "midamble_interval": arguments.get("midamble_interval", 0), "seconds": 3})
        return points


def campaign_file(name="error-rates"):
    return description.read(Path(provenance.TOP, "tests", "experiments", "campaigns", name + ".yml"))


class Measured(unittest.TestCase):
    def setUp(self):
        self.link = Link()
        patch = mock.patch.object(measure, "simulate", self.link.simulate)
        patch.start()
        self.addCleanup(patch.stop)

    def rows(self, commit="abc", seed=1, effort=0.01, **only):
        """What a campaign of the project's own file has for its tasks of these parameters."""
        found = []
        for group, parameters in enumerate(map(dict, campaign_file().groups())):
            if all(parameters.get(name) in values for name, values in only.items()):
                how, names, runs = measure.MEASURES[parameters["what"]]
                points = measure.Points(runs=runs)
                how(seed, measure.Effort(effort), points, **{name: parameters["set" if name == "name" else name] for name in names})
                found.append({"group": group, "seed": seed, **parameters, "points": points, "commit": commit, "command": f"task {group}"})
        return found


class Measuring(Measured):

    def test_coarse_and_fine_in_noise(self):
        """16-QAM 1/2: coarse 2 dB about the reference in steps of 0.5, fine two steps beyond both crossings; steps of 1/8 dB, of
        1/4 where real and genie are more than 1/4 dB apart."""
        # Reference 9.66 dB: about 9.5. Crossings at 9.66 and 9.76: 9.625 and 9.75 on the grid; at 9.66 and 10.06: 9.75 and 10.
        for loss_db, fine in ((0.1, "9.375:0.125:10"), (0.4, "9.25:0.25:10.5")):
            self.link.loss_db, self.link.runs = loss_db, []
            measure.measure_rate(1, measure.Effort(1), measure.Points(), "awgn", "downlink", 3)
            grids = [(r["snr_db"], r["estimation"], r["blocks"]) for r in self.link.runs]
            self.assertEqual(grids, [("7.5:0.5:11.5", "real", 1000), ("7.5:0.5:11.5", "genie", 1000),
                                     (fine, "real", 10_000), (fine, "genie", 10_000)])
            self.assertEqual({(r["channel"], r["direction"], r["rate"], r["errors"]) for r in self.link.runs},
                             {("awgn", "downlink", 3, 10**9)})

    def test_coarse_and_fine_in_fading(self):
        """Steps of 0.5 dB, of 1 dB where real and genie are more than 1 dB apart."""
        for loss_db, fine in ((6, "-2:1:8"), (0.4, "-1:0.5:1")):
            self.link.loss_db, self.link.runs = loss_db, []
            measure.measure_rate(1, measure.Effort(1), measure.Points(), "sui3", "uplink", 0)
            self.assertEqual([r["snr_db"] for r in self.link.runs], ["-3:3:27"] * 2 + [fine] * 2)

    def test_nothing_fine_without_a_crossing(self):
        self.link.loss_db = 0
        with mock.patch.dict(globals(), {"per_at": lambda snr, crossing: 0.5}):
            measure.measure_rate(1, measure.Effort(1), measure.Points(), "sui5", "downlink", 6)
        self.assertEqual(len(self.link.runs), 2)

    def test_bit_errors_about_their_reference(self):
        measure.measure_bit_errors(1, measure.Effort(1), measure.Points(), "uplink", 6)
        offsets = {"genie": (-0.9, -0.6, -0.3, 0), "real": (-2.0, -1.7, -1.4, -1.1)}  # with second attempts
        expected = [(by, [round(GENIE_BER_DB[6] + o, 2)]) for by, of in offsets.items() for o in of]
        self.assertEqual(sorted((r["estimation"], values(r["snr_db"])) for r in self.link.runs), sorted(expected))
        self.assertEqual({(r["symbols"], r["blocks"], r["errors"]) for r in self.link.runs}, {(10, 10_000_000, 100)})

    def test_mobility_covers_every_case(self):
        measure.measure_mobility(1, measure.Effort(1), measure.Points())
        self.assertEqual(len(self.link.runs), 3 * 5 * 2)
        self.assertEqual({(r["doppler_hz"], r["direction"], r["midamble_interval"]) for r in self.link.runs},
                         {(d, *case) for d in (10, 50, 195)
                          for case in (("downlink", 0), ("uplink", 0), ("uplink", 3), ("uplink", 2), ("uplink", 1))})
        self.assertEqual({(r["rate"], r["symbols"], r["snr_db"], r["blocks"]) for r in self.link.runs}, {(3, 50, "9:3:33", 50_000)})

    def test_effort(self):
        half, least = measure.Effort(0.5), measure.Effort(0.001)
        self.assertEqual((half.coarse, half.fine, half.mobility, half.ber), (500, 5000, 25_000, 5_000_000))
        self.assertEqual((least.coarse, least.fine, least.mobility, least.ber), (100, 100, 2500, 10_000))

    def test_other_bandwidths_and_prefixes(self):
        """Carrier offsets as large against the carrier spacing as at 5 MHz; the tables are those of their channel."""
        wanted = ["awgn-1.25mhz-cp4", "vehicular-a-20mhz-cp32"]
        with tempfile.TemporaryDirectory() as docs:
            folder = os.path.join(docs, "curves")
            os.mkdir(folder)
            curves.take_over(curves.by_file(self.rows(set=wanted, direction=["uplink"])), folder)
            keys = ("channel", "bandwidth_hz", "cp", "offset_hz")
            self.assertEqual({tuple(r[key] for key in keys) for r in self.link.runs},
                             {("awgn", 1_250_000, "1/4", 2500), ("vehicular-a", 20_000_000, "1/32", 40_000)})
            self.assertEqual({r.get("symbols", 1) for r in self.link.runs}, {1})
            self.assertEqual(sorted(os.listdir(folder)), [name + "-uplink.json.xz" for name in wanted])
            tables = curves_report.tables(curves_report.read_sets(docs))
        self.assertIn("### White noise, 1.25 MHz, CP 1/4\n\nBlock error rate 1e-2, uplink", tables)
        self.assertNotIn("Bit error rate", tables)
        self.assertIn("### Vehicular A, 60 km/h at 3.5 GHz, 20 MHz, CP 1/32\n\n| rate | uplink genie |", tables)
        self.assertIn("(curves/numerologies.svg)", tables)

    def test_the_file_has_every_task_once(self):
        """Eleven channels and two at two bandwidths with two prefixes, both ways, seven rates; bit errors in white noise; on the move."""
        file = campaign_file()
        found = [tuple(sorted(dict(group).items())) for group in file.groups()]
        self.assertEqual((len(found), len(set(found)), file.repeat), ((11 + 2 * 2 * 2) * 2 * 7 + 2 * 7 + 1,) * 2 + (1,))
        asked = [measure.parse(tasks.curves(file.base, dict(group), 1, None)[4:]) for group in file.groups()]
        self.assertEqual({(a.name, a.direction, a.rate) for a in asked if a.what == "blocks"},
                         {(name, direction, rate) for name in curves_report.NAMES for direction in ("downlink", "uplink") for rate in range(7)})
        self.assertEqual({a.effort for a in asked}, {1})

    def test_wrong_arguments(self):
        for words, wrong in (("--what bits --direction uplink", "--rate: is missing with --what bits"),
                             ("--what bits --set awgn --direction uplink --rate 0", "--set: not allowed with --what bits"),
                             ("--what mobility --rate 0", "--rate: not allowed with --what mobility"),
                             ("--what blocks --direction uplink --rate 0", "--set: is missing with --what blocks"),
                             ("--what blocks --set sui7 --direction uplink --rate 0", "'sui7', did you mean sui6? Allowed: awgn"),
                             ("--what mobility --effort 0", "--effort: allowed above 0, to 100"), ("", "--what")):
            with mock.patch("sys.stderr") as said, self.assertRaises(SystemExit) as caught:
                measure.parse([*words.split(), "--json", "-"])
            self.assertEqual(caught.exception.code, 2)
            self.assertIn(wrong, "".join(call.args[0] for call in said.write.call_args_list))


class HowFar(unittest.TestCase):
    def test_runs_are_counted(self):
        """Each run is shown before it begins, as a share of all; what all of them gave is kept in their order."""
        bar = mock.Mock()
        with mock.patch.object(measure, "simulate", side_effect=[["a", "b"], [], ["c"]]):
            points = measure.Points(bar, 3)
            for seed in (1, 2, 3):
                points.measure(seed)
        self.assertEqual(points, ["a", "b", "c"])
        self.assertEqual(bar.show.call_args_list, [mock.call(0, "run 1 of 3"), mock.call(1 / 3, "run 2 of 3"), mock.call(2 / 3, "run 3 of 3")])


class TakenOver(Measured):
    def test_the_larger_sample_of_equal_points_is_kept(self):
        point = {"symbols": 1, "rate_id": 2, "estimation": "real", "snr_db": 5.0}
        merged = curves.merge([dict(point, blocks=2000), dict(point, blocks=2500), dict(point, snr_db=4.0, blocks=7),
                               dict(point, estimation="genie", blocks=9), dict(point, blocks=100)])
        self.assertEqual([(p["estimation"], p["snr_db"], p["blocks"]) for p in merged],
                         [("genie", 5.0, 9), ("real", 4.0, 7), ("real", 5.0, 2500)])

    def test_a_set_is_written_as_a_line_a_curve(self):
        """What the points of a curve share is written once; rates and their bounds follow from the counts."""
        made = [self.link.simulate(None, rate=1, direction="uplink", snr_db="4:0.125:4.25", blocks=3000, estimation="real", symbols=symbols) for symbols in (10, 1)]
        made = made[0] + made[1][:1]
        for point, commit in zip(made, ("new", "old", "new", "new")):
            point["commit"] = commit
        with tempfile.TemporaryDirectory() as folder:
            path = points.path_of(folder, "awgn-uplink")
            self.assertEqual(points.read(path), [])
            points.write(path, made)
            compressed = points.path_of(folder, "sui1-uplink")
            points.write(compressed, made)
            self.assertEqual(Path(compressed).read_bytes()[:6], b"\xfd7zXZ\0")
            self.assertEqual(points.read(compressed), points.read(path))
            lines = Path(path).read_text(encoding="utf-8").splitlines()
            read = points.read(path)
        self.assertEqual((len(lines), lines[0]), (5, '{"commit":"new","curves":['))
        first, deviating = (json.loads(line.rstrip(",")) for line in lines[1:3])
        self.assertEqual(set(first), set(points.KEPT_KEYS))
        self.assertEqual(set(deviating), {*points.KEPT_KEYS, "commit"})
        self.assertEqual(set(json.loads(lines[3])), set(points.KEPT_KEYS) - {"ber"}, "of single symbols no table has bit errors")
        self.assertEqual(first["snr_db"], [4, 4.25])
        self.assertEqual(first["ber"][0], float(f"{per_at(4, 4.08 + 0.4) / 100:.4g}"))
        self.assertEqual([(point["commit"], point["snr_db"]) for point in read], [("new", 4), ("new", 4.25), ("old", 4.125), ("new", 4)])
        self.assertEqual(read[0]["per"], round(per_at(4, 4.48) * 3000) / 3000)

    def test_bounds_are_those_of_the_link_simulator(self):
        """Of 1000 blocks; the figures of wimax-link for white noise."""
        for errors, low, high in ((0, 0, 0.003827), (220, 0.1954, 0.2467), (1000, 0.9962, 1)):
            self.assertEqual([float(f"{bound:.4g}") for bound in points.wilson(errors, 1000)], [low, high])

    def journal(self, folder, rows):
        with open(os.path.join(folder, store.JOURNAL), "w") as file:
            file.write("".join(json.dumps(line) + "\n" for line in ({"campaign": "f", "commit": "abc"}, *rows)))

    def test_sets_by_file(self):
        """Rows come in any order; points in that of the tasks."""
        rows = self.rows(what=["blocks", "bits"], set=[None, "awgn", "sui2"], rate=[2, 3], direction=["uplink"]) + self.rows(what=["mobility"])
        new = curves.by_file(rows[::-1])
        self.assertEqual(set(new), {"awgn-uplink", "sui2-uplink", "mobility"})
        self.assertEqual({(p["rate_id"], p["symbols"]) for p in new["awgn-uplink"]}, {(2, 1), (3, 1), (2, 10), (3, 10)})
        self.assertEqual({(p["rate_id"], p["symbols"]) for p in new["sui2-uplink"]}, {(2, 1), (3, 1)})
        self.assertEqual([point["snr_db"] for point in new["mobility"]], [*range(9, 34, 3)] * 30)
        self.assertEqual(new, curves.by_file(rows))
        self.assertEqual(set(new["mobility"][0]), {*points.KEPT_KEYS, "commit"})

    def test_what_is_new_replaces_what_was(self):
        """Of the same rate and length of bursts, also at SNRs that are not measured any more; the rest stays."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "awgn-uplink.json")
            curves.take_over(curves.by_file(self.rows("old", what=["blocks", "bits"], set=[None, "awgn"], direction=["uplink"])), folder)
            before = points.read(path)
            self.assertEqual({(p["rate_id"], p["symbols"]) for p in before}, {(rate, symbols) for rate in range(7) for symbols in (1, 10)})
            self.link.loss_db = 1.0  # the fine grid lies elsewhere
            for what, name, of in (("blocks", "awgn", (4, 1)), ("bits", None, (5, 10))):
                new = curves.by_file(self.rows(what, what=[what], set=[name], direction=["uplink"], rate=[of[0]]))
                curves.take_over(new, folder)
                after = points.read(path)
                self.assertEqual({(p["rate_id"], p["symbols"]) for p in after if p["commit"] == what}, {of})
                self.assertEqual({p["commit"] for p in after if (p["rate_id"], p["symbols"]) == of}, {what})
                self.assertEqual([p for p in after if p["commit"] != what], [p for p in before if (p["rate_id"], p["symbols"]) != of])
                before = after
            self.assertEqual(after, curves.merge(after), "in order")
            self.assertEqual(os.listdir(folder), ["awgn-uplink.json"])

    def test_mobility_is_one_task(self):
        with tempfile.TemporaryDirectory() as folder:
            for commit in ("old", "new"):
                curves.take_over(curves.by_file(self.rows(commit, what=["mobility"])), folder)
            read = points.read(points.path_of(folder, "mobility"))
        self.assertEqual((len(read), {point["commit"] for point in read}), (3 * 5 * 2 * 9, {"new"}))

    def test_the_command(self):
        with tempfile.TemporaryDirectory() as docs:
            mark = curves_report.BEGIN + "nothing\n" + curves_report.END
            Path(docs, "error-rates.md").write_text("before\n" + mark + "after\n", encoding="utf-8")
            self.journal(docs, self.rows(effort=1, what=["blocks"], set=["awgn"], rate=[3]))
            with open(os.path.join(docs, store.JOURNAL), "a") as file:
                file.write('{"group": 9')  # the campaign is still running
            with contextlib.redirect_stdout(io.StringIO()):
                curves.main(["--from", docs, "--docs", docs])
            self.assertEqual(sorted(os.listdir(os.path.join(docs, "curves"))),
                             ["awgn-downlink.json", "awgn-uplink.json", "awgn.svg"])
            text = Path(docs, "error-rates.md").read_text(encoding="utf-8")
            self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
            self.assertIn("| 16-QAM 1/2 | 9.66 | 9.66 | 10.06 |", text)
            picture = Path(docs, "curves", "awgn.svg")
            picture.unlink()
            runs = len(self.link.runs)
            with contextlib.redirect_stdout(io.StringIO()):
                curves.main(["--docs", docs])
            self.assertTrue(picture.exists(), "drawn from the files")
            self.assertEqual((Path(docs, "error-rates.md").read_text(encoding="utf-8"), len(self.link.runs)), (text, runs))

    def test_other_results_are_refused_before_anything_is_written(self):
        row, = self.rows(what=["blocks"], set=["awgn"], rate=[3], direction=["uplink"])
        point = dict(row["points"][0])
        del point["ber"]
        for rows, wrong in (([], "no rows yet"), ([{"group": 0, "seed": 1, "per": 0.5}], "'what'"), ([row, dict(row, seed=2)], "two seeds of task"),
                            ([row, dict(row, group=9999, set="../x")], "no set is called ../x-uplink"), ([dict(row, points=[point])], "'ber'"),
                            ([dict(row, points=5)], "int"), ([5], "int")):
            with tempfile.TemporaryDirectory() as docs:
                self.journal(docs, rows)
                with mock.patch("sys.stderr") as said, self.assertRaises(SystemExit) as caught:
                    curves.main(["--from", docs, "--docs", docs])
                self.assertEqual((caught.exception.code, os.listdir(docs)), (2, [store.JOURNAL]))
                self.assertIn(wrong, "".join(call.args[0] for call in said.write.call_args_list))
        with mock.patch("sys.stderr"), self.assertRaises(SystemExit) as caught:
            curves.main(["--from", "/nowhere"])
        self.assertEqual(caught.exception.code, 2)


    def test_a_new_folder_for_documents(self):
        """Made with what a campaign has measured; without that there is nothing to draw, nor in a document without marks."""
        with tempfile.TemporaryDirectory() as top:
            new = os.path.join(top, "new")
            self.journal(top, self.rows(what=["blocks"], set=["awgn"], rate=[3]))
            for arguments, words in ((["--docs", new], "sets of points"), (["--from", top, "--docs", top], "allowed a document with the lines")):
                Path(top, "error-rates.md").write_text("no marks\n", encoding="utf-8")
                with mock.patch("sys.stderr") as said, self.assertRaises(SystemExit) as caught:
                    curves.main(arguments)
                self.assertEqual(caught.exception.code, 2)
                self.assertIn(words, "".join(call.args[0] for call in said.write.call_args_list))
            self.assertEqual(sorted(os.listdir(top)), ["error-rates.md", store.JOURNAL])
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                curves.main(["--from", top, "--docs", new])
            self.assertIn("2 sets in", shown.getvalue())
            self.assertEqual(sorted(os.listdir(new)), ["curves", "error-rates.md"])
            self.assertIn("| 16-QAM 1/2 | 9.66 |", Path(new, "error-rates.md").read_text(encoding="utf-8"))

    def test_interrupted_it_keeps_the_runs_that_are_done(self):
        def interrupted(*arguments, **more):
            if len(self.link.runs) == 3:
                raise KeyboardInterrupt
            return self.link.simulate(*arguments, **more)

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(measure, "simulate", interrupted):
            result = os.path.join(folder, "r.json")
            with mock.patch("sys.stderr"), self.assertRaises(SystemExit) as caught:
                measure.main(["--what", "bits", "--direction", "uplink", "--rate", "6", "--json", result])
            self.assertEqual(caught.exception.code, 130)
            with open(result) as file:
                kept = json.load(file)
            self.assertEqual((len(kept["points"]), kept["complete"], os.listdir(folder)), (3, False, ["r.json"]))

    def test_a_table_for_people(self):
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            measure.main(["--what", "bits", "--direction", "uplink", "--rate", "6"])
        lines = shown.getvalue().splitlines()
        self.assertEqual(len(lines), 1 + 8)
        self.assertTrue(lines[1].startswith("64-QAM 3/4  real       17.94"), lines[1])


class Tool(unittest.TestCase):
    """A program in place of wimax-link that answers with its own arguments."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tool = os.path.join(self.folder.name, "bin", "wimax-link")
        os.mkdir(os.path.dirname(self.tool))
        patch = mock.patch.dict("os.environ", {"WIMAX_BUILD_DIR": self.folder.name})
        patch.start()
        self.addCleanup(patch.stop)
        with open(self.tool, "w") as file:
            file.write(f"#!{sys.executable}\nimport json, sys\na = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
                       "if a.get('--rate') == '9': sys.exit(3)\n"
                       "blocks = int(a['--blocks'])\n"
                       "print(json.dumps({'points': [{'asked': a, 'blocks': blocks, 'block_errors': blocks // 50, 'per': 0.02}]}))\n")
        os.chmod(self.tool, os.stat(self.tool).st_mode | stat.S_IXUSR)

    def test_a_run_of_the_tool(self):
        point, = measure.simulate(11, snr_db="1:1:1", rate=4, midamble_interval=2, blocks=7)
        self.assertEqual(point["asked"], {"--threads": "1", "--seed": "11", "--json": "-", "--snr-db": "1:1:1", "--rate": "4",
                                          "--midamble-interval": "2", "--blocks": "7"})
        with self.assertRaisesRegex(tasks.PointFault, "ended with 3"):
            measure.simulate(1, rate=9, blocks=1)

    def test_a_task(self):
        """As a campaign runs it: each point has gone through it unchanged."""
        base, parameters = {"effort": 0.5}, {"what": "bits", "direction": "uplink", "rate": 6}
        row = tasks.run("curves", base, parameters, 5, {"points": "points"}, 60, provenance.commit())
        self.assertEqual((row["what"], row["seed"], len(row["points"])), ("bits", 5, 2 * len(measure.BER_OFFSETS_DB)))
        self.assertEqual({(p["asked"]["--seed"], p["blocks"]) for p in row["points"]}, {("5", 5_000_000)})
        result = os.path.join(self.folder.name, "r.json")
        measure.main(["--what", "bits", "--direction", "uplink", "--rate", "6", "--effort", "0.5", "--seed", "5", "--json", result])
        with open(result) as file:
            written = json.load(file)
        self.assertEqual((written["points"], written["complete"], written["provenance"]["seed"]), (row["points"], True, 5))
        self.assertLessEqual({"program", "version", "commit", "command", "machine", "date"}, written["provenance"].keys())
        os.remove(self.tool)
        with self.assertRaisesRegex(tasks.PointFault, "wimax_tools.curves.measure .* ended with 1: .*wimax-link"):
            tasks.run("curves", base, parameters, 5, {"points": "points"}, 60, provenance.commit())

    def references(self, *cases):
        path = os.path.join(self.folder.name, "references.json")
        with open(path, "w") as file:
            json.dump(cases, file)
        patch = mock.patch.object(regression, "REFERENCES", path)
        patch.start()
        self.addCleanup(patch.stop)
        return path

    def run_regression(self, *arguments):
        with mock.patch.object(sys, "argv", ["regression.py", self.tool, *arguments]):
            return regression.main()

    def test_references_are_made_of_more_blocks_with_another_seed(self):
        case = {"channel": "awgn", "direction": "uplink", "rate": 3, "snr_db": 9.5, "blocks": 400, "symbols": 2}
        other = dict(case, channel="sui1", reference={"blocks": 1, "block_errors": 0})
        path = self.references(case, other)
        asked = regression.measure(self.tool, case, regression.REFERENCE_SEED, regression.REFERENCE_FACTOR)["asked"]
        self.assertEqual(asked, {"--channel": "awgn", "--direction": "uplink", "--rate": "3", "--symbols": "2", "--snr-db": "9.5:1:9.5",
                                 "--blocks": "2000", "--errors": "1000000000", "--seed": "2", "--json": "-"})
        self.run_regression("--regenerate", "--only", "awgn")
        with open(path) as file:
            lines = file.read().splitlines()
        self.assertEqual([json.loads(line.rstrip(",")) for line in lines[1:-1]],
                         [dict(case, reference={"blocks": 2000, "block_errors": 40}), other])
        self.assertNotEqual(regression.TEST_SEED, regression.REFERENCE_SEED)


class Pictures(unittest.TestCase):
    def setUp(self):
        self.addCleanup(plt.close, "all")

    def points(self, rate, estimation):
        return [{"rate_id": rate, "estimation": estimation, "snr_db": snr, "per": per, "per_low": per * 0.8, "per_high": per * 1.5,
                 "block_errors": errors} for snr, per, errors in ((2.0, 0.1, 100), (0.0, 0.5, 500), (4.0, 0.001, 2), (3.0, 0.003, 3))]

    def drawn(self, draw):
        figures = []
        with mock.patch.object(plot, "save", lambda figure, path, *area, made=None: figures.append((figure, path))):
            draw()
        return figures[0]

    def test_curves_in_order_and_points_of_few_errors_as_bounds(self):
        figure, path = self.drawn(lambda: plot.draw(self.points(2, "real") + self.points(2, "genie") + self.points(6, "real"),
                                                    "title", "x.svg"))
        axes, = figure.axes
        self.assertEqual(path, "x.svg")
        self.assertEqual(len(axes.containers), 3)
        for container, colour, style in zip(axes.containers, ("C2", "C6", "C2"), ("-", "-", "--")):
            line, _, (bars,) = container
            self.assertEqual(line.get_xdata().tolist(), [0, 2, 3])
            self.assertEqual(line.get_ydata().tolist(), [0.5, 0.1, 0.003])
            self.assertEqual((line.get_color(), line.get_linestyle()), (colour, style))
            low, high = bars.get_segments()[1][:, 1]
            self.assertAlmostEqual(low, 0.08)
            self.assertAlmostEqual(high, 0.15)
        self.assertEqual([t.get_text() for t in axes.get_legend().get_texts()], ["QPSK 3/4", "64-QAM 3/4", plot.BOUND])
        bounds = [line for line in axes.lines if line.get_marker() == "v"]
        self.assertEqual([line.get_xydata().tolist() for line in bounds], [[[4, 0.0015]]] * 3)
        self.assertEqual([line.get_linestyle() for line in bounds], ["None"] * 3)
        self.assertEqual(axes.get_title(), "title: real receiver solid, genie dashed")
        self.assertEqual(axes.get_yscale(), "log")

    def test_mobility_panels(self):
        link = Link()
        points = []
        for doppler in curves_report.MOBILITY_DOPPLER_HZ:
            for direction, interval in curves_report.MOBILITY_CASES:
                for estimation in ("real", "genie"):
                    points += link.simulate(None, doppler_hz=doppler, direction=direction, midamble_interval=interval, rate=3,
                                            symbols=50, snr_db="3:3:12", estimation=estimation, blocks=1000 + doppler)
        figure, _ = self.drawn(lambda: curves_report.draw_mobility(points, "m.svg"))
        self.assertEqual([a.get_title() for a in figure.axes], [f"largest Doppler shift {d} Hz" for d in (10, 50, 195)])
        self.assertEqual([len(a.containers) for a in figure.axes], [10] * 3)
        section = curves_report.mobility_section(points)
        # Crossings at 10.06 and 9.66 dB; 195 Hz is 60 km/h at 3.5 GHz.
        self.assertEqual(section.count("10.1 / 9.7"), 15)
        self.assertIn("| 10 Hz (3 km/h at 3.5 GHz) | 50 Hz (15 km/h at 3.5 GHz) | 195 Hz (60 km/h at 3.5 GHz) |", section)


class Tables(unittest.TestCase):
    def test_a_row_of_white_noise(self):
        link, points = Link(loss_db=0.4), []
        for estimation in ("real", "genie"):
            points += link.simulate(None, rate=3, direction="downlink", snr_db="8:0.125:12", blocks=100_000, estimation=estimation)
        row, = [line for line in curves_report.awgn_table(points, "downlink").splitlines() if line.startswith("| 16-QAM 1/2")]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        self.assertEqual(cells[:4], ["16-QAM 1/2", "9.66", "9.66", "10.06"])
        self.assertRegex(cells[4], r"^\+0\.40 ± 0\.0\d$")
        self.assertEqual(cells[5:], ["+0.40", "11.5", "1.44"])


if __name__ == "__main__":
    unittest.main()
