# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work is, on standard error: a line that is overwritten on a terminal, a line now and then elsewhere. As
apps/tools/cli/progress.h, which the programs have."""
import contextlib
import os
import sys
import time

ON_TERMINAL_S, ELSEWHERE_S = (0.7, 0.2), (10, 30)  # until the first, between the others
LEAST_SHARE = 0.005  # with less done, the remaining time is unknown


class Progress:
    def __init__(self, program, out=None, now=time.monotonic):
        self.program, self.out, self.now = program, sys.stderr if out is None else out, now
        self.terminal, self.shown = self.out.isatty(), False
        self.first, self.step = ON_TERMINAL_S if self.terminal else ELSEWHERE_S
        self.begin = now()
        self.due = self.begin + self.first

    def show(self, share, what):
        """`share` of the work that is done, 0..1; `what` is at hand. As often as one likes."""
        now = self.now()
        if now < self.due:
            return
        self.due = now + self.step
        spent = now - self.begin
        line = f"{self.program}: {int(share * 100)} %, {what}, {duration(spent)}"
        if share > LEAST_SHARE:
            line += f", about {duration(spent * (1 - share) / share)} left"
        print(("\r\033[K" if self.terminal else "") + line, end="" if self.terminal else "\n", file=self.out, flush=True)
        self.shown = self.terminal

    def clear(self):
        """Before anything else is written to the terminal."""
        if self.shown:
            print("\r\033[K", end="", file=self.out, flush=True)
        self.shown = False


def duration(seconds):
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s" if whole < 3600 else f"{whole // 3600} h {whole // 60 % 60:02} min"


@contextlib.contextmanager
def whole_file(path):
    """A name to write to; `path` has what it had before until all of it is there. The ending stays: formats go by it. What is no
    file is written in place, and of a link what it leads to."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        yield path
        return
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, ".part-" + name)
    try:
        yield fresh
        os.replace(fresh, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
