# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench's own parts that need no running stack."""
import contextlib
import io
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import bench
import profiles
import report
from support import needs_root

REPOSITORY = Path(__file__).resolve().parents[2]


def found(*options):
    """Processes, by pgrep."""
    return subprocess.run(["pgrep", *options], stdout=subprocess.PIPE, text=True, check=False).stdout.split()


class Profiles(unittest.TestCase):
    def test_numbers_agree_with_the_golden_numerology(self):
        rows = json.loads((REPOSITORY / "tests/vectors/phy_ofdm256.json").read_text())["numerology"]
        for row in rows:
            bandwidth = row.get("bw_hz") or round(row["bw_mhz"] * 1e6)
            profile = profiles.Profile(bandwidth, 10.0, 8)
            self.assertEqual(profile.sample_rate_hz, row["fs_hz"], row)

    def test_symbols_a_frame(self):
        self.assertEqual(profiles.Profile.parse("5MHz-10ms").frame_symbols, 200)
        self.assertEqual(profiles.Profile.parse("3.5MHz-20ms").frame_symbols, 277)
        self.assertEqual(profiles.Profile.parse("7MHz-2.5ms-cp32").frame_symbols, 75)

    def test_faults_name_what_is_allowed(self):
        for name, word in {"5MHz": "MHz", "5MHz-11ms": "12.5", "40MHz-10ms": "1.25", "28MHz-20ms-cp32": "2047"}.items():
            with self.assertRaises(profiles.ProfileError) as caught:
                profiles.Profile.parse(name)
            self.assertIn(word, str(caught.exception))


class Arguments(unittest.TestCase):
    def refused(self, *argv):
        err = io.StringIO()
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(err):
            bench.parse(argv)
        self.assertEqual(caught.exception.code, 2)
        return err.getvalue()

    def test_wrong_values_exit_2_and_name_the_allowed_ones(self):
        self.assertIn("64-QAM 3/4", self.refused("--dl-rate", "7"))
        self.assertIn("1..16", self.refused("--stations", "0"))
        self.assertIn("sui1", self.refused("--channel", "moon"))
        self.assertIn("ms", self.refused("--profile", "5MHz-9ms"))
        self.assertIn("experiment", self.refused("--experiment", "A2"))
        self.assertIn("ms", self.refused("--profile", "...MHz-10ms"))
        self.assertIn("86400", self.refused("--duration", "nan"))
        self.assertIn("--snr-db", self.refused("--snr-db", "inf"))
        self.assertIn("--seed", self.refused("--seed", "-1"))

    def test_places_for_results_are_tried_before_the_measurement(self):
        self.assertIn("/proc/none", self.refused("--json", "/proc/none/result.json"))
        self.assertIn("/proc/none", self.refused("--keep-logs", "/proc/none"))

    def test_defaults(self):
        args = bench.parse([])
        self.assertEqual((args.profile.name, args.dl_rate, args.ul_rate, args.stations), ("5MHz-10ms", 6, 6, 1))


@needs_root
class Interrupt(unittest.TestCase):
    def test_ctrl_c_in_the_middle_leaves_nothing_behind(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        process = subprocess.Popen(
            [sys.executable, REPOSITORY / "apps/tools/bench/bench.py", "--duration", "300", "--keep-logs", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in process.stderr:
            if line.startswith("downlink TCP"):
                break
        while process.poll() is None and len(found("-x", "-s", str(process.pid), "iperf3")) < 2:  # server and client
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        self.assertEqual(process.wait(), 130)
        names = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertNotIn(f"wmx{process.pid % 100000}-", names)
        self.assertEqual(found("-s", str(process.pid)), [])
        self.assertEqual(found("-f", folder), [], "daemons")


class Report(unittest.TestCase):
    def test_table_names_every_station_and_purpose(self):
        direction = {"tcp_kbps": 7600.0, "tcp_retransmissions": 0, "udp_kbps": 7900.0, "udp_loss": 0.0, "capacity_kbps": 8000.0,
                     "symbols_per_frame": 91.4}
        station = {"mac": "02:00:00:00:00:01", "ping_ms": {"min": 1, "mean": 2, "p50": 2, "p99": 3, "lost": 0},
                   "downlink": direction, "uplink": direction}
        result = {"profile": "5MHz-10ms", "phy": {"channel": "awgn", "snr_db": 30, "dl_rate_id": 6, "ul_rate_id": 6},
                  "entry_time_s": 1.0, "realtime_factor": 1.0, "frames": 10, "late_frames": 0, "host_stall_s": 0.001,
                  "stations": [station, dict(station, mac="02:00:00:00:00:02")]}
        out = io.StringIO()
        report.table(result, {"downlink": {"data": 1850, "preamble": 20, "maps": 30, "frames": 10}}, out)
        for text in ("02:00:00:00:00:02", "96.2%", "98.8%", "Jain index 1.0000", "3.00  maps", "185.00  data"):
            self.assertIn(text, out.getvalue().replace(" %", "%"))


class Doctor(unittest.TestCase):
    def test_every_fault_has_a_line_to_type(self):
        done = subprocess.run([sys.executable, REPOSITORY / "apps/tools/bench/doctor.py"], stdout=subprocess.PIPE, text=True,
                              env={"PATH": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}, check=False)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1)
        faults = [i for i, line in enumerate(lines) if line.startswith("FAULT")]
        self.assertTrue(faults)
        for i in faults:
            self.assertTrue(lines[i + 1].strip().startswith("type: "), lines[i])


if __name__ == "__main__":
    unittest.main()
