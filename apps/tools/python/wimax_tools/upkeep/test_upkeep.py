# SPDX-License-Identifier: GPL-3.0-or-later
import os
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.control import Failed, Refused
from wimax_tools.upkeep import command, supervision

FILES = ("bs.macd.yml", "channeld.yml", "bs.phyd.yml")


class Configurations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        for name in FILES:
            (self.folder / name).touch()

    def files(self, *names):
        return [self.folder / name for name in names]

    def test_the_name_says_which_program(self):
        programs = supervision.programs_of(self.files(*FILES))
        self.assertEqual([(p.name, p.kind) for p in programs], [("channeld", "channeld"), ("bs.phyd", "phyd"), ("bs.macd", "macd")])
        with self.assertRaisesRegex(Refused, r"notes.yml: allowed are names .* \[NAME.\]channeld.yml, \[NAME.\]phyd.yml, \[NAME.\]macd.yml"):
            supervision.programs_of(self.files("notes.yml"))
        with self.assertRaisesRegex(Refused, "ss.macd.yml: there is no such file"):
            supervision.programs_of(self.files("ss.macd.yml"))
        with self.assertRaisesRegex(Refused, "both are 'bs.macd'"):
            supervision.programs_of(self.files("bs.macd.yml", "bs.macd.yml"))

    def test_what_supervisord_reads(self):
        programs = supervision.programs_of(self.files("bs.macd.yml"))
        with mock.patch.dict(os.environ, SUDO_UID="1000", SUDO_GID="1001"), mock.patch.object(os, "geteuid", lambda: 0):
            ini = supervision.configuration(programs, Path("/opt/50% off/bin"), Path("/run/x"), Path("/var/log/x"))
        of = ini["program:bs.macd"]
        self.assertEqual(of["command"], f'"/opt/50%% off/bin/wimax-macd" --config "{self.folder}/bs.macd.yml"')
        self.assertEqual((of["autorestart"], of["exitcodes"], of["stdout_logfile"]), ("unexpected", "0,2", "/var/log/x/bs.macd.log"))
        self.assertEqual((ini["unix_http_server"]["chown"], ini["supervisord"]["user"]), ("1000:1001", "root"))
        with mock.patch.object(os, "geteuid", lambda: 1000):
            self.assertNotIn("chown", supervision.configuration(programs, Path("/b"), Path("/run/x"), Path("/l"))["unix_http_server"])

    def test_all_faults_before_anything_is_started(self):
        says = {"channeld": (0, ""), "phyd": (2, "bs.phyd.yml:3: role: required\n"), "macd": (2, "bs.macd.yml:1: rolle: unknown\n")}
        run = lambda words, **_: types.SimpleNamespace(returncode=says[words[0].rpartition("-")[2]][0], stderr=says[words[0].rpartition("-")[2]][1])  # noqa: E731
        with self.assertRaisesRegex(Refused, "^bs.phyd.yml:3: role: required\nbs.macd.yml:1: rolle: unknown$"):
            supervision.check(supervision.programs_of(self.files(*FILES)), Path("/b"), run)

    def test_logs_are_the_users_own(self):
        self.assertEqual(str(supervision.log_folder({}, 0)), "/var/log/wimax")
        self.assertEqual(str(supervision.log_folder({"XDG_STATE_HOME": "/s"}, 1000)), "/s/wimax")
        self.assertEqual(str(supervision.log_folder({"HOME": "/home/x"}, 1000)), "/home/x/.local/state/wimax")


class Status(unittest.TestCase):
    def test_in_words(self):
        station = {"state": "REG", "stations": [{"state": "operational"}, {"state": "ranging"}]}
        macd = {"role": "bs", "phy_alive": True, "stalled_s": 0.01, "synchronised": True, "station": station}
        for kind, given, words in (
                ("macd", None, "does not answer"), ("macd", macd, "1 of 2 stations operational"), ("macd", {**macd, "role": "ss"}, "REG"),
                ("macd", {**macd, "role": "ss", "synchronised": False}, "searching a base station"), ("macd", {**macd, "phy_alive": False}, "no PHY"),
                ("macd", {**macd, "stalled_s": 3.4}, "no frame for 3 s"),
                ("phyd", {"radio_open": True, "mac_attached": False, "late": 2, "radio": {"late": 3}}, "radio open, no MAC, late 5"),
                ("phyd", {"radio_open": False, "mac_attached": True, "late": 0}, "no radio, a MAC, late 0"),
                ("channeld", {"time_s": 12.34, "realtime_factor": 0.998, "radios": {"bs": {"streaming": True}, "ss": {"streaming": False}}},
                 "12.3 s at 1.00 of real time, 1 of 2 radios stream")):
            self.assertEqual(command.in_words(kind, given), words)

    def test_a_row_for_each(self):
        now = 1000
        kept = [{"name": "bs.phyd", "statename": "RUNNING", "pid": 7, "now": now, "start": now - 3723, "spawnerr": "", "exitstatus": 0},
                {"name": "bs.macd", "statename": "EXITED", "pid": 0, "now": now, "start": 900, "spawnerr": "", "exitstatus": 2}]
        rows = command.status_rows(types.SimpleNamespace(kept=lambda: kept), lambda endpoint: lambda request: None)
        self.assertEqual([tuple(row.values()) for row in rows], [
            ("bs.phyd", "running", 7, "1:02:03", "does not answer"),
            ("bs.macd", "exited", "-", "-", "ended with status 2; ./wimax logs bs.macd")])


class NoSupervisor(unittest.TestCase):
    def test_what_is_not_kept_running(self):
        with tempfile.TemporaryDirectory() as folder:
            idle = supervision.Supervisor(folder)
            self.assertIsNone(idle.programs())
            for ask in (idle.kept, idle.down, lambda: idle.restart("bs.macd"), lambda: idle.one("bs.macd")):
                with self.assertRaisesRegex(Failed, "nothing is kept running in .*: ./wimax up"):
                    ask()
