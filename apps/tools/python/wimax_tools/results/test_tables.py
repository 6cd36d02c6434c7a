# SPDX-License-Identifier: GPL-3.0-or-later
"""What `wimax results` writes into documents, from records that are made here."""
import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import provenance
from wimax_tools.campaign import tasks
from wimax_tools.results import command, documents, tables
from wimax_tools.results.rows import ROWS, TABLES, named, rows_of

MACHINE = "a processor, 2 cores"
DIRECTION = {"tcp_kbps": 7900, "udp_kbps": 8015.4, "capacity_kbps": 8010.1, "udp_loss": 0.001, "symbols_per_frame": 92.44}
BENCH = {"profile": "5MHz-10ms", "phy": {"channel": "awgn"}, "host_stall_s": 0.02, "realtime_factor": 1.0, "entry_time_s": 1.319, "frames": 2150, "late_frames": 0,
         "stations": [{"ping_ms": {"mean": 12.34, "lost": 0}, "downlink": DIRECTION, "uplink": {**DIRECTION, "symbols_per_frame": 94.0}}],
         "breakdown": {"downlink": {"data": 93.5}, "uplink": {"data": 94.8}},
         "both_ways": {"realtime_factor": 1.003, "downlink_kbps": 31600, "uplink_kbps": 32100,
                       "cpu_s_per_s": {"channeld": 0.2, "bs.phyd": 0.47, "ss1.phyd": 0.49, "bs.macd": 0.06, "ss1.macd": 0.05}}}
LATES = {"frames": 12000, "late": 3, "late_by_machine": 2, "late_by_us_in_10000": 0.83, "calm_frames": 9000, "calm_late": 0,
         "answers": {"bs": {"p50_us": 1100, "p99_us": 2400, "p999_us": 3900}}}
NOISE = {"points": [], "false_alarms": {"preambles": 0, "symbols": 1000}}
FOUND = {"points": [{"snr_db": 0.0, "share": 0.991, "share_low": 0.983, "share_high": 0.995}]}
SPEED = {"isa": "avx2", "items": [{"name": "rx_64qam34", "value": 80.2, "cpu_value": 81, "unit": "MS/s", "x_real_time": 13.9}]}
SIM = {"virtual_s": 600.0, "wall_s": 20.0}


def curve(shift_db, floor=0.0):
    """Errors that fall by a factor of ten per 2 dB."""
    snrs = (4, 5, 6, 7, 8, 9, 10)
    rates = [max(floor, 10 ** (-(snr - shift_db) / 2)) for snr in snrs]
    return {"points": [{"rate_id": 1, "direction": "downlink", "snr_db": snr, "blocks": 10000, "block_errors": round(1e4 * min(1, per)), "per": min(1, per)}
                       for snr, per in zip(snrs, rates)]}


def result_of(row):
    simple = {"bench": BENCH, "whole": BENCH, "lates": LATES, "acquisition": NOISE if row.name == "acquisition-noise" else FOUND, "speed": SPEED, "sim": SIM}
    return [curve(4.5), curve(4.0)][:len(row.commands)] if row.table == "link" else [simple[row.table]] * len(row.commands)


def record(row, **more):
    return {"name": row.name, "commands": list(row.commands), "commit": "abc1234", "machine": MACHINE, "date": "2026-01-02T03:04:05Z", "stalled": False, "times": 1,
            "seconds": 2.5, "results": result_of(row), **more}


def all_records(**of_rows):
    return [record(row, **of_rows.get(row.name.replace("-", "_"), {})) for row in ROWS]


