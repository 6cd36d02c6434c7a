# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of the Python package is built without a warning, and has every public name: test_reference.py SOURCE_TREE."""
import importlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import wimax


def names_in(inventory):
    """Full names of objects.inv: four lines of head, then compressed lines that begin with a name."""
    data = inventory.read_bytes().split(b"\n", 4)[4]
    return {line.split(" ", 1)[0] for line in zlib.decompress(data).decode().splitlines()}


class Reference(unittest.TestCase):
    def test_it_is_whole(self):
        with tempfile.TemporaryDirectory(prefix="wimax-reference-") as folder:
            pages = Path(folder)
            shutil.copy(tree / "docs/reference/conf.py", pages)
            done = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", pages, pages / "html"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            known = names_in(pages / "html/objects.inv")
            modules = [name for name in known if name == "wimax" or (name.startswith("wimax.") and (pages / f"{name}.rst").exists())]
            self.assertIn("wimax.signals", modules)
            documented = {name.rsplit(".", 1)[-1] for name in known}
            for module in sorted(modules):
                names = {name for name in importlib.import_module(module).__all__ if name[0].isalpha()}
                self.assertEqual(names - documented, set(), module)
            for leftover in ("http://", "https://fonts", "cdn."):
                self.assertNotIn(f'src="{leftover}', (pages / "html/index.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    tree = Path(sys.argv.pop(1))
    assert wimax.__doc__
    unittest.main()
