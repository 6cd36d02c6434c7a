# SPDX-License-Identifier: GPL-3.0-or-later
import io
import json
import os
from pathlib import Path
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

from wimax_tools import archive, provenance

MADE = {"program": "wimax-sim", "version": "1", "commit": "abc", "command": "wimax-sim a.yml", "machine": "m", "date": "2026-01-02T03:04:05Z", "seed": 5,
        "configuration": {"config/a.yml": "stations: 1\n", "/etc/b.yml": "b: 1\n", "../../c.yml": "c: 1\n"}}
RESULT = {"figure": 1.5, "provenance": MADE}


class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        captures = self.folder / "captures"
        captures.mkdir()
        for name, octets in (("bs.pcap", b"\xd4\0"), ("private.key", b"secret"), ("ca.pem", b"secret")):
            (captures / name).write_bytes(octets)
        (captures / "link.pcap").symlink_to("/etc/hostname")
        self.files = {"captures": captures, "flows.csv": self.folder / "f.csv"}
        (self.folder / "f.csv").write_text("a,b\n", encoding="utf-8")
        self.path = self.folder / "voice.tar.gz"

    def members(self):
        with tarfile.open(self.path) as tar:
            return {entry.name: (entry, tar.extractfile(entry).read()) for entry in tar.getmembers()}

    def test_contents(self):
        archive.write(self.path, RESULT, self.files)
        found = self.members()
        self.assertEqual(sorted(found), ["voice/" + name for name in ("CITATION.cff", "README.md", "VERSIONS.json", "captures/bs.pcap", "configuration/b.yml", "configuration/c.yml",
                                                                     "configuration/config/a.yml", "flows.csv", "result.json")])
        self.assertEqual(list(found), sorted(found))
        self.assertEqual(json.loads(found["voice/result.json"][1]), RESULT)
        self.assertEqual(found["voice/captures/bs.pcap"][1], b"\xd4\0")
        self.assertEqual(found["voice/configuration/config/a.yml"][1], b"stations: 1\n")
        self.assertEqual(found["voice/CITATION.cff"][1].decode(), provenance.citation())
        self.assertEqual(json.loads(found["voice/VERSIONS.json"][1])["commit"], "abc")
        text = found["voice/README.md"][1].decode()
        for words in ("wimax repeat result.json", "`wimax-sim a.yml`", "commit abc", "| `flows.csv` |", "| `captures` |"):
            self.assertIn(words, text)
        self.assertNotIn("pictures", text)
        for entry, _ in found.values():
            self.assertEqual((entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname, entry.mode), (1767323045, 0, 0, "", "", 0o644))

    def test_only_pictures_of_the_folder_of_pictures(self):
        for name in ("delay.svg", "own.svg", "notes.txt", ".env"):
            (self.folder / name).write_text(name, encoding="utf-8")
        archive.write(self.path, RESULT, {"pictures": self.folder})
        self.assertEqual([name for name in self.members() if "/pictures/" in name], ["voice/pictures/delay.svg"])

    def test_configurations_of_one_name_are_both_kept(self):
        archive.write(self.path, {**RESULT, "provenance": {**RESULT["provenance"], "configuration": {"/a/bs.yml": "a", "/b/bs.yml": "b"}}}, {})
        self.assertEqual({text for name, (_, text) in self.members().items() if "/configuration/" in name}, {b"a", b"b"})

    def test_the_same_contents_give_the_same_archive(self):
        archive.write(self.path, RESULT, self.files)
        first = self.path.read_bytes()
        for path in self.folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                os.utime(path, (1, 1))
        other = self.folder / "deeper"
        other.mkdir()
        with mock.patch("time.time", lambda: 5.0):
            archive.write(other / "voice.tar.gz", RESULT, dict(reversed(self.files.items())))
        self.assertEqual((other / "voice.tar.gz").read_bytes(), first)

    def test_a_result_without_a_date(self):
        archive.write(self.path, {"provenance": {**MADE, "date": "yesterday"}}, {})
        self.assertEqual({entry.mtime for entry, _ in self.members().values()}, {0})

    def test_places_that_cannot_be(self):
        for path, words in ((self.folder / "a.tar", "ends with .tar.gz"), (self.folder / "none/a.tar.gz", "cannot be written"), ("/proc/a.tar.gz", "cannot be written")):
            with self.assertRaisesRegex((archive.ArchiveError, OSError), words if "proc" not in str(path) else "."):
                archive.write(path, RESULT, {})

    def test_the_old_archive_stays_until_the_new_one_is_whole(self):
        self.path.write_bytes(b"old")
        with mock.patch("wimax_tools.archive.add", side_effect=OSError), self.assertRaises(OSError):
            archive.write(self.path, RESULT, self.files)
        self.assertEqual(self.path.read_bytes(), b"old")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".part")], [])

    def test_as_a_program(self):
        wanted = json.dumps({"result": RESULT, "files": {"flows.csv": str(self.folder / "f.csv")}})
        call = [sys.executable, "-B", "-m", "wimax_tools.archive"]
        subprocess.run([*call, self.path], input=wanted, text=True, check=True)
        self.assertIn("voice/flows.csv", self.members())
        done = subprocess.run([*call, "/nowhere/a.tar.gz"], input=wanted, text=True, check=False, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (1, "archive: /nowhere/a.tar.gz: cannot be written\n"))


if __name__ == "__main__":
    unittest.main()
