# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of a recorded cell: one base station, two subscriber stations, four service flows, a capture and a simulated channel."""

import asyncio
import copy
import json
import lzma
import re
import shutil
import subprocess
import threading
import types
import unittest
import urllib.request
from contextlib import closing
from pathlib import Path
from unittest import mock

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from wimax_tools.metrics import command, sources, table
from wimax_tools.metrics.exposition import Exposition
from wimax_tools.metrics.programs import Answer
from wimax_tools.metrics.scrapes import FRESH_S, Scrapes
from wimax_tools.metrics.table import METRICS

HERE = Path(__file__).parent
OPENMETRICS = "application/openmetrics-text; version=1.0.0"
BEGAN_S = 1000.5
FIRST, SECOND = "02:00:00:00:00:01", "02:00:00:00:00:02"


def recorded():
    return json.loads(lzma.decompress((HERE / "recorded/cell.json.xz").read_bytes()))


def answers(cell):
    return {name: Answer(status, tuple(cell["rates"]) if "station" in (status or {}) else (), BEGAN_S) for name, status in cell["statuses"].items()}


class Recorded:
    """In the place of Programs."""

    def __init__(self):
        self.cell, self.asked = recorded(), 0

    def answers(self):
        self.asked += 1
        return answers(copy.deepcopy(self.cell))


def parsed(text, parse):
    """{(sample, labels): value}; ValueError of the client library for what is not its format."""
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in parse(text) for sample in family.samples}


def scraped(programs, accept=""):
    text, content_type = Exposition(programs).text(accept)
    return parsed(text.decode(), openmetrics if "openmetrics" in content_type else prometheus)


def of(samples, name, /, **labels):
    """Values of a metric's samples that have these labels."""
    return [value for (sample, own), value in samples.items() if sample == "wimax_" + name and set(labels.items()) <= set(own)]


