# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a cell that was recorded, and of two of them in one folder."""
import copy
import json
import lzma
import unittest
from pathlib import Path

from wimax_tools.watch.cell import NO_BSID, UNKNOWN_DB, Sample, measured_db, picture

RECORDED = Path(__file__).parents[1] / "metrics/recorded/cell.json.xz"
FIRST, SECOND = "02:00:00:00:00:01", "02:00:00:00:00:02"
HERE, THERE = "20E9FA000001", "20E9FA000002"


def recorded(bsid=HERE):
    """Statuses and rates; the BSID was a number when they were recorded."""
    cell = json.loads(lzma.decompress(RECORDED.read_bytes()))
    for status in cell["statuses"].values():
        if "station" in status:
            status["station"]["bsid"] = bsid
    return cell["statuses"], cell["rates"]


def two_cells():
    """The recorded one, and another of the same stations' addresses whose downlink is a dB weaker; each program's name tells its cell."""
    (here, rates), (there, _) = recorded(), recorded(THERE)
    for name in ("ss1.macd", "ss2.macd"):
        there[name]["cinr_db"] = here[name]["cinr_db"] - 1
    return {**here, **{f"other-{name}": status for name, status in there.items()}}, rates


class PictureOfACell(unittest.TestCase):
    def test_how_near_a_receiver_is_to_clipping(self):
        rows = {row["name"]: row for row in picture(Sample(recorded()[0]))["programs"]}
        self.assertEqual((rows["bs.phyd"]["headroom_db"], rows["bs.phyd"]["clipped_samples"]), (21.52, 0))
        self.assertIsNone(rows["bs.macd"]["headroom_db"])

    def test_what_nothing_was_measured_of(self):
        self.assertEqual([measured_db(db) for db in (None, UNKNOWN_DB, UNKNOWN_DB - 1, UNKNOWN_DB + 0.5, 0, -3.5)],
                         [None, None, None, UNKNOWN_DB + 0.5, 0, -3.5])

    def test_how_long_answers_take(self):
        statuses = recorded()[0]
        rows = {row["name"]: row for row in picture(Sample(statuses))["programs"]}
        self.assertEqual(rows["bs.phyd"]["answers_ms"], [statuses["bs.phyd"]["answers"][key] / 1e3 for key in ("p50_us", "p99_us", "longest_us")])
        self.assertIsNone(rows["bs.macd"]["answers_ms"])

    def test_stations_and_flows(self):
        statuses, rates = recorded()
        shown = picture(Sample(statuses), None, {"bs.macd": rates})
        self.assertEqual(shown["cells"][0]["bsid"], "20:E9:FA:00:00:01")
        one = next(station for station in shown["stations"] if station["mac"] == FIRST)
        own = statuses["ss1.macd"]["station"]
        self.assertAlmostEqual(one["distance_m"], own["timing_advance_samples"] / 5.76e6 * 299_792_458 / 2)
        self.assertEqual((one["ul"]["rate"], one["ul"]["kbps"]), ("64-QAM 3/4", None))
        self.assertEqual({flow["sfid"] for flow in shown["flows"]},
                         {flow["sfid"] for station in statuses["bs.macd"]["station"]["stations"] for flow in station["flows"]})


    def test_privacy(self):
        statuses = recorded()[0]
        own = statuses["bs.macd"]["station"]["stations"][0]["privacy"]
        for served in (True, False):
            if not served:
                del statuses["bs.macd"]
            rows = {row["mac"]: row["privacy"] for row in picture(Sample(statuses))["stations"]}
            self.assertEqual(rows[FIRST], {"state": "authorized", "key": own["tek_sequence"], "age_s": own["tek_age_s"], "dropped": 6 + 7 + 8 + 9 + 10 + 11 + 12})
            self.assertIsNone(rows[SECOND])


