# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import os
import re
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
        self.assertEqual(self.call("no", "phy")[1], "no PHY: The MAC cannot reach phyd: it does not run, or it listens at another sap.endpoint.\n")
        self.assertTrue(self.call("diuc")[1].startswith("DIUC, UIUC: Codes in DL-MAP and UL-MAP"))
        self.assertEqual(self.call("xyzzy"), (2, "", "wimax explain: 'xyzzy' is not known; ./wimax explain lists all words\n"))

    def test_case_hyphens_and_spaces_do_not_matter(self):
        for typed, word in (("64qam", "BPSK, QPSK, 16-QAM, 64-QAM"), ("power headroom", "power head-room"), ("Cyclic-Prefix", "cyclic prefix, CP"),
                            ("dl map", "DL-MAP, UL-MAP"), ("-", "-")):
            self.assertTrue(self.call(typed)[1].startswith(word), typed)
            self.assertEqual(len(self.call(typed)[1].splitlines()), 1, typed)

    def test_similar_words_are_suggested_whatever_their_case(self):
        for typed, word in (("cinrr", "CINR"), ("PREAMBEL", "preamble"), ("dsa-req", "DSA"), ("rtpss", "rtPS")):
            code, out, err = self.call(typed)
            self.assertEqual((code, out), (2, ""))
            self.assertRegex(err, rf"^wimax explain: '{typed}' is not known; did you mean (.* or )?{word}( or .*)?\?$")

    def test_all_words_by_section(self):
        lines = self.call()[1].splitlines()
        self.assertIn("Privacy: AK, TEK, KEK, SA, SAID, HMAC, certificate", lines)
        self.assertGreater(len(lines), 5)

    def rows(self):
        return explain.glossary((SOURCE / "docs/glossary.md").read_text(encoding="utf-8"))

    def test_every_word_that_a_console_may_print_is_there(self):
        known = {word for _, words, _ in self.rows() for word in words}
        console = (SOURCE / "apps/macd/console.cc").read_text(encoding="utf-8")
        for word in ("LOST", "TOO WEAK, needs", "STALLED", "no PHY", "silent for", "late", "frames missed", "searching a base station"):
            self.assertIn(word, console)
            self.assertIn(word, known)
        causes = re.findall(r'\{"\w+", "([^"]+)"\}', console[console.index("kCauses"):console.index("}}};") + 3])
        states = re.findall(r'"([\w/ -]+)"', re.search(r"to_string\(SsState.*?\};", (SOURCE / "apps/mac/ss/entry_procedure.cc").read_text(encoding="utf-8"), re.S)[0])
        self.assertEqual((len(causes), len(states)), (9, 10))
        self.assertEqual(set(causes + states) - known, set())

    def test_words_of_the_standard_are_there(self):
        known = {word for _, words, _ in self.rows() for word in words}
        self.assertEqual(set("preamble EVM 64-QAM CP BSID DSA SUI STC midamble PKM TEK SDU PDU FCH DLFP DIUC UIUC CINR RSSI T3".split()) - known, set())

    def test_each_word_once_and_each_meaning_short(self):
        rows = self.rows()
        words = [explain.plain(word) for _, words, _ in rows for word in words]
        self.assertEqual(sorted({word for word in words if words.count(word) > 1}), [])
        for _, words, meaning in rows:
            self.assertRegex(meaning, r"[.]$", words)
            for sentence in re.split(r"(?<=[.]) (?=[A-Z])", meaning):
                self.assertLessEqual(len(sentence.split()), 27, (words, sentence))

    def test_the_primer_marks_words_of_the_glossary(self):
        marked = re.findall(r"\*\*([^*]+)\*\*", (SOURCE / "docs/primer.md").read_text(encoding="utf-8"))
        known = {explain.plain(word) for _, words, _ in self.rows() for word in words}
        self.assertEqual([word for word in marked if explain.plain(word) not in known], [])
        self.assertGreater(len(marked), 30)


class ToType(unittest.TestCase):
    """What cures a source tree, where there is one and where it is installed."""

    def test_without_git_the_commit_is_unknown(self):
        with mock.patch("wimax_tools.provenance.INSTALLED", False), mock.patch("subprocess.run", side_effect=FileNotFoundError("git")):
            self.assertEqual(provenance.commit("/"), "unknown")

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
