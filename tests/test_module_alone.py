# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of gr-wimax/ without the rest of the project configures, with its own tests; and the whole does without any, as packages are built.
Argument: the source folder."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop())


class Alone(unittest.TestCase):
    def registered(self, source, build, *options):
        done = subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("--")))
        listed = subprocess.run(["ctest", "--test-dir", build, "-N"], stdout=subprocess.PIPE, text=True, check=False).stdout
        return set(re.findall(r"Test +#\d+: (\w+)", listed))

    def test_a_copy_of_the_folder_configures_with_and_without_tests(self):
        with tempfile.TemporaryDirectory(prefix="wimax-alone-") as folder:
            module, build = Path(folder) / "gr-wimax", Path(folder) / "build"
            shutil.copytree(SOURCE / "gr-wimax", module)
            self.assertEqual(self.registered(module, build), set())
            self.assertEqual({"qa_loopback", "qa_messages", "qa_contention", "qa_stc", "grc_example"} - self.registered(module, build, "-DBUILD_TESTING=ON"), set())

    def test_the_folder_of_the_project_needs_the_libraries_of_tests_only_with_tests(self):
        with tempfile.TemporaryDirectory(prefix="wimax-alone-") as folder:
            self.assertEqual(self.registered(SOURCE / "gr-wimax", folder, "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON",
                                           "-DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON"), set())


class Packages(unittest.TestCase):
    def test_configures_without_tests(self):
        with tempfile.TemporaryDirectory(prefix="wimax-packages-") as folder:
            done = subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "--preset", "package"], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("--")))


class Core(unittest.TestCase):
    def test_what_the_bench_runs_needs_no_other_component(self):
        """CMake takes the name of a missing target for that of a library."""
        with tempfile.TemporaryDirectory(prefix="wimax-core-") as folder:
            done = subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DWIMAX_COMPONENTS=core", "-DBUILD_TESTING=OFF", "-DENABLE_PYTHON=OFF"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("--")))
            rules = Path(folder, "build.ninja").read_text(encoding="utf-8")
        for target in ("wimax-macd", "wimax-phyd", "wimax-channeld", "uhd_vrf"):
            self.assertRegex(rules, rf"(?m)^build {target}: phony ")
        self.assertEqual(set(re.findall(r"-lwimax-[\w-]+", rules)), set())


if __name__ == "__main__":
    unittest.main()