class Texts(unittest.TestCase):
    def test_each_table_has_its_rows_and_their_origin(self):
        for table in TABLES:
            text = tables.text_of(table, all_records())
            self.assertIn(f"Commit abc1234, {MACHINE}, 2026-01-02.", text)
            lines = [line for line in text.splitlines() if line.startswith("|")]
            self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")}, table)
            if table not in ("summary", "speed"):
                self.assertEqual(len(lines) - 2, len(rows_of(table)), table)

    def test_bench(self):
        text = tables.text_of("bench", all_records())
        self.assertIn("computed capacity", text)
        self.assertIn("| `./wimax bench --duration 2` | 1.32 | 12.3 | 7900 / 8015 / 8010 | 7900 / 8015 / 8010 | 92.4 / 94.0 | 0.10% / 0.10% |  |", text)

    def test_a_row_whose_host_stalled_is_marked(self):
        slow = {"stalled": True, "times": 2, "results": [{**BENCH, "realtime_factor": 0.91, "late_frames": 4}]}
        text = tables.text_of("bench", all_records(bench_sui3=slow))
        marked = [line for line in text.splitlines() if "host stalled" in line]
        self.assertEqual(len(marked), 1)
        self.assertRegex(marked[0], r"--channel sui3 .*\*\*host stalled or too slow\*\* \(2 runs\): 0\.91 of real time, 4 late, longest stall 20 ms, 0\.0 symbols per frame without traffic \|$")
        self.assertIn("The host stalled or was too slow during `./wimax bench --duration 4 --channel sui3", tables.text_of("summary", all_records(bench_sui3=slow)))

    def test_what_a_stall_is(self):
        idle = {"downlink": {"idle": 2.1}}
        for more, stalled in (({}, False), ({"realtime_factor": 0.981}, False), ({"realtime_factor": 0.979}, True), ({"realtime_factor": 1.021}, True), ({"both_ways": {"realtime_factor": 0.97}}, True), ({"both_ways": {"realtime_factor": 0.99}}, False),
                              ({"late_frames": 1}, True), ({"host_stall_s": 0.101}, True), ({"breakdown": idle}, True),
                              ({"breakdown": idle, "phy": {"channel": "sui6"}}, False)):
            self.assertEqual(tables.host_stalled({**BENCH, **more}), stalled, more)
        self.assertFalse(tables.host_stalled(LATES))

    def test_worst_channels_and_guesses(self):
        never = {"results": [curve(4.5, floor=0.03), curve(4)]}
        few = {"results": [{"points": curve(shift)["points"][3:6:2]} for shift in (4.5, 4)]}
        text = tables.text_of("link", all_records(link_sui6_3=never, link_sui2_1=few))
        self.assertRegex(text, r"\| sui2 \| QPSK 1/2 \| downlink \| 8\.5\d \| 8\.0\d \| \+0\.49 \|")
        for channel in ("sui5", "sui6", "vehicular-a", "vehicular-b"):
            self.assertIn(f"| {channel} |", text)
        self.assertRegex(text, r"\| sui6 \| QPSK 1/2 \| downlink \| not reached: 0\.03 at best \| 8\.0\d \| - \|")
        self.assertRegex(text, r"\| sui1 \| QPSK 1/2 \| downlink \| 8\.5\d \| 8\.0\d \| \+0\.50 ± 0\.\d\d \|")
        self.assertEqual(text.count("(guesses)"), 2)
        self.assertRegex(tables.text_of("summary", all_records()), r"SUI-6 at 25 dB, QPSK 1/2 \| 92\.4 \| 94\.0 \|")

    def test_a_row_of_another_commit_is_named(self):
        text = tables.text_of("sim", all_records())
        self.assertNotIn("`sim`", text)
        text = tables.text_of("whole", all_records(whole_28MHz={"commit": "old0000", "date": "2025-01-01T00:00:00Z"}))
        self.assertIn(f"Commit abc1234, {MACHINE}, 2026-01-02. commit old0000 on {MACHINE}: `whole-28MHz`.", text)


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        (self.top / "docs").mkdir()
        (self.top / "README.md").write_text("before\n<!-- results: summary -->\nold\n<!-- end of results -->\nafter\n", encoding="utf-8")
        (self.top / "docs/performance.md").write_text("<!-- results: sim -->\nold sim\n<!-- end of results -->\n<!-- results: link -->\nold link\n<!-- end of results -->\n", encoding="utf-8")

    def text(self, name):
        return (self.top / name).read_text(encoding="utf-8")

    def test_tables_go_between_their_markers(self):
        self.assertEqual(documents.write(self.top, all_records()), ["README.md", "docs/performance.md"])
        self.assertRegex(self.text("README.md"), r"^before\n<!-- results: summary -->\nCommit abc1234, [^$]*\| late frames \| 0 of 2150 \|  \|\n<!-- end of results -->\nafter\n$")
        self.assertEqual(documents.write(self.top, all_records()), [], "the same again")

    def test_a_table_with_a_missing_or_failed_row_stays_as_it_is(self):
        self.assertEqual(documents.write(self.top, [record(row) for row in rows_of("sim")]), ["docs/performance.md"])
        self.assertNotIn("old sim", self.text("docs/performance.md"))
        self.assertIn("old link", self.text("docs/performance.md"))
        self.assertEqual(documents.write(self.top, all_records(link_sui1_1={"failed": "it ended"})), ["README.md"])
        self.assertIn("old link", self.text("docs/performance.md"))

    def test_the_documents_have_a_place_for_each_table(self):
        if provenance.INSTALLED:
            return
        found = [name for document in documents.DOCUMENTS for _, name, _ in documents.MARKED.findall(Path(provenance.TOP, document).read_text(encoding="utf-8"))]
        self.assertEqual(sorted(found), sorted(TABLES))


class Measuring(unittest.TestCase):
    def test_a_stalled_row_is_measured_again(self):
        factors = iter((0.9, 1.0))
        found = command.measure(named("bench-sui3"), run=lambda _: {**BENCH, "realtime_factor": next(factors)})
        self.assertEqual((found["times"], found["stalled"], found["results"][0]["realtime_factor"]), (2, False, 1.0))
        factors = iter((0.95, 0.9))
        found = command.measure(named("bench-sui3"), run=lambda _: {**BENCH, "realtime_factor": next(factors)})
        self.assertEqual((found["times"], found["stalled"], found["results"][0]["realtime_factor"]), (2, True, 0.95))
        self.assertNotRegex(json.dumps(found), re.escape(provenance.machine().split(",")[0] + ","), "the name of the host")

    def test_a_failure_is_kept(self):
        def fails(_):
            raise tasks.PointFault("no entry")
        self.assertEqual(command.measure(named("bench-sui6"), run=fails)["failed"], "no entry")

    def test_rows_of_this_commit_are_not_measured_again(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(command, "measure", side_effect=lambda row: record(row, commit=provenance.commit())) as measure, \
                contextlib.redirect_stderr(io.StringIO()):
            self.addCleanup(os.chdir, os.getcwd())
            wanted = rows_of("acquisition")
            self.assertTrue(command.measure_all(wanted, Path(folder), False))
            self.assertTrue(command.measure_all(wanted, Path(folder), False))
            self.assertEqual(measure.call_count, len(wanted))
            self.assertTrue(command.measure_all(wanted[:1], Path(folder), True))
            self.assertEqual(measure.call_count, len(wanted) + 1)


if __name__ == "__main__":
    unittest.main()
