# SPDX-License-Identifier: GPL-3.0-or-later
"""The package's tests with the installed wheel: test_package.py SOURCE_TREE.

The tests of cells are not among them: they start programs, which pip does not install.
"""
import importlib.util
import sys
import unittest
from pathlib import Path

import wimax

OF_PROGRAMS = {"test_stack.py", "test_calls.py", "test_examples.py"}


class Installed(unittest.TestCase):
    def test_it_is_the_wheel(self):
        self.assertIn("site-packages", wimax.__file__)
        self.assertEqual(wimax.__version__, (tree / "VERSION").read_text().strip())

    def test_what_starts_programs_says_what_is_missing(self):
        with self.assertRaisesRegex(ImportError, "wimax.Stack starts the programs of the project, which pip does not install"):
            wimax.Stack
        with self.assertRaisesRegex(AttributeError, "no attribute 'Stak'"):
            wimax.Stak


def tests_of(path):
    spec = importlib.util.spec_from_file_location(f"wheel_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


if __name__ == "__main__":
    tree = Path(sys.argv[1])
    files = [path for path in sorted((tree / "apps/tools/python/wimax").rglob("test_*.py")) if path.name not in OF_PROGRAMS]
    suite = unittest.TestSuite([unittest.defaultTestLoader.loadTestsFromTestCase(Installed), *map(tests_of, files)])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > len(files) else 1)
