#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_blocks.py GRC_FOLDER EXAMPLE OUT: every block of the folder loads in GRC under [WiMAX], documents the clause and each
of its parameters and ports, gives numbers a unit and a range, and has the ports of the block that its defaults make. The example
becomes a program that decodes bursts."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pmt
import yaml
from gnuradio import gr
from gnuradio.grc.core.platform import Platform

UNITS = r"\((Hz|S/s|dB|us|s|samples)\)|[Nn]umber|[Ff]rame"  # a count of frames names its unit itself
OWN_RANGE = r"gain|GUI Hint"  # the device's range, GRC's own check


def documentation_faults(block):
    """What a user of the editor would miss."""
    text = block["documentation"].lower()
    if "clause" not in text:
        yield "documentation names no clause of the standard"
    for parameter in block.get("parameters", []):
        if re.sub(r"[(,[].*| or .*| before .*", "", parameter["label"]).strip().lower() not in text:
            yield f"documentation does not mention parameter '{parameter['label']}'"
        if parameter["dtype"] not in ("int", "real"):
            continue
        if not re.search(UNITS, parameter["label"]):
            yield f"parameter '{parameter['label']}' has no unit"
        if not re.search(OWN_RANGE, parameter["label"]) and not any(re.search(rf"\b{parameter['id']}\b", a) for a in block["asserts"]):
            yield f"parameter '{parameter['label']}' has no range"
    for port in block.get("inputs", []) + block.get("outputs", []):
        if port["domain"] == "message" and not re.search(rf"\b{port['id']}\b", text):
            yield f"documentation does not mention port {port['id']}"


def ports(block, direction):
    found = [p["id"] for p in block.get(direction, []) if p["domain"] == "message"]
    return sorted(found), sum(p["domain"] == "stream" for p in block.get(direction, []))


NAMES = ("burst", "constellation", "contention", "control", "done", "error", "expect", "pdus", "response", "samples", "tick", "tx")


def ports_made(made, direction):
    """Message ports of a block. A hierarchical block lists none, but knows whether a name is one of them."""
    basic = made.to_basic_block()
    names = set(pmt.to_python(basic.message_ports_in() if direction == "inputs" else basic.message_ports_out())) - {"system"}
    if hasattr(made, "message_port_is_hier"):
        known = made.message_port_is_hier_in if direction == "inputs" else made.message_port_is_hier_out
        names |= {name for name in NAMES if known(pmt.intern(name))}
    return sorted(names)


def port_faults(block):
    """Makes the block as a flowgraph would and compares; blocks that name a radio need one and are made in qa_radio."""
    make = block["templates"].get("make", "").splitlines()
    if not make or any(p.get("default") == "radio" for p in block["parameters"]):
        return
    defaults = {p["id"]: p.get("default") for p in block["parameters"]}
    names = {}
    exec(block["templates"]["imports"], names)  # our own files
    made = eval(re.sub(r"\$\{(\w+)\}", lambda m: defaults[m.group(1)], make[0]), names)
    for direction, signature in (("inputs", made.input_signature()), ("outputs", made.output_signature())):
        real = ports_made(made, direction), signature.max_streams()
        if ports(block, direction) != real:
            yield f"{direction} are {ports(block, direction)}, of the block {real}"


def example_faults(platform, example, out):
    graph = platform.make_flow_graph(example)
    graph.rewrite()
    graph.validate()
    if not graph.is_valid():
        yield f"{example}: {'; '.join(str(m) for _, m in graph.iter_error_messages())}"
        return
    platform.Generator(graph, out).write()
    program = Path(out) / (Path(example).stem + ".py")
    done = subprocess.run([sys.executable, str(program)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=100, text=True, check=False)
    if done.returncode or done.stdout.count("fec_ok . #t") < 8:
        yield f"{program}: status {done.returncode}, {done.stdout[-2000:]}"


def main(folder, example, out):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt5 import Qt
    application = Qt.QApplication(sys.argv[:1])  # the displays are widgets
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()),
                        prefs=gr.prefs())
    platform.build_library()
    faults = []
    for file in sorted(Path(folder).glob("*.block.yml")):
        block = yaml.safe_load(file.read_text())
        loaded = platform.blocks.get(block["id"])
        if loaded is None:
            faults.append(f"{file.name}: not loaded")
        elif loaded.category != ["WiMAX"]:
            faults.append(f"{file.name}: category {loaded.category}")
        faults += [f"{file.name}: {fault}" for check in (documentation_faults, port_faults) for fault in check(block)]
    faults += example_faults(platform, example, out)
    del application
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
