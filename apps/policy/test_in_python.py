# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies in a process that is Python already. Arguments: the library of test_in_python.cc, and a file of policies."""
import ctypes
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY, POLICIES = sys.argv.pop(1), sys.argv.pop(1)
RULES = """
import sys
class SeesTheProcess:
    def __init__(self, cell):
        self.cell = cell
    def schedule(self, frame):
        return [float(sys.modules['__main__'].ANSWER)] * len(frame.stations)
"""
ANSWER = 42


class InPython(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.PyDLL(LIBRARY)  # calls do not release the lock
        cls.library.units_by.restype = ctypes.c_double

    def units_by(self, policy):
        return self.library.units_by(policy.encode())

    def test_the_policy_runs_in_this_interpreter(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "rules.py")
            file.write_text(RULES, encoding="utf-8")
            self.assertEqual(self.units_by(f"{file}:SeesTheProcess"), ANSWER)

    def test_faults_are_values(self):
        self.assertEqual(self.units_by(f"{POLICIES}:Raises"), -2)
        self.assertEqual(self.units_by(f"{POLICIES}:Nothing"), -1)
        self.assertEqual(self.units_by(f"{POLICIES}:RefusesTheCell"), -1)


if __name__ == "__main__":
    unittest.main()
