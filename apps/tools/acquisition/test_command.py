# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, keys of the result. Argument: path of wimax-acquisition."""
import json
import signal
import subprocess
import sys
import unittest

TOOL = sys.argv.pop(1)


class Command(unittest.TestCase):
    def run_tool(self, *options, code=0):
        done = subprocess.run([TOOL, *options], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        if code == 2:
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr.decode())
        return done.stdout

    def test_points(self):
        options = ("--trials", "30", "--snr-db", "-9,12", "--bandwidth-hz", "1250000", "--channel", "sui1", "--json", "-")
        first = json.loads(self.run_tool(*options, "--threads", "1"))
        points = first["points"]
        self.assertEqual((first["provenance"]["program"], first["complete"]), ("wimax-acquisition", True))
        self.assertEqual([p["snr_db"] for p in points], [-9, 12])
        for p in points:
            self.assertEqual(p["trials"], 30)
            self.assertLessEqual(p["share_low"], p["share"])
            self.assertLessEqual(p["share"], p["share_high"])
            self.assertLessEqual(p["acquired"], p["preambles_detected"])
        self.assertGreater(points[1]["acquired"], points[0]["acquired"])
        self.assertEqual(json.loads(self.run_tool(*options, "--threads", "3"))["points"], points)

    def test_a_table_without_json(self):
        lines = self.run_tool("--trials", "5", "--snr-db", "-20,20", "--false-alarm-symbols", "2000").decode().splitlines()
        self.assertEqual([line.split()[:3] for line in lines[1:3]], [["-20.00", "5", "0"], ["20.00", "5", "5"]])
        self.assertRegex(lines[-1], "false alarms in 2000 symbols of noise: 0 preambles")

    def test_interrupted_it_keeps_the_points_that_are_done(self):
        with subprocess.Popen([TOOL, "--trials", "200", "--snr-db", "12", "--false-alarm-symbols", "1000000000000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
            while b"200" not in tool.stdout.readline():
                self.assertIsNone(tool.poll())
            tool.send_signal(signal.SIGINT)
            self.assertEqual(tool.wait(60), 130)
            self.assertIn(b"stopped: 1 of 2 points", tool.stderr.read())

    def test_false_alarms(self):
        result = json.loads(self.run_tool("--trials", "0", "--false-alarm-symbols", "4000", "--idle", "steps", "--json", "-"))
        self.assertEqual(result["points"], [])
        self.assertEqual(result["false_alarms"]["preambles"], 0)
        self.assertGreaterEqual(result["false_alarms"]["symbols"], 4000)
        self.assertGreater(result["false_alarms"]["per_symbol_high"], 0)

    def test_wrong_arguments(self):
        for wrong in (("--cp", "1/5"), ("--bandwidth-hz", "100"), ("--channel", "sui7"), ("--idle", "rain"), ("--trials", "-1"),
                      ("--offset-ppm", "99"), ("--offset-ppm", "nan"), ("--seed", "-1"), ("--threads", "0"), ("--json", "/nowhere/r.json")):
            with self.subTest(wrong):
                self.run_tool("--trials", "1", *wrong, *(() if wrong[0] == "--json" else ("--json", "-")), code=2)

    def test_help(self):
        self.assertIn(b"--false-alarm-symbols", self.run_tool("--help"))


if __name__ == "__main__":
    unittest.main()
