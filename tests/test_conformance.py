#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/conformance.md names tests and constants: each exists. Arguments: the source folder, the folder of a build
of all components."""
import re
import sys
import unittest
from pathlib import Path

SOURCE, BUILD = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
SKIPPED = {"build", ".git"}


def texts(*patterns):
    for pattern in patterns:
        for path in SOURCE.rglob(pattern):
            if not any(part in SKIPPED or part.startswith("build-") for part in path.relative_to(SOURCE).parts):
                yield path.read_text(encoding="utf-8")


class Conformance(unittest.TestCase):
    def setUp(self):
        rows = re.findall(r"^\| *(\d[\d.-]*) *\|(.*)\|$", (SOURCE / "docs/conformance.md").read_text(encoding="utf-8"), re.M)
        self.rows = [(clause, *(cell.strip() for cell in re.split(r"\|", cells))) for clause, cells in rows]
        self.assertGreater(len(self.rows), 40)

    def known_tests(self):
        return {name for file in BUILD.rglob("CTestTestfile.cmake")  # not ctest -N, which would overwrite the log of a run
                for name in re.findall(r"^add_test\((?:\[=\[)?(\w+)", file.read_text(encoding="utf-8"), re.M)}

    def test_rows_name_tests_that_exist(self):
        known = self.known_tests()
        for clause, what, state, test, *_ in self.rows:
            names = re.findall(r"`(\w+)`", test)
            for name in names:
                self.assertTrue(name in known, (clause, what, name))
            self.assertRegex(state, "^(done|partly|not)", (clause, what))
            if state.startswith("done"):
                self.assertTrue(names, (clause, what))

    def test_the_page_about_tests_names_tests_or_their_files(self):
        files = {path.stem for folder in ("apps", "gr-wimax", "fpga", "tests") for path in (SOURCE / folder).rglob("*_*.*") if path.suffix in (".cc", ".py", ".h")}
        named = re.findall(r"`((?:test|stack|bench|link|qa|fpga)_\w+)`", (SOURCE / "docs/testing.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 60)
        self.assertEqual(sorted(set(named) - self.known_tests() - files), [])

    def test_doubtful_readings_stand_behind_constants_that_exist(self):
        known = set().union(*(re.findall(r"\w+", text) for text in texts("*.h", "*.cc")))
        for clause, what, _, _, *constants in self.rows:
            for name in re.findall(r"`([A-Za-z_]+)`", " ".join(constants)):
                self.assertTrue(name in known, (clause, what, name))


if __name__ == "__main__":
    unittest.main()
