# SPDX-License-Identifier: GPL-3.0-or-later
"""A test that could not run is shown as skipped by ctest, not as passed; one that fails is shown as failed whatever it skipped.
Argument: the source folder, both of whose CMake helpers are tried."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop())
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(skips LANGUAGES CXX)
set(PYTHON_EXECUTABLE /usr/bin/python3)
set(WIMAX_TOGETHER OFF)
include(CTest)
list(APPEND CMAKE_MODULE_PATH {helpers})
include(WimaxTargets)
{tests}
"""
PYTHON = """import unittest
class Cases(unittest.TestCase):
    def test_one(self):
        {one}
    def test_other(self):
        {other}
unittest.main()
"""
CPP = """#include <gtest/gtest.h>
TEST(Cases, One) {{ {one} }}
TEST(Cases, Other) {{ {other} }}
"""
SKIP, PASS, FAIL = ('self.skipTest("no radio here")', 'GTEST_SKIP() << "no radio here";'), ("pass", ""), ("self.fail()", "FAIL();")
CASES = {"skipped": (SKIP, SKIP, "Skipped"), "partly": (PASS, SKIP, "Skipped"), "fails": (SKIP, FAIL, "Failed"),
         "fails_first": (FAIL, SKIP, "Failed"), "passes": (PASS, PASS, "Passed")}


class Skips(unittest.TestCase):
    def check(self, helpers, language, line, names=tuple(CASES)):
        """What ctest says of each case."""
        with tempfile.TemporaryDirectory(prefix="wimax-skips-") as folder:
            folder = Path(folder)
            text, suffix = ((PYTHON, "py"), (CPP, "cc"))[language]
            for name in names:
                one, other, _ = CASES[name]
                (folder / f"{name}.{suffix}").write_text(text.format(one=one[language], other=other[language]), encoding="utf-8")
            tests = "\n".join(line.format(name=name, file=folder / f"{name}.{suffix}") for name in names)
            (folder / "CMakeLists.txt").write_text(CMAKE.format(helpers=SOURCE / helpers, tests=tests), encoding="utf-8")
            for command in (["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"], ["ninja", "-C", folder / "build"]):
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
            said = subprocess.run(["ctest", "--test-dir", folder / "build"], stdout=subprocess.PIPE, text=True, check=False).stdout
        outcomes = dict(re.findall(r"Test +#\d+: (\w+) [.* ]+(Passed|Failed|Skipped)", said))
        self.assertEqual(outcomes, {name: CASES[name][2] for name in names})

    def test_python(self):
        for helpers in ("cmake", "gr-wimax/cmake/Modules"):
            self.check(helpers, 0, "wimax_python_test({name} unit {file})")

    def test_cpp(self):
        self.check("cmake", 1, "wimax_test({name} {file} LABEL unit)", ("partly", "fails_first"))  # each is compiled


if __name__ == "__main__":
    unittest.main()
