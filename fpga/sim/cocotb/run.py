# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test_CORE.py on Icarus. Arguments: Python that has cocotb, core, build folder, folder of ROMs, files.

`./wimax test` makes that Python; it is started anew with it."""
import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent


def main():
    python, core, build, roms, *files = sys.argv[1:]
    if not Path(python).exists():
        sys.exit(f"run.py: {python} is not there: ./wimax test makes it")
    if sys.prefix != str(Path(python).parents[1]):
        os.execv(python, [python, "-B", *sys.argv])
    warnings.filterwarnings("ignore", message="Python runners")
    from cocotb.runner import get_results, get_runner
    runner = get_runner("icarus")
    runner.build(verilog_sources=files, includes=[roms], hdl_toplevel=core, build_dir=build, build_args=["-g2005"], always=True)
    results = runner.test(test_module=f"test_{core}", hdl_toplevel=core, build_dir=build, test_dir=build,
                          extra_env={"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "COCOTB_LOG_LEVEL": "INFO",
                                     "COCOTB_ANSI_OUTPUT": "0"})
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    sys.exit(failed > 0 or tests == 0)


if __name__ == "__main__":
    main()
