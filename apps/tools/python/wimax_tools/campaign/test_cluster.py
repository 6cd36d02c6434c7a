# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign on clusters of this machine: results are the same whoever computes them, and whoever is killed meanwhile."""
import json
import os
from pathlib import Path
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

PYTHON = os.environ.get("WIMAX_CAMPAIGN_PYTHON", "")
PYTHON = PYTHON if os.path.exists(PYTHON) else sys.executable
CAN_PARQUET = subprocess.run([PYTHON, "-c", "import pyarrow"], stderr=subprocess.DEVNULL, check=False).returncode == 0
LIMIT_S = 100
# Stands for wimax-link: an error rate that its seed and rate decide.
LINK = """#!/usr/bin/python3
import json, random, sys, time
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
random.seed(int(given["--seed"]) * 100 + int(given["--rate"]))
time.sleep(0.05)
print(json.dumps({"points": [{"per": random.random()}]}))
"""
FILE = "kind: link\nbase: {channel: awgn}\nparameters: {rate: [1, 2, 3, 4]}\nrepeat: 15\nfigures: {per: points.0.per}\n"
# Whether a point is repeated depends on the results of its first seeds.
UNTIL = FILE.replace("repeat: 15", "repeat: 2\nuntil: {figure: per, relative: 1, most: 6}")


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        tool = cls.folder / "bin" / "wimax-link"
        tool.parent.mkdir()
        tool.write_text(LINK, encoding="utf-8")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        (cls.folder / "c.yml").write_text(FILE, encoding="utf-8")
        cls.environment = dict(os.environ, WIMAX_BUILD_DIR=str(cls.folder), PYTHONDONTWRITEBYTECODE="1")
        cls.running = []

    @classmethod
    def tearDownClass(cls):
        for process in cls.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        cls.place.cleanup()

    def start(self, *arguments):
        process = subprocess.Popen([PYTHON, "-B", "-m", "wimax_tools.campaign", *arguments], cwd=self.folder, env=self.environment, start_new_session=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.running.append(process)
        self.addCleanup(process.stdout.close)
        return process

    def rows(self, out):
        """(rate, seed): error rate, of each line of the journal."""
        lines = (self.folder / out / "rows.jsonl").read_text(encoding="utf-8").splitlines()[1:]
        found = [json.loads(line) for line in lines]
        self.assertEqual(len({(row["rate"], row["seed"]) for row in found}), len(found), "no point twice")
        return {(row["rate"], row["seed"]): row["per"] for row in found}

    def full_rows(self, out):
        """Each line of the journal without the times that its computation took."""
        lines = (self.folder / out / "rows.jsonl").read_text(encoding="utf-8").splitlines()[1:]
        return sorted(json.dumps({k: v for k, v in json.loads(line).items() if k not in ("seconds", "cpu_s")}) for line in lines)

    def wait_for_rows(self, out, count):
        limit, path = time.monotonic() + LIMIT_S, self.folder / out / "rows.jsonl"
        while not path.exists() or path.read_bytes().count(b"\n") <= count:
            self.assertLess(time.monotonic(), limit, "no rows")
            time.sleep(0.02)

    def finished(self, process):
        said, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0 if CAN_PARQUET else 1)
        return json.loads(said)

    def check(self, out, summary, computed):
        self.assertEqual({k: summary[k] for k in ("points", "done", "repeated", "failed", "computed")},
                         {"points": 60, "done": 60, "repeated": 0, "failed": 0, "computed": computed})
        expected = {}
        for rate in (1, 2, 3, 4):
            for seed in range(1, 16):
                said = subprocess.run([self.folder / "bin" / "wimax-link", "--rate", str(rate), "--seed", str(seed)], stdout=subprocess.PIPE, check=True, text=True) \
                    if (rate, seed) in ((1, 1), (4, 15)) else None
                expected[rate, seed] = json.loads(said.stdout)["points"][0]["per"] if said else None
        found = self.rows(out)
        self.assertEqual(set(found), set(expected))
        for key, per in expected.items():
            if per is not None:
                self.assertEqual(found[key], per)
        self.assertEqual((self.folder / out / "results.parquet").exists(), CAN_PARQUET)
        self.assertIn("60 of 60 points", (self.folder / out / "index.html").read_text(encoding="utf-8"))
        return found

    def test_local_and_by_hand(self):
        local = self.finished(self.start("c.yml", "--out", "local", "--workers", "2", "--json", "-"))
        rows = self.check("local", local, 60)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        address = f"tcp://127.0.0.1:{port}"
        self.start("scheduler", "--port", str(port))
        workers = [self.start("worker", address, "--no-nanny"), self.start("worker", address, "--no-nanny")]
        client = self.start("c.yml", "--out", "hand", "--scheduler", address, "--json", "-")
        self.wait_for_rows("hand", 5)
        workers[0].kill()
        self.assertEqual(self.check("hand", self.finished(client), 60), rows, "the same, with a worker killed")

    def test_results_do_not_depend_on_the_number_of_workers(self):
        (self.folder / "until.yml").write_text(UNTIL, encoding="utf-8")
        found = []
        for workers in ("1", "2"):
            self.finished(self.start("until.yml", "--out", f"of{workers}", "--workers", workers, "--json", "-"))
            found.append(self.full_rows(f"of{workers}"))
        self.assertEqual(found[0], found[1])
        self.assertTrue(4 * 2 < len(found[0]) < 4 * 6, "some points were repeated, and not all as often as possible")

    def test_a_killed_client_goes_on(self):
        client = self.start("c.yml", "--out", "killed", "--workers", "2", "--json", "-")
        self.wait_for_rows("killed", 10)
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        before = len(self.rows("killed"))
        self.assertGreater(before, 9)
        self.check("killed", self.finished(self.start("c.yml", "--out", "killed", "--workers", "2", "--json", "-")), 60 - before)

    def test_what_cannot_be_computed_is_said(self):
        (self.folder / "bad.yml").write_text(FILE.replace("points.0.per", "points.0.none").replace("repeat: 15", "repeat: 1"), encoding="utf-8")
        process = self.start("bad.yml", "--out", "bad", "--workers", "1", "--json", "-")
        said, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, json.loads(said)["failed"], json.loads(said)["done"]), (1, 4, 0))
        self.assertEqual(self.start("none.yml").wait(timeout=LIMIT_S), 2)


if __name__ == "__main__":
    unittest.main()
