# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said while work goes on, and files that are whole or as before."""
import io
import os
import tempfile
import unittest

from wimax_tools import progress


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


class Saying(unittest.TestCase):
    def said(self, terminal, seconds):
        screen, clock = Screen(terminal), [0.0]
        bar = progress.Progress("tool", screen, lambda: clock[0])
        for step in range(seconds * 10):
            clock[0] = step / 10
            bar.show(step / seconds / 10, f"step {step}")
        bar.clear()
        return screen.getvalue()

    def test_a_terminal_has_one_line_that_is_overwritten(self):
        text = self.said(True, 40)
        self.assertNotIn("\n", text)
        self.assertRegex(text, "\r\x1b\\[Ktool: 50 %, step 20., 20 s, about 20 s left\r")
        self.assertTrue(text.endswith("\r\x1b[K"))

    def test_elsewhere_lines_are_sparse(self):
        self.assertEqual(self.said(False, 100), "tool: 10 %, step 100, 10 s, about 1 min 30 s left\ntool: 40 %, step 400, 40 s, about 1 min 00 s left\n"
                         "tool: 70 %, step 700, 1 min 10 s, about 30 s left\n")

    def test_short_work_is_not_spoken_of(self):
        self.assertEqual(self.said(False, 9) + self.said(True, 0), "")


class WholeFile(unittest.TestCase):
    def test_whole_or_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.svg")
            for text, fault in (("first", None), ("second", KeyboardInterrupt)):
                try:
                    with progress.whole_file(path) as fresh:
                        self.assertTrue(fresh.endswith(".svg"))
                        with open(fresh, "w") as file:
                            file.write(text)
                        if fault:
                            raise fault
                except KeyboardInterrupt:
                    pass
            with open(path) as file:
                self.assertEqual(file.read(), "first")
            self.assertEqual(os.listdir(folder), ["a.svg"])
            with progress.whole_file("/dev/null") as place:
                self.assertEqual(place, "/dev/null")


if __name__ == "__main__":
    unittest.main()
