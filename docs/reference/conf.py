# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx: the reference of the Python package, from its docstrings. `./wimax reference` runs it; no network is used.

Docstrings use one backtick for code and tables of vertical bars, as the project's documents do; both are translated here.
"""
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import wimax

project = "wimax-ofdm"
author = copyright = "The wimax maintainers"
version = release = wimax.__version__
extensions = ["sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"wimax-ofdm {version}"
html_show_sphinx = False
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
python_use_unqualified_type_names = True

NEEDS_PROGRAMS = ("wimax.stack",)  # built from the source tree, not in the wheel


def module_names():
    """A package has all names of its modules."""
    yield "wimax"
    for info in pkgutil.iter_modules(wimax.__path__, "wimax."):
        if not any(part.startswith(("_", "test_", "examples")) for part in info.name.split(".")):
            yield info.name


def constants_of(package):
    """Full names of a package's constants, where they are defined with their description."""
    modules = [importlib.import_module(info.name) for info in pkgutil.iter_modules(package.__path__, package.__name__ + ".")]
    for name in package.__all__:
        if name[0].isalpha() and not callable(getattr(package, name)):
            yield from (f"{module.__name__}.{name}" for module in modules if re.search(rf"^{name}\b[^\n]*=", inspect.getsource(module), re.M))


def page_of(name):
    line = "=" * len(name)
    module = importlib.import_module(name)
    constants = sorted(constants_of(module)) if hasattr(module, "__path__") and name != "wimax" else ()
    return f"{name}\n{line}\n\n.. automodule:: {name}\n" + "".join(f"\n.. autodata:: {one}\n" for one in constants)


def write_pages(folder):
    """One page for each module, and the list of them."""
    names = list(module_names())
    for name in names:
        (folder / f"{name}.rst").write_text(page_of(name), encoding="utf-8")
    entries = "\n".join(f"   {name}" for name in names)
    heading = "IEEE 802.16-2004 WirelessMAN-OFDM in Python"
    (folder / "index.rst").write_text(f"{heading}\n{'=' * len(heading)}\n\nThe guide is docs/python.md of the project.\n\n"
                                      f".. toctree::\n   :maxdepth: 1\n\n{entries}\n", encoding="utf-8")


def table_of(rows):
    """Rows of a table with vertical bars, as lines of reStructuredText."""
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [cells[0], *cells[2:]]:
        lines += [f"   {'* -' if n == 0 else '  -'} {cell}" for n, cell in enumerate(row)]
    return ["", *lines, ""]


def without_bars(line):
    """Bars outside of code, as in |H|^2, are text."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in parts)


def translate(app, what, name, thing, options, lines):
    """Replaces tables, and adds the empty line that a list needs before it."""
    found, rows = [], []
    for line in [*lines, ""]:
        if re.match(r"\s*\|.*\|\s*$", line):
            rows.append(line)
            continue
        if rows:
            found += table_of(rows)
            rows = []
        if re.match(r"\s*[*-] ", line) and found and found[-1].strip() and not re.match(r"\s*[*-] |\s{2,}", found[-1]):
            found.append("")
        found.append(without_bars(line))
    lines[:] = found


def setup(app):
    write_pages(Path(app.srcdir))
    app.connect("autodoc-process-docstring", translate)
