# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test_rfnoc_CORE.py on Icarus: the core in its block, with the NoC shell of UHD's FPGA library. Arguments: Python that has
cocotb, core, build folder, folder of ROMs, UHD's FPGA library (the folder `fpga` of its source), files."""
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "sim/cocotb"))
from run import simulate, use_python  # noqa: E402

FOLDERS = ("fifo", "control", "axi", "rfnoc/core", "rfnoc/utils")


def main():
    python, core, build, roms, library, *files = sys.argv[1:]
    library = Path(library) / "usrp3/lib"
    if not (library / "rfnoc/core/backend_iface.v").exists():
        sys.exit(f"run_block.py: WIMAX_UHD_FPGA: {library} is not UHD's FPGA library")
    use_python(python)
    options = ["-g2012", "-Y", ".v", *(word for folder in FOLDERS for word in ("-y", f"{library / folder}"))]
    includes = [roms, HERE.parent / "fpga/wimax", *(library / folder for folder in FOLDERS)]
    simulate(f"rfnoc_block_{core}", f"test_rfnoc_{core}", build, includes, [*files, HERE / "vendor_stubs.v"], options)


if __name__ == "__main__":
    main()
