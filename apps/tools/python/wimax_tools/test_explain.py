# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import os
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import explain

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


if __name__ == "__main__":
    unittest.main()
