# SPDX-License-Identifier: GPL-3.0-or-later
"""Our own experiments without a stack: their configurations, and what is made of what was measured."""
import json
import types
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench.experiment import Measured
from wimax_tools.bench.instruments import stream
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Clock
from wimax_tools.bench.studies import EXPERIMENTS
from wimax_tools.bench.studies import own as promises

PROFILE = Profile.parse("5MHz-10ms")


def goals_of(name, lab):
    return {what: met for what, _, _, met in EXPERIMENTS[name].goals(Measured({}, {"lab": lab, "field": {}}, {}, PROFILE))}


class Watched(unittest.TestCase):
    def watch(self):
        watch = stream.Watch(lambda: Clock(0, 0))
        watch.wall, watch.simulated = [10.0, 11.0, 13.0], [100.0, 100.5, 100.5]
        return watch

    def test_time_is_on_the_lines_between_looks(self):
        watch = self.watch()
        self.assertEqual([watch.at(wall) for wall in (10.0, 10.5, 11.0, 12.0, 13.0)], [100.0, 100.25, 100.5, 100.5, 100.5])

    def test_delays_losses_and_order(self):
        one = stream.Stream(("a", "b", "10.0.0.1"), 4000, 100, 0.02, 4)
        said = [json.dumps([[0, 10.5], [2, 10.6], [1, 11.0]]), json.dumps([10.0, 10.1, 10.2, 10.3])]
        one._processes = [types.SimpleNamespace(communicate=lambda text=text: (text, None)) for text in said]
        result = one.result(self.watch())
        self.assertEqual([round(ms) for ms in result["ms"]], [250, 200, 450])
        self.assertEqual((result["packets"], result["lost"], result["reordered"]), (4, 1, 1))

    def test_sender_and_receiver(self):
        """On the loopback interface, as the two programs that they are."""
        with mock.patch("wimax_tools.bench.traffic.in_namespace", lambda _, *command: list(map(str, command))):
            one = stream.Stream(("", "", "127.0.0.1"), 45679, 200, 0.002, 50)
        one.start()
        watch = stream.Watch(lambda: Clock(0, 0))
        watch.wall, watch.simulated = [0.0, 1e9], [0.0, 1e9]
        result = one.result(watch)
        self.assertEqual((result["packets"], result["lost"], result["reordered"], len(result["ms"])), (50, 0, 0, 50))
        self.assertGreaterEqual(min(result["ms"]), 0)


