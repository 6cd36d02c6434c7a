# SPDX-License-Identifier: GPL-3.0-or-later
"""Verilator and Icarus have nothing to say about a core. Arguments: core, folder of ROMs, files."""
import subprocess
import sys
import unittest

CORE, ROMS, *FILES = sys.argv[1:]


class Lint(unittest.TestCase):
    maxDiff = None

    def silent(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_verilator(self):
        self.silent("verilator", "--lint-only", "-Wall", "--top-module", CORE, f"-I{ROMS}", *FILES)

    def test_icarus(self):
        self.silent("iverilog", "-g2005", "-Wall", "-t", "null", "-s", CORE, "-I", ROMS, *FILES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
