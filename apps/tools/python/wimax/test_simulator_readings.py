# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script reads of a cell: all MACs as arrays, grants with their connections, PDUs and maps of each frame; flows and stations that leave."""
import dataclasses
import unittest

import numpy as np

import wimax.pdu
from wimax import cell_readings, mobility, simulator, traffic
from wimax.simulator import Cell, PduRecord
from wimax.traffic import Cbr, Flow, Poisson, Saturate

FLOWS = [Flow(Poisson(300_000)), Flow(Poisson(100_000), "uplink", service="nrtPS", min_rate_bps=50_000)]


def flat(status, path=""):
    """Numbers of a status under their joined keys."""
    out = {}
    for key, value in status.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{path}{key}."))
        elif isinstance(value, (bool, int, float)):
            out[path + key] = float(value)
    return out


def row_of(figures, row):
    return {name: values[row] for name, values in figures.items() if not np.isnan(values[row])}


class Status(unittest.TestCase):
    def test_arrays_have_every_number_of_every_status(self):
        cell = Cell(3, FLOWS, snr_db=24, rate="auto")
        cell.run(1.0)
        figures, status = cell.status_figures(), cell.status()
        base_station = {name: value for name, value in row_of(figures.base_station, 0).items() if not name.startswith("phy.")}
        self.assertEqual(base_station, flat(status))
        by_mac = sorted(status["stations"], key=lambda station: station["mac"])
        for n in range(3):
            self.assertEqual(row_of(figures.stations, n), {**flat(by_mac[n], "bs."), **flat(cell.status(n + 1), "ss.")})
        self.assertGreater(figures.base_station["phy.ul_grants"][0], 0)
        flows = figures.flows
        self.assertEqual(len(flows["sfid"]), 3 * 2 * 2)
        at_bs = flows["at_base_station"] == 1
        for number in (1, 2, 3):
            chosen = at_bs & (flows["station"] == number) & (flows["entry"] == 2)
            wanted = next(flow for flow in by_mac[number - 1]["flows"] if flow["name"] == "entry-2")
            self.assertEqual([flows["cid"][chosen].item(), flows["bytes"][chosen].item(), flows["uplink"][chosen].item()], [wanted["cid"], wanted["bytes"], 1])
        np.testing.assert_array_equal(figures.stations["bs.dl.bytes"], cell.figures()["dl_bytes"])

    def test_a_station_that_has_not_entered_has_no_figures_of_the_base_station(self):
        cell = Cell(2, FLOWS)
        figures = cell.status_figures()
        self.assertNotIn("bs.basic_cid", figures.stations)
        np.testing.assert_array_equal(figures.stations["ss.operational"], [0, 0])
        self.assertEqual(figures.flows, {})

    def test_arq(self):
        cell = Cell(1, [Flow(Saturate(), "uplink")], keys={"arq": True}, snr_db=17, rate=3)
        cell.run(1.0)
        sender = cell.status_figures().flows
        chosen = (sender["at_base_station"] == 0) & (sender["uplink"] == 1)
        self.assertGreater(sender["arq_blocks"][chosen].sum(), 100)
        self.assertEqual(sender["arq_repeats"][chosen].sum(), cell.status(1)["flows"][0].get("arq_repeats", cell.status(1)["flows"][1].get("arq_repeats")))