class Figures(unittest.TestCase):
    def setUp(self):
        self.programs = Recorded()
        self.samples = scraped(self.programs)
        self.statuses = self.programs.cell["statuses"]

    def only(self, name, /, **labels):
        values = of(self.samples, name, **labels)
        self.assertEqual(len(values), 1, (name, labels))
        return values[0]

    def test_programs(self):
        self.assertEqual({daemon: self.only("up", daemon=daemon) for daemon in self.statuses}, dict.fromkeys(self.statuses, 1))
        for daemon in ("bs.macd", "ss1.phyd"):
            self.assertEqual(self.only("frames_total", daemon=daemon), self.statuses[daemon]["frames"])
        self.assertEqual(self.only("sap_messages_total", daemon="bs.macd", direction="sent"), self.statuses["bs.macd"]["sap"]["sent"])
        self.assertEqual(self.only("phy_errors_total", daemon="bs.macd", kind="time_jump"), 0)
        self.assertEqual(self.only("user_bytes_total", daemon="ss1.macd", direction="in"), self.statuses["ss1.macd"]["sdus"]["in_bytes"])

    def test_histogram(self):
        """As Prometheus counts: up to each limit, the whole at the end."""
        self.assertEqual({dict(labels)["le"]: value for (name, labels), value in self.samples.items() if name == "wimax_answer_seconds_bucket"},
                         {"0.00025": 1, "0.0005": 70, "0.001": 98, "0.01": 99, "+Inf": 100})
        self.assertEqual(self.only("answer_seconds_count", daemon="bs.phyd"), 100)
        self.assertAlmostEqual(self.only("answer_seconds_sum", daemon="bs.phyd"), 0.0456)

    def test_base_station(self):
        station = self.statuses["bs.macd"]["station"]
        self.assertEqual(self.only("registered_ss"), 2)
        self.assertAlmostEqual(self.only("capacity_bytes_per_second", direction="uplink"), 125 * station["capacity_kbps"]["uplink"])
        self.assertEqual(self.only("frame_symbols_total", direction="downlink", use="maps"), station["symbols"]["dl"]["maps"])
        self.assertEqual(self.only("reservable_symbols_per_frame", direction="uplink"), station["reserved"]["uplink"]["room"])
        self.assertEqual(len(of(self.samples, "frame_symbols_total")), 2 * len(station["symbols"]["dl"]))

    def test_policies(self):
        policy = self.statuses["bs.macd"]["station"]["policies"]["dl_scheduler"]
        for metric, value in (("calls_total", policy["calls"]), ("seconds_total", policy["spent_us"] / 1e6), ("busy_frames_total", policy["busy"]),
                              ("replaced", 1)):
            self.assertAlmostEqual(self.only(f"policy_{metric}", policy="dl_scheduler"), value)
        for kind in ("late", "failed", "nonsense"):
            self.assertEqual(self.only("policy_faults_total", policy="dl_scheduler", kind=kind), policy[kind])
        self.assertEqual(self.only("policy_replaced", policy="ul_scheduler"), 0)

    def test_stations(self):
        by_mac = {one["mac"]: one for one in self.statuses["bs.macd"]["station"]["stations"]}
        first, own = by_mac[FIRST], self.statuses["ss1.macd"]
        at_base = {"daemon": "bs.macd", "station": FIRST}
        self.assertEqual(self.only("station_info", **at_base, name="ss1"), 1)
        self.assertEqual(self.only("station_operational", **at_base), 1)
        self.assertAlmostEqual(self.only("mean_cinr_report_db", **at_base, direction="uplink"), first["cinr_db"])
        self.assertAlmostEqual(self.only("mean_cinr_report_db", **at_base, direction="downlink"), first["link"]["dl_cinr_db"])
        self.assertAlmostEqual(self.only("mean_rssi_report_dbm", daemon="ss1.macd", station=FIRST), own["rssi_dbm"])
        needs = {rate["id"]: rate["needs_db"] for rate in self.programs.cell["rates"]}
        self.assertEqual(self.only("needed_cinr_db", **at_base, direction="downlink"), needs[first["dl_rate_id"]])
        self.assertEqual(self.only("ss_bytes_total", **at_base, direction="uplink"), first["ul"]["bytes"])
        self.assertEqual(self.only("ss_bytes_total", daemon="bs.macd", station=SECOND, direction="downlink"), by_mac[SECOND]["dl"]["bytes"])
        advance_s = own["station"]["timing_advance_samples"] / own["station"]["sample_rate_hz"]
        self.assertAlmostEqual(self.only("timing_advance_seconds", station=FIRST), advance_s)
        self.assertAlmostEqual(self.only("distance_meters", station=FIRST), 299792458 * advance_s / 2)
        self.assertAlmostEqual(self.only("transmit_power_headroom_db", daemon="ss1.macd", station=FIRST),
                               own["station"]["maximum_power_dbm"] - own["station"]["power_dbm"])

    def test_privacy(self):
        own = self.statuses["bs.macd"]["station"]["stations"][0]["privacy"]
        at_base = {"daemon": "bs.macd", "station": FIRST}
        self.assertEqual(self.only("station_authorized", **at_base), 1)
        for metric, key in (("authorization_key_age", "ak_age"), ("authorization_key_left", "ak_left"), ("traffic_key_age", "tek_age"),
                            ("traffic_key_left", "tek_left")):
            self.assertEqual(self.only(f"{metric}_seconds", **at_base), own[f"{key}_s"])
        self.assertEqual(self.only("certificate_expiry_timestamp_seconds", **at_base), own["certificate_ends_s"])
        self.assertEqual(self.only("pkm_messages_total", **at_base, kind="Key Reply"), own["key_replies"])
        self.assertEqual(self.only("privacy_dropped_total", **at_base, kind="PDU", cause="replayed"), own["pdus"]["replayed"])
        self.assertEqual(self.only("privacy_dropped_total", **at_base, kind="management", cause="unsigned"), own["messages"]["unsigned"])
        self.assertEqual(len(of(self.samples, "privacy_dropped_total", **at_base)), 10)
        self.assertEqual(of(self.samples, "station_authorized", station=SECOND), [], "it has no privacy")
        self.assertEqual(self.only("refused_entries_total", cause="certificate"), 2)
        self.assertEqual(self.only("ended_authorizations_total"), 1)

    def test_flows(self):
        at_station = next(flow for flow in self.statuses["ss1.macd"]["station"]["flows"] if flow["name"] == "voice-up")
        labels = {"daemon": "ss1.macd", "station": FIRST, "flow": str(at_station["sfid"]), "direction": "uplink"}
        self.assertEqual(self.only("sf_mac_sdus_total", **labels), at_station["sdus"])
        self.assertEqual(self.only("sf_dropped_mac_sdus_total", **labels, cause="AQM"), at_station["dropped_codel"])
        self.assertGreater(at_station["dropped"], 0)
        self.assertEqual(sum(of(self.samples, "sf_dropped_mac_sdus_total", **labels)), at_station["dropped"], "each packet has one cause")
        self.assertEqual(self.only("sf_queue_bytes", **labels), at_station["backlog_bytes"])
        self.assertEqual(self.only("cps_max_sustained_rate_bytes_per_second", **labels), 12_000)
        self.assertEqual(self.only("cps_max_latency_seconds", **labels), 0.04)
        self.assertEqual(self.only("service_flow_info", **labels, name="voice-up", scheduling="UGS", state="active"), 1)
        self.assertEqual(of(self.samples, "cps_min_reserved_rate_bytes_per_second", **labels), [], "nothing is promised to it")
        causes = {dict(own)["cause"] for (name, own), _ in self.samples.items() if name == "wimax_sf_dropped_mac_sdus_total"}
        self.assertEqual(causes, {*sources.DROPS.values(), "piece lost"})

    def test_flows_of_a_group(self):
        station = self.statuses["bs.macd"]["station"]
        flow = next(flow for one in station["stations"] for flow in one["flows"] if flow["direction"] == "downlink")
        station["multicast"] = [{**flow, "sfid": 77, "sdus": 4321}]
        self.assertEqual(of(scraped(self.programs), "sf_mac_sdus_total", daemon="bs.macd", station="multicast", flow="77"), [4321])

    def test_channel(self):
        channel = self.statuses["channeld"]
        self.assertEqual(self.only("channel_time_seconds_total"), channel["time_s"])
        self.assertEqual(self.only("channel_link_snr_db", link="bs->ss1"), channel["links"]["bs->ss1"]["snr_db"])
        self.assertAlmostEqual(self.only("channel_radio_received_dbm", radio="ss2"), channel["radios"]["ss2"]["rx_dbm"])

    def test_what_was_never_measured_is_left_out(self):
        status = self.programs.cell["statuses"]["ss1.macd"]
        status.update(cinr_db=-100, rssi_dbm=-270)
        self.assertEqual(of(scraped(self.programs), "mean_cinr_report_db", daemon="ss1.macd"), [])
        self.assertEqual(of(scraped(self.programs), "mean_rssi_report_dbm", daemon="ss1.macd"), [])
        status.update(cinr_db=20, rssi_dbm=-70, synchronised=False)  # what was measured before it lost its base station
        self.assertEqual(of(scraped(self.programs), "mean_cinr_report_db", daemon="ss1.macd"), [])

    def test_a_silent_program_is_no_fault(self):
        everything = len(self.samples)
        self.programs.cell["statuses"]["ss1.phyd"] = None
        samples = scraped(self.programs)
        self.assertEqual(of(samples, "up", daemon="ss1.phyd"), [0])
        self.assertEqual(of(samples, "up", daemon="ss2.phyd"), [1])
        self.assertEqual(of(samples, "frames_total", daemon="ss1.phyd"), [])
        self.assertEqual(everything - len(samples), sum("ss1.phyd" in dict(own).values() for _, own in self.samples) - 1)

    def test_a_program_of_another_kind_or_version_answers(self):
        self.programs.cell["statuses"] = {"other": {"temperature": 20}, "old.macd": {"role": "bs", "station": {"stations": []}}}
        self.assertEqual(of(scraped(self.programs), "up"), [1, 1])


