# SPDX-License-Identifier: GPL-3.0-or-later
import re
import unittest
from pathlib import Path

from wimax_tools import control
from wimax_tools.ctl import command as ctl
from wimax_tools.flows import command as flows
from wimax_tools.printable import RANGES, UNPRINTABLE, printable, printable_lines
from wimax_tools.stations import command as stations

HOSTILE = "\x1b]0;PWNED\x07\x1b[31m\r\nforged row \x9b2J \u202eevil \x7f \udcff"


class Printable(unittest.TestCase):
    def test_text_stays(self):
        for text in ("", "gold", "Straße", "中文", "📡", "a b~"):
            self.assertEqual(printable(text), text)

    def test_what_a_terminal_obeys_is_escaped(self):
        self.assertEqual(printable(HOSTILE), "\\x1b]0;PWNED\\x07\\x1b[31m\\x0d\\x0aforged row \\u{009b}2J \\u{202e}evil \\x7f \\xff")
        self.assertEqual(printable("\\x1b"), "\\\\x1b")
        self.assertEqual(printable("\x7f\x80\udc80\udcff"), "\\x7f\\u{0080}\\x80\\xff")

    def test_every_control_character(self):
        for code in [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0xFEFF, 0xE0001]:
            self.assertTrue(printable(chr(code)).startswith("\\"), hex(code))
        self.assertEqual(printable_lines("a\nb\\c\x1b"), "a\nb\\c\\x1b")

    def test_cpp_has_the_same_ranges(self):
        source = Path(__file__).resolve().parents[3] / "common/printable.cc"
        if not source.is_file():
            self.skipTest("no source tree")
        table = re.search(r"kUnprintable\{(.*?)\};", source.read_text(encoding="utf-8"), re.S)[1]
        found = [(int(first, 16), int(last, 16)) for first, last in re.findall(r"\{(0x\w+),\s*(0x\w+)\}", table)]
        self.assertEqual([one for one in found if one[0] <= 0x10FFFF], list(RANGES))


class Commands(unittest.TestCase):
    """Whatever shows a name of the air: one line for each row, and nothing that a terminal obeys."""

    def check(self, text, lines):
        self.assertEqual(len(text.split("\n")), lines, text)
        self.assertIsNone(UNPRINTABLE.search(text.replace("\n", "")), repr(text))

    def test_columns(self):
        self.check(control.columns([{"name": HOSTILE}], ("name",)), 2)

    def test_flows(self):
        flow = {"station": HOSTILE, "sfid": 1, "name": HOSTILE, "refusal": HOSTILE}
        multicast = {"members": 1, "listeners": 1, "name": HOSTILE}
        answer = {"flows": {"flows": [flow], "multicast": [multicast], "results": []}}
        for arguments, lines in ((["list"], 4), (["--json", "list"], 1)):
            self.check(flows.run(flows.parser().parse_args(arguments), lambda request: answer), lines)

    def test_stations(self):
        answer = {"stations": [{"mac": "02:00:00:00:00:01", "name": HOSTILE, "state": HOSTILE}]}
        for arguments, lines in ((["list"], 2), (["--json", "list"], 1)):
            self.check(stations.run(stations.parser().parse_args(arguments), lambda request: answer), lines)

    def test_ctl(self):
        answer = {"flows": {"flows": [{"name": HOSTILE, "sfid": 3}], HOSTILE: HOSTILE}}
        for words in (["get", "flows"], ["get", "--json", "flows"]):
            text = ctl.run(ctl.parser().parse_intermixed_args(["bs", *words]), lambda request: answer)
            self.check(text, 1 if "--json" in words else 3)
        said = []
        ctl.watch(lambda request: answer, ctl.parser().parse_intermixed_args(["bs", "watch", f"flows.{HOSTILE}", "--count", "1"]), said.append)
        self.check(said[0], 1)

    def test_refusals(self):
        import contextlib
        import io
        with contextlib.redirect_stderr(io.StringIO()) as said:
            control.say_fault("flows", control.Failed(f"flow 3: {HOSTILE}"))
        self.assertIsNone(UNPRINTABLE.search(said.getvalue().replace("\n", "")))


if __name__ == "__main__":
    unittest.main()
