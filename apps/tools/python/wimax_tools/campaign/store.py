# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's results: a journal, a line for each point as soon as it is done, and a Parquet table of it.

A line is on the disk before the next is written; a partial line of a killed process is dropped when the campaign continues."""
import json
import os
from pathlib import Path


class StoreError(RuntimeError):
    pass


JOURNAL = "rows.jsonl"


def read(journal):
    """Head and rows of a journal, and how many octets they have: what a killed process left half written is none."""
    whole = Path(journal).read_bytes().split(b"\n")[:-1]
    return json.loads(whole[0]) if whole else None, [json.loads(line) for line in whole[1:]], sum(len(line) + 1 for line in whole)


class Store:
    def __init__(self, folder, fingerprint, commit):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.journal = self.folder / JOURNAL
        self.rows, self.repeated = {}, 0
        head = {"campaign": fingerprint, "commit": commit}
        self._read(head)
        self._file = open(self.journal, "ab")  # noqa: SIM115 - closed by close()
        if self.journal.stat().st_size == 0:
            self._write(head)

    def _read(self, head):
        if not self.journal.exists():
            return
        known, rows, octets = read(self.journal)
        if known not in (None, head):
            raise StoreError(f"{self.journal} holds another campaign or another commit's ({known['campaign']}, {known['commit']}): give another --out")
        for row in rows:
            self._take(row)
        if self.journal.stat().st_size > octets:
            os.truncate(self.journal, octets)

    def _take(self, row):
        key = (row["group"], row["seed"])
        if key in self.rows:
            self.repeated += 1
        self.rows.setdefault(key, row)

    def _write(self, value):
        self._file.write(json.dumps(value).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def add(self, row):
        self._take(row)
        self._write(row)

    def has(self, point):
        return (point.group, point.seed) in self.rows

    def sorted(self):
        return [self.rows[key] for key in sorted(self.rows)]

    def table(self):
        """Rewrites the whole file; returns the path."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise StoreError(f"no Parquet table without pyarrow ({error}); all rows are in {self.journal}") from error
        rows = self.sorted()
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: pyarrow.array(column([flat(row.get(name)) for row in rows])) for name in names}
        path = self.folder / "results.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)
        return path

    def close(self):
        self._file.close()


def column(values):
    """Texts and numbers of one column become texts."""
    texts = any(isinstance(value, str) for value in values)
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values] if texts else values


def flat(value):
    """Parquet's columns hold one type; what is deeper is JSON in them."""
    return json.dumps(value) if isinstance(value, (dict, list)) else value