class Created(unittest.TestCase):
    def setUp(self):
        self.programs, self.now = Recorded(), BEGAN_S
        self.began = {}
        watch = mock.patch("wimax_tools.metrics.births.time.time", lambda: self.now)
        watch.start()
        self.addCleanup(watch.stop)
        self.exposition = Exposition(types.SimpleNamespace(answers=self.answers))

    def answers(self):
        given = self.programs.answers()
        return {name: Answer(answer.status, answer.rates, self.began.get(name, BEGAN_S)) for name, answer in given.items()}

    def created(self, at_s, name, **labels):
        self.now = at_s
        return set(of(parsed(self.exposition.text(OPENMETRICS)[0].decode(), openmetrics), name.replace("_total", "_created"), **labels))

    def test_with_the_program(self):
        self.assertEqual(self.created(2000, "ss_bytes_total"), {BEGAN_S})
        self.programs.cell["statuses"]["bs.macd"]["station"]["stations"][0]["dl"]["bytes"] += 1
        self.assertEqual(self.created(2010, "ss_bytes_total"), {BEGAN_S})

    def test_silence_is_no_restart(self):
        station = self.programs.cell["statuses"]["bs.macd"]["station"]["stations"][0]
        self.created(2000, "ss_bytes_total")
        status, self.programs.cell["statuses"]["bs.macd"] = self.programs.cell["statuses"]["bs.macd"], None
        self.created(2010, "ss_bytes_total")
        self.programs.cell["statuses"]["bs.macd"] = status
        self.assertEqual(self.created(2020, "ss_bytes_total", station=station["mac"], daemon="bs.macd"), {BEGAN_S})

    def test_a_restart_even_where_the_counter_is_higher(self):
        self.created(2000, "frames_total")
        self.began["ss1.macd"] = 2003.25
        self.programs.cell["statuses"]["ss1.macd"]["frames"] += 5
        self.assertEqual(self.created(2010, "frames_total", daemon="ss1.macd"), {2003.25})
        self.assertEqual(self.created(2010, "frames_total", daemon="ss2.macd"), {BEGAN_S})

    def test_a_station_that_enters_again_counts_from_the_last_scrape(self):
        station = self.programs.cell["statuses"]["bs.macd"]["station"]["stations"][0]
        at_base = {"daemon": "bs.macd", "station": station["mac"], "direction": "downlink"}
        self.created(2000, "ss_bytes_total")
        self.created(2010, "ss_bytes_total")
        station["dl"]["bytes"] = 1
        self.assertEqual(self.created(2020, "ss_bytes_total", **at_base), {2010})
        station["dl"]["bytes"] = 2
        self.assertEqual(self.created(2030, "ss_bytes_total", **at_base), {2010})

    def test_a_new_flow_counts_from_the_last_scrape(self):
        self.created(2000, "sf_bytes_total")
        flows = self.programs.cell["statuses"]["ss1.macd"]["station"]["flows"]
        flows.append({**flows[0], "sfid": 99})
        self.assertEqual(self.created(2010, "sf_bytes_total", flow="99"), {2000})

    def test_unknown_elsewhere(self):
        self.began["bs.macd"] = None
        self.assertEqual(self.created(2000, "frames_total", daemon="bs.macd"), set())
        self.assertEqual(self.created(2000, "frames_total", daemon="bs.phyd"), {BEGAN_S})


