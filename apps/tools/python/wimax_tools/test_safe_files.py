# SPDX-License-Identifier: GPL-3.0-or-later
import os
import shutil
import socket
import stat
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools import control, safe_files
from wimax_tools.control import Refused
from wimax_tools.metrics import programs

ALICE, BOB = 1001, 1002  # two users of this host, without accounts


def as_user(uid, work, environment=None):
    """What work() returns or refuses, as text, in a process of that user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        for name in ("SUDO_UID", "SUDO_GID", "WIMAX_RUN", "XDG_RUNTIME_DIR"):
            os.environ.pop(name, None)
        os.environ.update(environment or {})
        os.umask(0o022)
        if uid:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        try:
            text = str(work())
        except BaseException as error:  # reported, whatever it is: the parent looks at the text
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        text = answers.read()
    os.waitpid(child, 0)
    return text


@unittest.skipUnless(os.geteuid() == 0, "needs root: acts as two users")
class TwoUsers(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        self.place.chmod(0o1777)  # as /tmp
        self.run = self.place / "wimax-1001"

    def take(self, uid=ALICE, environment=None, **options):
        def work():
            os.umask(0)
            with safe_files.checked_folder(self.run, make=True, **options) as folder:
                folder.write_text("supervisord.conf", "[supervisord]")
                return folder.owner
        return as_user(uid, work, environment)

    def test_a_folder_is_made_for_its_user_alone(self):
        self.assertEqual(self.take(), "1001")
        status = self.run.stat()
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (ALICE, 0o700))
        file = (self.run / "supervisord.conf").stat()
        self.assertEqual((file.st_uid, stat.S_IMODE(file.st_mode)), (ALICE, 0o600))

    def test_under_sudo_it_is_the_callers(self):
        self.assertEqual(self.take(0, {"SUDO_UID": str(ALICE), "SUDO_GID": str(ALICE)}), "1001")
        self.assertEqual((self.run.stat().st_uid, (self.run / "supervisord.conf").stat().st_uid), (ALICE, ALICE))

    def test_what_another_user_has_prepared_is_refused(self):
        """Made before by another user, with any mode, for the user and for root in the user's name."""
        for mode in (0o700, 0o755, 0o777, 0o1777):
            for who, environment in ((ALICE, {}), (0, {"SUDO_UID": str(ALICE)}), (0, {})):
                as_user(BOB, lambda mode=mode: (self.run.mkdir(), self.run.chmod(mode)))
                self.assertRegex(self.take(who, environment), "Refused: .*wimax-1001: belongs to user 1002.*; remove it or set WIMAX_RUN", (mode, who))
                self.assertEqual(list(self.run.iterdir()), [])
                self.run.rmdir()

    def test_a_link_is_refused(self):
        home = self.place / "home"
        as_user(ALICE, home.mkdir)
        as_user(BOB, lambda: self.run.symlink_to(home))
        for who, environment in ((ALICE, {}), (0, {"SUDO_UID": str(ALICE)})):
            self.assertRegex(self.take(who, environment), "Refused: .*wimax-1001: is a symbolic link; remove it")
        self.assertEqual(list(home.iterdir()), [])

    def test_what_others_may_write_is_refused(self):
        for mode in (0o770, 0o707, 0o777, 0o720):
            as_user(ALICE, lambda mode=mode: (self.run.mkdir(exist_ok=True), self.run.chmod(mode)))
            self.assertRegex(self.take(), f"Refused: .*other users may write it \\(mode {mode:04o}\\), allowed after chmod go-w; remove it")
        for mode in (0o700, 0o750, 0o755, 0o1777):
            as_user(ALICE, lambda mode=mode: self.run.chmod(mode))
            self.assertEqual(self.take(), "1001", oct(mode))

    def test_a_place_where_others_can_replace_it_is_refused(self):
        for owner, mode, reason in ((0, 0o777, "any user may replace it"), (BOB, 0o755, f"{self.place} belongs to user 1002")):
            os.chown(self.place, owner, owner)
            self.place.chmod(mode)
            self.run.mkdir(exist_ok=True)
            os.chown(self.run, ALICE, ALICE)
            self.run.chmod(0o700)
            self.assertIn(reason, self.take())

    def test_root_takes_no_folder_of_the_caller_where_it_needs_its_own(self):
        as_user(ALICE, self.run.mkdir)
        self.assertRegex(self.take(0, {"SUDO_UID": str(ALICE)}, owners={0}), r"Refused: .*belongs to user 1001.*, not to user 0 \(root\)")

    def test_files_that_are_links_or_anothers_are_refused(self):
        precious = self.place / "precious"
        as_user(ALICE, lambda: precious.write_text("dear"))
        self.run.mkdir()
        self.run.chmod(0o1777)

        def read():
            with safe_files.checked_folder(self.run) as folder:
                return folder.read_text("pid")
        for prepare, reason in ((lambda: (self.run / "pid").symlink_to(precious), "is a symbolic link"),
                                (lambda: (self.run / "pid").write_text("1"), "belongs to user 1002"),
                                (lambda: os.mkfifo(self.run / "pid"), "is no regular file"),
                                (lambda: (self.run / "pid").mkdir(), "is no regular file")):
            as_user(BOB, prepare)
            self.assertRegex(as_user(ALICE, read), f"Refused: .*/pid: {reason}")
            (self.run / "pid").rmdir() if (self.run / "pid").is_dir() else (self.run / "pid").unlink()
        os.link(precious, self.run / "pid")
        self.assertRegex(as_user(ALICE, read), "Refused: .*hard link")
        self.assertEqual(precious.read_text(), "dear")

    def test_root_can_do_no_more_than_the_caller_in_the_callers_folder(self):
        """The caller puts a link to a file of root's in place after all checks."""
        secret = self.place / "secret"
        secret.write_text("root's")
        secret.chmod(0o600)
        as_user(ALICE, self.run.mkdir)
        as_user(ALICE, lambda: (self.run / "pid").symlink_to(secret))

        def work():
            with safe_files.checked_folder(self.run) as folder, mock.patch.object(os, "O_NOFOLLOW", 0):
                return folder.read_text("pid")
        self.assertIn("PermissionError", as_user(0, work, {"SUDO_UID": str(ALICE)}))

    def test_no_other_user_answers_for_a_program(self):
        endpoint = f"ipc://{self.run}/bs.macd.ctl"

        def serve():
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(self.run / "bs.macd.ctl"))
        self.assertEqual(as_user(ALICE, lambda: safe_files.check_server(endpoint)), "None", "no program has run")
        as_user(BOB, lambda: (self.run.mkdir(), serve()))
        self.assertRegex(as_user(ALICE, lambda: safe_files.check_server(endpoint)), "Refused: .*wimax-1001: belongs to user 1002")
        self.assertEqual(as_user(ALICE, lambda: programs.is_there(endpoint)), "False")
        os.chown(self.run, 0, 0)
        self.run.chmod(0o1777)
        self.assertRegex(as_user(ALICE, lambda: safe_files.check_server(endpoint)), "Refused: .*bs.macd.ctl: belongs to user 1002")
        (self.run / "bs.macd.ctl").unlink()
        as_user(BOB, lambda: (self.run / "bs.macd.ctl").symlink_to("/run/other"))
        self.assertRegex(as_user(ALICE, lambda: safe_files.check_server(endpoint)), "Refused: .*bs.macd.ctl: is a symbolic link")
        (self.run / "bs.macd.ctl").unlink()
        as_user(ALICE, serve)
        self.assertEqual([as_user(uid, lambda: safe_files.check_server(endpoint), {"SUDO_UID": str(ALICE)}) for uid in (ALICE, 0)], ["None", "None"])
        self.assertEqual(as_user(ALICE, lambda: programs.is_there(endpoint)), "True")
        with mock.patch("builtins.print"):
            options = types.SimpleNamespace(control=endpoint)
            os.chown(self.run / "bs.macd.ctl", BOB, BOB)
            self.assertEqual(control.main("ctl", options, lambda _, ask: ask({"get": "status"})), 2)

    def test_what_is_open_stays_when_the_name_changes(self):
        as_user(ALICE, self.run.mkdir)

        def work():
            with safe_files.checked_folder(self.run) as folder:
                self.run.rename(self.place / "moved")
                self.run.mkdir()
                folder.write_text("file", "text")
        as_user(ALICE, work)
        self.assertEqual((list(self.run.iterdir()), (self.place / "moved/file").read_text()), ([], "text"))


class Alone(unittest.TestCase):
    def test_a_second_close_closes_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            folder = safe_files.checked_folder(Path(place))
            folder.close()
            with open(os.devnull, encoding="utf-8") as other:  # has the folder's number
                folder.close()
                os.fstat(other.fileno())

    def test_a_folder_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as place:
            with self.assertRaises(FileNotFoundError):
                safe_files.checked_folder(Path(place, "run"))
            with safe_files.checked_folder(Path(place, "deep/run"), make=True) as folder:
                self.assertFalse(folder.unlink("nothing"))
                folder.write_text("one", "first")
                folder.write_text("one", "second")
                self.assertEqual(folder.read_text("one"), "second")
                self.assertTrue(folder.unlink("one"))
                Path(place, "file").touch()
            with self.assertRaisesRegex(Refused, "is no folder"):
                safe_files.checked_folder(Path(place, "file"))
