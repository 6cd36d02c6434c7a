# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of the field studies without a stack: what is asked of the bench, and what is made of its answers."""
import contextlib
import io
import json
import os
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from matplotlib.colors import to_rgba

from wimax_tools.bench import experiment, page, report, studies
from wimax_tools.bench.experiment import Case, Experiment, Kept, Measured, aligned
from wimax_tools.bench.figure import Figure, bounds, mean_figure, share_figure, t95, with_bounds
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.run import Transfer
from wimax_tools.bench.stack import Clock, StackError
from wimax_tools.bench.studies import pictures, services, tcp, throughput


class FakeStack:
    """Simulated time runs at half the wall clock's speed."""
    bs_netns = "net-bs"

    def __init__(self, extra):
        self.extra, self.wall_s, self.quiet, self.passed = extra, 100.0, 0, []

    def clock(self):
        self.wall_s += 4.0
        return Clock(self.wall_s / 2, self.wall_s)

    def pass_time(self, seconds):
        self.passed.append(seconds)

    def wait_until_quiet(self):
        self.quiet += 1

    def route(self, i, direction):
        return ("net-bs", "net-ss1", self.ss_address(i)) if direction == "downlink" else ("net-ss1", "net-bs", "10.16.0.1")

    def ss_address(self, i):
        return f"10.16.0.{i + 2}"

    def capacity_kbps(self):
        return {"downlink": 8000.0, "uplink": 6000.0}

    def stolen_share(self):
        return 0.0


class FakeBench:
    def __init__(self, extra, answers, **arguments):
        self.stack = FakeStack(extra)
        self.args = types.SimpleNamespace(**{**vars(args_of()), **arguments})
        self.answers, self.asked, self.series = iter(answers), [], {}

    transfer_of = staticmethod(lambda flow: Transfer(*flow))

    def pace(self):
        return 0.5

    def seconds(self, whole):
        return whole if self.args.whole else self.args.duration

    def keep(self, name, data):
        self.series[name] = data

    def start(self, flows):
        self.asked.append([Transfer(*flow) for flow in flows])

    def results(self, _name):
        return [{"ip_bps": bps, "lost": 0, "packets": 1000, "retransmissions": 0, "intervals": []} for bps in next(self.answers)]


def args_of(profile="5MHz-10ms", **more):
    return types.SimpleNamespace(**{**dict(duration=10.0, whole=False, quick=True, profile=Profile.parse(profile), seed=1, mode="paced", channel="awgn", snr_db=30,
                                           dl_rate=6, ul_rate=6, stations=1), **more})


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path, mock.patch("wimax_tools.provenance.commit", return_value="abcdef0"):
        yield path


