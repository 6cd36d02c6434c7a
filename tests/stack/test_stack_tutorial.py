# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial.md, block by block as it stands there."""
import os
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import needs_root

TOP = Path(__file__).resolve().parents[2]
PATIENCE_S = 60  # of the wall clock, until a block says what it should
SHOWS = (        # what a block that begins so prints; one that asks is asked again until it does
    ("mkdir lab", ""),
    ("sudo ./wimax up", "7 programs run"),
    ("./wimax status", "3 of 3 radios stream[^$]*2 of 2 stations operational"),
    ("sudo ip netns exec wimax-bs ping -c 3", " 0% packet loss[^$]* 0% packet loss"),
    ("./wimax logs bs.macd", "hut +operational +down 64-QAM 3/4 .* up 64-QAM 3/4 CINR 4"),
    ("./wimax ctl channeld set", "done"),
    ("./wimax logs hut.macd", r"down 64-QAM 3/4 CINR 1[123]\.\d dB \(TOO WEAK, needs 20.1\)"),
    ("sudo ip netns exec wimax-bs ping -c 5", "100% packet loss"),
    ("sed -i", "bs.macd runs again"),
    ("sudo ip netns exec wimax-bs ping -c 5", " 0% packet loss"),
    ("./wimax logs bs.macd", r"hut +operational +down (QPSK 3/4|16-QAM 1/2|QPSK 1/2) CINR 1[123]\.\d"),
    ("./wimax ctl channeld set", r" 0% packet loss[^$]*hut +operational +down 64-QAM 3/4 CINR [23]\d\.\d"),
    ("./wimax ctl bs get events", "02:00:00:00:00:02 operational"),
    ("sudo ./wimax down", "7 programs stopped"),
)


def blocks():
    return re.findall(r"^```sh\n(.*?)^```$", (TOP / "docs" / "tutorial.md").read_text(encoding="utf-8"), re.M | re.S)


@needs_root
class Tutorial(unittest.TestCase):
    def test_word_by_word(self):
        found = blocks()
        self.assertEqual([block.startswith(begin) for block, (begin, _) in zip(found, SHOWS)], [True] * len(SHOWS))
        self.assertEqual(len(found), len(SHOWS))
        folder = tempfile.TemporaryDirectory(prefix="wimax-tutorial-")
        self.addCleanup(folder.cleanup)
        for name in ("wimax", "config"):
            Path(folder.name, name).symlink_to(TOP / name)
        self.where = {"cwd": folder.name, "env": {**os.environ, "WIMAX_RUN": folder.name}}
        self.addCleanup(self.run_block, "./wimax down")
        for block, (_, shown) in zip(found, SHOWS):
            limit = time.monotonic() + PATIENCE_S
            while not re.search(shown, said := self.run_block(block)):
                self.assertFalse("lab" in block or time.monotonic() > limit, f"{block}\n{said}")
                time.sleep(0.3)

    def run_block(self, block):
        return subprocess.run(["bash", "-c", block.replace("sudo ", "")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              **self.where).stdout


if __name__ == "__main__":
    unittest.main()
