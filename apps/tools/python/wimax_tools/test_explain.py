# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import os
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import explain, provenance

SOURCE = Path(__file__).resolve().parents[4]


class Explain(unittest.TestCase):
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.dict(os.environ, WIMAX_SOURCE_DIR=str(SOURCE)), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return explain.main(words), out.getvalue(), err.getvalue()

    def test_words_of_the_consoles_and_of_the_standard(self):
        self.assertEqual(self.call("no", "phy")[1], "no PHY: phyd does not run, or not at sap.endpoint\n")
        self.assertTrue(self.call("diuc")[1].startswith("DIUC, UIUC: codes of burst profiles"))
        self.assertTrue(self.call("power headroom")[2].startswith("wimax explain: 'power headroom' is not known; near it: power head-room"))
        self.assertEqual(self.call("nonsense")[0], 2)

    def test_every_word_that_a_console_may_print_is_there(self):
        known = {word for words, _ in explain.glossary((SOURCE / "docs/running.md").read_text(encoding="utf-8")) for word in words}
        console = (SOURCE / "apps/macd/console.cc").read_text(encoding="utf-8")
        for word in ("LOST", "TOO WEAK, needs", "STALLED", "no PHY", "silent for", "late", "frames missed", "searching a base station"):
            self.assertIn(word, console)
            self.assertIn(word, known)
        self.assertGreater(len(known), 50)


class ToType(unittest.TestCase):
    """What cures a source tree, where there is one and where it is installed."""

    def test_where_it_is_installed(self):
        with mock.patch("wimax_tools.provenance.INSTALLED", True):
            for line in ("./wimax setup", "./wimax build"):
                self.assertEqual(provenance.to_type(line), provenance.INSTALL_AGAIN)
            self.assertEqual(provenance.to_type("./wimax up && ./wimax status"), "wimax up && wimax status")
            self.assertEqual(provenance.to_type("setcap x build/bin/wimax-macd"), "setcap x $(which wimax-macd)")

    def test_in_a_source_tree(self):
        with mock.patch("wimax_tools.provenance.INSTALLED", False):
            for line in ("./wimax setup", "./wimax up", "setcap x build/bin/wimax-macd"):
                self.assertEqual(provenance.to_type(line), line)


if __name__ == "__main__":
    unittest.main()