class Runner(unittest.TestCase):
    """With an experiment of the test's own."""

    def run_it(self, measure, path, cases=None, goals=lambda measured: [], args=None, name="B4"):
        asked, said = [], []

        @contextlib.contextmanager
        def bench_of(extra, **arguments):
            asked.append((extra, arguments))
            yield FakeBench(extra, [], **arguments)

        one = Experiment(name, measure, goals, **({"cases": cases} if cases else {}))
        result, measured = one.run(bench_of, Kept(path), said.append, args or args_of())
        return result, measured, asked, said

    def test_both_profiles_and_all_cases(self):
        cases = {"a": Case(lambda profile: {"bs": {"bs": {"ecn": profile.frame_ms == 10}}}, {"dl_rate": 3}), "b": Case(profiles=("lab",))}
        with folder() as path:
            result, measured, asked, said = self.run_it(lambda bench: {"uplink": {"rate": bench.args.dl_rate}}, path, cases)
        self.assertEqual(said, ["B4 1/3, field profile, a", "B4 2/3, lab profile, a", "B4 3/3, lab profile, b"])
        network = experiment.studies()["B"]["network"]["bs"]["bs"]
        self.assertEqual(network["dl_share"], 0.4)
        self.assertEqual(asked[0][0]["bs"]["bs"], {**network, "ecn": True}, "the study's network, and the case's own")
        self.assertEqual(asked[1:], [({"bs": {"bs": {"ecn": True}}}, {"dl_rate": 3}), ({}, {})], "our own profile is the default")
        self.assertEqual(result["field_profile"]["uplink"], {"jain": None, "a": {"rate": 3}, "b": {"rate": None}}, "the same keys in all three")
        self.assertEqual(result["lab_profile"]["uplink"], {"jain": None, "a": {"rate": 3}, "b": {"rate": 6}})
        self.assertEqual(set(result), {"experiment", "conditions", "published", "field_profile", "lab_profile", "goals", "account", "bounds", "provenance", "cases"})
        self.assertEqual((result["provenance"]["seed"], result["provenance"]["commit"]), (1, "abcdef0"))
        self.assertLessEqual({"program", "version", "command", "machine", "date"}, result["provenance"].keys())
        self.assertEqual(measured.field["uplink"], {"a": {"rate": 3}})

    def test_bounds_are_beside_the_figures(self):
        with folder() as path:
            result, measured, *_ = self.run_it(lambda bench: {"uplink": {"kbps": Figure(5.0, 4.0, 6.0), "lost": 0}}, path)
        self.assertEqual(result["bounds"]["lab_profile"], {"uplink": {"kbps": [4.0, 6.0]}})
        self.assertEqual(json.loads(json.dumps(result))["lab_profile"]["uplink"]["kbps"], 5.0)
        self.assertEqual((measured.lab["uplink"]["kbps"].low, measured.lab["uplink"]["kbps"].high), (4.0, 6.0))

    def test_what_is_there_is_not_measured_again(self):
        count = []

        def measure(bench):
            count.append(1)
            bench.keep("trace", [len(count)])
            if len(count) == 2:
                raise KeyboardInterrupt
            return {"uplink": {"kbps": Figure(5.0, 4.0, 6.0)}}

        with folder() as path:
            with self.assertRaises(KeyboardInterrupt):
                self.run_it(measure, path)
            result, measured, asked, _ = self.run_it(measure, path)
            self.assertEqual((len(count), len(asked)), (3, 1), "the case that was measured is taken, the one that was stopped is begun again")
            self.assertEqual((measured.series["field"][""], measured.series["lab"][""]), ({"trace": [1]}, {"trace": [3]}))
            self.assertEqual(measured.field["uplink"]["kbps"].high, 6.0)
            for other in (args_of(seed=2), args_of(quick=False), args_of("5MHz-5ms"), args_of(mode="free"), args_of(duration=20)):
                self.run_it(measure, path, args=other)
            self.assertEqual(len(count), 13)
            with mock.patch("wimax_tools.provenance.commit", return_value="1234567"):
                self.run_it(measure, path)
            self.assertEqual(len(count), 15)
            self.run_it(measure, path, name="B5")
            self.assertEqual(len(count), 15, "experiments that measure the same share it")

    def test_a_case_that_fails_is_told_and_tried_again(self):
        faults = iter([StackError("bs.macd ended"), FileNotFoundError(2, "none", "tcpdump"), None, None])

        def measure(_bench):
            if fault := next(faults):
                raise fault
            return {"uplink": {"jain": 1.0}}

        def goals(measured):
            return [("index", 0.9, measured.lab["uplink"]["jain"], True)]

        with folder() as path:
            result, measured, *_ = self.run_it(measure, path, goals=goals)
            self.assertEqual([(g["what"], g["met"]) for g in result["goals"]], [("field_profile is measured", False), ("lab_profile is measured", False)])
            self.assertIn("bs.macd ended", result["goals"][0]["measured"])
            self.assertIn("tcpdump", result["goals"][1]["measured"])
            self.assertEqual(result["lab_profile"], {"downlink": {"jain": None}, "uplink": {"jain": None}})
            self.assertTrue(page.write(Experiment("B4", measure, goals, pictures={"x": lambda measured: measured.lab["uplink"]}), result, measured, path).exists())
            result, *_ = self.run_it(measure, path, goals=goals)
            self.assertEqual([g["met"] for g in result["goals"]], [True])

    def test_alignment(self):
        self.assertEqual(aligned(a={"x": {"m": 1}, "y": 2}, b={"x": {"n": 3}}, c={}),
                         {"a": {"x": {"m": 1, "n": None}, "y": 2}, "b": {"x": {"m": None, "n": 3}, "y": None}, "c": {"x": {"m": None, "n": None}, "y": None}})

    def test_a_wrong_description_is_refused(self):
        known = dict.fromkeys(experiment.KEYS, "text")
        with tempfile.TemporaryDirectory() as path, mock.patch.object(experiment, "FOLDER", Path(path)), mock.patch.object(experiment, "studies", return_value={"A": {}, "B": {}}):
            for given, said in (({**known, "study": "Z"}, "X.yml: study Z: allowed A, B$"), ({**known, "study": "A", "more": 1}, "X.yml: more is not known$"),
                                ({"study": "B", **dict.fromkeys(experiment.KEYS[2:])}, "X.yml: title is missing$"), ({**known, "study": "B"}, None)):
                Path(path, "X.yml").write_text(json.dumps(given), encoding="utf-8")
                with self.assertRaisesRegex(experiment.DescriptionError, said) if said else contextlib.nullcontext():
                    self.assertEqual(experiment.description.__wrapped__("X"), given)

    def test_every_experiment_is_described(self):
        for name, one in studies.EXPERIMENTS.items():
            self.assertTrue(one.title, name)
            self.assertEqual(name in studies.OWN, experiment.description(name)["study"] == "own", name)
            self.assertTrue(one.plan(Profile.parse("5MHz-10ms")), name)
            keys = [json.dumps(step, sort_keys=True) for step in one.plan(Profile.parse("5MHz-10ms"))]
            self.assertEqual(len(set(keys)), len(keys), "no case twice")
        described = {entry.removesuffix(".yml") for entry in os.listdir(experiment.FOLDER) if entry.endswith(".yml")}
        self.assertEqual(described, {"studies", *studies.EXPERIMENTS}, "and no description is left over")


