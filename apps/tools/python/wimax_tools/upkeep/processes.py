# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of this host's programs: found by the locks that they hold, ended all at once.

The text of a lock file proves nothing, since the file is in a folder of the user. The kernel's list of locks has its holder.
"""
import contextlib
import os
import select
import signal
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from wimax_tools.control import Failed
from wimax_tools.safe_files import trusted_uids

KINDS = ("channeld", "phyd", "macd")  # in the order of their start; none needs it
MANAGED = "managed"  # servers for managed stations: started with the configuration of a MAC
ORDER = (*KINDS, MANAGED)
LOCK = ".lock"
CONTROL_LOCK = ".ctl" + LOCK
MARK = "WIMAX_SUPERVISOR"  # environment variable of all that a supervisor starts: the supervisor's folder
GRACE_S = 6  # between SIGTERM and SIGKILL
KILL_S = 1   # a killed process is gone by then, unless the kernel holds it


@dataclass(frozen=True)
class Process:
    pid: int
    name: str  # of the program
    kind: str
    supervisor: str | None  # folder of the one that started it; "": started by hand, None: another user's process does not show that

    def __str__(self):
        return f"{self.name} (process {self.pid})"


def flocks():
    """Processes that hold a lock on a whole file, by the file's inode number."""
    holders = {}
    for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK":  # those that wait for it have "->" there
            holders.setdefault(int(words[5].rpartition(":")[2]), set()).add(int(words[4]))
    return holders


def lock_files(folder):
    """Name and status of each lock file of the folder; links are left out."""
    with contextlib.suppress(FileNotFoundError, PermissionError, NotADirectoryError), os.scandir(folder) as entries:
        return [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries
                if entry.name.endswith(LOCK) and entry.is_file(follow_symlinks=False)]
    return []


def has_open(pid, status):
    """Whether the process has the file open; also true where another user's process does not show its files."""
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except PermissionError:
        return True
    except OSError:
        return False
    for number in numbers:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(f"/proc/{pid}/fd/{number}"), status):
                return True
    return False


def holders_of(status, locks):
    """Numbers of the processes that hold the lock file; `locks` as flocks() returns them."""
    return {pid for pid in locks.get(status.st_ino, ()) if has_open(pid, status)}


def holder_of(path):
    """Number of the process that holds the lock file; None: no process does."""
    with contextlib.suppress(OSError):
        return next(iter(holders_of(os.lstat(path), flocks())), None)
    return None


def environment_of(pid):
    """None: another user's process does not show it."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return None
    return dict(item.split("=", 1) for item in text.split("\0") if "=" in item)


def kind_of(pid):
    """None: no program of ours, or one of a user who has nothing to do with this folder."""
    try:
        command, owner = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip(), os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
    kind = command.removeprefix("wimax-")
    return kind if kind != command and kind in ORDER and owner in trusted_uids() else None


def rename(kind):
    """Gives this process the name of a program, by which kind_of() finds it."""
    Path("/proc/self/comm").write_text(f"wimax-{kind}", encoding="ascii")


def name_by(locks):
    """Of the program that holds them: its control socket has its name."""
    return min(locks, key=lambda name: (not name.endswith(CONTROL_LOCK), name)).removesuffix(LOCK).removesuffix(".ctl")


def processes_of(folder, place):
    """Those that serve a socket of the runtime folder, and those that the supervisor of folder `place` has started."""
    holders, found = flocks(), []
    held_by = [(name, holders_of(status, holders)) for name, status in lock_files(folder)]
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
        kind = kind_of(pid)
        if kind is None:
            continue
        held = [name for name, pids in held_by if pid in pids]
        environment = environment_of(pid)
        supervisor = None if environment is None else environment.get(MARK, "")
        if held or supervisor == str(place):
            name = (environment or {}).get("SUPERVISOR_PROCESS_NAME") or (name_by(held) if held else kind)
            found.append(Process(pid, name, kind, supervisor))
    return sorted(found, key=lambda process: (ORDER.index(process.kind), process.name, process.pid))


class Handle:
    """A process by descriptor: signals never reach another process that has got the same number."""

    def __init__(self, process):
        self.process = process
        self.fd = os.pidfd_open(process.pid)

    def send(self, number):
        try:
            signal.pidfd_send_signal(self.fd, number)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise Failed(f"{self.process} belongs to another user") from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)


def still_there(handles, seconds):
    """Those that have not ended by then."""
    until, left = time.monotonic() + seconds, {handle.fd: handle for handle in handles}
    waiting = select.poll()
    for fd in left:
        waiting.register(fd, select.POLLIN)
    while left:
        ended = waiting.poll(max(0, (until - time.monotonic()) * 1000))
        if not ended:
            break
        for fd, _ in ended:
            waiting.unregister(fd)
            del left[fd]
    return list(left.values())


def end(processes, still_ours, asked=()):
    """Ends them all at once, hung ones by force. `still_ours()` finds processes again, after their numbers cannot change hands any more.

    Processes whose numbers are in `asked` have been sent SIGTERM already: a second one would end them before they have cleaned up.
    """
    with contextlib.ExitStack() as stack:
        handles = []
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                handles.append(stack.enter_context(Handle(process)))
        confirmed = set(still_ours()) if handles else set()
        handles = [handle for handle in handles if handle.process in confirmed]
        for handle in handles:
            if handle.process.pid not in asked:
                handle.send(signal.SIGTERM)
            handle.send(signal.SIGCONT)  # a stopped process acts on SIGTERM when it continues
        hung = still_there(handles, GRACE_S)
        for handle in hung:
            handle.send(signal.SIGKILL)
        if left := still_there(hung, KILL_S):
            raise Failed("the kernel does not end " + ", ".join(str(handle.process) for handle in left))


def remove_leftovers(folder):
    """Sockets and lock files that no process holds, of the folder (safe_files.Folder)."""
    holders = flocks()
    for name, status in lock_files(folder.fd):
        if not holders_of(status, holders):
            socket = name.removesuffix(LOCK)
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISSOCK(os.stat(socket, dir_fd=folder.fd, follow_symlinks=False).st_mode):
                    folder.unlink(socket)
            folder.unlink(name)
