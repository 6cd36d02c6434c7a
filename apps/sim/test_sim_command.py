#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, keys of the result, the pictures. Argument: path of wimax-sim."""
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

TOOL = sys.argv.pop(1)
SCENARIO = """
stations: 3
seed: 5
traffic:
  - {rate_bps: 100000, packet_bytes: 250}
  - {stations: [1, 3], direction: uplink, service: rtPS, rate_bps: 80000, packet_bytes: 100, max_latency_ms: 30}
"""
RESULT = {"virtual_s", "wall_s", "entered", "entry_s", "seed", "flows", "scheduler_us_per_frame", "contention", "memory_bytes"}
FLOW = {"station", "direction", "service", "offered_packets", "delivered_packets", "lost_packets", "reordered_packets",
        "goodput_bps", "delay_ms", "late_fraction"}


class Command(unittest.TestCase):
    def run_tool(self, *arguments, code=0, text=True):
        done = subprocess.run([TOOL, *arguments], capture_output=True, text=text, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_scenario(self, scenario, *options, code=0, text=True):
        with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
            file.write(scenario)
            file.flush()
            done = self.run_tool("--scenario", file.name, *options, code=code, text=text)
            return done, file.name

    def test_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "flows.csv")
            done, _ = self.run_scenario(SCENARIO, "--csv", str(path))
            rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        flows = json.loads(done.stdout)["flows"]
        self.assertEqual(len(rows), len(flows))
        for row, flow in zip(rows, flows):
            self.assertEqual((int(row["station"]), row["direction"], row["service"], float(row["goodput_bps"]), float(row["delay_ms.p99"])),
                             (flow["station"], flow["direction"], flow["service"], flow["goodput_bps"], flow["delay_ms"]["p99"]))
        done, _ = self.run_scenario(SCENARIO, "--csv", "-")
        self.assertEqual(len(done.stdout.splitlines()), 1 + len(flows), "no JSON besides")
        done, _ = self.run_scenario("traffic: []\n", "--csv", "-")
        self.assertEqual(done.stdout, "\n")
        for wrong in (("--json", "-", "--csv", "-"), ("--csv", "-", "--pcap", "-")):
            done, _ = self.run_scenario(SCENARIO, *wrong, code=2)
            self.assertIn("standard output is another result's", done.stderr)
        done, _ = self.run_scenario(SCENARIO, "--csv", "/nowhere/flows.csv", code=2)
        self.assertIn("/nowhere/flows.csv", done.stderr)

    def test_pcap(self):
        """All PDUs of the base station, in the order of time, up to the end."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "cell.pcap")
            done, _ = self.run_scenario(SCENARIO, "--pcap", str(path))
            octets = path.read_bytes()
            again, _ = self.run_scenario(SCENARIO, "--pcap", "-", text=False)
        self.assertEqual(again.stdout, octets)
        result = json.loads(done.stdout)
        self.assertEqual(octets[:4], bytes.fromhex("4d3cb2a1"))
        times, at, sources = [], 24, set()
        while at < len(octets):
            seconds, nanoseconds, captured, length = struct.unpack_from("<IIII", octets, at)
            self.assertEqual(captured, length)
            self.assertEqual(octets[at + 16 + 12:at + 16 + 14], bytes.fromhex("08f0"))
            times.append(seconds + nanoseconds * 1e-9)
            sources.add(octets[at + 16 + 6:at + 16 + 12])
            at += 16 + captured
        self.assertEqual(at, len(octets))
        self.assertGreater(len(times), sum(flow["delivered_packets"] for flow in result["flows"]))
        self.assertGreater(times[-1], 10)
        self.assertLess(max(times), 20)
        self.assertGreaterEqual(len(sources), 2, "both directions")

    def test_result(self):
        done, _ = self.run_scenario(SCENARIO, "--seconds", "3")
        result = json.loads(done.stdout)
        self.assertLessEqual(RESULT, result.keys())
        self.assertEqual((result["virtual_s"], result["stations"], result["entered"], result["seed"]), (3, 3, 3, 5))
        self.assertEqual(sorted(result["entry_s"]), ["max", "mean"])
        self.assertLess(0, result["entry_s"]["mean"])
        self.assertLessEqual(result["entry_s"]["mean"], result["entry_s"]["max"])
        self.assertEqual(sorted(result["scheduler_us_per_frame"]), ["max", "mean", "p99"])
        self.assertLessEqual({"requests", "collided"}, result["contention"].keys())
        self.assertLess(1e6, result["memory_bytes"])
        self.assertLess(result["memory_bytes"], 200e6 if b"__asan_init" in Path(TOOL).read_bytes() else 100e6)
        expected = [(1, "downlink", "BE"), (1, "uplink", "rtPS"), (2, "downlink", "BE"), (3, "downlink", "BE"), (3, "uplink", "rtPS")]
        self.assertEqual([(f["station"], f["direction"], f["service"]) for f in result["flows"]], expected)
        for flow in result["flows"]:
            self.assertLessEqual(FLOW, flow.keys())
            self.assertLessEqual({"mean", "p50", "p99", "max"}, flow["delay_ms"].keys())
            down = flow["direction"] == "downlink"
            self.assertEqual(flow["offered_packets"], 150 if down else 300)
            self.assertEqual((flow["lost_packets"], flow["reordered_packets"]), (0, 0))
            self.assertAlmostEqual(flow["goodput_bps"], 100e3 if down else 80e3, delta=3e3)
        for direction in ("downlink", "uplink"):
            total = result["total"][direction]
            self.assertAlmostEqual(sum(total["station_bps"]), total["goodput_bps"], places=3)
            shares = [share for _, share in total["delay_cdf"]]
            self.assertEqual(shares, sorted(shares))
            self.assertAlmostEqual(shares[-1], 1)
            self.assertLessEqual(len(shares), 500)
            self.assertEqual(len(result["throughput"][f"{direction}_bps"]), 3)

    def test_options_replace_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            done, _ = self.run_scenario(SCENARIO, "--stations", "4", "--seconds", "1", "--seed", "9", "--json", path)
            self.assertEqual(done.stdout, "")
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            self.assertEqual((result["entered"], result["virtual_s"], result["seed"]), (4, 1, 9))

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            pictures = os.path.join(folder, "deep", "pictures")
            self.run_scenario(SCENARIO, "--seconds", "1", "--plot", pictures)
            self.assertEqual(sorted(os.listdir(pictures)), ["contention.svg", "delay.svg", "fairness.svg", "throughput.svg"])
            texts = {name: Path(pictures, f"{name}.svg").read_text(encoding="utf-8") for name in ("contention", "delay", "fairness", "throughput")}
        for name, words in {"contention": ("Contention", "attempts in the measurement (number)", "% collided"), "delay": ("Delay of IP packets", "(ms)", "share of packets that take longer", "99.9 %", "mean"),
                            "fairness": ("Goodput of each station", "(kbit/s)", "5/50/95 %: "), "throughput": ("Throughput over time", "(kbit/s)", "time (s)", "5/50/95 %: ")}.items():
            for text in (*words, "3 stations, 5MHz-10ms, 1 s, seed 5", '"program": "wimax-sim"', '"seed": 5'):
                self.assertIn(text, texts[name], name)
        self.assertIn("plot", self.run_tool("--plot", "/proc/no/pictures", code=2).stderr)

    def test_provenance(self):
        """With the text of the scenario, so that the result can be repeated without the file."""
        done, name = self.run_scenario(SCENARIO, "--seconds", "0.5")
        made = json.loads(done.stdout)["provenance"]
        self.assertEqual((made["program"], made["seed"], made["configuration"]), ("wimax-sim", 5, {name: SCENARIO}))
        self.assertEqual(made["command"], f"wimax-sim --scenario {name} --seconds 0.5")
        self.assertLessEqual({"version", "commit", "machine", "date"}, made.keys())

    def test_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "voice.tar.gz")
            done, name = self.run_scenario(SCENARIO, "--seconds", "0.5", "--archive", str(path), "--plot", os.path.join(folder, "pictures"))
            with tarfile.open(path) as tar:
                found = {entry.name.removeprefix("voice/"): tar.extractfile(entry).read() for entry in tar.getmembers()}
            wanted = ["CITATION.cff", "README.md", "VERSIONS.json", "captures/cell.pcap", "configuration/" + Path(name).name, "flows.csv", "result.json"]
            self.assertEqual(sorted(found), sorted(wanted + [f"pictures/{one}.svg" for one in ("contention", "delay", "fairness", "throughput")]))
            self.assertEqual(json.loads(found["result.json"]), json.loads(done.stdout))
            self.assertEqual(found["configuration/" + Path(name).name].decode(), SCENARIO)
            self.assertEqual(len(found["flows.csv"].splitlines()), 1 + len(json.loads(done.stdout)["flows"]))
            self.assertEqual(found["captures/cell.pcap"][:4], bytes.fromhex("4d3cb2a1"))
            self.assertEqual(sorted(os.listdir(folder)), ["pictures", "voice.tar.gz"])
        for wrong, words in ((("--archive", "a.tar"), "archive: value a.tar: allowed .tar.gz"), (("--archive", "/nowhere/a.tar.gz"), "/nowhere/a.tar.gz cannot be written"),
                             (("--archive", "a.tar.gz", "--pcap", "-"), "pcap: value -: allowed a file, since the archive gets it, too")):
            done, _ = self.run_scenario(SCENARIO, *wrong, code=2)
            self.assertIn(words, done.stderr)

    def test_names_of_rates(self):
        for name, rate in (("BPSK 1/2", 0), ("16-QAM 3/4", 4), ("64-QAM 3/4", 6), ("2", 2), ("auto", "auto")):
            done, _ = self.run_scenario(f"rate: {name}\n", "--dry-run")
            self.assertRegex(done.stdout, f"(?m)^rate: {rate}( |$)")
        for name in ("64-QAM 5/6", "qpsk 1/2", "QPSK", "7", ""):
            self.run_scenario(f'rate: "{name}"\n', "--dry-run", code=2)

    def test_names_of_profiles(self):
        """Two names with each character omitted, doubled, or exchanged with the next one, and the limits of their numbers."""
        names = {"5MHz-10ms", "1.25MHz-20ms", "1.24MHz-5ms", "28MHz-20ms-cp4", "28.1MHz-8ms", "ms5MHz-10", "5MHz-10ms-cp3", "5MHz-12.5ms-cp64", "5MHz-4ms-cp2", "MHz-ms", ""}
        for name in ("5MHz-10ms", "3.5MHz-2.5ms-cp16"):
            for i in range(len(name)):
                names |= {name[:i] + name[i + 1:], name[:i] + 2 * name[i] + name[i + 1:], name[:i] + name[i:i + 2][::-1] + name[i + 2:]}
        for name in sorted(names):
            found = re.fullmatch(r"(\d+\.?\d*)MHz-(\d+\.?\d*)ms(?:-cp(4|8|16|32))?", name)
            right = found and 1.25 <= float(found[1]) <= 28 and float(found[2]) in (2.5, 4, 5, 8, 10, 12.5, 20)
            with self.subTest(name):
                done, _ = self.run_scenario(f'profile: "{name}"\n', "--dry-run", code=0 if right else 2)
                self.assertIn(f"profile: {name}" if right else "profile: value", done.stdout + done.stderr)

    def test_wrong_input(self):
        done, name = self.run_scenario("traffic:\n  - {kind: trace, trace: [{at_s: 0, bytes: 100}], trace_period_s: 1e-20}\n", code=2)
        self.assertIn("traffic[0].trace_period_s: value 1e-20: allowed 0, or at least 0.001", done.stderr)
        done, name = self.run_scenario("stations: 3\nrate: 9\ntraffic:\n  - {kind: udp}\n  - {nmae: x}\n", code=2)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[0], f"{name}:2: rate: value 9: allowed 0..6, auto, BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, 16-QAM 3/4, 64-QAM 2/3, 64-QAM 3/4")
        self.assertEqual(lines[1], f"{name}:4: traffic[0].kind: value udp: allowed cbr, poisson, saturate, tcp, voice, ping, onoff, video, trace")
        self.assertTrue(lines[2].startswith(f"{name}:5: traffic[1].nmae: unknown key; allowed: stations, direction"), lines[2])
        self.assertEqual(done.stdout, "")
        self.assertIn("seconds: value -1: allowed numbers 0.01..1000000", self.run_tool("--seconds", "-1", code=2).stderr)
        self.assertIn("--scenario /nowhere.yml: cannot be read", self.run_tool("--scenario", "/nowhere.yml", code=2).stderr)
        self.assertIn("/nowhere/r.json", self.run_tool("--json", "/nowhere/r.json", code=2).stderr)
        self.run_tool("--config", "/nowhere.yml", code=2)


if __name__ == "__main__":
    unittest.main()
