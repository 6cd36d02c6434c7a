# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves figures of matplotlib as files that are small and repeatable, with their provenance: `save`. `compact` shortens an SVG of
matplotlib to about a sixth: marks of a curve become one element, coordinates have one decimal, styles are named once."""
import collections
import hashlib
import itertools
import json
from pathlib import Path
import re
import sys
import xml.etree.ElementTree as ET

from wimax_tools import progress, provenance

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
TOLERANCE = 0.1  # points of 1/72 inch by which a shortened line may be off
DECIMALS, MARK_DECIMALS = 1, 2
PNG_COLOURS = 128
PAGE = Path(__file__).parent / "watch" / "page"
PAGE_STAMP = "page-pictures.sha256"  # in docs: hash of the page that its pictures show
DISSECTOR = Path(__file__).parents[2] / "wireshark"
DISSECTOR_STAMP = "wireshark-picture.sha256"
FONT = re.compile(r"'DejaVu Sans'.*sans-serif")


PNG_KEY = "Comment"       # text chunk of a PNG with the provenance
EXIF_DESCRIPTION = 0x010E  # tag of a .webp with the provenance
NOT_OF_PICTURES = ("date", "configuration")  # a picture drawn again from the same data is the same file


def save(figure, path, dpi=None, made=None):
    """Writes `figure` to `path` (.svg, .png or .webp) without a date and without random names, and closes it. The old file stays until the new one
    is whole. `made`: provenance of the result that it shows, kept in the file's metadata; without it that of this process."""
    import matplotlib  # here, since `compact` needs none of it
    matplotlib.rcParams.update({"svg.hashsalt": "wimax", "svg.fonttype": "none"})
    path, vector = str(path), str(path).endswith(".svg")
    with progress.whole_file(path) as fresh:
        figure.savefig(fresh, format="png" if path.endswith(".webp") else None, dpi=dpi or "figure", metadata={"Date": None} if vector else {"Software": None})
        if vector:
            compact_file(fresh, origin_text(made))
        elif path.endswith((".png", ".webp")):
            few_colours(fresh, origin_text(made))
    matplotlib.pyplot.close(figure)


def origin_text(made):
    """Provenance as JSON, for metadata."""
    made = made or provenance.record(Path(sys.argv[0]).stem, provenance.script())
    return json.dumps({key: value for key, value in made.items() if key not in NOT_OF_PICTURES})


def origin(path):
    """Provenance that save() has kept in a picture; None if there is none."""
    if str(path).endswith(".svg"):
        text = ET.parse(path).getroot().findtext(tag("metadata"))
    else:
        from PIL import Image
        with Image.open(path) as image:
            text = image.info.get(PNG_KEY) or image.getexif().get(EXIF_DESCRIPTION)
    return json.loads(text) if text else None