class Names(unittest.TestCase):
    UNITS = ("bytes", "seconds", "db", "dbm", "hertz", "meters", "ppm", "ratio", "per_second", "symbols_per_frame", "id", "info", "priority")
    COUNTED = ("frames", "bursts", "sdus", "packets", "messages", "calls", "faults", "errors", "symbols", "stations", "flows", "changes", "starts", "entries",
               "losses", "failures", "blocks", "resets", "records", "samples", "chunks", "pieces", "dropped", "full", "seconds", "bytes", "ss", "room", "pdus", "authorizations")
    STATES = {"policy_replaced", "up", "synchronised", "operational", "phy_alive", "station_operational", "station_authorized", "radio_open", "mac_attached", "channel_radio_streaming"}

    def test_units(self):
        for name in set(METRICS) - self.STATES:
            self.assertRegex(name.removesuffix("_total"), f"(?:^|_)(?:{'|'.join(self.UNITS + self.COUNTED)})$")

    def test_objects_of_the_mib(self):
        """The metric's name has the object's last words."""
        named = {name: metric.mib for name, metric in METRICS.items() if metric.mib}
        self.assertGreater(len(named), 12)
        for objects in named.values():
            for one in objects:
                self.assertRegex(one, r"^wmanIf(Bs|Ss|Cmn)[A-Z][A-Za-z]+$")
        for name in ("mean_cinr_report_db", "mean_rssi_report_dbm", "cps_max_latency_seconds", "cps_max_sustained_rate_bytes_per_second",
                     "registered_ss"):
            words = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", METRICS[name].mib[0].removesuffix("Table")).lower()
            self.assertTrue(any(words.endswith(name[:i]) for i in range(10, len(name) + 1)), (name, words))

    def test_all_are_fed_and_no_other(self):
        rows = [one for rows in vars(sources).values() if isinstance(rows, tuple) and rows and isinstance(rows[0], sources.Row) for one in rows]
        by_hand = {"up", "station_info", "service_flow_info", "needed_cinr_db", "timing_advance_seconds", "distance_meters", "answer_seconds"}
        self.assertEqual({one.metric for one in rows} | by_hand, set(METRICS))

    def test_all_are_in_the_recorded_cell(self):
        """Of a histogram there are three names."""
        names = {name.removeprefix("wimax_") for name, _ in scraped(Recorded()) if not name.endswith("_created")}
        histograms = {name: {f"{name}_{part}" for part in ("bucket", "count", "sum")} for name, metric in METRICS.items() if metric.histogram}
        self.assertEqual(list(histograms), ["answer_seconds"])
        self.assertEqual(names, set(METRICS) - set(histograms) | set().union(*histograms.values()))

    def test_the_document_has_this_table(self):
        document = HERE.parents[4] / "docs/metrics.md"
        if not document.is_file():
            self.skipTest("no source tree here")
        self.assertIn(table.markdown(), document.read_text(encoding="utf-8"), "put in what wimax_tools.metrics.table.markdown() says")
        written = table.markdown().splitlines()
        for title in table.GROUPS.values():
            self.assertEqual(written.count(f"### {title}"), 1, title)
        for metric in table.METRICS.values():
            self.assertEqual(sum(line.startswith(f"| `{metric.full_name}` |") for line in written), 1, metric.name)


