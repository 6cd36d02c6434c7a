# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells from Python: the same figures as `wimax sim`, also in parts and in other processes; changes while they run; grants."""
import importlib.util
import json
import os
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import wimax
from wimax import simulator
from wimax.mobility import FreeSpace, LinkBudget, Mobile, Moving, SnrSeries
from wimax.simulator import HOST_KEYS, Cell, Station, run_many
from wimax.traffic import Cbr, Flow, OnOff, Poisson, Saturate, Tcp, Trace, Video

SCENARIO = """
stations: 4
seconds: 3
warmup_s: 0.25
snr_db: 21
status: true
path: {doppler_hz: 4, k_factor_db: 12}
traffic:
  - {kind: poisson, rate_bps: 200000}
  - {kind: video, rate_bps: 150000, direction: uplink, service: rtPS, max_latency_ms: 60}
  - {kind: onoff, rate_bps: 90000, stations: [1, 3]}
  - {kind: trace, stations: [2], trace: [{at_s: 0, bytes: 100}, {at_s: 0.1, bytes: 900}], trace_period_s: 0.25}
  - {kind: tcp, stations: [4]}
"""
FLOWS = [Flow(Poisson(200_000)), Flow(Video(150_000, packet_bytes=1500), "uplink", service="rtPS", max_latency_ms=60), Flow(OnOff(90_000), stations=[1, 3]),
         Flow(Trace([0, 0.1], [100, 900], period_s=0.25), stations=2), Flow(Tcp(), stations=4)]


def timeless(result):
    return {key: value for key, value in result.items() if key not in HOST_KEYS}


def small(**more):
    values = {"stations": 4, "flows": FLOWS, "seconds": 3, "warmup_s": 0.25, "snr_db": 21, **more}
    return Cell(**{"keys": {"status": True, "path.doppler_hz": 4, "path.k_factor_db": 12}, **values})


