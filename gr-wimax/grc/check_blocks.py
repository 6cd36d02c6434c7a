#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_blocks.py GRC_FOLDER EXAMPLE OUT: every block of the folder loads in GRC under [WiMAX] and can be made with its default
values; the example becomes a program that decodes bursts."""
import subprocess
import sys
from pathlib import Path

from gnuradio import gr
from gnuradio.grc.core.platform import Platform


def main(folder, example, out):
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()),
                        prefs=gr.prefs())
    platform.build_library()
    faults = []
    for file in sorted(Path(folder).glob("*.block.yml")):
        key = next(line.split(":")[1].strip() for line in file.read_text().splitlines() if line.startswith("id:"))
        block = platform.blocks.get(key)
        if block is None:
            faults.append(f"{file.name}: not loaded")
        elif block.category != ["WiMAX"]:
            faults.append(f"{file.name}: category {block.category}")
    graph = platform.make_flow_graph(example)
    graph.rewrite()
    graph.validate()
    faults += [f"{example}: {'; '.join(m for _, m in [(e, str(m)) for e, m in graph.iter_error_messages()])}"] if not graph.is_valid() else []
    if not faults:
        platform.Generator(graph, out).write()
        program = Path(out) / (Path(example).stem + ".py")
        done = subprocess.run([sys.executable, str(program)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=40, text=True, check=False)
        if done.returncode or done.stdout.count("fec_ok . #t") < 8:
            faults.append(f"{program}: status {done.returncode}, {done.stdout[-2000:]}")
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
