# SPDX-License-Identifier: GPL-3.0-or-later
"""The campaign's page: how far it is, and its results as they come. One file that needs nothing else, and looks at itself again."""
import os
from pathlib import Path

import jinja2
import matplotlib

from wimax_tools import pictures
from wimax_tools.bench.figure import mean_figure

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LAST_ROWS = 12
UNITS = {"ms": "ms", "s": "s", "us": "µs", "bps": "bit/s", "kbps": "kbit/s", "db": "dB", "dbm": "dBm", "hz": "Hz", "m": "m", "bytes": "bytes", "octets": "octets"}
AGAIN_S = 2

PAGE = jinja2.Environment(autoescape=True).from_string("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title>
{%- if running %}<meta http-equiv="refresh" content="{{ again_s }}">{% endif %}
<style>body { font-family: sans-serif; margin: 2em; max-width: 70em } table { border-collapse: collapse } td, th { padding: .2em .7em; text-align: right;
border-bottom: 1px solid #ddd } progress { width: 100%; height: 1.5em } .bad { color: #a00 }</style></head><body>
<h1>{{ title }}</h1>
<progress max="{{ points }}" value="{{ done }}"></progress>
<p>{{ done }} of {{ points }} points, {{ workers }} workers, {{ seconds }} s{% if left_s is not none %}, about {{ left_s }} s left{% endif %}.
{{ "Running." if running else "Ended." }} Commit {{ commit }}.</p>
{%- for name in pictures %}<p><img src="{{ name }}" alt="{{ name }}"></p>{% endfor %}
{%- for point, error in failed %}<p class="bad">{{ point }}: {{ error }}</p>{% endfor %}
<table><tr>{% for name in names %}<th>{{ name }}</th>{% endfor %}</tr>
{%- for row in rows %}<tr>{% for name in names %}<td>{{ shown(row.get(name, "")) }}</td>{% endfor %}</tr>{% endfor %}</table>
</body></html>
""")


def shown(value):
    """Whole curves are for the files."""
    return f"{len(value)} entries" if isinstance(value, (list, dict)) else value


def write(runner, folder, running, pictures=()):
    points, done = runner.planned() + len(runner.failed), len(runner.store.rows)
    left_s = round(runner.seconds / runner.computed * (points - done)) if runner.computed and running else None
    names = [*runner.campaign.names(), "seed", *runner.campaign.figures, "seconds", "host"]
    text = PAGE.render(title=runner.campaign.title, running=running, again_s=AGAIN_S, points=points, done=done, workers=runner.workers, left_s=left_s,
                       seconds=round(runner.seconds), commit=runner.commit, names=names, shown=shown, rows=list(runner.store.rows.values())[:-LAST_ROWS - 1:-1],
                       pictures=pictures, failed=[(f"{dict(point.parameters)}, seed {point.seed}", error) for point, error in runner.failed.items()])
    path = Path(folder, "index.html")
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    os.replace(path.with_suffix(".new"), path)
    return path


def label_of(key):
    """Words and unit of a key: `up_mean_ms` is "up mean (ms)"."""
    name, _, ending = key.rpartition(".")[2].rpartition("_")
    return f"{name.replace('_', ' ')} ({UNITS[ending]})" if name and ending in UNITS else key.replace("_", " ")


def figures_of(plot):
    return [plot["y"]] if isinstance(plot["y"], str) else plot["y"]


def curves(plot, rows):
    """{(figure, value of `by`): [(x, mean of the figure with bounds)]}"""
    found = {}
    for y in figures_of(plot):
        for row in rows:
            if row.get(plot["x"]) is not None and row.get(y) is not None:
                found.setdefault((y, row.get(plot.get("by"))), {}).setdefault(row[plot["x"]], []).append(row[y])
    return {curve: [(x, mean_figure(ys, 9)) for x, ys in sorted(points.items())] for curve, points in found.items()}


def curve_name(plot, y, by):
    return ", ".join([label_of(y)] * (len(figures_of(plot)) > 1) + ([] if by is None else [f"{label_of(plot['by'])} {by}"]))


def draw(plots, rows, folder):
    """An SVG for each plot; their names."""
    names = []
    for plot in plots:
        figure, axes = plt.subplots(figsize=(8, 4.5))
        for (y, by), points in curves(plot, rows).items():
            bars = [[max(0.0, at - at.low) if at.low > float("-inf") else 0 for _, at in points], [max(0.0, at.high - at) if at.high < float("inf") else 0 for _, at in points]]
            axes.errorbar([x for x, _ in points], [float(at) for _, at in points], yerr=bars, marker="o", markersize=3, label=curve_name(plot, y, by) or None)
        axes.set(xlabel=plot.get("xlabel", label_of(plot["x"])), ylabel=plot.get("ylabel", label_of(figures_of(plot)[0])), title=plot.get("title", ""), **({"xscale": "log"} if plot["log"] in ("x", "both") else {}), **({"yscale": "log"} if plot["log"] in ("y", "both") else {}))
        axes.grid(True, alpha=0.3)
        if plot.get("by") or len(figures_of(plot)) > 1:
            axes.legend(fontsize="small")
        names.append("-".join([*figures_of(plot), plot["x"], *([plot["by"]] if plot.get("by") else [])]).replace(".", "_") + ".svg")
        figure.tight_layout()
        pictures.save(figure, Path(folder, names[-1]))
    return names