class Figures(unittest.TestCase):
    def test_mean_with_students_bounds(self):
        one = mean_figure([9.0, 10.0, 11.0])  # 4.303 / sqrt(3) = 2.484
        self.assertEqual((one, one.low, one.high), (10.0, 7.52, 12.48))
        many = mean_figure([0.0, 1.0] * 200)
        self.assertAlmostEqual(many.high - many, 1.966 * 0.5006 / 20, delta=0.01)
        self.assertEqual(bounds({"a": mean_figure([3.0])}), {"a": [None, None]})
        self.assertEqual((t95(2), t95(21)), (12.706, 2.086), "the first and the last of the table")
        self.assertAlmostEqual(t95(22), 2.080, delta=0.01)

    def test_share_with_wilsons_bounds(self):
        one = share_figure(3, 100)
        self.assertEqual((one, one.low, one.high), (0.03, 0.0103, 0.0845))
        self.assertEqual((share_figure(0, 0).low, share_figure(0, 0).high), (0.0, 1.0))

    def test_bounds_and_back(self):
        figures = {"a": Figure(1.5, 1.0, 2.0), "b": {"c": Figure(3.0, 2.0, 4.0), "d": 7}, "e": None}
        back = with_bounds(json.loads(json.dumps(figures)), bounds(figures))
        self.assertEqual(back, figures)
        self.assertEqual((back["a"].low, back["b"]["c"].high, bounds(figures)), (1.0, 4.0, {"a": [1.0, 2.0], "b": {"c": [2.0, 4.0]}}))


