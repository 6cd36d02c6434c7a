# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test program prints as JSON, case by case: lives of cells that are drawn from seeds (apps/mac/test_lives.cc), what is read in random octets
(apps/tools/pdu/test_decoded.cc). Arguments: name of the record, the program, its own arguments, options of recorded.py."""
import json
import subprocess
import sys
from pathlib import Path

import recorded


def main():
    name, *words = sys.argv[1:]
    options = [word for word in words if word.startswith("--")]
    program = [word for word in words if word not in options]
    figures = json.loads(subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout)
    tolerance = recorded.Tolerance(5e-4, 2) if name == "receivers" else recorded.EXACT  # samples in single precision
    return recorded.main(figures, figures.get, Path(__file__).resolve().parent / f"{name}.json.xz", options, lambda _: tolerance)


if __name__ == "__main__":
    sys.exit(main())
