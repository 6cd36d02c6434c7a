# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page of a report is made of, and how its pictures look."""
import base64

import jinja2
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from wimax_tools import pictures  # noqa: E402
from wimax_tools.bench.profiles import RATE_NAMES as RATES  # noqa: E402,F401

LIMIT, LINE, FAINT, PILOT, NEED = "#c0392b", "#1f5fa8", "#8fb3d9", "#d98c00", "#5b8c2a"
RATE_COLOURS = ("#7f7f7f", "#2ca089", "#1b7a68", "#4c78c8", "#24479a", "#c2622d", "#8e3b12")
plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False, "axes.titlesize": 10,
                     "axes.spines.right": False, "axes.titleweight": "bold", "legend.frameon": False, "figure.dpi": 100})


class Page:
    """What page.html.j2 lays out: headings, notes, tables and pictures in order."""

    def __init__(self, folder, made=None):
        """`made`: provenance of the result, kept in the pictures."""
        self.folder, self.made, self.parts = folder, made, []

    def heading(self, text):
        self.parts.append({"heading": text})

    def note(self, text):
        self.parts.append({"note": text})

    def table(self, header, rows):
        self.parts.append({"header": header, "rows": rows})

    def facts(self, pairs):
        """What the page is about: (name, value)."""
        self.parts.append({"facts": [(name, value) for name, value in pairs if value not in (None, "")]})

    def figure(self, figure, name, title):
        path = self.folder / f"{name}.png"
        figure.savefig(path, bbox_inches="tight", metadata={pictures.PNG_KEY: pictures.origin_text(self.made)})
        plt.close(figure)
        self.parts.append({"picture": base64.b64encode(path.read_bytes()).decode(), "name": f"{name}.png", "title": title})

    def text(self, title, subtitle):
        templates = jinja2.Environment(loader=jinja2.PackageLoader("wimax_tools.signal", ""), autoescape=True, trim_blocks=True,
                                       lstrip_blocks=True, undefined=jinja2.StrictUndefined)
        return templates.get_template("page.html.j2").render(title=title, subtitle=subtitle, parts=self.parts)

    def write(self, title, subtitle):
        (self.folder / "index.html").write_text(self.text(title, subtitle))
