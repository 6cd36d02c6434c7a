# SPDX-License-Identifier: GPL-3.0-or-later
"""Verilator and Icarus report nothing about a core. Arguments: core, folders of its includes (: between), files."""
import subprocess
import sys
import unittest

CORE, FOLDERS, *FILES = sys.argv[1:]
FOLDERS = FOLDERS.split(":")
REPORT = ("- V e r i l a t i o n   R e p o r t:", "- Verilator: ")  # version, sizes and times: of Verilator 5.032


class Lint(unittest.TestCase):
    maxDiff = None

    def silent(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        said = "".join(line for line in done.stdout.splitlines(True) if not line.startswith(REPORT))
        self.assertEqual((said, done.returncode), ("", 0))

    def test_verilator(self):
        self.silent("verilator", "--lint-only", "-Wall", "--top-module", CORE, *(f"-I{folder}" for folder in FOLDERS), *FILES)

    def test_icarus(self):
        self.silent("iverilog", "-g2005", "-Wall", "-t", "null", "-s", CORE, *(f"-I{folder}" for folder in FOLDERS), *FILES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