class Formats(unittest.TestCase):
    def test_negotiation(self):
        exposition = Exposition(Recorded())
        plain, plain_type = exposition.text("text/html, */*;q=0.1")
        rich, rich_type = exposition.text(f"{OPENMETRICS}, text/plain;q=0.5")
        self.assertRegex(plain_type, r"^text/plain; version=0\.0\.4")
        self.assertRegex(rich_type, r"^application/openmetrics-text")
        self.assertTrue(rich.endswith(b"# EOF\n"))
        self.assertEqual(parsed(plain.decode(), prometheus), parsed(rich.decode(), openmetrics))

    def test_names_are_escaped(self):
        programs = Recorded()
        programs.cell["statuses"]["bs.macd"]["station"]["stations"][0]["name"] = 'a "house"\\\nroof'
        for accept in ("", OPENMETRICS):
            names = [dict(own)["name"] for name, own in scraped(programs, accept) if name == "wimax_station_info"]
            self.assertIn('a "house"\\\\\\x0aroof', names)

    def test_promtool(self):
        if not (promtool := shutil.which("promtool")):
            self.skipTest("no promtool here (Debian's package prometheus)")
        done = subprocess.run([promtool, "check", "metrics"], input=Exposition(Recorded()).text()[0], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual((done.returncode, done.stdout.decode()), (0, ""))


class Served(unittest.TestCase):
    def test_over_http(self):
        programs, said = Recorded(), []
        listening = threading.Event()
        out = types.SimpleNamespace(write=lambda text: (said.append(text), listening.set()), flush=lambda: None)
        now = [0.0]
        scrapes = Scrapes(programs, clock=lambda: now[0])
        threading.Thread(target=command.serve, args=("127.0.0.1", 0, scrapes, (), out), daemon=True).start()
        self.assertTrue(listening.wait(10))
        address = re.search(r"http://\S+/metrics", "".join(said))[0]
        self.assertEqual(programs.asked, 0, "nobody has scraped yet")
        for accept, parse in (("", prometheus), (OPENMETRICS, openmetrics)):
            with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": accept})) as reply:
                self.assertEqual(of(parsed(reply.read().decode(), parse), "registered_ss"), [2])
        self.assertEqual(programs.asked, 1, "both within a second")
        now[0] += FRESH_S
        with closing(urllib.request.urlopen(f"{address}?name[]=wimax_up")) as reply:
            self.assertEqual({name for name, _ in parsed(reply.read().decode(), prometheus)}, {"wimax_up"})
        self.assertEqual(programs.asked, 2)
        with self.assertRaisesRegex(command.Refused, f"--port {address.split(':')[2].split('/')[0]}: .*in use"):
            command.serve("127.0.0.1", int(address.split(":")[2].split("/")[0]), Scrapes(programs))

    def test_by_the_page_too(self):
        """The live page's server has the same."""
        from tornado.httpclient import AsyncHTTPClient
        from tornado.httpserver import HTTPServer
        from tornado.testing import bind_unused_port

        from wimax_tools.watch.server import application

        async def get():
            listening, port = bind_unused_port()
            server = HTTPServer(application(types.SimpleNamespace(programs=Recorded()), None, "token"))
            server.add_socket(listening)
            reply = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/metrics", headers={"Accept": OPENMETRICS})
            server.stop()
            return reply

        reply = asyncio.run(get())
        self.assertRegex(reply.headers["Content-Type"], "^application/openmetrics-text")
        self.assertEqual(of(parsed(reply.body.decode(), openmetrics), "registered_ss"), [2])


if __name__ == "__main__":
    unittest.main()