class Measures(unittest.TestCase):
    def bench(self, answers, **arguments):
        return FakeBench({}, answers, **arguments)

    def goals(self, name, lab, field=None, profile="5MHz-10ms"):
        measured = Measured({}, {"lab": lab, "field": field or {}}, {}, Profile.parse(profile))
        return {what: (goal, value, bool(met)) for what, goal, value, met in studies.EXPERIMENTS[name].goals(measured)}

    def test_a_second_tcp_transfer(self):
        bench = self.bench([(3e6, 1e6)] * 2)
        intervals = [[(2 * i, 2 * i + 2, octets) for i in range(20)] for octets in (250_000, 125_000)]  # of the wall clock
        bench.results = lambda _: [{"ip_bps": 2e6, "intervals": one} for one in intervals]
        result = tcp.measure_two_tcp(bench)
        self.assertEqual(bench.stack.passed, [10] * 2, "of simulated time")
        self.assertEqual([[flow.seconds for flow in flows] for flows in bench.asked], [[20], [20]] * 2, "the second begins while the first runs")
        self.assertEqual((result["uplink"]["first_kbps"], result["uplink"]["second_kbps"], result["uplink"]["jain"]), (2000.0, 1000.0, 0.9))
        self.assertEqual(bench.series["downlink"][1][0], (10, 1000.0), "its time is the first's")
        self.assertEqual([met for *_, met in self.goals("B4", {d: {"jain": j} for d, j in (("downlink", 0.98), ("uplink", 0.979))}).values()], [True, False])

    def test_tcp_beside_udp(self):
        bench = self.bench([(1.8e6, 1.9e6), (1.349e6, 1.5e6)])
        result = tcp.measure_tcp_beside_udp(bench)
        self.assertEqual([flow.offer_bps for flow in bench.asked[1]], [None, 1.2 * 6000e3], "offers are made in simulated time")
        self.assertEqual(result["downlink"], {"tcp_kbps": 3600.0, "udp_kbps": 3800.0, "capacity_kbps": 8000.0, "tcp_share": 0.45})
        self.assertEqual([met for *_, met in self.goals("B5", result).values()], [True, False])

    def test_symbols_by_modulation(self):
        field = {f"{name}, {profile}": {"symbols": symbols} for name, *both in (("QPSK 1/2", 60.0, 69.0), ("QPSK 3/4", 60.0, 70.0), ("16-QAM 1/2", 60.0, 69.5))
                 for profile, symbols in zip(("Default", "Speedy"), both)}
        lab = {"QPSK 1/2": {"symbols": 92.0}, "BPSK 1/2": {"symbols": 91.9}}
        found = self.goals("A2", {"downlink": lab}, {"downlink": field})
        self.assertEqual(found["downlink, symbols that Speedy has over Default"], ("9.7 within 1", 9.5, True))
        self.assertEqual([met for *_, met in found.values()], [True, True, False])
        field["QPSK 1/2, Speedy"]["symbols"] = 66.5  # a mean gain of 8.67
        self.assertFalse(self.goals("A2", {"downlink": lab}, {"downlink": field})["downlink, symbols that Speedy has over Default"][2])
        cases = throughput.symbol_cases("uplink")
        self.assertEqual([name for name, case in cases.items() if "field" in case.profiles],
                         ["BPSK 1/2, Default", "QPSK 1/2, Default", "BPSK 1/2, Speedy", "QPSK 1/2, Speedy", "QPSK 3/4, Speedy", "16-QAM 1/2, Speedy"])
        base = cases["QPSK 1/2, Speedy"].extra(None)["bs"]["bs"]
        self.assertEqual((base["profile"], [s["flows"] for s in base["stations"]]), ({"name": "Speedy"}, [["up", "down"]] * 2 + [["up", "down", "polled"]]))

    def test_what_symbols_are_apart_by(self):
        """59.3 of payload are 61.43 of IP; 19.4 symbols of descriptors there, 17 here; two symbols not used."""
        field = {"QPSK 1/2, Default": {"symbols": 71.0, "spent": {"descriptors": 17.0, "idle": 2.0}}, "QPSK 1/2, Speedy": {"symbols": 80.0, "spent": {"descriptors": 8.5}}}
        published = {"downlink": {"QPSK 1/2, Default": {"symbols": 59.3}, "QPSK 1/2, Speedy": {"symbols": 69.0}}}
        found = throughput.symbol_account("downlink")(Measured(published, {"field": {"downlink": field}}, {}, None))
        self.assertEqual(found["QPSK 1/2, Default"], {"published": 59.3, "published_as_payload": 61.43, "measured": 71.0, "apart": 9.57, "longer_descriptors_there": 2.4,
                                                      "idle_here": -2.0, "left": 9.17})
        self.assertEqual((found["QPSK 1/2, Speedy"]["longer_descriptors_there"], found["QPSK 1/2, Speedy"]["left"]), (1.2, 7.32))
        up = throughput.symbol_account("uplink")(Measured({"uplink": {"x": {"symbols": 80.9}}}, {"field": {"uplink": {"x": {"symbols": 83.69, "spent": {}}}}}, {}, None))
        self.assertEqual(up["x"]["left"], -0.12)

    def test_rates(self):
        figures = {case: {"tcp": 0.96 if limit < 256_000 else 0.97, "udp": 0.99} for case, limit in throughput.LIMITS_BPS.items()}
        both = {d: figures for d in ("downlink", "uplink")}
        self.assertTrue(all(met for *_, met in self.goals("A4", both).values()))
        figures["256 kb/s"]["tcp"] = 0.96
        self.assertEqual([met for *_, met in self.goals("A4", both).values()].count(False), 2)

    def test_losses_and_shares(self):
        good = {"retransmissions": 0, "buffered_packets": 201}
        self.assertEqual([met for *_, met in self.goals("A5", {"downlink": good, "uplink": {"retransmissions": 1, "buffered_packets": 200}}).values()],
                         [True, True, False, False])
        shares = {"BPSK 1/2": {"udp": 0.97, "tcp": 0.93}}
        self.assertEqual([met for *_, met in self.goals("C1", {"downlink": shares, "uplink": {"BPSK 1/2": {"udp": 0.969, "tcp": 0.929}}}).values()],
                         [True, True, False, False])
        buffers = {f"{kib} KB": {"share": 0.93 if kib >= 64 else 0.1} for kib in throughput.BUFFERS_KIB}
        self.assertEqual(len(self.goals("D3", {d: buffers for d in ("downlink", "uplink")})), 10)
        self.assertTrue(all(met for *_, met in self.goals("D3", {d: buffers for d in ("downlink", "uplink")}).values()))

    def test_idle_flows(self):
        up = {"none": {"kbps": 8000.0, "call_lost": 0}, "static": {"kbps": 7600.0, "call_lost": 0}, "on demand": {"kbps": 7920.0, "call_lost": 0}}
        self.assertEqual([met for *_, met in self.goals("A8", {"uplink": up}).values()], [True, True, True])
        up["static"]["kbps"], up["on demand"] = 7700.0, {"kbps": 7900.0, "call_lost": 1}
        self.assertEqual([met for *_, met in self.goals("A8", {"uplink": up}).values()], [False, False, False])
        flows = services.idle_case([{}]).extra(None)["bs"]["bs"]
        self.assertEqual([s["flows"] for s in flows["stations"]], [["up", "down"]] + [["up", "down", "call", "polled"]] * 2)

    def test_arq(self):
        lab = {"arq": {"tcp_of_udp": 0.95, "tcp_retransmissions": 0.005}}
        self.assertEqual([met for *_, met in self.goals("B1", {"downlink": lab, "uplink": {"arq": {"tcp_of_udp": 0.949}}}).values()], [True, False])
        self.assertEqual([met for *_, met in self.goals("B2", {"downlink": lab, "uplink": {"arq": {"tcp_retransmissions": 0.0051}}}).values()], [True, False])
        self.assertIs(studies.EXPERIMENTS["B1"].measure, studies.EXPERIMENTS["B2"].measure, "their runs are shared")

    def test_a_sparse_flow(self):
        lab = {"downlink": {"sparse_p99_ms": 29.9}, "uplink": {"sparse_p99_ms": 30.0}}
        self.assertEqual([met for *_, met in self.goals("D2", lab).values()], [True, False])
        self.assertEqual([met for *_, met in self.goals("D2", lab, profile="5MHz-5ms").values()], [False, False])


