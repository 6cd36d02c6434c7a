#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, keys of the result, the plot. Argument: path of wimax-sim."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)


class Command(unittest.TestCase):
    def run_tool(self, *arguments, code=0):
        done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_result(self):
        done = self.run_tool("--stations", "3", "--seconds", "3", "--dl-kbps", "100", "--ul-kbps", "50", "--snr-db", "25")
        result = json.loads(done.stdout)
        self.assertEqual((result["stations"], result["entry"]["operational"], len(result["flows"])), (3, 3, 6))
        for direction, kbps in (("downlink", 300), ("uplink", 150)):
            total = result["total"][direction]
            self.assertAlmostEqual(total["goodput_kbps"], kbps, delta=0.06 * kbps)
            self.assertEqual(total["lost"], 0)
            self.assertAlmostEqual(sum(total["station_kbps"]), total["goodput_kbps"], places=6)
            shares = [share for _, share in total["delay_cdf"]]
            self.assertEqual(shares, sorted(shares))
            self.assertAlmostEqual(shares[-1], 1)
            self.assertLessEqual(len(shares), 500)
            self.assertEqual(len(result["throughput"][f"{direction}_kbps"]), 3)
        self.assertLess(result["memory"]["idle_station_kb"], 1000)

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "r.svg")
            self.run_tool("--seconds", "2", "--dl-kbps", "100", "--json", os.path.join(folder, "r.json"), "--plot", picture)
            with open(picture, encoding="utf-8") as file:
                self.assertIn("share of packets that take longer", file.read())
            self.run_tool("--seconds", "1", "--plot", os.path.join(folder, "none", "r.png"), code=2)

    def test_wrong_input(self):
        self.assertIn("seconds: value -1", self.run_tool("--seconds", "-1", code=2).stderr)
        self.assertIn("cannot be read", self.run_tool("--config", "/nowhere.yml", code=2).stderr)
        self.assertIn("/nowhere/r.json", self.run_tool("--json", "/nowhere/r.json", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
