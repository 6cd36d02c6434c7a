# SPDX-License-Identifier: GPL-3.0-or-later
"""Print what a word of the consoles or of the standard means (docs/glossary.md)."""
import argparse
import difflib
import os
import re
import sys
from pathlib import Path

SHORTEST_PART = 3  # letters; shorter words are not looked for inside of others


def document():
    """The glossary, in a source tree or in an installed one."""
    source, build = (Path(os.environ.get(name, "")) for name in ("WIMAX_SOURCE_DIR", "WIMAX_BUILD_DIR"))
    return next((path for path in (source / "docs/glossary.md", build / "share/doc/wimax/docs/glossary.md") if path.is_file()), source / "docs/glossary.md")


def glossary(text):
    """(section, words, meaning) of each row of the tables that begin with `word`."""
    rows = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        for table in re.findall(r"^\| word \| what \|\n\|[-|]+\|\n((?:\|.*\n?)+)", section, re.M):
            for line in table.splitlines():
                words, meaning = (cell.strip() for cell in line.strip().strip("|").split(" | ", 1))
                meaning = re.sub(r" ?\[([^]]*)\]\([^)]*\)", r" \1", meaning)
                rows.append((section.splitlines()[0], re.findall(r"`([^`]+)`", words), meaning.replace("`", "")))
    return rows


def plain(word):
    """Lower case, without hyphens, underscores and spaces: 64qam is 64-QAM."""
    return re.sub(r"(?<=.)[-_ ]", "", word.lower())


def explanations(rows, word):
    """Rows that define the word; without any, rows whose words contain it."""
    word = plain(word)
    exact = [row for row in rows if word in map(plain, row[1])]
    return exact or [row for row in rows if len(word) >= SHORTEST_PART and any(word in plain(w) for w in row[1])]


def similar(rows, word):
    words = {plain(w): w for _, ws, _ in rows for w in ws}
    return [words[match] for match in difflib.get_close_matches(plain(word), words, n=3)]


def main(argv=None):
    parser = argparse.ArgumentParser(prog="wimax explain", description=__doc__, epilog="example: ./wimax explain CINR")
    parser.add_argument("word", nargs="*", metavar="WORD", help="word to explain, in any case; default: list all words")
    word, rows = " ".join(parser.parse_args(argv).word), glossary(document().read_text(encoding="utf-8"))
    if not word:
        for section in dict.fromkeys(row[0] for row in rows):
            print(f"{section}: {', '.join(w for s, words, _ in rows if s == section for w in words)}")
        return 0
    found = explanations(rows, word)
    for _, words, meaning in found:
        print(f"{', '.join(words)}: {meaning}")
    if not found:
        near = similar(rows, word)
        print(f"wimax explain: '{word}' is not known" + (f"; did you mean {' or '.join(near)}?" if near else "; ./wimax explain lists all words"), file=sys.stderr)
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main())
