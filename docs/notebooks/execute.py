# SPDX-License-Identifier: GPL-3.0-or-later
"""Executes the notebooks and writes them with their outputs: execute.py [--check] [NAME.py ...]

A notebook is a Python file here with cells: `# %%` begins code, `# %% [markdown]` text. This command writes NAME.ipynb next to it. With --check it writes
nothing, and fails where a printed output differs from the notebook's. Pictures are not compared. Numbers may differ by 1e-3 of their size, since
processors round differently; lines of a cell that begins with `# not compared` may differ freely.
"""
import argparse
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HERE = Path(__file__).resolve().parent
NOT_COMPARED = "# not compared"
TIMEOUT_S = 300
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def sources():
    return sorted(path for path in HERE.glob("*.py") if path.name != Path(__file__).name)


def cells_of(text):
    """(kind, lines) of each cell; comments of text cells lose their `# `."""
    cells = []
    for line in text.splitlines():
        if line.startswith("# %%"):
            cells.append(("markdown" if "[markdown]" in line else "code", []))
        elif cells:
            cells[-1][1].append(re.sub(r"^# ?", "", line) if cells[-1][0] == "markdown" else line)
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in cells]


def notebook_of(path):
    book = nbformat.v4.new_notebook()
    make = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    book.cells = [make[kind](text) for kind, text in cells_of(path.read_text(encoding="utf-8"))]
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return book


def run(path):
    book = notebook_of(path)
    NotebookClient(book, timeout=TIMEOUT_S, resources={"metadata": {"path": str(HERE)}}).execute()
    for cell in book.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("text/html", None)  # of pandas: the plain text is next to it
            if "image/png" in output.get("data", {}):
                output["data"].pop("text/plain", None)
    book.metadata.pop("language_info", None)
    return book


def printed(cell):
    """Text that a cell printed, or that its last line returned."""
    parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", ())]
    return "".join(parts).strip()


def alike(a, b):
    if NUMBER.sub("#", a).split() != NUMBER.sub("#", b).split():
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)))
    return all(abs(x - y) <= 1e-3 * max(abs(x), abs(y)) + 1e-9 for x, y in pairs)


def differences(book, recorded):
    if [(cell.cell_type, cell.source) for cell in book.cells] != [(cell.cell_type, cell.source) for cell in recorded.cells]:
        yield "its cells are not those of the Python file; run execute.py"
        return
    for number, (new, old) in enumerate(zip(book.cells, recorded.cells)):
        if new.cell_type == "code" and not new.source.startswith(NOT_COMPARED) and not alike(printed(new), printed(old)):
            yield f"cell {number} printed\n{printed(new)}\nand the notebook has\n{printed(old)}"


def main():
    os.environ.pop("MPLBACKEND", None)  # the kernel draws into the notebook
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the notebooks, write nothing")
    parser.add_argument("names", nargs="*", type=Path, metavar="NAME.py", help="default: all")
    options = parser.parse_args()
    failed = False
    for path in [HERE / name.name for name in options.names] or sources():
        place = path.with_suffix(".ipynb")
        try:
            book = run(path)
        except CellExecutionError as fault:
            print(f"{path.name}: {fault}", file=sys.stderr)
            failed = True
            continue
        if options.check:
            recorded = nbformat.read(place, as_version=4) if place.exists() else nbformat.v4.new_notebook()
            for difference in differences(book, recorded):
                print(f"{place.name}: {difference}", file=sys.stderr)
                failed = True
        else:
            nbformat.write(book, place)
        print(f"{path.name}: {'checked' if options.check else 'written'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
