# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, keys and names of the result. Argument: path of wimax-speed."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
TABLES = ("-m", "wimax_tools.speed.tables")
RATES = ("bpsk12", "qpsk12", "qpsk34", "16qam12", "16qam34", "64qam23", "64qam34")
NAMES = [*(f"rx_{rate}" for rate in RATES), "rx_idle", "rx_64qam34_limit", "rx_64qam34_fade", "rx_64qam34_limit_once", "rx_64qam34_fade_once",
         *(f"tx_{rate}" for rate in RATES),
         *(f"{way}_{what}" for what in ("call_us_p50", "call_us_p99", "call_us_p999", "end_us_p50", "end_us_p99") for way in ("down", "up")),
         "rx_flowgraph_64qam34", "viterbi_single", "viterbi_batch", "rs_decode_clean", "rs_decode_full", "fft256", "front_tx", "front_rx", "llr_64qam",
         "mac_bs_frame_us_1", "mac_bs_frame_us_10", "mac_bs_frame_us_100"]

# Unit, and the value that real time requires. Calls and ends: air time of ten symbols of 28 MHz.
DEMANDS = {"rx|tx|front": ("MS/s", 5.76), "viterbi": ("Mbit/s", 19.2), "rs": ("Mbit/s", 17.28), "fft256": ("MFFT/s", 0.02), "llr": ("Msymbol/s", 3.84),
           "mac": ("us", 10000), "down|up": ("us", 90)}


class Command(unittest.TestCase):
    def run_tool(self, *arguments, code=0):
        done = subprocess.run([TOOL, *arguments], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        if code == 2:
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr.decode())
        return done.stdout

    def test_every_item_decodes_what_was_sent(self):
        result = json.loads(self.run_tool("--rounds", "2"))
        self.assertEqual(result["provenance"]["program"], "wimax-speed")
        self.assertLessEqual({"version", "commit", "command", "machine", "date"}, result["provenance"].keys())
        self.assertIn(result["isa"], ("portable", "sse4", "avx2", "avx512"))
        self.assertEqual([item["name"] for item in result["items"]], NAMES)
        for item in result["items"]:
            self.assertLessEqual({"name", "value", "unit", "x_real_time", "rounds", "low", "high", "cpu_value"}, item.keys())
            self.assertEqual(item["rounds"], 2)
            self.assertGreater(item["low"], 0)
            self.assertLessEqual(item["low"], item["value"])
            self.assertLessEqual(item["value"], item["high"])
            unit, demand = next(said for names, said in DEMANDS.items() if re.match(f"({names})(_|$)", item["name"]))
            self.assertEqual(item["unit"], unit)
            asked = item["value"] * item["x_real_time"] if unit == "us" else item["value"] / item["x_real_time"]
            self.assertAlmostEqual(asked / demand, 1, delta=2e-3, msg=item["name"])
            self.assertTrue(1e-3 < item["x_real_time"] < 1e6, item)

    def test_isa(self):
        items = ["rx_64qam34", "tx_64qam34", "viterbi_single"]
        result = json.loads(self.run_tool("--rounds", "1", "--isa", "portable", "--items", ",".join(items)))
        self.assertEqual(result["isa"], "portable")
        self.assertEqual([item["name"] for item in result["items"]], items)

    def test_peers(self):
        """Those whose packages are there: the complaint about a wrong name lists them."""
        complaint = subprocess.run([TOOL, "--peers", "--items", "none"], capture_output=True, timeout=60).stderr
        peers = re.findall(r"peer_\w+", complaint.decode())
        if not peers:
            self.skipTest("built without GNU Radio's gr-fec and without liquid")
        result = json.loads(self.run_tool("--rounds", "1", "--peers", "--items", ",".join(peers)))
        self.assertEqual([item["name"] for item in result["items"]], peers)
        for item in result["items"]:
            self.assertGreater(item["value"], 0)

    def test_table(self):
        """tables.py makes a Markdown table of results."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.json")
            self.run_tool("--rounds", "1", "--items", "viterbi_single,mac_bs_frame_us_1", "--json", path)
            for option in ([], ["--cpu"]):
                done = subprocess.run([sys.executable, *TABLES, "table", *option, path, path], capture_output=True, check=True)
                rows = [line.split("|") for line in done.stdout.decode().splitlines()]
                self.assertEqual(len(rows), 4)
                self.assertEqual({len(row) for row in rows}, {8})
                self.assertIn("viterbi_single", rows[2][1])
                # Microseconds of a 10 ms frame.
                self.assertAlmostEqual(float(rows[3][3]) * float(rows[3][4]), 10000, delta=200)

    def test_wrong_arguments(self):
        for wrong in (["--isa", "neon"], ["--core", "-1"], ["--core", "1023"], ["--core", "x"], ["--rounds", "0"],
                      ["--items", "rx_8psk"], ["--items", "peer_gnuradio_viterbi"], ["--json", "/nowhere/s.json"], ["--speed", "1"], ["more"]):
            with self.subTest(wrong):
                self.run_tool(*wrong, code=2)

    def test_help(self):
        self.assertIn(b"--core", self.run_tool("--help"))


if __name__ == "__main__":
    unittest.main()
