# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, keys of the result, the plot. Argument: path of wimax-link."""
import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
KEYS = {"rate_id", "direction", "symbols", "snr_db", "blocks", "block_errors", "missed", "per", "per_low", "per_high", "ber",
        "estimation", "failed", "undetected"}
GOOD = {"--rate": "0", "--channel": "awgn", "--snr-db": "20:1:20", "--blocks": "5", "--json": "-"}


class Command(unittest.TestCase):
    def run_tool(self, *more, code=0, **changed):
        options = GOOD | {"--" + name.replace("_", "-"): value for name, value in changed.items()}
        command = [TOOL, *(part for item in options.items() if item[1] is not None for part in item), *more]
        done = subprocess.run(command, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        if code == 2:
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr.decode())
        return done

    def points(self, *more, **changed):
        return json.loads(self.run_tool(*more, **changed).stdout)["points"]

    def test_keys_and_order(self):
        points = self.points(rate="0,6", snr_db="-3:1.5:0", errors="2", estimation="genie", direction="uplink", symbols="2")
        self.assertEqual([(p["rate_id"], p["snr_db"]) for p in points],
                         [(rate, snr) for rate in (0, 6) for snr in (-3, -1.5, 0)])
        for point in points:
            self.assertLessEqual(KEYS, point.keys())
            self.assertLessEqual(point["per_low"], point["per"])
            self.assertLessEqual(point["per"], point["per_high"])
        self.assertEqual(points[5]["per"], 1)
        self.assertEqual((points[5]["direction"], points[5]["estimation"], points[5]["symbols"]), ("uplink", "genie", 2))

    def test_ranges(self):
        """START and each STEP beyond it up to STOP, which belongs to it, however steps round."""
        for text, points in (("0:0.1:0.3", [0, 0.1, 0.2, 0.3]), ("-0.3:0.1:0", [-0.3, -0.2, -0.1, 0]), ("1:0.3:2", [1, 1.3, 1.6, 1.9]),
                             ("5:1:5", [5]), ("0:0.7:2.1", [0, 0.7, 1.4, 2.1]), ("1.1:0.1:1.4", [1.1, 1.2, 1.3, 1.4]), ("2:5:6.9", [2]),
                             ("10:0.15:10.6", [10, 10.15, 10.3, 10.45, 10.6]), ("-100:200:100", [-100, 100])):
            found = self.points(snr_db=text, estimation="genie", blocks="1")
            self.assertEqual([point["snr_db"] for point in found], points, text)

    def test_figures_are_those_of_the_counts(self):
        """Rates of the counts that are beside them; each bound of 95 % is where the rate is 1.96 deviations of that bound away."""
        found = self.points("--threads", "2", rate="2", snr_db="-30:16.5:36", symbols="3", blocks="300", errors="300")
        for point in found:
            blocks, errors, missed = (point[key] for key in ("blocks", "block_errors", "missed"))
            self.assertEqual(blocks % 3, 0)
            self.assertGreaterEqual(errors, 3 * missed)
            self.assertTrue(errors - 3 * missed - point["failed"] <= point["undetected"] <= errors - 3 * missed, point)
            self.assertAlmostEqual(point["per"], errors / blocks, places=12)
            for bound in (point["per_low"], point["per_high"]):
                if 0 < bound < 1:
                    self.assertAlmostEqual(abs(bound - point["per"]), 1.959963984540054 * (bound * (1 - bound) / blocks) ** 0.5, places=9)
            self.assertEqual((point["per_low"] == 0, point["per_high"] == 1), (errors == 0, errors == blocks))
            # A wrong block has one wrong bit at least; one that is missed counts as half of them.
            self.assertGreaterEqual(point["ber"], point["per"] / (36 * 8) * 0.9)
            self.assertLessEqual(point["ber"], point["per"] * 0.75)
        lost, between, *_, good = found
        self.assertEqual((lost["per"], lost["missed"], lost["ber"]), (1, lost["blocks"] // 3, 0.5))
        self.assertTrue(0 < between["per_high"], between)
        self.assertEqual((good["per"], good["missed"], good["ber"], good["blocks"]), (0, 0, 0, 300))

    def test_the_table_has_the_figures_of_the_result(self):
        options = {"rate": "1,6", "snr_db": "3:3:9", "blocks": "60", "seed": "4"}
        points = self.points("--threads", "1", **options)
        lines = self.run_tool("--threads", "1", **options, json=None).stdout.decode().splitlines()[1:]
        self.assertEqual(len(lines), len(points))
        for line, p in zip(lines, points):
            words = line.split()[2:]
            self.assertEqual(words, [f"{p['snr_db']:.2f}", str(p["blocks"]), str(p["block_errors"]), str(p["missed"]), str(p["undetected"]),
                                     f"{p['per']:.2e}", f"({p['per_low']:.1e}", "..", f"{p['per_high']:.1e})", f"{p['ber']:.2e}"])

    def test_setup_options(self):
        points = self.points(direction="uplink", symbols="20", midamble_interval="2", subchannel_index="4", cp="1/4",
                             bandwidth_hz="10000000", offset_hz="500", speed_km_h="60", channel="vehicular-a",
                             estimation="genie", snr_db="40:1:40", blocks="20")
        self.assertEqual((points[0]["blocks"], points[0]["symbols"]), (20, 20))

    def test_seed_and_threads(self):
        options = {"snr_db": "-2:1:-1", "blocks": "150", "seed": "3"}
        first = self.points("--threads", "1", **options)
        self.assertEqual(self.points("--threads", "3", **options), first)
        self.assertNotEqual(self.points(**(options | {"seed": "4"})), first)

    def test_radios(self):
        clean, = self.points("--threads", "1", rate="6", snr_db="35:1:35")
        self.assertEqual((clean["per"], clean["front"]), (0, None))
        radio = ("--phase-noise-deg", "20", "--phase-noise-mask", "1e4:-80,1e5:-90")
        for end in ("receiver", "transmitter", "both"):
            points = [self.points("--threads", threads, *radio, "--front", end, rate="6", snr_db="35:1:35") for threads in ("1", "2")]
            self.assertEqual(points[0], points[1])
            self.assertEqual(points[0][0]["per"], 1)
            self.assertEqual(points[0][0]["front"]["end"], end)
            self.assertEqual(points[0][0]["front"]["phase_noise_mask"], "10000:-80,100000:-90")
        for wrong in (("--bits", "1"), ("--bits", "21"), ("--image-dbc", "-30", "--iq-gain-db", "1"), ("--phase-noise-mask", "1e4"),
                      ("--front", "none"), ("--rapp-smoothness", "0")):
            self.assertIn(wrong[0], self.run_tool(*wrong, code=2).stderr.decode())

    def test_provenance(self):
        result = json.loads(self.run_tool("--threads", "1", seed="5").stdout)
        told = result["provenance"]
        self.assertEqual((told["program"], told["seed"], result["complete"]), ("wimax-link", 5, True))
        self.assertIn("--seed 5", told["command"])
        self.assertLessEqual({"version", "commit", "machine", "date"}, told.keys())

    def test_a_table_without_json(self):
        lines = self.run_tool(rate="0,6", snr_db="-3:23:20", json=None).stdout.decode().splitlines()
        self.assertEqual([line.split()[:3] for line in lines[1:]], [["BPSK", "1/2", snr] for snr in ("-3.00", "20.00")] +
                         [["64-QAM", "3/4", snr] for snr in ("-3.00", "20.00")])
        self.assertIn("block error rate", lines[0])

    def interrupted(self, when, **changed):
        """What it wrote to standard output and to its terminal, which had to show `when` before it was ended."""
        options = {**GOOD, "--blocks": "1000000000", "--errors": "1000000", **changed}
        command = [TOOL, *(part for item in options.items() if item[1] is not None for part in item)]
        terminal, its_side = pty.openpty()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its_side) as tool:
            os.close(its_side)
            said = b""
            while when not in said:
                said += os.read(terminal, 1000)
            tool.send_signal(signal.SIGINT)
            written = tool.stdout.read()
            self.assertEqual(tool.wait(60), 130)
            with contextlib.suppress(OSError):  # its end
                while more := os.read(terminal, 1000):
                    said += more
        os.close(terminal)
        return written, said

    def test_interrupted_it_keeps_the_points_that_are_done(self):
        """The first point is wrong in all blocks and ends soon, the second does not end."""
        points = {"--snr-db": "-20:40:20", "--errors": "1"}
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "r.json")
            written, said = self.interrupted(b"point 2 of 2 (BPSK 1/2 at 20 dB)", **points, **{"--json": result})
            self.assertEqual(written, b"")
            self.assertIn(b"stopped: 1 of 2 points, written to", said)
            with open(result) as file:
                kept = json.load(file)
            self.assertEqual(([p["snr_db"] for p in kept["points"]], kept["complete"]), ([-20], False))
        written, said = self.interrupted(b"point 2 of 2", **points, **{"--json": None})
        self.assertIn(b"BPSK 1/2     -20.00", written)
        self.assertIn(b"\r\x1b[K", said)

    def test_interrupted_without_a_point_the_former_result_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "r.json")
            with open(result, "w") as file:
                file.write("before")
            _, said = self.interrupted(b"point 1 of 1", **{"--json": result})
            self.assertIn(b"is as it was", said)
            with open(result) as file:
                self.assertEqual(file.read(), "before")
            self.assertEqual(os.listdir(folder), ["r.json"])

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            result, picture = os.path.join(folder, "r.json"), os.path.join(folder, "r.png")
            self.run_tool("--plot", picture, snr_db="-4:2:0", json=result)
            with open(picture, "rb") as file:
                content = file.read()
            self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
            self.assertIn(b'"program": "wimax-link"', content, "its provenance")
            with open(result) as file:
                self.assertEqual(len(json.load(file)["points"]), 3)
            self.run_tool("--plot", os.path.join(folder, "none", "r.png"), code=2)
            self.run_tool("--plot", os.path.join(folder, "r.docx"), code=2)

    def test_wrong_arguments(self):
        for wrong in ({"rate": "7"}, {"offset_hz": "nan"}, {"seed": "-1"}, {"seed": "99999999999999999999"}, {"channel": "/tmp"},
                      {"rate": "x"}, {"rate": None}, {"channel": "sui7"}, {"channel": None},
                      {"snr_db": "1:2"}, {"snr_db": "5:1:4"}, {"snr_db": "1:0:2"}, {"snr_db": "a:1:2"}, {"snr_db": "1:1:nan"},
                      {"snr_db": "0:0.0001:50"}, {"snr_db": "1:1:2:3"}, {"blocks": "0"}, {"errors": "0"}, {"symbols": "0"},
                      {"symbols": "398"}, {"direction": "sideways"}, {"estimation": "guess"}, {"threads": "0"},
                      {"json": "/nowhere/r.json"}, {"frequency": "1"},
                      {"cp": "1/2"}, {"bandwidth_hz": "1000000"}, {"midamble_interval": "1"}, {"subchannel_index": "8"},
                      {"subchannel_index": "1", "direction": "uplink"}, {"speed_km_h": "3", "doppler_hz": "3"}):
            with self.subTest(wrong):
                self.run_tool(code=2, **wrong)

    def test_help(self):
        self.assertIn(b"--snr-db", self.run_tool("--help").stdout)


if __name__ == "__main__":
    unittest.main()
