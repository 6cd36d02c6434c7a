# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the cell, one after the other: the programs are asked when somebody wants the next one, and never else."""

import threading

import zmq

from wimax_tools import provenance
from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.bench.stack import ask
from wimax_tools.metrics.programs import Programs, in_folder
from wimax_tools.watch.cell import Sample, kind_of, picture

ANSWER_MS = 3000
HEARD_MS = 1000  # timeout of a request that is repeated at once
JOURNAL_LINES = 100


class Watcher:
    """Called from one thread at a time for pictures, from any for requests."""

    def __init__(self, elsewhere=None, folder=None):
        self._elsewhere, self._folder = dict(elsewhere or {}), folder
        self.programs = Programs(elsewhere, folder)
        self._context = zmq.Context()
        self._before = None
        self._lock = threading.Lock()

    def close(self):
        self.programs.close()
        self._context.destroy(linger=0)

    def endpoint(self, name):
        """None where there is no such program."""
        return {**in_folder(self._folder), **self._elsewhere}.get(name)

    def ask(self, name, request, answer_ms=ANSWER_MS):
        """None of a program that is silent or not there."""
        endpoint = self.endpoint(name)
        return ask(self._context, endpoint, request, answer_ms) if endpoint else None

    def picture(self):
        with self._lock:
            answers = self.programs.answers()
            sample = Sample({name: answer.status for name, answer in answers.items()})
            result = picture(sample, self._before, {name: answer.rates for name, answer in answers.items()})
            self._before = sample
        macs = [name for name, status in sample.statuses.items() if kind_of(status) in ("base", "subscriber")]
        result["rates"] = RATE_NAMES
        result["to_type"] = {"start": "sudo " + provenance.to_type("./wimax up"), "status": provenance.to_type("./wimax status")}
        result["events"] = self._events(macs)
        result["frames"] = self._frames(name for name in macs if kind_of(sample.statuses[name]) == "base")
        return result

    def signal(self, name):
        """What a PHY's receiver hears; None of one that is silent or no PHY."""
        return (self.ask(name, {"get": "signal"}, HEARD_MS) or {}).get("signal")

    def _events(self, macs):
        """The journals of all MACs, the latest first."""
        journals = {name: (self.ask(name, {"get": "events"}) or {}).get("events", {}) for name in macs}
        said = [dict(event, program=name) for name, journal in journals.items() for event in journal.get("events", ())]
        return sorted(said, key=lambda event: event["wall"], reverse=True)[:JOURNAL_LINES]

    def _frames(self, bases):
        """The last frame of each base station, burst by burst; of one that can tell."""
        answers = {name: self.ask(name, {"get": "frame"}) or {} for name in bases}
        return {name: answer["frame"] for name, answer in answers.items() if "frame" in answer}
