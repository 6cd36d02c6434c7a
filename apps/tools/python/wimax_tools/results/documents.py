# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the tables of `wimax results` between their markers in README.md and docs/performance.md."""
import re
from pathlib import Path

from wimax_tools.progress import whole_file
from wimax_tools.results.rows import TABLES, rows_of
from wimax_tools.results.tables import text_of

DOCUMENTS = ("README.md", "docs/performance.md")
MARKED = re.compile(r"(<!-- results: ([a-z]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def replaced(text, tables):
    """A table that is None stays as it is."""
    def one(found):
        fresh = tables.get(found[2])
        return found[0] if fresh is None else f"{found[1]}{fresh}\n{found[3]}"

    return MARKED.sub(one, text)


def missing(table, records):
    done = {record["name"] for record in records if not record.get("failed")}
    return [row.name for row in rows_of(table) if row.name not in done]


def write(top, records):
    """Names of the documents that have changed."""
    tables = {table: text_of(table, records) for table in TABLES}
    changed = []
    for name in DOCUMENTS:
        path = Path(top, name)
        before = path.read_text(encoding="utf-8")
        after = replaced(before, tables)
        if after == before:
            continue
        with whole_file(path) as fresh:
            Path(fresh).write_text(after, encoding="utf-8")
        changed.append(name)
    return changed