def few_colours(path, made, colours=PNG_COLOURS):
    """Stores a picture with few colours: lines and text need no more. A PNG has a palette; a .webp is lossless, and smaller by a quarter or more."""
    from PIL import Image, PngImagePlugin
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(colours, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    if str(path).endswith(".webp"):
        exif = Image.Exif()
        exif[EXIF_DESCRIPTION] = made
        few.convert("RGB").save(path, format="WEBP", lossless=True, quality=100, method=6, exif=exif)
    else:
        texts = PngImagePlugin.PngInfo()
        texts.add_text(PNG_KEY, made)
        few.save(path, format="PNG", optimize=True, pnginfo=texts)


def hash_of(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def page_hash():
    """Of the live page's sources."""
    return hash_of(PAGE.glob("*.*"))


def dissector_hash():
    """Of the dissector, without the names of values that it reads from its dictionary."""
    return hash_of([DISSECTOR / "wimax.lua"])


def compact_file(path, made):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(compact(text, made))


def compact(text, made=None):
    """The same picture in fewer octets. The text must come from matplotlib, saved with svg.fonttype none. `made`: text for its metadata."""
    root = ET.fromstring(text)
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith("}metadata") or (child.tag == tag("path") and not child.get("d")):
                parent.remove(child)
    known = re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", text)
    names = {name: f"i{number:x}" for number, name in enumerate(dict.fromkeys(one or other for one, other in known))}
    rename(root, names)
    definitions = take_definitions(root)
    flatten(root)
    sort_axes(root)
    marks = MarkNames(definitions)
    for element in [*root.iter()]:
        merge(element, marks)
    used = {element.get(HREF)[1:] for element in root.iter() if element.get(HREF)}
    head = ET.Element(tag("defs"))
    head.extend(one for one in definitions if one.tag != tag("path") or one.get("id") in used)
    root.insert(0, head)
    round_numbers(root)
    name_styles(root, head)
    if made:
        described = ET.Element(tag("metadata"))
        described.text = made
        root.insert(0, described)
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    for element in root.iter():
        element.tail = None
        if element.text and not element.text.strip():
            element.text = None
    return ET.tostring(root, encoding="unicode") + "\n"


def tag(name):
    return f"{{{SVG}}}{name}"


def rename(root, names):
    """Short names for what is referenced, none for the rest; the name of an axis is used again and dropped later."""
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id" and value not in names:
                if value.startswith("matplotlib.axis"):
                    element.set("id", "axis")
                else:
                    del element.attrib["id"]
            else:
                value = names.get(value, value) if key == "id" else value
                value = re.sub(r"#([A-Za-z_][\w.]*)", lambda found: "#" + names.get(found[1], found[1]), value) if key in (HREF, "clip-path") else value
                element.set(key, value)
            if key == "style":
                element.set(key, short_style(value))
            elif key == "transform" and value.startswith("rotate(-0 "):
                del element.attrib[key]


def short_style(value):
    parts = (part.split(":", 1) for part in FONT.sub("sans-serif", value).split(";") if part.strip())
    parts = [(name.strip(), re.sub(r"#(\w)\1(\w)\2(\w)\3$", r"#\1\2\3", text.strip())) for name, text in parts]
    return ";".join(f"{name}:{text}" for name, text in parts)


def take_definitions(root):
    found = []
    for parent in [*root.iter()]:
        for child in list(parent):
            if child.tag == tag("defs"):
                parent.remove(child)
                found += child
    return found


def flatten(element):
    """Puts the members of groups without attributes in the place of the group."""
    members = []
    for child in element:
        flatten(child)
        members += child if child.tag == tag("g") and not child.attrib else [child]
    element[:] = members


def sort_axes(root):
    """Grid lines of an axis first, then its ticks, then its words: neighbours of one style can be merged."""
    members = []
    for child in root:
        if child.get("id") == "axis":
            order = (tag("path"), tag("use"))
            members += sorted(child, key=lambda one: (order.index(one.tag) if one.tag in order else len(order), one.get("style", "")))
        elif child.tag == tag("g"):
            sort_axes(child)
            members += child if child.get("id") == "axis" or not child.attrib else [child]
        else:
            members.append(child)
    root[:] = members


class MarkNames:
    """Marks that are drawn often, as <marker> elements among the definitions."""

    def __init__(self, definitions):
        self.definitions, self.names = definitions, {}
        self.shapes = {one.get("id"): one for one in definitions}

    def name(self, use):
        key = (use.get(HREF)[1:], use.get("style", ""))
        if key not in self.names:
            self.names[key] = f"m{len(self.names):x}"
            shape = self.shapes[key[0]]
            styles = dict(part.split(":", 1) for style in (key[1], shape.get("style", "")) for part in style.split(";") if part)
            mark = ET.Element(tag("marker"), {"id": self.names[key], "overflow": "visible", "markerUnits": "userSpaceOnUse"})
            ET.SubElement(mark, tag("path"), {"d": shape.get("d"), "style": ";".join(map(":".join, styles.items()))})
            self.definitions.append(mark)
        return self.names[key]


def kind(element):
    """What neighbours must have in common to be merged."""
    others = tuple(sorted((key, value) for key, value in element.attrib.items() if key not in ("d", "x", "y")))
    can = element.tag in (tag("use"), tag("g")) or (element.tag == tag("path") and "fill:none" in element.get("style", ""))
    return (element.tag, others) if can else id(element)


def merge(element, marks):
    """Neighbours of one kind: paths and groups become one; marks become one line that has the mark at each of its points."""
    if element.tag == tag("marker"):
        return
    members = []
    for _, run in itertools.groupby(element, kind):
        run = list(run)
        first = run[0]
        if first.tag == tag("use") and len(run) > 2:
            points = " L ".join(f"{one.get('x')} {one.get('y')}" for one in run)
            mark = f"url(#{marks.name(first)})"
            members.append(ET.Element(tag("path"), {"d": "M " + points, "style": f"fill:none;stroke:none;marker:{mark}", "points": "all"}))
            continue
        if len(run) > 1 and first.tag == tag("path"):
            first.set("d", " ".join(one.get("d") for one in run))
        elif len(run) > 1 and first.tag == tag("g"):
            first[:] = [child for one in run for child in one]
        members += run if first.tag == tag("use") else [first]
    element[:] = members
    for child in element:
        if child.tag == tag("g"):
            merge(child, marks)


def number(value, decimals):
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".") if decimals else str(round(value))
    return "0" if text in ("-0", "") else text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def joined(values, decimals):
    """Numbers with only the separators that are needed."""
    texts = [number(value, decimals) for value in values]
    return texts[0] + "".join(text if text.startswith("-") else " " + text for text in texts[1:])


def round_numbers(root):
    for element in root.iter():
        for key in ("x", "y", "width", "height"):
            if key in element.attrib and not element.get(key).endswith("pt"):
                element.set(key, " ".join(number(float(value), DECIMALS) for value in element.get(key).split()))
        if "transform" in element.attrib:
            element.set("transform", re.sub(r"-?\d+\.\d+", lambda found: number(float(found[0]), MARK_DECIMALS), element.get("transform")))
        every = element.attrib.pop("points", None)
        if element.tag == tag("path"):
            element.set("d", short_path(element.get("d"), DECIMALS, 0 if every else TOLERANCE))


def short_path(d, decimals, tolerance):
    """Lines get relative coordinates, and those of curves and marks are only rounded."""
    tokens = re.findall(r"[A-Za-z]|-?[\d.]+(?:e-?\d+)?", d)
    if not set(token for token in tokens if token.isalpha()) <= set("MLz"):
        return " ".join(token if token.isalpha() else number(float(token), MARK_DECIMALS) for token in tokens)
    small = max((abs(float(token)) for token in tokens if not token.isalpha()), default=0) < 10
    decimals, tolerance = (MARK_DECIMALS, 0) if small else (decimals, tolerance)
    lines, at = [], 0
    while at < len(tokens):
        if tokens[at] == "z":
            lines[-1].append("z")
            at += 1
            continue
        if tokens[at] == "M":
            lines.append([])
        at += tokens[at].isalpha()
        lines[-1].append((float(tokens[at]), float(tokens[at + 1])))
        at += 2
    return "".join(one_line(line, decimals, tolerance) for line in lines)


def one_line(points, decimals, tolerance):
    end = "z" if points[-1] == "z" else ""
    points = [point for point in points if point != "z"]
    if tolerance and len(points) > 2:
        points = simplified(points, tolerance)
    points = [tuple(round(value, decimals) for value in point) for point in points]
    text, last = "M" + joined(points[0], decimals), ""
    for (x, y), (next_x, next_y) in zip(points, points[1:]):
        step = (next_x - x, next_y - y)
        if step == (0, 0) and tolerance:
            continue
        command, values = ("v", step[1:]) if next_x == x else ("h", step[:1]) if next_y == y else ("l", step)
        part = joined(values, decimals)
        text += part if command == last and part.startswith("-") else (" " if command == last else command) + part
        last = command
    return text + end


def simplified(points, tolerance):
    """Douglas and Peucker: leaves out the points that lie on the line of the others."""
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        (x, y), (end_x, end_y) = points[first], points[last]
        length = ((end_x - x) ** 2 + (end_y - y) ** 2) ** 0.5
        worst, at = tolerance, None
        for i in range(first + 1, last):
            px, py = points[i][0] - x, points[i][1] - y
            off = abs(px * (end_y - y) - py * (end_x - x)) / length if length else (px * px + py * py) ** 0.5
            along = (px * (end_x - x) + py * (end_y - y)) / length if length else 0
            off = max(off, -along, along - length)
            if off > worst:
                worst, at = off, i
        if at is not None:
            keep.add(at)
            stack += [(first, at), (at, last)]
    return [points[i] for i in sorted(keep)]


def name_styles(root, head):
    """Styles that are there more than once become classes."""
    count = collections.Counter(element.get("style") for element in root.iter() if element.get("style"))
    often = {style: f"s{number:x}" for number, (style, uses) in enumerate(count.most_common()) if uses > 1}
    for element in root.iter():
        if element.get("style") in often:
            element.set("class", often[element.attrib.pop("style")])
    rules = "".join(f".{name}{{{style}}}" for style, name in often.items())
    for style in head.iter(tag("style")):
        style.text = "*{stroke-linejoin:round;stroke-linecap:butt}" + rules