class Air(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cell = Cell(3, [*FLOWS, Flow(Cbr(60_000, packet_bytes=300), multicast=True)], seed=5)
        cls.cell.run(0.5)
        cls.cell.record_pdus()
        cls.cell.record_grants()
        cls.first = cls.cell.frames
        cls.cell.step(100)
        cls.pdus, cls.grants = cls.cell.pdus(), cls.cell.grants

    def test_pdus_decode_to_their_octets(self):
        self.assertEqual({record.frame for record in self.pdus if record.direction == "downlink"}, set(range(self.first, self.first + 100)))
        self.assertEqual(self.cell.pdus_dropped, 0)
        for record in self.pdus[::7]:
            self.assertEqual((record.state, bytes(record.pdu)), ("pdu", record.octets))
            self.assertEqual(record.pdu.header.cid, record.cid)
        self.assertTrue(all(np.isnan(record.cinr_db) == (record.direction == "downlink") for record in self.pdus))
        times = [record.time_s / self.cell.frame_s - record.frame for record in self.pdus]
        self.assertTrue(0 <= min(times) < max(times) < 1)

    def test_stations_and_connections_are_those_of_the_base_station(self):
        status = self.cell.status()
        owner = {flow["cid"]: int(station["mac"][-2:], 16) + 1 for station in status["stations"] for flow in station["flows"] if not flow.get("multicast")}
        for record in self.pdus:
            if record.cid in owner:
                self.assertEqual(record.station, owner[record.cid])
        shared = status["multicast"][0]["cid"]
        self.assertEqual({record.station for record in self.pdus if record.cid == shared}, {0})
        for number in (1, 2, 3):
            own = self.cell.pdus(station=number)
            self.assertEqual({record.station for record in own}, {number})
            self.assertEqual(len(own), sum(record.station == number for record in self.pdus))
            self.assertEqual({record.direction for record in own}, {"downlink", "uplink"})
        self.assertLess(len(self.cell.pdus(frame=self.first + 3, direction="uplink")), len(self.cell.pdus(frame=self.first + 3)))

    def test_maps_describe_the_grants(self):
        """Each UL-MAP against the recorded allocations of the frame that it describes."""
        compared = 0
        for frame in range(self.first, self.first + 99):
            maps = self.cell.maps(frame)
            if maps.ul_map is None:
                continue
            start = maps.ul_map.alloc_start
            slots = round(self.cell.frame_s * 5_760_000 / 4)
            wanted = self.grants[(self.grants["frame"] == frame + start // slots) & (self.grants["uplink"] == 1) & (self.grants["kind"] == 0)]
            data = [ie for ie in maps.ul_map.ies if 5 <= ie.uiuc <= 12]
            self.assertEqual([(ie.cid, ie.uiuc, ie.duration) for ie in data], [(grant["cid"], grant["iuc"], grant["symbols"]) for grant in wanted])
            compared += len(data)
        self.assertGreater(compared, 50)
        with self.assertRaisesRegex(ValueError, "frame: value 1: allowed numbers of frames whose PDUs are recorded"):
            self.cell.maps(1)

    def test_a_burst_has_the_connections_of_its_pdus(self):
        downlink = self.grants[self.grants["uplink"] == 0]
        several = 0
        for frame in range(self.first, self.first + 100):
            bursts, pdus = downlink[downlink["frame"] == frame], self.cell.pdus(frame=frame, direction="downlink")
            for index, burst in enumerate(bursts, 1):
                cids = list(dict.fromkeys(record.cid for record in pdus if record.burst == index))
                self.assertEqual(self.cell.cids_of(burst).tolist(), cids)
                self.assertEqual(burst["cid"], cids[0] if len(cids) == 1 else 0)
                stations = {record.station for record in pdus if record.burst == index}
                self.assertEqual(burst["station"], stations.pop() if len(stations) == 1 else 0)
                several += len(cids) > 1
        self.assertGreater(several, 5)
        uplink = self.grants[(self.grants["uplink"] == 1) & (self.grants["kind"] == 0)]
        basic = {station["basic_cid"]: int(station["mac"][-2:], 16) + 1 for station in self.cell.status()["stations"]}
        self.assertEqual([basic[cid] for cid in uplink["cid"]], uplink["station"].tolist())
        self.assertEqual(self.cell.cids_of(uplink[0]).size, 0)

    def test_memory_is_limited(self):
        cell = Cell(2, FLOWS)
        cell.enter()
        cell.record_pdus(memory_bytes=65_536)
        cell.step(200)
        records = cell.pdus()
        used = sum(len(record.octets) + 48 for record in records)
        self.assertTrue(60_000 < used <= 65_536, used)
        self.assertGreater(cell.pdus_dropped, 100)
        cell.record_pdus(False)
        dropped = cell.pdus_dropped
        cell.step(10)
        self.assertEqual((len(cell.pdus()), cell.pdus_dropped), (len(records), dropped))
        cell.clear_pdus()
        self.assertEqual((cell.pdus(), cell.pdus_dropped), ([], 0))
        with self.assertRaisesRegex(ValueError, "memory_bytes: value 65535: allowed 65536..68719476736"):
            cell.record_pdus(memory_bytes=65_535)
        with self.assertRaisesRegex(ValueError, "direction: value 'up': allowed downlink, uplink, None"):
            cell.pdus(direction="up")

    def test_recording_changes_nothing(self):
        plain, recorded = (Cell(3, FLOWS, seconds=1, seed=9) for _ in range(2))
        recorded.record_pdus()
        recorded.record_grants()
        for cell in (plain, recorded):
            cell.run()
        self.assertEqual(plain.result()["air_digest"], recorded.result()["air_digest"])


class ServiceFlows(unittest.TestCase):
    def names(self, cell):
        return [{flow["name"] for flow in station["flows"]} for station in sorted(cell.status()["stations"], key=lambda station: station["mac"])]

    def test_removed_and_added_again(self):
        cell = Cell(2, FLOWS)
        cell.run(0.5)
        cell.record_pdus()
        cell.remove_flow(1)
        cell.run(0.3)
        deletions = [record.pdu.payload for record in cell.pdus(direction="downlink") if record.station and isinstance(record.pdu.payload, wimax.pdu.DsdReq)]
        self.assertEqual(len(deletions), 2)
        before = cell.flow_figures()
        self.assertEqual([names & {"entry-1", "entry-2"} for names in self.names(cell)], [{"entry-2"}] * 2)
        cell.run(2.0)
        after = cell.flow_figures()
        moved = (after["offered_packets"] > before["offered_packets"])
        np.testing.assert_array_equal(moved, after["entry"] == 2)
        self.assertEqual(cell.add_flow(Flow(Cbr(100_000), stations=2)), 3)
        cell.run(0.3)
        self.assertEqual(["entry-3" in names for names in self.names(cell)], [False, True])
        cell.change(rate=4)  # further changes keep it removed
        cell.run(0.2)
        self.assertTrue(all("entry-1" not in names for names in self.names(cell)))
        with self.assertRaisesRegex(ValueError, "entry: value 1: allowed entries that have not been removed"):
            cell.set_flow(1, on=True)
        with self.assertRaisesRegex(ValueError, "entry: value 4: allowed 1..3"):
            cell.remove_flow(4)
        self.assertEqual(len(cell.result()["flows"]), 5)

    def test_a_shared_service_flow_is_removed_last(self):
        cell = Cell(1, [Flow(Cbr(50_000)), Flow(Cbr(20_000), same_flow_as=1)])
        cell.run(0.2)
        with self.assertRaisesRegex(ValueError, "entry: value 1: allowed an entry whose service flow no other entry uses; remove entry 2 first"):
            cell.remove_flow(1)
        cell.remove_flow(2)
        cell.remove_flow(1)
        cell.run(0.3)
        self.assertFalse(self.names(cell)[0] & {"entry-1", "entry-2"})

    def test_multicast_is_removed(self):
        cell = Cell(2, [Flow(Cbr(60_000), multicast=True), Flow(Cbr(20_000))])
        cell.run(0.5)
        self.assertEqual(len(cell.status()["multicast"]), 1)
        cell.remove_flow(1)
        cell.run(0.5)
        self.assertEqual(cell.status()["multicast"], [])

    def test_service_is_changed_by_dsc(self):
        cell = Cell(2, FLOWS)
        cell.run(0.5)
        before = {flow["sfid"] for station in cell.status()["stations"] for flow in station["flows"]}
        cell.record_pdus()
        cell.set_service(2, min_rate_bps=80_000, max_rate_bps=300_000)
        cell.run(0.3)
        flows = [flow for station in cell.status()["stations"] for flow in station["flows"]]
        self.assertEqual({flow["sfid"] for flow in flows}, before)
        self.assertEqual({(flow["min_reserved_rate_bps"], flow["max_sustained_rate_bps"]) for flow in flows if flow["name"] == "entry-2"}, {(80_000, 300_000)})
        self.assertEqual(sum(isinstance(record.pdu.payload, wimax.pdu.DscReq) for record in cell.pdus(direction="downlink") if 0 < record.cid < 1000), 2)
        cell.set_service(1, service="nrtPS", min_rate_bps=1000)
        cell.run(0.3)
        self.assertEqual({flow["scheduling"] for station in cell.status()["stations"] for flow in station["flows"]}, {"nrtPS"})
        with self.assertRaisesRegex(ValueError, "direction: no value of a service flow that changes in a run: allowed service, max_rate_bps"):
            cell.set_service(1, direction="uplink")
        with self.assertRaisesRegex(ValueError, r"traffic\[0\].min_rate_bps"):
            cell.set_service(1, min_rate_bps=-1)

    def test_the_same_seed_gives_the_same_figures_in_any_parts(self):
        def digest(parts):
            cell = Cell(3, FLOWS, seed=11, rate="auto", snr_db=19, keys={"path.doppler_hz": 3, "path.k_factor_db": 10})
            for change in (lambda: cell.add_flow(Flow(Poisson(90_000), stations=[1, 3])), lambda: cell.remove_flow(1), lambda: cell.set_flow(2, rate_bps=50_000),
                           lambda: cell.command("reset", 2), lambda: None):
                parts(cell)
                change()
            return cell.frames, {name: values.tolist() for name, values in cell.flow_figures().items()}, cell.result()["air_digest"]

        def by_frames(cell):
            for _ in range(40):
                cell.step(1)

        def read_often(cell):
            for part in (1, 9, 30):
                cell.step(part)
                cell.figures(), cell.status_figures(), cell.status(1)

        whole = digest(lambda cell: cell.step(40))
        self.assertEqual(digest(lambda cell: cell.run(0.4)), whole)
        self.assertEqual(digest(by_frames), whole)
        self.assertEqual(digest(read_often), whole)
        self.assertNotEqual(digest(lambda cell: cell.step(41)), whole)


class Stations(unittest.TestCase):
    def test_leave_and_enter_again(self):
        cell = Cell(2, FLOWS)
        cell.run(0.5)
        for name, limit_s in (("reset", 2), ("deregister", 20)):
            cell.command(name, 1)
            cell.run(0.05)
            np.testing.assert_array_equal(cell.figures()["operational"], [False, True], name)
            cell.run(limit_s)
            np.testing.assert_array_equal(cell.figures()["operational"], [True, True], name)
            before = cell.flow_figures()["bytes"]
            cell.run(0.5)
            self.assertTrue((cell.flow_figures()["bytes"] > before).all(), name)

    def test_out_of_range_and_back(self):
        cell = Cell(2, FLOWS)
        cell.run(0.5)
        cell.set_snr(-30, station=2)
        cell.run(20)
        np.testing.assert_array_equal(cell.figures()["operational"], [True, False])
        self.assertEqual(cell.figures()["dl_rate_id"][1], -1)
        cell.set_snr(30, station=2)
        cell.run(20)
        self.assertTrue(cell.figures()["operational"].all())


class Documentation(unittest.TestCase):
    def test_every_field_of_every_dataclass_is_described(self):
        checked = 0
        for module in (traffic, mobility, simulator):
            for name in module.__all__:
                of = getattr(module, name)
                if not isinstance(of, type) or not dataclasses.is_dataclass(of):
                    continue
                for field in dataclasses.fields(of):
                    if field.init and field.name != "scenario":  # described where it is defined
                        self.assertRegex(of.__doc__, rf"`{field.name}`", f"{name}.{field.name}")
                        checked += 1
        self.assertGreater(checked, 70)
        self.assertIn(PduRecord.__name__, cell_readings.__all__)

    def test_every_method_is_documented(self):
        for name, member in vars(cell_readings.CellReadings).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                self.assertTrue(member.__doc__, name)


if __name__ == "__main__":
    unittest.main()
