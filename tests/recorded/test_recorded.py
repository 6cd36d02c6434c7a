# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as the same figure, and what a difference looks like."""
import contextlib
import io
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import recorded


class Same(unittest.TestCase):
    def check(self, tolerance, cases):
        for a, b, equal in cases:
            self.assertEqual(recorded.same(a, b, tolerance), equal, (a, b))

    def test_fractions_may_be_rounded_and_counts_may_not(self):
        self.check(recorded.ROUNDED, ((1.0, 1.0015, True), (1.0, 1.003, False), (3, 3, True), (3, 4, False), (0.0, 9e-4, True), (0.0, 2e-3, False),
                                      (-20.0, -20.01, True), (-20.0, 20.0, False), (1000, 1001.0, True)))
        self.check(recorded.EXACT, ((1.0, 1.000009, True), (1.0, 1.0001, False), (0.001, 0.001001, False), (3, 4, False), (1e-3, 1e-3, True)))

    def test_counts_of_a_tolerant_case_may_differ_a_little(self):
        self.check(recorded.Tolerance(0.02, few=2), ((100, 102, True), (100, 103, False), (1000, 1019, True), (1000, 1021, False), (0, 2, True), (0, 3, False),
                                                     (0.5, 0.509, True), (0.5, 0.52, False), (0.004, 0.00405, True), (0.004, 0.0042, False)))

    def test_kinds_are_not_mixed(self):
        for a, b in ((1, True), (0, False), (0, None), ("1", 1), (1.0, True), ("a", "b")):
            self.assertFalse(recorded.same(a, b), (a, b))


class FailsFor(dict):
    def __init__(self, name, figures):
        super().__init__(figures)
        self.name = name

    def get(self, name):
        if name == self.name:
            raise OSError(f"no {name}")
        return super().get(name)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "record.xz")
        self.figures = {"a": {"list": [1, {"x": 2.5}], "text": "t"}, "b": {"none": None}}

    def main(self, *argv):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = recorded.main(list(self.figures), self.figures.get, self.path, argv)
        return status, said.getvalue()

    def test_what_was_accepted_is_the_same(self):
        self.assertEqual(self.main("--accept"), (0, ""))
        self.assertEqual(self.main(), (0, ""))
        self.assertEqual(recorded.Record(self.path).read()["a"], {"list[0]": 1, "list[1].x": 2.5, "text": "t"})

    def test_each_difference_is_named(self):
        self.main("--accept")
        self.figures = {"a": {"list": [1, {"x": 2.6}], "more": 1}, "b": {"none": None}}
        status, said = self.main()
        self.assertEqual(status, 1)
        self.assertEqual(said.splitlines()[:3], ["a: list[1].x: recorded 2.5, now 2.6", "a: text: recorded 't', now 'nothing'",
                                                 "a: more: recorded 'nothing', now 1"])
        self.assertIn("--accept", said.splitlines()[3])

    def test_a_case_without_a_record_and_many_differences(self):
        self.main("--accept", "a")
        self.figures["b"] = {"figures": list(range(20))}
        status, said = self.main()
        self.assertEqual(status, 1)
        self.assertIn("b: and 8 more figures", said)
        self.assertEqual(self.main("a")[0], 0)

    def test_a_case_that_fails_is_named_and_nothing_is_recorded(self):
        self.main("--accept")
        self.figures["c"] = None
        with unittest.mock.patch.object(self, "figures", FailsFor("b", self.figures)):
            for options in ((), ("--accept",)):
                self.assertEqual(self.main(*options), (1, "b: OSError: no b\n"))
        self.assertNotIn("c", recorded.Record(self.path).read())

    def test_accepting_one_case_keeps_the_others(self):
        self.main("--accept")
        self.figures["a"]["text"] = "u"
        self.figures["b"]["none"] = 1
        self.main("--accept", "a")
        self.assertEqual(self.main("a")[0], 0)
        self.assertEqual(self.main("b")[0], 1)


if __name__ == "__main__":
    unittest.main()
