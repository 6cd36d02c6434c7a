# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax explain WORD`: what a word of the consoles or of the standard means; the tables of docs/running.md."""
import argparse
import difflib
import os
import re
import sys
from pathlib import Path


def document():
    """In a source tree, or where it was installed."""
    source, build = (Path(os.environ.get(name, "")) for name in ("WIMAX_SOURCE_DIR", "WIMAX_BUILD_DIR"))
    return next((path for path in (source / "docs/running.md", build / "share/doc/wimax/running.md") if path.is_file()), source / "docs/running.md")


def glossary(text):
    """(words, meaning) of each row of the tables that begin with `word`."""
    rows = []
    for table in re.findall(r"^\| word \| what \|\n\|[-|]+\|\n((?:\|.*\n?)+)", text, re.M):
        for line in table.splitlines():
            words, meaning = (cell.strip() for cell in line.strip().strip("|").split(" | ", 1))
            rows.append((re.findall(r"`([^`]+)`", words), meaning.replace("`", "")))
    return rows


def explanations(rows, word):
    """Rows that have the word, whatever its case; else those that have it within."""
    word = word.lower()
    return [row for row in rows if word in (w.lower() for w in row[0])] or [row for row in rows if any(word in w.lower() for w in row[0])]


def main(argv=None):
    parser = argparse.ArgumentParser(prog="wimax explain", description=__doc__)
    parser.add_argument("word", nargs="*", metavar="WORD", help="without it: all words")
    word, rows = " ".join(parser.parse_args(argv).word), glossary(document().read_text(encoding="utf-8"))
    if not word:
        print(", ".join(w for words, _ in rows for w in words))
        return 0
    found = explanations(rows, word)
    for words, meaning in found:
        print(f"{', '.join(words)}: {meaning}")
    if not found:
        near = difflib.get_close_matches(word, [w for words, _ in rows for w in words], n=3)
        print(f"wimax explain: '{word}' is not known" + (f"; near it: {', '.join(near)}" if near else ""), file=sys.stderr)
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main())
