# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of gr-wimax have at most 25 members and 30 methods, but for plain descriptions. Argument: a build folder."""
import json
import os
import sys
import unittest
from pathlib import Path

import classes

BUILD = Path(sys.argv.pop(1))


class Sizes(unittest.TestCase):
    def test_no_class_is_large(self):
        arguments, _ = classes.cpp_operators.compile_commands(json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")))
        jobs = [(path, flags) for path, flags in sorted(arguments.items())
                if path.endswith(".cc") and (classes.own(path) or "").startswith("gr-wimax/")]
        found, _ = classes.collected(jobs, os.cpu_count())
        self.assertGreater(len(found), 250)
        self.assertEqual(classes.large(found, 25, 30), [])


if __name__ == "__main__":
    unittest.main()