class Runs(unittest.TestCase):
    def test_figures_are_those_of_wimax_sim(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(SCENARIO)
            file.flush()
            program = subprocess.run([os.environ["WIMAX_SIM"], "--scenario", file.name, "--seed", "5", "--json", "-"], capture_output=True, check=True)
            self.assertEqual(self.whole(Cell.from_file(file.name, seed=5)), timeless(json.loads(program.stdout)))
        expected = timeless(json.loads(program.stdout))
        self.assertEqual(self.whole(small(seed=5)), expected)
        self.assertEqual(self.whole(Cell(scenario=SCENARIO, keys={"seed": 5})), expected)
        self.assertNotEqual(self.whole(small(seed=6))["air_digest"], expected["air_digest"])

    @staticmethod
    def whole(cell):
        cell.run()
        return timeless(cell.result())

    def test_a_run_in_parts_is_the_same_run(self):
        expected, cell, frames = self.whole(small()), small(), 0
        while cell.phase != "over":
            frames += cell.step(1 + frames % 13)
            cell.figures(), cell.flow_figures(), cell.status(), cell.delays()
        self.assertEqual(timeless(cell.result()), expected)
        self.assertEqual(cell.step(1), 0)
        ended = small(seconds=None)
        ended.enter()
        while ended.measured_s < 3:
            ended.step()
        self.assertEqual(timeless(ended.result()), expected)

    def test_cells_on_two_processes(self):
        cells = [small(seed=seed, seconds=1) for seed in (1, 2, 3)]
        serial, parallel = run_many(cells, processes=1), run_many(cells, processes=2)
        self.assertEqual([timeless(result) for result in serial], [timeless(result) for result in parallel])
        self.assertEqual(len({result["air_digest"] for result in serial}), 3)
        self.assertEqual(run_many(cells[:2], work=frames_of_half_a_second), [frames_of_half_a_second(cell) for cell in cells[:2]])
        with self.assertRaisesRegex(ValueError, "processes: value 0: allowed 1 or more"):
            run_many(cells, processes=0)


def frames_of_half_a_second(cell):
    cell.run(0.5)
    return cell.frames, cell.flow_figures()["bytes"].tolist()


class Figures(unittest.TestCase):
    def test_figures_agree_with_result_and_status(self):
        cell = small()
        cell.run(2.0)
        stations, flows, status = cell.figures(), cell.flow_figures(), cell.status()
        np.testing.assert_array_equal(stations["station"], [1, 2, 3, 4])
        self.assertTrue(stations["operational"].all())
        by_mac = sorted(status["stations"], key=lambda station: station["mac"])
        for name, value in (("dl_rate_id", lambda s: s["dl_rate_id"]), ("dl_bytes", lambda s: s["dl"]["bytes"]), ("ul_bytes", lambda s: s["ul"]["bytes"]),
                            ("dl_backlog_bytes", lambda s: s["dl"]["backlog_bytes"])):
            np.testing.assert_array_equal(stations[name], [value(station) for station in by_mac], name)
        self.assertEqual([cell.status(n)["ul"]["backlog_bytes"] for n in (1, 2, 3, 4)], stations["ul_backlog_bytes"].tolist())
        self.assertEqual(len(flows["station"]), 4 + 4 + 2 + 1 + 1)
        up = flows["uplink"]
        for number in range(1, 5):
            self.assertAlmostEqual(flows["goodput_bps"][up & (flows["station"] == number)].sum(), stations["ul_goodput_bps"][number - 1])
        ends, counts = cell.delays(entry=1)
        self.assertEqual(counts.sum(), flows["delivered_packets"][flows["entry"] == 1].sum())
        self.assertTrue(np.all(np.diff(ends) > 0))
        self.assertLess(cell.delays(entry=1, station=2)[1].sum(), counts.sum())
        cell.run()
        result, flows = cell.result(), cell.flow_figures()
        for name in ("offered_packets", "delivered_packets", "goodput_bps", "late_fraction"):
            np.testing.assert_array_equal(flows[name], [flow[name] for flow in result["flows"]], name)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_frame(self):
        cell = small()
        cell.run(0.5)
        frame = cell.figures().frame()
        self.assertEqual(frame.shape[0], 4)
        self.assertIn("dl_goodput_bps", frame.columns)

    def test_grants_are_those_that_the_result_counts(self):
        cell = small(warmup_s=0)
        cell.enter()
        cell.record_grants()
        cell.run(2.0)
        grants = cell.grants
        data = grants[(grants["uplink"] == 1) & (grants["kind"] == 0)]
        self.assertEqual(len(np.unique(grants["frame"])), 200)
        self.assertGreater(len(data), 100)
        self.assertEqual(set(data["cid"]), {station["basic_cid"] for station in cell.status()["stations"]})
        result = cell.result()
        self.assertEqual((len(data), data["symbols"].sum()), (result["bursts"]["uplink_grants"], result["bursts"]["uplink_granted_symbols"]))
        cell.clear_grants()
        self.assertEqual(len(cell.grants), 0)


class Changes(unittest.TestCase):
    def test_snr(self):
        cell = Cell(2, [Flow(Saturate())], rate="auto")
        cell.run(1.0)
        np.testing.assert_array_equal(cell.figures()["dl_rate_id"], [6, 6])
        cell.set_snr(11, station=2)
        cell.run(3.0)
        figures = cell.figures()
        np.testing.assert_array_equal(figures["snr_db"], [30, 11])
        self.assertEqual(figures["dl_rate_id"][0], 6)
        self.assertLess(figures["dl_rate_id"][1], 4)
        cell.set_snr([20, 25])
        cell.step()
        np.testing.assert_array_equal(cell.figures()["snr_db"], [20, 25])
        for wrong, message in (((81,), "snr_db: value 81: allowed -30..80"), ((0, 3), "station: value 3: allowed 1..2")):
            with self.assertRaisesRegex(ValueError, message):
                cell.set_snr(*wrong)

    def test_snr_over_time(self):
        link = LinkBudget(FreeSpace(3.5e9), base_power_dbm=0)
        away = Mobile(Moving(500, vx_m_per_s=500), link)
        sources = [Station(SnrSeries([0, 1, 2], [30, 30, 10])), Station(away), Station(17)]
        whole, parts = (Cell(sources, [Flow(Cbr(50_000))], warmup_s=0.1) for _ in range(2))
        whole.run(3.1)
        while parts.measured_s < whole.measured_s - 1e-9:
            parts.step(7)
        np.testing.assert_allclose(whole.figures()["snr_db"], [10, float(away.snr_db_at(np.array([2.99]))[0]), 17])
        self.assertEqual(self.flows(whole), self.flows(self.aligned(sources, whole)))
        whole.set_snr(25, station=1)
        whole.step()
        self.assertEqual(whole.figures()["snr_db"][0], 25)

    @staticmethod
    def aligned(sources, whole):
        """The same run frame by frame."""
        cell = Cell(sources, [Flow(Cbr(50_000))], warmup_s=0.1)
        while cell.frames < whole.frames:
            cell.step(1)
        return cell

    @staticmethod
    def flows(cell):
        return {name: values.tolist() for name, values in cell.flow_figures().items()}

    def test_traffic(self):
        cell = Cell(2, [Flow(Cbr(80_000, packet_bytes=1000)), Flow(Cbr(80_000, packet_bytes=1000), "uplink")])

        def bytes_in_a_second():
            before = cell.flow_figures()["bytes"]
            cell.run(1.0)
            return cell.flow_figures()["bytes"] - before

        cell.run(1.0)
        np.testing.assert_allclose(bytes_in_a_second(), 10_000, atol=1000)
        cell.set_flow(1, on=False)
        cell.set_flow(2, station=2, rate_bps=160_000)
        cell.run(0.5)
        np.testing.assert_allclose(bytes_in_a_second(), [0, 10_000, 0, 20_000], atol=1000)
        self.assertEqual(cell.add_flow(Flow(Poisson(200_000, packet_bytes=500), stations=1, service="nrtPS", min_rate_bps=100_000)), 3)
        cell.set_flow(1, station=2, on=True)
        cell.run(0.5)
        np.testing.assert_allclose(bytes_in_a_second(), [0, 10_000, 10_000, 20_000, 25_000], atol=8000)
        self.assertIn("entry-3", [flow["name"] for station in cell.status()["stations"] for flow in station["flows"]])

    def test_keys(self):
        cell = small()
        cell.run(0.5)
        self.assertEqual(cell.change({"base_station.request_backoff_end": 9, "base_station.dl_symbols": 60}, rate=2, seed=77),
                         ["base_station.dl_symbols", "seed"])
        cell.run(1.5)
        np.testing.assert_array_equal(cell.figures()["ul_rate_id"], [2] * 4)
        self.assertEqual(cell.status()["contention"]["backoff_end"], 9)
        cell.command("rates", 3, dl_rate_id=1)
        cell.run(0.2)
        np.testing.assert_array_equal(cell.figures()["dl_rate_id"], [2, 2, 1, 2])
        cell.command("reset", 1)
        cell.run(0.1)
        self.assertFalse(cell.figures()["operational"][0])


class Threads(unittest.TestCase):
    def test_a_cell_is_of_one_thread(self):
        cell, refused = small(seconds=60), []
        cell.enter()
        runner = threading.Thread(target=lambda: cell.step(2000))
        runner.start()
        while runner.is_alive():
            try:
                cell.figures()
            except ValueError as fault:
                refused.append(str(fault))
        runner.join()
        self.assertEqual(set(refused), {"cell: another thread runs it: allowed one thread at a time"})
        self.assertGreater(cell.figures()["dl_bytes"].sum(), 0)


class WrongInput(unittest.TestCase):
    def refused(self, *lines):
        case = self

        class Refused:
            def __enter__(self):
                self.raises = case.assertRaises(ValueError)
                self.caught = self.raises.__enter__()

            def __exit__(self, *fault):
                done = self.raises.__exit__(*fault)
                case.assertEqual(str(self.caught.exception).splitlines(), list(lines))
                return done
        return Refused()

    def test_all_faults_of_a_cell(self):
        with self.refused("--set path.delay=1: path.delay: unknown key, did you mean path.delay_us?", f"scenario:1: rate: value 9: allowed 0..6, auto, {', '.join(wimax.RATES)}",
                          "scenario:1: traffic[0].rate_bps: value 0: allowed numbers 1..1000000000",
                          "scenario:1: traffic[1].service: value ugs: allowed UGS, rtPS, ertPS, nrtPS, BE"):
            Cell(2, [Flow(Cbr(0)), Flow(Tcp(), service="ugs")], rate=9, keys={"path.delay": 1})
        with self.refused("scenario:1: snr_db[1]: value 90.0: allowed numbers -30..80"):
            Cell([Station(0), Station(90)])
        with self.refused("csv: value out.csv: allowed no file: a script writes what it reads"):
            Cell(keys={"csv": "out.csv"})
        with self.assertRaisesRegex(FileNotFoundError, "nowhere.yml"):
            Cell.from_file("nowhere.yml")

    def test_faults_of_changes(self):
        cell = Cell(1, [Flow(Cbr(1000)), Flow(Tcp())])
        cell.run(0.1)
        with self.refused("rate_bps: value -1: allowed numbers 1..1000000000 or null", "packet_bytes: value 39: allowed integers 40..1500 or null"):
            cell.set_flow(1, rate_bps=-1, packet_bytes=39)
        with self.refused("rate_bps: value 5: allowed for cbr, poisson, voice, onoff and video alone"):
            cell.set_flow(2, rate_bps=5)
        with self.refused("entry: value 3: allowed 1..2"):
            cell.set_flow(3, on=False)
        with self.refused("stations: value 3: allowed 1, as it runs"):
            cell.change(stations=3)
        with self.refused("command: value reboot: allowed deregister, reset, silence, suspend, resume, rates"):
            cell.command("reboot", 1)
        with self.refused("station: value 2: allowed 0..1"):
            cell.status(2)
        with self.refused("frames: value -1: allowed 0 or more"):
            cell.step(-1)
        with self.refused("seconds: value None: allowed a duration, as the cell has none"):
            cell.run()
        self.assertEqual(cell.change(), [], "a refused change is forgotten")
        with self.assertRaisesRegex(ValueError, "made from a text"):
            Cell(scenario=SCENARIO).add_flow(Flow(Cbr(1)))

    def test_every_public_name_is_documented(self):
        for name in simulator.__all__:
            self.assertGreater(len(getattr(simulator, name).__doc__ or ""), 20, name)
        for name, member in vars(Cell).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod))):
                self.assertTrue(member.__doc__, name)
        self.assertIn("pictures_per_s", simulator.scenario_reference())


if __name__ == "__main__":
    unittest.main()
