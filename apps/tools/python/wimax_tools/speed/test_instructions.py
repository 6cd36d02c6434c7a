# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import json
from pathlib import Path
import sys
import tempfile
import unittest
from unittest import mock

from wimax_tools.speed import instructions as tested

VALGRIND = """#!{python}
import pathlib, sys
words = dict(word.split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
items = sys.argv[sys.argv.index("--items") + 1].split(",")
if "broken" in items:
    sys.exit("items: 'broken' does not exist")
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text('{{"items": [%s]}}' % ", ".join('{{"name": "%s"}}' % item for item in sorted(items)))
for i, item in enumerate(sorted(items), 1):
    pathlib.Path(words["--callgrind-out-file"] + ".%d" % i).write_text("events: Ir\\nfn=f\\n1 2\\n%s: %d\\n" % ("totals" if i == 1 else "summary", 1000 * len(item)))
"""


class Count(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        valgrind = self.folder / "valgrind"
        valgrind.write_text(VALGRIND.format(python=sys.executable), encoding="utf-8")
        valgrind.chmod(0o755)
        self.enterContext(mock.patch.dict("os.environ", PATH=str(self.folder)))
        self.recorded = self.folder / "recorded.json"
        self.enterContext(mock.patch.object(tested, "RECORDED", self.recorded))
        system = self.folder / "os-release"
        system.write_text('PRETTY_NAME="x"\nVERSION_ID="12"\nID=debian\n', encoding="utf-8")
        self.enterContext(mock.patch.object(tested, "SYSTEM", system))

    def run_main(self, *argv, recorded=None):
        self.recorded.write_text(json.dumps(recorded if recorded is not None else {}), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = tested.main(["--program", "wimax-speed", *argv])
        return code, out.getvalue() + err.getvalue()

    def test_files_are_read_in_the_programs_order(self):
        self.assertEqual(tested.count("wimax-speed", ["ccc", "a", "bb"]), {"a": 1000, "bb": 2000, "ccc": 3000})

    def test_three_per_cent_more_is_the_limit(self):
        for before, code in ((1000, 0), (971, 0), (970, 1), (1500, 0)):
            got, text = self.run_main("--items", "a", recorded={"debian-12": {"items": {"a": before}}})
            self.assertEqual(got, code, (before, text))
            self.assertEqual("MORE" in text, bool(code))

    def test_second_attempts_have_a_share(self):
        names = "rx_64qam34_fade,rx_64qam34_fade_once"  # counted: 15 000 and 20 000
        for most, code in ((0.76, 0), (0.74, 1)):
            for system in ("debian-12", "debian-13"):
                for accept in ((), ("--accept", "a reason")):
                    with mock.patch.object(tested, "SHARES", ((*names.split(","), most),)):
                        got, text = self.run_main("--items", names, *accept,
                                                  recorded={system: {"items": {"rx_64qam34_fade": 15000, "rx_64qam34_fade_once": 20000}}})
                    self.assertEqual(got, code, text)
                    self.assertEqual("more than their share of instructions: rx_64qam34_fade" in text, bool(code))

    def test_an_item_without_a_record_fails(self):
        code, text = self.run_main("--items", "a,bb", recorded={"debian-12": {"items": {"a": 1000}}})
        self.assertEqual(code, 1)
        self.assertIn("not recorded: bb", text)

    def test_another_system_is_skipped(self):
        code, text = self.run_main("--items", "a", recorded={"debian-13": {"items": {"a": 1}}})
        self.assertEqual(code, 0)
        self.assertIn("OK (skipped=1): no figures are recorded for debian-12", text)

    def test_accepting_keeps_other_items_and_systems(self):
        code, _ = self.run_main("--items", "a", "--accept", "a faster decoder", recorded={"debian-13": {"items": {"a": 1}}, "debian-12": {"items": {"a": 5, "bb": 6}}})
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(self.recorded.read_text(encoding="utf-8")),
                         {"debian-13": {"items": {"a": 1}}, "debian-12": {"reason": "a faster decoder", "items": {"a": 1000, "bb": 6}}})

    def test_faults_of_the_program_are_printed(self):
        code, text = self.run_main("--items", "broken")
        self.assertEqual(code, 1)
        self.assertIn("'broken' does not exist", text)

    def test_valgrind_may_be_missing(self):
        (self.folder / "valgrind").unlink()
        code, text = self.run_main("--items", "a")
        self.assertEqual(code, 1)
        self.assertIn("./wimax setup test", text)


class Record(unittest.TestCase):
    def test_all_items_are_recorded(self):
        for system, figures in json.loads(tested.RECORDED.read_text(encoding="utf-8")).items():
            self.assertEqual(set(figures["items"]), set(tested.ITEMS), system)
            self.assertTrue(figures["reason"])


if __name__ == "__main__":
    unittest.main()
