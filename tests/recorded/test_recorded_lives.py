# SPDX-License-Identifier: GPL-3.0-or-later
"""What MACs send and count in lives of cells that are drawn from seeds (apps/mac/test_lives.cc). Argument: the program."""
import json
import subprocess
import sys
from pathlib import Path

import recorded

LIVES = 150


def main():
    program, *argv = sys.argv[1:]
    lives = json.loads(subprocess.run([program, str(LIVES)], stdout=subprocess.PIPE, text=True, check=True).stdout)
    return recorded.main(lives, lives.get, Path(__file__).resolve().parent / "lives.json.xz", argv)


if __name__ == "__main__":
    sys.exit(main())
