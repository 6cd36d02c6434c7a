# SPDX-License-Identifier: GPL-3.0-or-later
import datetime
import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import provenance


class Provenance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name

    def git(self, *words):
        who = {f"GIT_{of}_{what}": "a@b" for of in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run(["git", "-C", self.top, *words], env={**os.environ, **who}, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def test_the_commit_and_what_differs_from_it(self):
        self.assertEqual(provenance.commit(self.top), "unknown")
        self.git("init", "-q")
        Path(self.top, "docs").mkdir()
        for name in ("a", "docs/b"):
            Path(self.top, name).write_text("1", encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "x")
        whole = self.git("rev-parse", "HEAD")
        for name, text, plus in (("new", "1", ""), ("docs/b", "2", ""), ("a", "2", "+")):
            Path(self.top, name).write_text(text, encoding="utf-8")
            self.assertEqual(provenance.commit(self.top), whole[:7] + plus, name)
        Path(self.top, "commit").write_text("abc\n", encoding="utf-8")
        self.assertEqual(provenance.commit(self.top), whole[:7] + "+", "a source tree has no stamp")
        with mock.patch.object(provenance, "INSTALLED", True):
            self.assertEqual(provenance.commit(self.top), "abc")
        with mock.patch("subprocess.run", side_effect=FileNotFoundError):
            self.assertEqual(provenance.commit(self.top), "unknown")

    def test_a_record(self):
        self.assertEqual(provenance.version(self.top), "unknown")
        self.assertEqual(provenance.version(), Path(provenance.TOP, "VERSION").read_text(encoding="utf-8").strip())
        with mock.patch.object(provenance, "commit", lambda: "abc"):
            found = provenance.record("p", "./wimax p")
            self.assertEqual(provenance.record("p", "x", 0)["seed"], 0)
        now = datetime.datetime.now(datetime.timezone.utc)
        age = now - datetime.datetime.strptime(found["date"] + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
        self.assertLess(abs(age), datetime.timedelta(minutes=10))
        self.assertEqual({k: v for k, v in found.items() if k != "date"},
                         {"program": "p", "version": provenance.version(), "commit": "abc", "command": "./wimax p", "machine": provenance.machine()})

    def test_a_record_has_the_configuration(self):
        place = Path(self.top, "a.yml")
        place.write_text("a: 1\n", encoding="utf-8")
        self.assertEqual(provenance.record("p", "x", files=[place])["configuration"], {str(place): "a: 1\n"})
        place.write_bytes(b"#" * (provenance.MOST_CONFIGURATION_BYTES + 1))
        self.assertNotIn("configuration", provenance.record("p", "x", files=[place, Path(self.top, "none"), self.top, "/dev/zero"]))

    def test_the_command_of_this_process(self):
        for words, typed in ((["/x/wimax_tools/campaign/__main__.py", "a b"], "./wimax campaign 'a b'"), (["/x/wimax_tools/curves/measure.py", "-v"], "./wimax python -m wimax_tools.curves.measure -v"),
                             ([str(Path(provenance.TOP, "docs/studies/a.py")), "docs"], "docs/studies/a.py docs"), (["b.py"], "b.py")):
            with mock.patch("sys.argv", words):
                self.assertEqual(provenance.script(), typed)

    def test_the_citation(self):
        self.assertIn("cff-version", provenance.citation())

    def test_the_machine(self):
        known = provenance.machine()
        self.assertEqual((known.partition(", ")[0], known.rpartition(", ")[2]), (socket.gethostname(), f"{os.cpu_count()} cores"))
        with mock.patch.object(Path, "read_text", return_value="model name\t: one\nmodel name\t: two\n"):
            self.assertIn(", one, ", provenance.machine())
        for none in ({"return_value": ""}, {"side_effect": OSError}):
            with mock.patch.object(Path, "read_text", **none):
                self.assertIn(", unknown processor, ", provenance.machine())

    def test_what_to_type(self):
        self.assertEqual(provenance.command("bench", ["--out", "a b"]), "./wimax bench --out 'a b'")
        with mock.patch("sys.argv", ["x", "-v"]):
            self.assertEqual(provenance.command("bench"), "./wimax bench -v")
        lines = ("./wimax setup", "./wimax build", "sudo ./wimax up", "build/bin/wimax-macd --config x")
        with mock.patch.object(provenance, "INSTALLED", False):
            self.assertEqual([provenance.to_type(line) for line in lines], list(lines))
        with mock.patch.object(provenance, "INSTALLED", True):
            self.assertEqual([provenance.to_type(line) for line in lines], [provenance.INSTALL_AGAIN] * 2 + ["sudo wimax up", "$(which wimax-macd) --config x"])


if __name__ == "__main__":
    unittest.main()
