# SPDX-License-Identifier: GPL-3.0-or-later
"""Compact pictures show what matplotlib drew, and tracked pictures and results stay within their limits."""
import os
from pathlib import Path
import re
import runpy
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ET

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from PIL import Image  # noqa: E402

from wimax_tools import pictures, provenance  # noqa: E402

# What programs write: pictures, points of curves, results. Source has no limit, nor have golden vectors.
WRITTEN = (".svg", ".webp", ".png", ".xz", ".json", ".csv", ".parquet")
MOST_OCTETS, MOST_LINES = 1_700_000, 1_000


class Compact(unittest.TestCase):
    def setUp(self):
        self.addCleanup(plt.close, "all")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a.svg")

    def saved(self, draw):
        figure, axes = plt.subplots(figsize=(5, 3))
        draw(axes)
        pictures.save(figure, self.path)
        return Path(self.path).read_text(encoding="utf-8")

    @staticmethod
    def points(text, number):
        """Positions of the marks of the given curve, from relative coordinates."""
        paths = [path.get("d") for path in ET.fromstring(text).iter(pictures.tag("path"))
                 if "marker:" in path.get("style", "") and "M" in path.get("d")]
        found, at = [], [0.0, 0.0]
        for command, numbers in re.findall(r"([Mlhv])([^A-Za-z]*)", paths[number]):
            values = [float(value) for value in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
            steps = {"h": [(x, 0) for x in values], "v": [(0, y) for y in values]}.get(command, [*zip(values[::2], values[1::2])])
            for x, y in steps:
                at = [x, y] if command == "M" else [at[0] + x, at[1] + y]
                found.append(at)
        return found

    def test_marks_are_where_they_were(self):
        """Each within half a tenth of a point of what matplotlib wrote."""
        values = [(x * 0.37) ** 2 for x in range(40)]
        text = self.saved(lambda axes: axes.plot(values, linestyle="", marker="o"))
        figure, axes = plt.subplots(figsize=(5, 3))
        axes.plot(values, linestyle="", marker="o")
        with open(self.path, "w", encoding="utf-8") as file:
            figure.savefig(file, format="svg")
        whole = Path(self.path).read_text(encoding="utf-8")
        group = whole[whole.index('id="line2d_'):]
        uses = re.findall(r'clip-path="url[^>]*>\s*((?:<use[^>]*>\s*)+)', group)[-1]
        wanted = [(float(x), float(y)) for x, y in re.findall(r'x="([\d.]+)" y="([\d.]+)"', uses)]
        found = self.points(text, -1)
        self.assertEqual(len(found), 40)
        for one, other in zip(found, wanted):
            self.assertAlmostEqual(one[0], other[0], delta=0.051)
            self.assertAlmostEqual(one[1], other[1], delta=0.051)

    def test_small_and_the_same_each_time(self):
        def draw(axes):
            axes.errorbar(range(100), range(100), yerr=3, marker="o", label="a")
            axes.set_yscale("symlog")
            axes.legend()

        text = self.saved(draw)
        self.assertEqual(text, self.saved(draw))
        self.assertLess(len(text), 9000)
        self.assertLess(text.count("\n"), 12)
        self.assertNotIn("Matplotlib", text)
        self.assertIn(">a</text>", text)
        self.assertEqual({name for name in re.findall(r"url\(#(\w+)\)|href=\"#(\w+)\"", text) for name in name if name} - set(re.findall(r'id="(\w+)"', text)), set())

    def test_lines_within_the_tolerance(self):
        points = [(x / 10, (x / 10 - 20) ** 2 / 40) for x in range(400)]
        kept = pictures.simplified(points, 0.1)
        self.assertLess(len(kept), 40)
        self.assertEqual((kept[0], kept[-1]), (points[0], points[-1]))
        for x, y in points:
            (x0, y0), (x1, y1) = next((a, b) for a, b in zip(kept, kept[1:]) if a[0] <= x <= b[0])
            self.assertAlmostEqual(y, y0 + (y1 - y0) * (x - x0) / (x1 - x0), delta=0.15)
        self.assertEqual(pictures.simplified([(0, 0), (9, 0), (3, 0)], 0.1), [(0, 0), (9, 0), (3, 0)], "turning back is kept")

    def test_an_image_with_a_palette(self):
        figure, axes = plt.subplots()
        axes.plot([1, 2])
        path = self.path[:-3] + "png"
        pictures.save(figure, path)
        whole = self.path[:-3] + "whole.png"
        figure.savefig(whole)
        self.assertLess(os.path.getsize(path), os.path.getsize(whole) / 1.5)
        webp = self.path[:-3] + "webp"
        pictures.save(figure, webp)
        with Image.open(path) as one, Image.open(webp) as other:
            self.assertEqual((other.format, one.convert("RGB").tobytes()), ("WEBP", other.convert("RGB").tobytes()))


class Origin(unittest.TestCase):
    MADE = {"program": "p", "version": "1", "commit": "abc", "command": "p --x '<&>'", "machine": "m", "date": "2026-01-01T00:00:00Z", "seed": 5, "configuration": {"a": "b"}}
    KEPT = ("program", "version", "commit", "command", "machine")

    def saved(self, ending, **more):
        figure, axes = plt.subplots()
        axes.plot([1, 2])
        self.addCleanup(plt.close, "all")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "a" + ending)
        pictures.save(figure, path, **more)
        return path

    def test_a_picture_has_the_provenance_of_its_result(self):
        for ending in (".svg", ".png", ".webp"):
            path = self.saved(ending, made=self.MADE)
            self.assertEqual(pictures.origin(path), {key: self.MADE[key] for key in (*self.KEPT, "seed")}, ending)
            with open(path, "rb") as one, open(self.saved(ending, made={**self.MADE, "date": "later"}), "rb") as other:
                self.assertEqual(one.read(), other.read(), "no date")

    def test_or_that_of_the_process(self):
        for ending in (".svg", ".png", ".webp"):
            self.assertEqual(tuple(pictures.origin(self.saved(ending))), self.KEPT, ending)

    def test_others_have_none(self):
        figure = plt.figure()
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.png", "a.svg"):
                figure.savefig(os.path.join(folder, name), metadata={"Date": None} if name.endswith("svg") else None)
            self.assertIsNone(pictures.origin(os.path.join(folder, "a.png")))


