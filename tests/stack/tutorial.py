# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial.md, block by block as it stands there: in a source tree, or where the packages are installed (WIMAX_TUTORIAL=installed)."""
import os
import re
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
INSTALLED = os.environ.get("WIMAX_TUTORIAL") == "installed"
PATIENCE_S = 60  # of the wall clock, until a block prints what it should
SHOWS = (        # what a block that begins so prints; one that asks is asked again until it does
    ("mkdir lab", ""),
    ("sudo ./wimax up", "7 programs run"),
    ("./wimax status", "3 of 3 radios stream[^$]*2 of 2 stations operational"),
    ("sudo ip netns exec wimax-bs ping -c 3", " 0% packet loss[^$]* 0% packet loss"),
    ("./wimax logs bs.macd", "hut +operational +down 64-QAM 3/4 .* up 64-QAM 3/4 CINR 4"),
    ("./wimax ctl channeld set", "done"),
    ("./wimax logs hut.macd", r"down 64-QAM 3/4 CINR 1[123]\.\d dB \(TOO WEAK, needs 18.0\)"),
    ("sudo ip netns exec wimax-bs ping -c 5", "100% packet loss"),
    ("sed -i", "bs.macd runs again"),
    ("sudo ip netns exec wimax-bs ping -c 5", " 0% packet loss"),
    ("./wimax logs bs.macd", r"hut +operational +down (QPSK 3/4|16-QAM 1/2|QPSK 1/2) CINR 1[123]\.\d"),
    ("./wimax ctl channeld set", r" 0% packet loss[^$]*hut +operational +down 64-QAM 3/4 CINR [23]\d\.\d"),
    ("./wimax ctl bs get events", "02:00:00:00:00:02 operational"),
    ("sudo ./wimax down", "7 programs stopped"),
)


def blocks_and_pictures():
    """Each block, and the files of the pictures that stand between it and the next."""
    text = (TOP / "docs" / "tutorial.md").read_text(encoding="utf-8")
    words = re.split(r"^```sh\n(.*?)^```$", text, flags=re.M | re.S)[1:]
    return [(block, re.findall(r"^!\[.*\]\((tutorial-\w+\.webp)\)$", after, re.M)) for block, after in zip(words[::2], words[1::2])]


def may_be_root():
    try:
        return os.geteuid() == 0 or subprocess.run(["sudo", "-n", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def as_typed_here(block):
    if INSTALLED:  # the words of the page
        block = block.replace("./wimax", "wimax").replace(" config/", " /etc/wimax/")
    return block.replace("sudo ", "") if os.geteuid() == 0 else block


class Reader:
    """Types the blocks in `folder`, which stands for the source tree, or for where somebody is who has the packages."""

    def __init__(self, folder):
        self.environment = dict(os.environ)
        if os.geteuid() == 0:  # apart from other programs of root; other users have their own sockets
            self.environment["WIMAX_RUN"] = str(folder)
        self.folder = folder
        if not INSTALLED:
            for name in ("wimax", "config"):
                Path(folder, name).symlink_to(TOP / name)

    def run(self, block):
        return subprocess.run(["bash", "-c", as_typed_here(block)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              cwd=self.folder, env=self.environment).stdout

    def stop(self):
        self.run("sudo ./wimax down")

    def until_shown(self, block, shown):
        """None, or what it said instead."""
        limit = time.monotonic() + PATIENCE_S
        while not re.search(shown, said := self.run(block)):
            if "lab" in block or time.monotonic() > limit:
                return f"{block}\n{said}"
            time.sleep(0.3)
        return None
