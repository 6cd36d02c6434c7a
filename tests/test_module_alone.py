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
    def test_configures_and_has_the_tests_of_its_blocks(self):
        with tempfile.TemporaryDirectory(prefix="wimax-alone-") as folder:
            module, build = Path(folder) / "gr-wimax", Path(folder) / "build"
            shutil.copytree(SOURCE / "gr-wimax", module)
            done = subprocess.run(["cmake", "-S", module, "-B", build, "-G", "Ninja"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("--")))
            listed = subprocess.run(["ctest", "--test-dir", build, "-N"], stdout=subprocess.PIPE, text=True, check=False).stdout
            names = re.findall(r"Test +#\d+: (\w+)", listed)
            self.assertEqual({"qa_loopback", "qa_messages", "qa_contention", "qa_stc", "grc_example"} - set(names), set())


class Packages(unittest.TestCase):
    def test_configures_without_tests(self):
        with tempfile.TemporaryDirectory(prefix="wimax-packages-") as folder:
            done = subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "--preset", "package"], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, "\n".join(line for line in done.stdout.splitlines() if not line.startswith("--")))


if __name__ == "__main__":
    unittest.main()
