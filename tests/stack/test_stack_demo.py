# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax demo`: stations enter, the page answers, a fade changes rates, Ctrl-C leaves nothing."""
import os
import re
import signal
import subprocess
import sys
import unittest
import urllib.request

from wimax_tools.bench import remains
from wimax_tools.demo import command, story
from wimax_tools.demo.story import FALL_S, FIRST_FADE_S

LIMIT_S = 120


class Demo(unittest.TestCase):
    def test_a_fade_changes_the_rates_of_one_station(self):
        said, stack = [], command.new_stack(mode="free")
        self.addCleanup(stack.stop)
        options = command.parser().parse_args(["--no-browser", "--seconds", str(FIRST_FADE_S + 2 * FALL_S)])
        demo = command.Demo(stack, options, said.append)
        stack.start()
        url = demo.page()
        with urllib.request.urlopen(url.partition("#")[0], timeout=LIMIT_S) as page:
            self.assertIn(b"<html", page.read().lower())
        demo.enter()
        demo.run()
        text = "\n".join(said)
        self.assertRegex(text, r"All 3 stations are operational after [\d.]+ s")
        self.assertIn("A fade begins: the path of station middle loses 14 dB", text)
        self.assertIn("The fade is at its deepest", text)
        changes = re.findall(r"([\d.]+)  (\w+): (\w+) (slower|faster), ", text)
        in_fade = [change for change in changes if float(change[0]) > FIRST_FADE_S]
        self.assertIn("slower", {how for _, name, way, how in in_fade if name == "middle" and way == "downlink"}, text)
        self.assertIn("slower", {how for _, name, way, how in in_fade if name == "middle" and way == "uplink"}, text)
        rows = re.findall(r"(?m)^ +\d+  (near|middle|far) .* (\d+)  \S+ \S+ +(\d+)$", text)
        self.assertEqual({name for name, _, _ in rows}, {place.name for place in story.PLACES})
        for name, down, up in rows[-len(story.PLACES):]:
            self.assertAlmostEqual(float(down), command.DL_KBPS, delta=0.15 * command.DL_KBPS, msg=name)
            self.assertAlmostEqual(float(up), command.UL_KBPS, delta=0.15 * command.UL_KBPS, msg=name)

    def test_an_interrupt_ends_it_cleanly(self):
        before = remains.ownerless()
        process = subprocess.Popen([sys.executable, "-B", "-P", "-m", "wimax_tools.demo", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with process:
            said = ""
            while "are operational" not in said:
                line = process.stdout.readline()
                self.assertTrue(line, process.stderr.read() if process.poll() is not None else said)
                said += line
            children = subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
            self.assertEqual(len(children), 2 * (1 + len(story.PLACES)) + 2)  # a PHY and a MAC for each, the channel, the page
            os.kill(process.pid, signal.SIGINT)
            rest, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertIn("stopped", rest)
        self.assertEqual([child for child in children if os.path.exists(f"/proc/{child}")], [])
        self.assertEqual(remains.ownerless(), before)


if __name__ == "__main__":
    unittest.main()
