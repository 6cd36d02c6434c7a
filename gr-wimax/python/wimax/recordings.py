# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings that are installed with the example flowgraphs."""
from pathlib import Path

EXAMPLES = Path("share/gnuradio/examples/wimax")  # below the prefix


def recording(name):
    """Path of a recording: in the current folder, where Companion runs a flowgraph, or among the installed examples."""
    here = Path(__file__).resolve()
    tried = [Path(), *(prefix / EXAMPLES for prefix in here.parents)]
    found = next((folder / name for folder in tried if (folder / name).is_file()), None)
    if found is None:
        raise FileNotFoundError(f"{name}: neither in the current folder nor in {EXAMPLES} of an installation")
    return str(found)
