# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of a core in a 7-series FPGA, as counted by Yosys, against budgets.yml; no latch, no loop, nothing undriven. Arguments: core, folder of
ROMs, files. With --print last: the figures in the format of budgets.yml."""
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

PRINT = "--print" in sys.argv
CORE, ROMS, *FILES = [word for word in sys.argv[1:] if word != "--print"]
SCRIPT = """read_verilog -I{roms} {files}
hierarchy -check -top {core}
proc
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
check -assert
synth_xilinx -family xc7 -flatten -top {core}
select -assert-none t:LDCE t:LDPE
tee -o {report} stat
"""


def count():
    with tempfile.TemporaryDirectory(prefix="wimax-yosys-") as folder:
        report = Path(folder) / "stat"
        script = SCRIPT.format(core=CORE, roms=ROMS, files=" ".join(FILES), report=report)
        done = subprocess.run(["yosys", "-q", "-"], input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stdout[-4000:])
        cells = {name: int(n) for name, n in re.findall(r"^ +([A-Z]\w+) +(\d+)$", report.read_text(encoding="utf-8"), re.M)}
    lutram = {"RAM32M": 4, "RAM64M": 4, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "SRL16E": 1, "SRLC32E": 1}
    return {"lut": sum(n for name, n in cells.items() if re.fullmatch("LUT[1-6]", name)),
            "lutram": sum(n * cells.get(name, 0) for name, n in lutram.items()),
            "ff": sum(n for name, n in cells.items() if re.fullmatch("FD[RSCP]E", name)),
            "dsp": cells.get("DSP48E1", 0),
            "bram36": cells.get("RAMB36E1", 0) + cells.get("RAMB18E1", 0) / 2}


class Budget(unittest.TestCase):
    def test_budget(self):
        table = yaml.safe_load((Path(__file__).parent / "budgets.yml").read_text(encoding="utf-8"))[CORE]
        counted = count()
        for kind, reached in table["reached"].items():
            self.assertLessEqual(counted[kind], math.ceil(reached * 1.1), f"{kind}: {counted}")
            self.assertGreaterEqual(counted[kind], math.floor(reached * 0.9), f"{kind}: budgets.yml is of another core: {counted}")
        self.assertEqual(set(table["reached"]), set(counted))
        for kind, goal in table.get("goal", {}).items():
            self.assertLessEqual(counted[kind], goal, f"{kind}: {counted}")


if __name__ == "__main__":
    if PRINT:
        print(f"{CORE}:\n  reached: {{{', '.join(f'{kind}: {n:g}' for kind, n in count().items())}}}")
    else:
        unittest.main(argv=sys.argv[:1])
