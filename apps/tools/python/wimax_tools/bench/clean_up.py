# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax clean-up`: removes what a killed bench left - programs, network namespaces, folders. Benches that run are left alone."""
import argparse
import sys

from wimax_tools.bench import remains


def main(argv=None):
    argparse.ArgumentParser(prog="wimax clean-up", description=__doc__).parse_args(argv)
    total = {}
    for path in remains.ownerless():
        for what, number in remains.remove(path).items():
            total[what] = total.get(what, 0) + number
    print("removed " + ", ".join(f"{number} {what}" for what, number in total.items()) if total else "nothing was left behind")
    return 0


if __name__ == "__main__":
    sys.exit(main())