class GoodputOfTheDownlink(unittest.TestCase):
    """A second in which the base station sent 800 kbit/s to each of two stations, and a fade took half of it."""

    def setUp(self):
        self.before, self.rates = recorded()
        self.now = copy.deepcopy(self.before)
        for name in ("bs.macd", "ss1.macd", "ss2.macd"):
            self.now[name]["simulated_s"] += 1
        for one in self.now["bs.macd"]["station"]["stations"]:
            one["dl"]["bytes"] += 100_000
            self.flow(one)["bytes"] += 100_000
        for name in ("ss1.macd", "ss2.macd"):
            station = self.now[name]["station"]
            station["dl"]["bytes"] += 50_000
            self.flow(station)["bytes"] += 50_000

    @staticmethod
    def flow(station):
        return next(flow for flow in station["flows"] if flow["direction"] == "downlink")

    def shown(self):
        """kbit/s and whether it was received, of the first station, and kbit/s of its downlink flow."""
        seen = picture(Sample(self.now), Sample(self.before), {"bs.macd": self.rates})
        dl = next(station for station in seen["stations"] if station["mac"] == FIRST)["dl"]
        flow = next(flow for flow in seen["flows"] if flow["station"] == FIRST and flow["direction"] == "downlink")
        return round(dl["kbps"]), dl["received"], round(flow["kbps"])

    def test_is_what_has_come(self):
        self.assertEqual(self.shown(), (400, True, 400))

    def test_of_a_station_elsewhere_it_is_what_was_sent_and_says_so(self):
        del self.now["ss1.macd"]
        self.assertEqual(self.shown(), (800, False, 800))

    def test_of_one_that_has_just_begun_it_is_what_was_sent(self):
        del self.before["ss1.macd"]
        self.assertEqual(self.shown(), (800, False, 800))


class SeveralCells(unittest.TestCase):
    def setUp(self):
        self.statuses, self.rates = two_cells()

    def stations(self):
        """(cell, address) to the row; none twice."""
        rows = picture(Sample(self.statuses), None, {"bs.macd": self.rates})["stations"]
        found = {(row["cell"], row["mac"]): row for row in rows}
        self.assertEqual(len(found), len(rows))
        return found

    def test_each_has_its_base_station_and_stations(self):
        shown = picture(Sample(self.statuses))
        self.assertEqual({cell["name"]: cell["bsid"] for cell in shown["cells"]}, {"bs.macd": "20:E9:FA:00:00:01", "other-bs.macd": "20:E9:FA:00:00:02"})
        self.assertEqual(set(self.stations()), {(cell, mac) for cell in ("bs.macd", "other-bs.macd") for mac in (FIRST, SECOND)})
        self.assertEqual({flow["cell"] for flow in shown["flows"]}, {"bs.macd", "other-bs.macd"})

    def test_a_station_of_the_same_address_is_that_of_its_cell(self):
        shown = self.stations()
        for mac, name in ((FIRST, "ss1.macd"), (SECOND, "ss2.macd")):
            here, there = shown["bs.macd", mac], shown["other-bs.macd", mac]
            self.assertEqual((here["program"], there["program"]), (name, f"other-{name}"))
            self.assertAlmostEqual(here["dl"]["cinr_db"] - there["dl"]["cinr_db"], 1)

    def test_one_that_went_over_is_there_and_what_it_left_knows_less(self):
        moved = copy.deepcopy(self.statuses["ss1.macd"])
        moved["station"]["bsid"] = THERE
        self.statuses["ss1.macd"] = moved
        del self.statuses["other-ss1.macd"]
        shown = self.stations()
        self.assertEqual((shown["bs.macd", FIRST]["program"], shown["bs.macd", FIRST]["distance_m"]), (None, None))
        self.assertEqual(shown["other-bs.macd", FIRST]["program"], "ss1.macd")

    def test_one_of_a_base_station_that_is_elsewhere_stands_alone(self):
        del self.statuses["other-bs.macd"]
        shown = self.stations()
        self.assertEqual(shown[None, FIRST]["program"], "other-ss1.macd")
        self.assertEqual(shown["bs.macd", FIRST]["program"], "ss1.macd")

    def test_one_that_has_lost_its_base_station_is_still_known_by_its_address(self):
        for name in [name for name in self.statuses if name.startswith("other-")]:
            del self.statuses[name]
        self.statuses["ss1.macd"]["station"]["bsid"] = NO_BSID
        self.assertEqual(self.stations()["bs.macd", FIRST]["program"], "ss1.macd")


if __name__ == "__main__":
    unittest.main()
