#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs each example of `wimax sim` in the documents and each scenario, shortened, and wrong options. Arguments: path of wimax-sim, source folder."""
import json
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

TOOL, SOURCE = (Path(word).resolve() for word in (sys.argv.pop(1), sys.argv.pop(1)))
DOCUMENTS = (SOURCE / "README.md", SOURCE / "CHANGELOG.md", *sorted((SOURCE / "docs").glob("*.md")), *sorted((SOURCE / "docs/results").glob("*.md")), SOURCE / "cmake/help.sh")
EXAMPLE = re.compile(r"(?:^ *|`)(?:\./)?wimax sim\b([^`\n]*)", re.M)
SECONDS, MOST_STATIONS = "0.3", 20
PLACEHOLDERS = {"FILE": "config/scenarios/ping.yml", "NAME": "ping"}  # of input; those of output are below
OUTPUTS = ("--json", "--csv", "--pcap", "--plot", "--archive")


def examples():
    """(document, words after `wimax sim`) of commands; of a synopsis, which has brackets, the options in them."""
    for path in DOCUMENTS:
        for typed in EXAMPLE.findall(path.read_text(encoding="utf-8")):
            typed = typed.partition("  #")[0].strip()
            words = shlex.split(re.sub(r"\[(--[^\]]*)\]", "", typed))
            if not words or words[0].startswith(("-", "config/")):
                yield path.name, words, re.findall(r"\[(--[a-z-]+)", typed)


def stations(scenario):
    text = (SOURCE / scenario).read_text(encoding="utf-8") if scenario else ""
    return (yaml.safe_load(text) or {}).get("stations", 10)


def shortened(words):
    """The command with little simulated time and few stations, its outputs in the working folder."""
    found, at = [], 0
    while at < len(words):
        word = words[at]
        value = words[at + 1] if at + 1 < len(words) else ""
        if word == "--seconds":
            at += 2
        elif word in OUTPUTS:
            ending = {"--plot": "pictures", "--archive": "out.tar.gz"}.get(word, "out." + word.lstrip("-"))
            found += [word, "-" if value == "-" else ending]
            at += 2
        else:
            found.append(re.sub(r"\b(FILE|NAME)\b", lambda name: PLACEHOLDERS[name[0]], word))
            at += 1
    scenario = next((word for word in found if word.startswith("config/")), None)
    if stations(scenario) > MOST_STATIONS:
        found += ["--stations", str(MOST_STATIONS)]
    return [*found, "--seconds", SECONDS]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "config").symlink_to(SOURCE / "config")

    def run_tool(self, words):
        return subprocess.run([TOOL, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)


class Examples(Folder):
    def test_of_the_documents(self):
        known, count = self.run_tool(["--help"]).stdout, 0
        done = set()
        for document, words, options in examples():
            for option in options:
                self.assertRegex(known, rf"(?m)^ +{option} ", document)
            short = shortened(words)
            if tuple(short) in done:
                continue
            done.add(tuple(short))
            count += 1
            with self.subTest(document, words=words):
                run = self.run_tool(short)
                self.assertEqual(run.returncode, 0, run.stderr)
                if not any(word == "-" for word in short) and "--json" not in short:
                    self.assertEqual(json.loads(run.stdout)["virtual_s"], float(SECONDS))
                for option, name in (("--csv", "out.csv"), ("--pcap", "out.pcap"), ("--plot", "pictures/delay.svg"), ("--archive", "out.tar.gz"), ("--json", "out.json")):
                    self.assertTrue(option not in short or (self.folder / name).stat().st_size > 0, name)
        self.assertGreater(count, 8)

    def test_without_traffic(self):
        run = self.run_tool(["--seconds", SECONDS])
        self.assertIn("no traffic in the scenario: simulating 50 kbit/s", run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["flows"]), 20)
        run = self.run_tool(["--seconds", SECONDS, "--set", "traffic=[]"])
        self.assertEqual((run.returncode, run.stderr, json.loads(run.stdout)["flows"]), (0, "", []))

    def test_the_file_of_the_documents(self):
        """The block in docs/simulator.md that has every key."""
        text = (SOURCE / "docs/simulator.md").read_text(encoding="utf-8")
        block = re.search(r"(?m)^    # scenario\.yml:.*\n(?:    .*\n)+", text)[0]
        (self.folder / "scenario.yml").write_text(re.sub(r"(?m)^    ", "", block), encoding="utf-8")
        run = self.run_tool(["--scenario", "scenario.yml", "--seconds", SECONDS])
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_scenarios(self):
        scenarios = sorted((SOURCE / "config/scenarios").glob("*.yml"))
        self.assertGreater(len(scenarios), 15)
        for path in scenarios:
            with self.subTest(path.name):
                run = self.run_tool(shortened(["--scenario", f"config/scenarios/{path.name}"]))
                self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_scenarios_of_the_studies_name_what_their_tables_name(self):
        for path in sorted((SOURCE / "config/scenarios").glob("[A-D][0-9].yml")):
            text = path.read_text(encoding="utf-8")
            self.assertRegex(text, rf"(?m)^# Study {path.name[0]}, table {path.stem}: ")
            for words in ("channel bandwidth", "frame duration", "modulation and code rate", "Published"):
                self.assertIn(words, text, path.name)
            self.assertRegex(text, r"(?m)^rate: (BPSK|QPSK|16-QAM|64-QAM) ", path.name)


class WrongOptions(Folder):
    def test_each_is_one_line_and_status_2(self):
        for typed, words in (("--nonsense", "unknown option --nonsense; see wimax sim --help"), ("--station 3", "did you mean --stations?"), ("--stations 0", "stations: value 0: allowed integers 1..5000"),
                             ("--stations x", "stations: value x"), ("--seconds -1", "seconds: value -1: allowed numbers 0.01..1000000"), ("--seconds", "--seconds"),
                             ("--seed -1", "seed: value -1"), ("--rate 7", "rate: value 7: allowed 0..6, auto, BPSK 1/2"), ("--rate 64-QAM", "rate: value 64-QAM"),
                             ("--snr-db loud", "snr_db: value loud"), ("--profile 5MHz", "profile: value 5MHz: allowed <MHz>MHz-<ms>ms"), ("--pdu-loss 2", "pdu_loss: value 2: allowed numbers 0..1"),
                             ("--base-station Fast", "base_station: value Fast"), ("--set kind", "kind"), ("--set traffic[0].kind=udp", "traffic[0].kind: value udp: allowed cbr, poisson"),
                             ("--set trafic=[]", "did you mean traffic?"), ("--scenario nowhere.yml", "--scenario nowhere.yml: cannot be read"), ("nowhere.yml", "nowhere.yml: cannot be read"),
                             ("config/scenarios/ping.yml config/scenarios/voice.yml", "'config/scenarios/voice.yml' is not expected here"),
                             ("config/bs.macd.yml", "unknown key"), ("--json - --csv -", "standard output is another result's"), ("--json /nowhere/r.json", "/nowhere/r.json"),
                             ("--csv /nowhere/r.csv", "/nowhere/r.csv"), ("--pcap /nowhere/r.pcap", "/nowhere/r.pcap"), ("--plot /proc/no/pictures", "plot: value /proc/no/pictures"),
                             ("--archive r.zip", "archive: value r.zip: allowed .tar.gz"), ("--archive r.tar.gz --csv -", "csv: value -: allowed a file")):
            with self.subTest(typed):
                run = self.run_tool(typed.split())
                self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
                self.assertIn(words, run.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["config"], "nothing is left")


if __name__ == "__main__":
    unittest.main()