class PageInTheDocuments(unittest.TestCase):
    def test_its_pictures_are_not_older_than_the_page(self):
        docs = Path(provenance.TOP, "docs")
        self.assertEqual((docs / pictures.PAGE_STAMP).read_text(encoding="utf-8").strip(), pictures.page_hash(),
                         "the page has changed; type: sudo ./wimax python tests/stack/page_pictures.py, and look at the pictures")


class DissectorInTheDocuments(unittest.TestCase):
    def test_its_picture_is_not_older_than_the_dissector(self):
        self.assertEqual(Path(provenance.TOP, "docs", pictures.DISSECTOR_STAMP).read_text(encoding="utf-8").strip(), pictures.dissector_hash(),
                         "the dissector has changed; type the line at the head of docs/studies/wireshark_picture.py, and look at the picture")


class DiagramsInTheDocuments(unittest.TestCase):
    def test_they_are_as_described(self):
        described = runpy.run_path(str(Path(provenance.TOP, "docs/studies/diagrams.py")))
        for name, description in described["DIAGRAMS"].items():
            self.assertEqual(Path(provenance.TOP, "docs", name).read_text(encoding="utf-8"), described["drawn"](description),
                             "the description has changed; type: ./wimax python docs/studies/diagrams.py docs, and look at the pictures")


class Size(unittest.TestCase):
    def test_tracked_files(self):
        """A clone stays small: results are stored compactly (pictures.py, curves/points.py)."""
        known = subprocess.run(["git", "-C", provenance.TOP, "ls-files", "-z"], capture_output=True, check=False)
        if known.returncode:
            self.skipTest("not a git repository")
        written = tuple(map(str.encode, WRITTEN))
        names = [name for name in known.stdout.split(b"\0") if name.endswith(written) and not name.startswith(b"tests/vectors/")]
        paths = [Path(provenance.TOP, os.fsdecode(name)) for name in names]
        contents = [path.read_bytes() for path in paths if path.is_file()]
        self.assertGreater(len(contents), 50)
        self.assertLessEqual(sum(map(len, contents)), MOST_OCTETS)
        self.assertLessEqual(sum(content.count(b"\n") for content in contents if b"\0" not in content), MOST_LINES)


if __name__ == "__main__":
    unittest.main()
