# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders and files that no other local user can have prepared: the rules of apps/common/safe_files.h."""

import contextlib
import errno
import os
import pwd
import stat
from pathlib import Path

from wimax_tools.control import Refused

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
NOBODY = 65534  # the owner that a user namespace shows for users it does not have
REMEDY = "remove it or set WIMAX_RUN"


def caller(environment=os.environ):
    """ID of the user who called sudo; None: not under sudo."""
    called = environment.get("SUDO_UID", "")
    return int(called) if os.geteuid() == 0 and called.isdigit() else None


def trusted_uids():
    """Users whose folders and files are accepted: root, this process's, and under sudo the one who called it."""
    return {0, os.geteuid()} | ({caller()} - {None})


@contextlib.contextmanager
def acting_as(uid):
    """Root uses the file rights of `uid` in this context, so that it can do no more in that user's folder than the user. For one thread."""
    if os.geteuid() != 0 or uid == 0:
        yield
        return
    gid = os.environ.get("SUDO_GID", "")
    group = os.getegid()
    os.setegid(int(gid) if gid.isdigit() and uid == caller() else group)
    try:
        os.seteuid(uid)
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)


def name_of(uid):
    with contextlib.suppress(KeyError):
        return f"user {uid} ({pwd.getpwuid(uid).pw_name})"
    return f"user {uid}"


def fault(path, reason):
    return Refused(f"{path}: {reason}; {REMEDY}")


def check(path, status, owners, is_kind=stat.S_ISDIR, kind="folder"):
    """Raises Refused unless it has this type, belongs to one of `owners`, and no other user may write it or replace its contents."""
    if stat.S_ISLNK(status.st_mode):
        raise fault(path, "is a symbolic link")
    if not is_kind(status.st_mode):
        raise fault(path, f"is no {kind}")
    if status.st_uid not in owners:
        raise fault(path, f"belongs to {name_of(status.st_uid)}, not to {' or '.join(name_of(uid) for uid in sorted(owners))}")
    sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # as /tmp: no user can replace the entries of others
    if status.st_mode & OTHERS_MAY_WRITE and not sticky:
        raise fault(path, f"other users may write it (mode {stat.S_IMODE(status.st_mode):04o}), allowed after chmod go-w")


def check_parent(path, owners):
    """The owner of the parent, or any user who may write it, could replace the folder."""
    status = path.parent.stat()
    if status.st_uid not in owners | {0, NOBODY}:
        raise fault(path, f"{path.parent} belongs to {name_of(status.st_uid)}")
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise fault(path, f"any user may replace it, for {path.parent} is writable without the sticky bit")


class Folder:
    """A checked folder, open. Operations through it stay in it, even if the folder is renamed or replaced by a link."""

    def __init__(self, path, descriptor, owners):
        self.path, self.fd, self.owners = Path(path), descriptor, owners
        self.owner = os.fstat(descriptor).st_uid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def open(self, name, flags, mode=FILE_MODE):
        """Descriptor of a regular file in the folder: not a link, one of `owners`, writable by no other user, under one name only."""
        path = self.path / name
        with acting_as(self.owner):
            try:
                descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=self.fd)
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise fault(path, "is a symbolic link") from error
                raise
        try:
            status = os.fstat(descriptor)
            check(path, status, self.owners | {self.owner}, stat.S_ISREG, "regular file")
            if status.st_nlink != 1:
                raise fault(path, "has another name, too (hard link)")
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def write_text(self, name, text, mode=FILE_MODE):
        """A new file that replaces any other of that name."""
        self.unlink(name)
        with os.fdopen(self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as out:
            os.fchmod(out.fileno(), mode)  # whatever the umask is
            out.write(text)

    def read_text(self, name, most=1 << 20):
        """Reads at most `most` characters; FileNotFoundError if there is no such file."""
        with os.fdopen(self.open(name, os.O_RDONLY), encoding="utf-8", errors="replace") as file:
            return file.read(most)

    def unlink(self, name):
        """Removes a file. True: it existed. A link is removed, not its target."""
        with acting_as(self.owner), contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.fd)
            return True
        return False


def check_server(endpoint):
    """Raises Refused if another user could serve this endpoint: by its folder, or by another object in place of the socket."""
    path = Path(endpoint.removeprefix("ipc://"))
    if not endpoint.startswith("ipc:///") or not path.parent.exists():
        return
    checked_folder(path.parent).close()
    with contextlib.suppress(FileNotFoundError):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise fault(path, "is a symbolic link")
        if status.st_uid not in trusted_uids():
            raise fault(path, f"belongs to {name_of(status.st_uid)}")


def maker(parent, owners):
    """User who makes a folder in `parent`: the user who called sudo if that user may, else that of this process."""
    by, status = caller(), parent.stat()
    may = status.st_uid == by or status.st_mode & stat.S_IWOTH
    return by if by in owners and may else os.geteuid()


def checked_folder(path, make=False, owners=None, mode=FOLDER_MODE):
    """The folder, open; raises Refused if it is a link, belongs to none of `owners` (default: trusted_uids()), or others may write it.

    `make`: makes it first where it is not there, with its parents; under sudo it belongs to the user who called, if `owners` has that one.
    FileNotFoundError: it is not there.
    """
    path, owners = Path(path), trusted_uids() if owners is None else set(owners)
    if make and not os.path.lexists(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        check_parent(path, owners)
        with acting_as(maker(path.parent, owners)), contextlib.suppress(FileExistsError):
            os.mkdir(path, mode)
    check(path, os.lstat(path), owners)
    check_parent(path, owners)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        check(path, os.fstat(descriptor), owners)
        return Folder(path, descriptor, owners)
    except BaseException:
        os.close(descriptor)
        raise

