# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import command_line


def parser():
    result = command_line.Parser(prog="wimax thing")
    result.add_argument("--snr-db", type=command_line.within(-30, 100))
    command_line.add_json(result, bare=True)
    verbs = result.add_subparsers(dest="verb")
    verbs.add_parser("list").add_argument("--dl-rate", type=command_line.within(0, 6, int))
    verbs.add_parser("change").add_argument("name", nargs="*")
    return result


class Spellings(unittest.TestCase):
    def test_hyphens_and_underscores(self):
        options = parser().parse_args(["--snr_db=5", "list", "--dl_rate", "3"])
        self.assertEqual((options.snr_db, options.dl_rate), (5, 3))
        self.assertEqual(parser().parse_args(["change", "--", "--dl_rate"]).name, ["--dl_rate"])

    def test_json_without_a_file_is_standard_output(self):
        for words, path in ((["--json", "list"], "-"), (["--json", "-", "list"], "-"), (["--json", "r.json", "list"], "r.json"), (["--json", "a/r", "list"], "a/r"),
                            (["--json=list", "list"], "list"), (["--json"], "-"), (["list"], None)):
            self.assertEqual(parser().parse_args(words).json, path, words)

    def test_a_listener(self):
        listener = command_line.Parser()
        command_line.add_listener(listener, "127.0.0.1", 9)
        self.assertEqual(listener.parse_args([]), argparse.Namespace(address="127.0.0.1", port=9))
        self.assertEqual(listener.parse_args(["--host", "::1", "--port", "0"]), argparse.Namespace(address="::1", port=0))
        self.assertNotIn("--host", listener.format_help())


class Errors(unittest.TestCase):
    def refused(self, *words):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            parser().parse_args(words)
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_one_line_with_a_suggestion(self):
        self.assertEqual(self.refused("--snr", "5", "lst"), "wimax thing: verb: 'lst', did you mean list? Allowed: list, change\n")
        self.assertEqual(self.refused("list", "--dl-rte=3"), "wimax thing: unknown option --dl-rte, did you mean --dl-rate? See wimax thing --help\n")
        self.assertEqual(self.refused("list", "--zzz"), "wimax thing: unknown option --zzz; see wimax thing --help\n")
        self.assertEqual(self.refused("list", "more"), "wimax thing: 'more' is not expected here; see wimax thing --help\n")

    def test_ranges(self):
        for wrong in ("x", "nan", "101", "-31", ""):
            self.assertEqual(self.refused(f"--snr-db={wrong}"), f"wimax thing: --snr-db: '{wrong}'; allowed: numbers from -30 to 100\n")
        for wrong in ("7", "1.5", "x"):
            self.assertEqual(self.refused("list", "--dl-rate", wrong), f"wimax thing list: --dl-rate: '{wrong}'; allowed: whole numbers from 0 to 6\n")

    def test_near_words(self):
        self.assertEqual(command_line.near("--snr", ("--in", "--snr-db")), "--snr-db")
        self.assertEqual(command_line.near("--sec", ("--set", "--seconds")), "--seconds")
        self.assertEqual(command_line.near("Voice", ("voice", "A1")), "voice")
        self.assertIsNone(command_line.near("x", ("voice", "A1")))


class Output(unittest.TestCase):
    def test_colours(self):
        terminal, pipe = mock.Mock(isatty=lambda: True), mock.Mock(isatty=lambda: False)
        with mock.patch.dict(os.environ, TERM="xterm"):
            os.environ.pop("NO_COLOR", None)
            self.assertEqual(command_line.coloured("x", "red", terminal), "\033[1;31mx\033[0m")
            self.assertEqual(command_line.coloured("x", "red", pipe), "x")
            for key, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
                with mock.patch.dict(os.environ, {key: value}):
                    self.assertEqual(command_line.coloured("x", "red", terminal), "x")

    def test_results(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            command_line.print_result("to a file", f"{folder}/r.json")
            self.assertEqual(Path(folder, "r.json").read_text(encoding="utf-8"), "to a file\n")
            command_line.print_result("shown", "-")
            command_line.print_result("shown", None)
        self.assertEqual(out.getvalue(), "shown\nshown\n")


if __name__ == "__main__":
    unittest.main()