class Pictures(unittest.TestCase):
    """Legends show what the bars show: published figures may be missing at the first rate, in one direction, or everywhere."""

    def test_the_colour_of_a_series_without_a_first_bar(self):
        axes = pictures.panels(1)[1][0]
        pictures.bars(axes, ["a", "b"], [("none", "0.6", {}), ("later", "0.8", {"b": 0.7}), ("own", "C0", {"a": 1.0, "b": 0.9})], "share")
        handles, labels = axes.get_legend_handles_labels()
        self.assertEqual(labels, ["later", "own"])
        self.assertEqual([handle.patches[0].get_facecolor() for handle in handles], [to_rgba(colour) for colour in ("0.8", "C0")])

    def test_one_legend_for_both_directions(self):
        lab = {direction: {name: {"udp": 1.0, "tcp": 0.9} for name in ("64-QAM 3/4", "BPSK 1/2")} for direction in ("downlink", "uplink")}
        figure = pictures.shares(types.SimpleNamespace(lab=lab, published={"downlink": {"64-QAM 3/4": {"udp": None, "tcp": 0.04}}}))
        legend = figure.axes[0].get_legend()
        self.assertEqual([text.get_text() for text in legend.get_texts()], ["published, TCP", "UDP", "TCP"])
        self.assertEqual([patch.get_facecolor() for patch in legend.get_patches()], [to_rgba(colour) for colour in ("0.8", "C0", "C2")])
        self.assertEqual([label.get_text() for label in figure.axes[0].get_xticklabels()], ["BPSK 1/2", "64-QAM 3/4"])


