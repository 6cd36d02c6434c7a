# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration on made-up machines: a compiler or Verilator that is too old, warnings as errors, Python. Argument: the source folder."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop()).resolve()
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(configure LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH {source}/cmake {source}/fpga/cmake)
{lines}
"""


class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-configure-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def configure(self, lines, *options, fails=False, **environment):
        """What CMake prints, in one line."""
        (self.folder / "CMakeLists.txt").write_text(CMAKE.format(source=SOURCE, lines=lines), encoding="utf-8")
        inherited = {name: value for name, value in os.environ.items() if name != "WIMAX_WERROR"}
        done = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, env={**inherited, **environment})
        self.assertEqual(done.returncode != 0, fails, done.stdout)
        return " ".join(done.stdout.split())

    def test_a_compiler_that_is_too_old_is_named_with_a_package(self):
        for compiler, version, fails in (("GNU", "11.4.0", True), ("GNU", "12.2.0", False), ("Clang", "13.0.1", True), ("Clang", "14.0.6", False)):
            printed = self.configure(f"set(CMAKE_CXX_COMPILER_ID {compiler})\nset(CMAKE_CXX_COMPILER_VERSION {version})\ninclude(WimaxCompiler)",
                                     fails=fails)
            for part in (f"{compiler} {version}", "install the package g++-12") if fails else ():
                self.assertIn(part, printed)

    def test_warnings_are_errors_where_the_environment_says_so(self):
        lines = "include(WimaxTargets)\nmessage(STATUS \"warnings are errors: ${WIMAX_WERROR}; python: ${WIMAX_PYTHON};\")"
        self.assertIn("warnings are errors: OFF;", self.configure(lines))
        printed = self.configure(lines, WIMAX_WERROR="ON")
        self.assertIn("warnings are errors: ON;", printed)
        self.assertIn(f"python: {sys.executable};", printed)
        self.assertIn("python: /opt/bin/python3;", self.configure(lines, "-DWIMAX_PYTHON=/opt/bin/python3"))
        self.assertIn("export WIMAX_WERROR=ON\nexec ./wimax test\n", (SOURCE / ".ci/run").read_text(encoding="utf-8"))

    def test_fpga_cores_need_a_verilator_that_is_new_enough(self):
        verilator = self.folder / "verilator"
        verilator.write_text('#!/bin/sh\ncase $1 in --version) echo "Verilator 4.038 2020-07-11 rev v4.036";; esac\n', encoding="utf-8")
        verilator.chmod(0o755)
        lines = "find_package(Threads REQUIRED)\ninclude(WimaxFpga)\nmessage(STATUS \"has cores: ${WIMAX_HAS_FPGA};\")"
        old = ("--fresh", f"-DVERILATOR={verilator}")
        printed = self.configure(lines, *old)
        self.assertIn("found: 4.038", printed)
        self.assertIn("has cores: OFF;", printed)
        printed = self.configure(lines, *old, "-DWIMAX_FPGA=ON", fails=True)
        for part in ("found: 4.038", "Install the package verilator", "-D WIMAX_FPGA=OFF"):
            self.assertIn(part, printed)
        self.assertIn("has cores: OFF;", self.configure(lines, *old, "-DWIMAX_FPGA=OFF"))


if __name__ == "__main__":
    unittest.main()
