# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test_CORE.py on Icarus. Arguments: Python that has cocotb, core, build folder, folder of ROMs, files.

`./wimax test` installs that Python; the script restarts with it."""
import os
import sys
import warnings
from pathlib import Path


def use_python(python):
    """Restarts this script with the Python that has cocotb."""
    if not Path(python).exists():
        sys.exit(f"{Path(sys.argv[0]).name}: {python} is not there: ./wimax test makes it")
    if sys.prefix != str(Path(python).parents[1]):
        os.execv(python, [python, "-B", *sys.argv])


def simulate(top, test, build, includes, files, options=("-g2005",)):
    """Runs the module `test`, which is next to a script on sys.path, with `top`. Ends the program."""
    warnings.filterwarnings("ignore", message="Python runners")
    from cocotb.runner import get_results, get_runner
    runner = get_runner("icarus")
    runner.build(verilog_sources=files, includes=includes, hdl_toplevel=top, build_dir=build, build_args=list(options), always=True)
    results = runner.test(test_module=test, hdl_toplevel=top, build_dir=build, test_dir=build,
                          extra_env={"PYTHONDONTWRITEBYTECODE": "1", "COCOTB_LOG_LEVEL": "INFO", "COCOTB_ANSI_OUTPUT": "0"})
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    sys.exit(failed > 0 or tests == 0)


def main():
    python, core, build, roms, *files = sys.argv[1:]
    use_python(python)
    simulate(core, f"test_{core}", build, [roms], files)


if __name__ == "__main__":
    main()
