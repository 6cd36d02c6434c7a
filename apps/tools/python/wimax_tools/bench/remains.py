# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stack has on this machine - programs, network namespaces, folders - as a list on disk, so that somebody else can remove it
when its owner was killed.

A process is named by its number and the moment it began, since numbers come again.
"""
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from wimax_tools.control import Refused
from wimax_tools.safe_files import checked_folder

FOLDERS = "/tmp"            # where sockets' folders of stacks are
PREFIX = "wimax-"
LIST = "remains.jsonl"
WAIT_S = 3.0                # between SIGTERM and SIGKILL


def began(pid):
    """In clock ticks since boot; None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


class Remains:
    """A stack writes it during its run."""

    def __init__(self, folder):
        self.path = Path(folder) / LIST
        self.note(owner=os.getpid(), began=began(os.getpid()))

    def note(self, **what):
        with open(self.path, "a", encoding="utf-8") as out:
            out.write(json.dumps(what) + "\n")

    def process(self, pid):
        self.note(process=pid, began=began(pid))


def text_of(path):
    """None: another user may have written it. Root would remove whatever folder it names, and end whatever process."""
    try:
        with checked_folder(path.parent, owners={os.geteuid()}) as folder:
            return folder.read_text(path.name)
    except (OSError, Refused):
        return None


def notes_of(path):
    """A list that was being written when its owner was killed ends in half a line."""
    result = []
    for line in (text_of(path) or "").splitlines():
        try:
            result.append(json.loads(line))
        except ValueError:
            break
    return result


def lives(note, key):
    return note[key] if key in note and note["began"] is not None and began(note[key]) == note["began"] else None


def processes_in(namespace):
    done = subprocess.run(["ip", "netns", "pids", namespace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return [int(pid) for pid in done.stdout.split()]


def end(pids):
    """SIGTERM, and SIGKILL for those that take no notice."""
    for sent, wait_s in ((signal.SIGTERM, WAIT_S), (signal.SIGKILL, WAIT_S)):
        for pid in pids:
            try:
                os.kill(pid, sent)
            except ProcessLookupError:
                pass
        until = time.monotonic() + wait_s
        while (pids := [pid for pid in pids if began(pid) is not None]) and time.monotonic() < until:
            time.sleep(0.05)
        if not pids:
            return


def remove(path):
    """Removes what one list names; prints what was there."""
    notes = notes_of(path)
    existing = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    namespaces = [note["namespace"] for note in notes if note.get("namespace") in existing]
    pids = {pid for pid in (lives(note, "process") for note in notes) if pid} | {pid for n in namespaces for pid in processes_in(n)}
    end(sorted(pids))
    for namespace in namespaces:
        subprocess.run(["ip", "netns", "delete", namespace], stderr=subprocess.DEVNULL, check=False)
    folders = [note["folder"] for note in notes if "folder" in note and Path(note["folder"]).exists()]
    for folder in [*folders, path.parent]:
        shutil.rmtree(folder, ignore_errors=True)
    return {"processes": len(pids), "namespaces": len(namespaces), "folders": len(folders) + 1}


def ownerless(folders=FOLDERS):
    """Lists of this user whose owner is gone."""
    lists = [path for path in sorted(Path(folders).glob(f"{PREFIX}*/{LIST}")) if text_of(path) is not None]
    return [path for path in lists if not any(lives(note, "owner") for note in notes_of(path))]
