# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure of matplotlib shows, as numbers and texts: the same with each version of the library."""
import matplotlib.patches
import numpy

LONGEST = 40  # of a row of numbers; longer ones are summed up


def figure(fig):
    return {"title": fig._suptitle.get_text() if fig._suptitle else "", "size": [float(v) for v in fig.get_size_inches()],
            "legends": [texts(legend.get_texts()) for legend in fig.legends], "axes": [axes(one) for one in fig.axes]}


def axes(one):
    legend = one.get_legend()
    return {"title": one.get_title(), "x": one.get_xlabel(), "y": one.get_ylabel(), "scales": [one.get_xscale(), one.get_yscale()],
            "legend": texts(legend.get_texts()) if legend else [], "texts": texts(one.texts),
            "lines": [{"label": own(line.get_label()), "x": row(line.get_xdata()), "y": row(line.get_ydata())} for line in one.lines],
            "bars": [row(found) for found in map(box, one.patches) if found and numpy.isfinite(found).all()],
            "circles": [row([*p.center, p.radius]) for p in one.patches if hasattr(p, "radius")],
            "points": [row(numpy.asarray(c.get_offsets(), float).ravel()) for c in one.collections if len(c.get_offsets())],
            "images": [row(numpy.ma.filled(image.get_array(), 0).astype(float).ravel()) for image in one.images]}


def box(patch):
    """A span is a rectangle or, before matplotlib 3.9, a polygon."""
    if not isinstance(patch, (matplotlib.patches.Rectangle, matplotlib.patches.Polygon)):
        return None
    found = patch.get_patch_transform().transform_path(patch.get_path()).get_extents()
    return [found.x0, found.width, found.y0, found.height]


def own(label):
    return "" if str(label).startswith("_") else str(label)  # the library's own names count its objects


def texts(found):
    return [text.get_text() for text in found]


def row(values):
    try:
        numbers = numpy.asarray(values, float).ravel()
    except (TypeError, ValueError):
        return [str(value) for value in values]
    if numbers.size <= LONGEST:
        return [float(f"{n:.5g}") if numpy.isfinite(n) else str(n) for n in numbers]
    known = numpy.nan_to_num(numbers)
    return {"count": int(numbers.size), "mean": float(known.mean()), "rms": float(numpy.sqrt((known ** 2).mean())), "least": float(known.min()),
            "most": float(known.max()), "slope": float((known * numpy.linspace(-1, 1, known.size)).mean())}


def shorter(value):
    """A result in which long rows of numbers are summed up."""
    if isinstance(value, dict):
        return {k: shorter(v) for k, v in value.items()}
    if isinstance(value, list):
        return row(value) if len(value) > LONGEST and all(isinstance(v, (int, float)) for v in value) else [shorter(v) for v in value]
    return value
