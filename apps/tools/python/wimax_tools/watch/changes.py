# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page changes: through the control socket at once, and in the configuration file where that is asked for.

The programs check everything, with the words that they have for their files."""

import os
import random
from pathlib import Path

from wimax_tools.control import Failed, Refused, asked
from wimax_tools.flows.command import result_of

BEGIN_MARK = "---"  # of a YAML document; a file that has it ends with "..."
FLOW_VERBS = ("flows.add", "flows.change", "flows.delete")
NOT_OF_THE_FILE = {"id", "sfid", "station", "state", "classifiers"}


class Changes:
    def __init__(self, ask, file=None):
        """`ask(program, request)`; `file`: configuration of the base station whose flows are written."""
        self._ask, self._file = ask, Path(file) if file else None

    @property
    def file(self):
        return str(self._file) if self._file else None

    def make(self, program, key, value, write=False):
        """What was done, in a line or two. Refused: what is wrong, in the program's words."""
        if write and not self._file:
            raise Refused("no file to write to: begin with --file CONFIG; nothing is changed")
        if not isinstance(program, str) or not isinstance(key, str):
            raise Refused("a change has program, key and value")

        def ask(request):
            return self._ask(program, request)

        was = self._flow_of(ask, value) if key in FLOW_VERBS and isinstance(value, dict) else {}
        done = self._change_flow(ask, key, value) if key in FLOW_VERBS else self._set(ask, key, value)
        return [done, self._written(key, value, was) if write else self._not_written(key)]

    def text(self):
        if not self._file:
            raise Refused("no file to show: begin with --file CONFIG")
        return self._file.read_text(encoding="utf-8")

    def replace(self, program, text):
        """The whole file; where the program refuses it, it is as it was."""
        was = self.text()
        write_whole(self._file, text)
        try:
            asked(lambda request: self._ask(program, request), {"set": {"reload": True}})
        except (Refused, Failed):
            write_whole(self._file, was)
            raise
        left = asked(lambda request: self._ask(program, request), {"get": "reload"})["reload"]["unchanged"]
        return [f"{self._file} written and read again"] + [f"{key} changes with a restart only" for key in left]

    @staticmethod
    def _set(ask, key, value):
        asked(ask, {"set": {key: value}})
        return f"{key}: done"

    @staticmethod
    def _change_flow(ask, key, value):
        if not isinstance(value, dict):
            asked(ask, {"set": {key: value}})  # its error reports what is wrong
            raise Failed("taken, though it is no flow")
        number = random.getrandbits(48)
        asked(ask, {"set": {key: {**value, "id": number}}})
        result = result_of(ask, number)
        if not result["ok"]:
            raise Failed(f"flow {result['sfid']}: {result['text']} (code {result['code']})")
        return f"flow {result['sfid']}: {result['text']}"

    @staticmethod
    def _flow_of(ask, value):
        flows = asked(ask, {"get": "flows"})["flows"]["flows"]
        return next((flow for flow in flows if flow["sfid"] == value.get("sfid")), {})

    def _not_written(self, key):
        if key not in FLOW_VERBS and key != "profile":
            return "holds while the program runs"
        return f"not written to {self._file or 'a file'}: a restart or a reload takes it back"

    def _written(self, key, value, was):
        from ruamel.yaml import YAML  # keeps comments; --help works without it
        yaml = YAML()
        yaml.preserve_quotes = True
        yaml.width = 150
        yaml.indent(mapping=2, sequence=4, offset=2)
        before, text = parted_at_mark(self.text())
        yaml.explicit_start = yaml.explicit_end = text.startswith(BEGIN_MARK)  # with both, a file that was cut is refused
        document = yaml.load(text)
        fault = into_file(document, key, value, was)
        if fault:
            return f"not written to {self._file}: {fault}"
        temporary = self._file.with_name(self._file.name + ".new")
        with temporary.open("w", encoding="utf-8") as out:
            out.write(before)
            yaml.dump(document, out)
        exchange(temporary, self._file)
        return f"written to {self._file}"


def parted_at_mark(text):
    """Comments before the begin mark, which the library would drop, and the rest; no comments where there is no mark."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.rstrip() == BEGIN_MARK:
            return "".join(lines[:number]), "".join(lines[number:])
        if line.strip() and not line.startswith("#"):
            break
    return "", text


def exchange(temporary, path):
    """No reader sees half a file, and its rights stay."""
    temporary.chmod(path.stat().st_mode & 0o777)
    os.replace(temporary, path)


def write_whole(path, text):
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    exchange(temporary, path)


def into_file(document, key, value, was):
    """The change in the file's own terms; returns why it cannot stand there."""
    base = document.setdefault("bs", {})
    if key == "profile":
        base.setdefault("profile", {}).update(value)
        return None
    if key not in FLOW_VERBS:
        return f"{key} is nothing that a file has"
    name = was.get("name") or value.get("name")
    if not name:
        return "a flow without a name has no place there"
    flows = base.setdefault("service_flows", [])
    known = next((flow for flow in flows if flow["name"] == name), None)
    if key == "flows.add":
        return add_flow(base, flows, known, name, value)
    if known is None:
        return f"it has no service flow {name}"
    if key == "flows.change":
        known.update({k: v for k, v in value.items() if k not in NOT_OF_THE_FILE})
        return None
    return remove_flow(base, name, was)


def station_of(base, mac):
    return next((one for one in base.setdefault("stations", []) if one["mac"].lower() == str(mac).lower()), None)


def add_flow(base, flows, known, name, value):
    if known is not None:
        return f"it has a service flow {name} already"
    station = station_of(base, value["station"])
    if station is None:
        station = {"mac": value["station"]}
        base["stations"].append(station)
    flows.append({"name": name, **{k: v for k, v in value.items() if k not in NOT_OF_THE_FILE and k != "name"}})
    if not station.get("flows"):
        station["flows"] = []
    station["flows"].append(name)
    return None


def remove_flow(base, name, was):
    station = station_of(base, was.get("station"))
    if station is None or name not in (station.get("flows") or ()):
        return f"no station there has the service flow {name}"
    station["flows"].remove(name)
    return None
