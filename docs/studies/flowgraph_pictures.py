#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the flowgraphs of docs/gnuradio.md as SVG: blocks with their ports, and connections; message connections are dashed. Usage, from a built tree:
GRC_BLOCKS_PATH=gr-wimax/grc ./wimax python docs/studies/flowgraph_pictures.py FOLDER GRAPH.grc ...
writes FOLDER/GRAPH.svg of each graph."""
import functools
import sys
from html import escape
from pathlib import Path

from gnuradio import gr
from gnuradio.grc.core.platform import Platform

CHARACTER, LINE, PADDING, PORT, GAP = 7.4, 16, 8, 15, 70  # pixels of the drawing
UNCONNECTED = ("variable", "import", "snippet", "parameter", "options")  # beginnings of the IDs of blocks without ports
COLOURS = {"own": "#fff3d6", "other": "#eef2f7", "stream": "#08519c", "message": "#777777"}


class Box:
    """A block: title, ID, and its connected ports."""

    def __init__(self, block, inputs, outputs):
        self.title, self.name, self.own = block.label, block.name, "wimax" in block.key
        self.inputs, self.outputs = inputs, outputs
        self.width = 2 * PADDING + CHARACTER * max(len(self.title), len(self.name), *(len(a) + len(b) + 3 for a in inputs or [""] for b in outputs or [""]))
        self.height = 2 * PADDING + 2 * LINE + PORT * max(len(inputs), len(outputs), 1)
        self.x = self.y = 0

    def place(self, port, output):
        """Point at which a connection ends."""
        ports = self.outputs if output else self.inputs
        return self.x + (self.width if output else 0), self.y + PADDING + 2 * LINE + PORT * (ports.index(port) + 0.5)

    def svg(self):
        fill = COLOURS["own" if self.own else "other"]
        yield f'<rect x="{self.x:.0f}" y="{self.y:.0f}" width="{self.width:.0f}" height="{self.height:.0f}" rx="4" fill="{fill}" stroke="#444"/>'
        middle = self.x + self.width / 2
        yield f'<text x="{middle:.0f}" y="{self.y + PADDING + 11:.0f}" text-anchor="middle" font-weight="bold">{escape(self.title)}</text>'
        yield f'<text x="{middle:.0f}" y="{self.y + PADDING + LINE + 10:.0f}" text-anchor="middle" fill="#555">{escape(self.name)}</text>'
        for output, ports, anchor, shift in ((False, self.inputs, "start", 5), (True, self.outputs, "end", -5)):
            for port in ports:
                x, y = self.place(port, output)
                yield f'<text x="{x + shift:.0f}" y="{y + 4:.0f}" text-anchor="{anchor}" font-size="10">{escape(port)}</text>'


def port_name(port):
    return port.name if port.domain == "message" else "in" if port.is_sink else "out"


def label(port, ports):
    """Streams that are alone have no number."""
    streams = [one for one in ports if one.domain == "stream"]
    return port_name(port) + (str(streams.index(port)) if port.domain == "stream" and len(streams) > 1 else "")


def columns(boxes, edges):
    """Each block is right of all that feed it; a connection back, to a block that feeds its source, is ignored. Streams have precedence over messages."""
    feeds, order = {name: [] for name in boxes}, list(boxes)
    for source, _, sink, _, _ in sorted(edges, key=lambda edge: edge[-1]):
        if not reaches(feeds, sink, source):
            feeds[source].append(sink)
    level = dict.fromkeys(order, 0)
    for _ in order:
        for source in order:
            for sink in feeds[source]:
                level[sink] = max(level[sink], level[source] + 1)
    return level


def reaches(feeds, start, end):
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            waiting += feeds[name]
    return False


def arrange(boxes, level):
    x, height = PADDING, 0
    for column in range(max(level.values()) + 1):
        here = [box for name, box in boxes.items() if level[name] == column]
        y = PADDING
        for box in here:
            box.x, box.y = x, y
            y += box.height + 2.5 * PADDING
        x, height = x + max(box.width for box in here) + GAP, max(height, y)
    for column in range(max(level.values()) + 1):  # centred
        here = [box for name, box in boxes.items() if level[name] == column]
        shift = (height - (here[-1].y + here[-1].height + PADDING)) / 2
        for box in here:
            box.y += shift
    return x - GAP + PADDING, height


def curve(start, end, message, low):
    (x0, y0), (x1, y1) = start, end
    style = f'stroke="{COLOURS["message" if message else "stream"]}"' + (' stroke-dasharray="5,3"' if message else ' stroke-width="1.6"')
    if x1 > x0:
        bend = max(25, (x1 - x0) / 2)
        path = f"M{x0:.0f},{y0:.0f} C{x0 + bend:.0f},{y0:.0f} {x1 - bend:.0f},{y1:.0f} {x1:.0f},{y1:.0f}"
    else:  # back, below all blocks
        path = f"M{x0:.0f},{y0:.0f} C{x0 + 60:.0f},{y0:.0f} {x0 + 40:.0f},{low:.0f} {(x0 + x1) / 2:.0f},{low:.0f} S{x1 - 60:.0f},{y1:.0f} {x1:.0f},{y1:.0f}"
    return f'<path d="{path}" fill="none" {style} marker-end="url(#{"m" if message else "s"})"/>'


def marker(name, colour):
    return f'<marker id="{name}" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,1 L7,4 L0,7 z" fill="{colour}"/></marker>'


def draw(graph):
    """SVG of a flowgraph."""
    blocks = {block.name: block for block in graph.iter_enabled_blocks() if not block.key.startswith(UNCONNECTED)}
    edges = sorted((c.source_block.name, label(c.source_port, c.source_block.active_sources), c.sink_block.name, label(c.sink_port, c.sink_block.active_sinks),
                    c.source_port.domain == "message") for c in graph.get_enabled_connections())
    used = lambda name, at: sorted({edge[at + 1] for edge in edges if edge[at] == name}, key=lambda port: (port not in ("in", "out"), port))
    boxes = {name: Box(block, used(name, 2), used(name, 0)) for name, block in sorted(blocks.items())}
    width, height = arrange(boxes, columns(boxes, edges))
    back = any(boxes[edge[2]].x <= boxes[edge[0]].x for edge in edges)
    total = height + (40 if back else 0)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{total:.0f}" viewBox="0 0 {width:.0f} {total:.0f}" '
           'font-family="sans-serif" font-size="11">')
    yield f'<rect width="100%" height="100%" fill="white"/><defs>{marker("s", COLOURS["stream"])}{marker("m", COLOURS["message"])}</defs>'
    for number, (source, output, sink, port, message) in enumerate(edges):
        yield curve(boxes[source].place(output, True), boxes[sink].place(port, False), message, height + 8 * (number % 4))
    for box in boxes.values():
        yield from box.svg()
    yield "</svg>"


@functools.cache
def companion():
    """GRC with all blocks."""
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()), prefs=gr.prefs())
    platform.build_library()
    return platform


def load(path):
    graph = companion().make_flow_graph(str(path))
    graph.rewrite()
    graph.validate()
    if not graph.is_valid():
        sys.exit(f"{path}: {'; '.join(str(m) for _, m in graph.iter_error_messages())} (GRC_BLOCKS_PATH must name gr-wimax/grc)")
    return graph


def page(elements):
    """The picture as one line."""
    return "".join(elements) + "\n"


def main(folder, *paths):
    for path in paths:
        text = page(draw(load(path)))
        Path(folder, Path(path).stem + ".svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
