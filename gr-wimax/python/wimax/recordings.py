# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings that are installed with the example flowgraphs."""
from pathlib import Path

EXAMPLES = Path("share/gnuradio/examples/wimax")  # below the prefix


def recording(name):
    """Path of a recording: in the current folder, where Companion runs a flowgraph, or among the installed examples; the name if neither has it."""
    here = Path(__file__).resolve()
    tried = (folder / name for folder in (Path(), *(prefix / EXAMPLES for prefix in here.parents)))
    return str(next((path for path in tried if path.is_file()), name))
