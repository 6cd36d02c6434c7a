# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes programs, network namespaces and folders that a killed bench left. Running benches are not touched."""
import sys

from wimax_tools import command_line
from wimax_tools.bench import remains


def main(argv=None):
    command_line.Parser(prog="wimax clean-up", description=__doc__, epilog="example:\n  sudo wimax clean-up").parse_args(argv)
    total = {}
    for path in remains.ownerless():
        for what, number in remains.remove(path).items():
            total[what] = total.get(what, 0) + number
    print("removed " + ", ".join(f"{number} {what}" for what, number in total.items()) if total else "nothing to remove")
    return 0


if __name__ == "__main__":
    sys.exit(main())
