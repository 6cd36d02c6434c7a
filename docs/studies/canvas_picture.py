#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the canvas of a flowgraph as GNU Radio Companion shows it. Needs a display; Xvfb does. Usage, from a built tree:
GRC_BLOCKS_PATH=gr-wimax/grc xvfb-run ./wimax python docs/studies/canvas_picture.py flowgraphs/loopback.grc docs/loopback-canvas.webp"""
import sys
import tempfile
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("PangoCairo", "1.0")

from gi.repository import Gio, Gtk  # noqa: E402
from gnuradio import gr  # noqa: E402
from gnuradio.grc.gui.Platform import Platform  # noqa: E402, before Utils, which imports it in a circle
from gnuradio.grc.gui import Actions, Utils  # noqa: E402
from gnuradio.grc.gui.canvas import flowgraph  # noqa: E402

from wimax_tools import pictures  # noqa: E402

COLOURS = 32


def main(graph, picture):
    application = Gtk.Application()  # the flowgraph asks it for windows
    Gio.Application.set_default(application)
    flowgraph._ContextMenu = lambda _window: None  # which needs a main window
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()), prefs=gr.prefs(),
                        install_prefix=gr.prefix())
    platform.build_library()
    for hidden in (Actions.TOGGLE_SHOW_FLOWGRAPH_COMPLEXITY, Actions.TOGGLE_SHOW_BLOCK_IDS):
        hidden.set_active(False)
    flow_graph = platform.make_flow_graph(graph)
    flow_graph.update()
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder, "canvas.png")  # it knows no other format
        Utils.make_screenshot(flow_graph, str(drawn), transparent_bg=False)
        Path(picture).write_bytes(drawn.read_bytes())
    pictures.few_colours(picture, COLOURS)


if __name__ == "__main__":
    main(*sys.argv[1:])
