# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated cells: everything that both MACs send, and every figure that they report. Argument: the program wimax-sim."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

import recorded

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE.parents[1] / "config/scenarios"
# Of the machine and not of the cell
MACHINE = ("wall_s", "wall", "memory", "memory_bytes", "idle_station_bytes", "scheduler_us_per_frame", "provenance")
STATIONS, FLOWS = 4, 12  # whose own figures are recorded: all are in the sums, and in the hash of what was sent


def scenario(cell):
    keys = {k: v for k, v in cell.items() if k not in ("cell", "scenario")}
    base = yaml.safe_load((SCENARIOS / cell["scenario"]).read_text(encoding="utf-8")) if "scenario" in cell else {}
    return {**base, **keys, "status": True, "drain_s": 0.2}


def result(program, cell):
    with tempfile.NamedTemporaryFile("w", prefix=cell["cell"], suffix=".yml") as file:
        yaml.safe_dump(scenario(cell), file)
        file.flush()
        done = subprocess.run([program, "--scenario", file.name, "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{cell['cell']}: {done.stderr}")
    figures = {k: v for k, v in json.loads(done.stdout).items() if k not in MACHINE}
    for total in figures["total"].values():
        del total["delay_cdf"]  # long; the delay's quantiles are there, too
    for whole in (figures["status"], figures["status"]["base_station"]):
        del whole["stations"][STATIONS:]
    del figures["flows"][FLOWS:]
    return figures


def main():
    program, *argv = sys.argv[1:]
    cells = {cell["cell"]: cell for cell in yaml.safe_load((HERE / "cells.yml").read_text(encoding="utf-8"))}
    return recorded.main(cells, lambda name: result(program, cells[name]), HERE / "cells.json.xz", argv)


if __name__ == "__main__":
    sys.exit(main())