class Pages(unittest.TestCase):
    RESULT = {"experiment": "B4", "conditions": {}, "published": {"downlink": {"jain": None}}, "field_profile": {"downlink": {"jain": None}},
              "lab_profile": {"downlink": {"jain": 0.9876}}, "goals": [{"what": "one", "goal": 0.98, "measured": 0.9876, "met": True},
                                                                      {"what": "two", "goal": 1, "measured": 0, "met": False}],
              "bounds": {"lab_profile": {"downlink": {"jain": [0.98, None]}}}, "seed": 3, "commit": "abcdef0", "command": "./wimax bench --experiment B4",
              "cases": {"lab_profile": {"": {"seconds": 90.0, "realtime_factor": 0.998, "host_stolen_share": 0.04}}}}

    def test_what_a_page_says(self):
        text = "\n".join(page.lines("B4", self.RESULT, ["shares"]))
        for words in ("# B4: A second TCP transfer through one station", "`./wimax bench --experiment B4`", "| abcdef0, 3 |", "1.5 min in 1 runs, 0.998 to 0.998",
                      "| one | 0.98 | 0.9876 | met |", "| two | 1 | 0 | **missed** |", "![shares](B4-shares.svg)", "|  | own profile | 0.9876 [0.98, -] |"):
            self.assertIn(words, text)
        self.assertNotIn("| published |", text, "a row without figures")

    def test_what_a_figure_consists_of_has_a_table(self):
        result = dict(self.RESULT, bounds={}, lab_profile={"downlink": {"a": {"kbps": 5, "spent": {"maps": 2.4}}, "b": {"kbps": 6, "spent": None}}}, field_profile={}, published={"downlink": {}})
        self.assertEqual(page.tables(result, "downlink"), ["|  |  | kbps |", "|---|---|---|", "| a | own profile | 5 |", "| b | own profile | 6 |", "", "Of these, spent:", "",
                                                           "|  |  | maps |", "|---|---|---|", "| a | own profile | 2.4 |"])

    def test_the_table_of_all(self):
        with tempfile.TemporaryDirectory() as path:
            out = os.path.join(path, "results")
            os.mkdir(out)
            page.store(out, "B4", self.RESULT)
            self.assertEqual((page.names(out), page.read(out, "B4")), (["B4"], self.RESULT))
            text = page.write_index(out).read_text(encoding="utf-8")
            self.assertEqual(os.listdir(path), ["results.md", "results"] if os.listdir(path)[0] == "results.md" else ["results", "results.md"])
        self.assertIn("| [B4](results/B4.md) | A second TCP transfer through one station | 1 of 2 | two: 0 (1) | abcdef0 |", text)

    def test_progress(self):
        out, now = io.StringIO(), iter([100.0, 160.0, 280.0])
        progress = report.Progress(4, out, lambda: next(now))
        for text in ("one", "two", "three"):
            progress(text)
        self.assertEqual(out.getvalue().splitlines(), ["[1/4] one", "[2/4, about 3 min left] two", "[3/4, about 3 min left] three"])

    def test_the_terminal_says_what_is_missed(self):
        out = io.StringIO()
        report.goals("Two", self.RESULT, "B4.md", out)
        self.assertEqual(out.getvalue().splitlines(), ["B4: Two", "  met    one: 0.9876 (goal 0.98)", "  MISSED two: 0 (goal 1)", "  figures and pictures: B4.md"])


if __name__ == "__main__":
    unittest.main()