class Promises(unittest.TestCase):
    def test_cases(self):
        """And no operational network is measured beside them."""
        for name, cases in (("arq", 2), ("voice", 2), ("fading", 12), ("options", 6), ("agreement", 1), ("privacy", 2)):
            plan = EXPERIMENTS[name].plan(PROFILE)
            self.assertEqual((len(plan), {which for which, *_ in plan}), (cases, {"lab"}), name)

    def test_privacy(self):
        def lab(**worse):
            without = {"entry_s": 0.4, "kbps": 8000, "seconds": 601, "teks": 0, "aks": 0, "refused": 0, "lost": 0, "reordered": 0, "bs_cpu": 0.05, "ss_cpu": 0.05}
            with_ = {**without, "entry_s": 1.4, "kbps": 7820, "teks": 19, "aks": 4, "bs_cpu": 0.099, **worse}
            return {d: {"without": without, "with": with_} for d in promises.DIRECTIONS}

        self.assertTrue(all(goals_of("privacy", lab()).values()))
        for worse, times in (({"entry_s": 1.401}, 1), ({"kbps": 7818}, 2), ({"teks": 18}, 1), ({"aks": 3}, 1), ({"refused": 1}, 1), ({"lost": 1}, 2),
                             ({"reordered": 1}, 2), ({"bs_cpu": 0.1}, 1), ({"ss_cpu": 0.1}, 1)):
            self.assertEqual(list(goals_of("privacy", lab(**worse)).values()).count(False), times, worse)
        (*_, without, _), (*_, with_, _) = EXPERIMENTS["privacy"].plan(PROFILE)
        self.assertNotIn("privacy", {**without["bs"], **without["ss1"]})
        for site in ("bs", "ss1"):
            self.assertEqual(with_[site]["privacy"]["policy"], "required")
            for key in ("authorities", "revoked", "certificate", "private_key"):
                self.assertTrue(Path(with_[site]["privacy"].get(key, __file__)).is_file(), key)

    def test_arq(self):
        def lab(lost=0, reordered=0, packets=100_000, without=0.1):
            return {d: {"arq": {"packets": packets, "lost": lost, "reordered": reordered}, "without": {"loss": without}} for d in promises.DIRECTIONS}

        self.assertTrue(all(goals_of("arq", lab()).values()))
        for worse in (lab(lost=1), lab(reordered=1), lab(packets=99_999), lab(without=0.04), lab(without=0.3)):
            self.assertEqual(list(goals_of("arq", worse).values()).count(False), 2)
        extra = promises.with_arq(PROFILE)
        self.assertEqual((extra["bs"]["bs"]["codel_target_frames"], extra["ss1"]["ss"]["codel_target_frames"]), (0, 0))
        self.assertTrue(all(flow["arq"]["block_lifetime_ms"] == 0 for flow in extra["bs"]["bs"]["service_flows"]))
        self.assertGreaterEqual(promises.arq_arguments("arq")["duration"] * promises.ARQ_LOAD * 8e6 / 12000, promises.ARQ_PACKETS)

    def test_voice(self):
        result = promises.on_time({"packets": 1000, "lost": 1, "ms": [5.0] * 997 + [25.0, 25.1]})
        self.assertEqual(result["on_time"], 0.998)
        self.assertEqual(result["lost"], 1)
        good = {case: {service: {"on_time": 0.999} for service in promises.VOICE_SERVICES} for case in promises.VOICE_CASES}
        self.assertTrue(all(goals_of("voice", {d: good for d in promises.DIRECTIONS}).values()))
        bad = json.loads(json.dumps(good))
        bad["64-QAM 3/4"]["rtps"]["on_time"] = 0.9989
        self.assertEqual([what for what, met in goals_of("voice", {"downlink": good, "uplink": bad}).items() if not met],
                         ["uplink, rtps at 64-QAM 3/4: share within 25 ms"])
        base = promises.voice_cell(PROFILE)["bs"]["bs"]
        self.assertEqual([len(s["flows"]) for s in base["stations"]], [4, 4, *[2] * 10])
        self.assertEqual(base["stations"][11]["ip_addresses"], ["10.16.0.13/32"])

    def test_fading(self):
        figures = {case: {"kbps": 900.0 if rate is None else 1000.0 - rate} for case, (_, rate) in promises.FADING_CASES.items()}
        self.assertTrue(all(goals_of("fading", {d: figures for d in promises.DIRECTIONS}).values()))
        figures["20 dB, auto"]["kbps"] = 800.0
        self.assertEqual([what for what, met in goals_of("fading", {d: figures for d in promises.DIRECTIONS}).items() if not met],
                         [f"{d}, SUI-3 at 20 dB: share of the best fixed rate" for d in promises.DIRECTIONS])

    def test_options(self):
        lab = {"uplink": {"edge, without": {"delivered": 0.5}, "edge, with": {"delivered": 0.99}, "motion, without": {"kbps": 100.0},
                          "motion, with": {"kbps": 105.0}},
               "downlink": {"fading, without": {"kbps": 1000.0}, "fading, with": {"kbps": 1050.0}}}
        self.assertEqual(list(goals_of("options", lab).values()), [True] * 4)
        worse = {"uplink": {"edge, without": {"delivered": 0.51}, "edge, with": {"delivered": 0.98}, "motion, without": {"kbps": 100.0},
                            "motion, with": {"kbps": 104.0}},
                 "downlink": {"fading, without": {"kbps": 1000.0}, "fading, with": {"kbps": 1049.0}}}
        self.assertEqual(list(goals_of("options", worse).values()), [False] * 4)
        radio = promises.option_extra("fading, without")(PROFILE)["bs.phyd"]["radio"]
        self.assertEqual(radio, {"tx_channels": 2}, "the same radio without zones")

    def test_agreement(self):
        figures = {"mean_ms": 8.0, "simulator_mean_ms": 7.0, "delivered": 1.0, "simulator_delivered": 0.98}
        self.assertTrue(all(goals_of("agreement", {d: figures for d in promises.DIRECTIONS}).values()))
        figures.update(mean_ms=8.01, delivered=0.959)
        self.assertFalse(any(goals_of("agreement", {d: figures for d in promises.DIRECTIONS}).values()))


if __name__ == "__main__":
    unittest.main()
