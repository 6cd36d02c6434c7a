# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import fcntl
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

from supervisor.process import Subprocess
from supervisor.states import ProcessStates

from wimax_tools.control import Failed, Refused
from wimax_tools.exit_status import FINAL, ExitStatus, exit_status_of
from wimax_tools.test_safe_files import ALICE, BOB, as_user
from wimax_tools.upkeep import command, keeper, processes, supervision

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
        (self.folder / "notes.yml").touch()
        with self.assertRaisesRegex(Refused, r"notes.yml: the name does not say .* allowed: \[NAME.\]channeld.yml, \[NAME.\]phyd.yml, \[NAME.\]macd.yml"):
            supervision.programs_of(self.files("notes.yml"))
        for name in ("ss.macd.yml", "nope.yml"):
            with self.assertRaisesRegex(Refused, f"{name}: no such file"):
                supervision.programs_of(self.files(name))
        with self.assertRaisesRegex(Refused, "both have the name 'bs.macd'"):
            supervision.programs_of(self.files("bs.macd.yml", "bs.macd.yml"))

    def test_what_supervisord_reads(self):
        programs = supervision.programs_of(self.files("bs.macd.yml"))
        with mock.patch.object(os, "geteuid", lambda: 0):
            ini = supervision.configuration(programs, Path("/opt/50% off/bin"), Path("/run/x"), Path("/var/log/x"))
        of = ini["program:bs.macd"]
        self.assertEqual(of["command"], f'"/opt/50%% off/bin/wimax-macd" --config "{self.folder}/bs.macd.yml"')
        self.assertEqual((of["autorestart"], of["exitcodes"], of["stdout_logfile"]), ("unexpected", "0,2", "/var/log/x/bs.macd.log"))
        self.assertEqual((ini["unix_http_server"]["chmod"], ini["supervisord"]["user"]), ("0700", "root"))
        with mock.patch.object(os, "geteuid", lambda: 1000):
            self.assertNotIn("user", supervision.configuration(programs, Path("/b"), Path("/run/x"), Path("/l"))["supervisord"])

    def test_control_endpoints_of_what_will_be_started(self):
        texts = {"channeld": "control:\n  endpoint: ipc://{run}/channeld.ctl\n", "phyd": "control:\n  endpoint: ''\n", "macd": "# nothing\n"}
        run = lambda words, **_: types.SimpleNamespace(returncode=0, stdout=texts[words[0].rpartition("-")[2]])  # noqa: E731
        programs = supervision.programs_of(self.files(*FILES))
        self.assertEqual(supervision.endpoints_of(programs, supervision.check(programs, Path("/b"), run)),
                         {"channeld": "ipc://{run}/channeld.ctl", "bs.phyd": "", "bs.macd": ""})

    def test_servers_of_managed_stations(self):
        programs = supervision.programs_of(self.files(*FILES))
        managed = {"role": "bs", "managed": {"policy": "allowed", "lab_folder": "/lab"}}
        configurations = {"channeld": {}, "bs.phyd": {"role": "bs"}, "bs.macd": managed}
        servers = supervision.servers_of(programs, configurations)
        self.assertEqual([(p.name, p.kind, p.file) for p in servers], [("bs.managed", "managed", self.folder / "bs.macd.yml")])
        of = supervision.configuration(servers, Path("/b"), Path("/run/x"), Path("/l"))["program:bs.managed"]
        self.assertEqual((of["command"], of["stdout_logfile"]),
                         (f'"{sys.executable}" -B -P -m "wimax_tools.managed" "{self.folder}/bs.macd.yml"', "/l/bs.managed.log"))
        self.assertEqual(supervision.endpoints_of(servers, configurations), {"bs.managed": ""})
        for managed in ({"policy": False, "lab_folder": "/lab"}, {"policy": "allowed", "lab_folder": ""}):
            self.assertEqual(supervision.servers_of(programs, {**configurations, "bs.macd": {"role": "bs", "managed": managed}}), [])

    def test_all_faults_before_anything_is_started(self):
        says = {"channeld": (0, ""), "phyd": (2, "bs.phyd.yml:3: role: required\n"), "macd": (2, "bs.macd.yml:1: rolle: unknown\n")}
        run = lambda words, **_: types.SimpleNamespace(returncode=says[words[0].rpartition("-")[2]][0], stdout="", stderr=says[words[0].rpartition("-")[2]][1])  # noqa: E731
        with self.assertRaisesRegex(Refused, "^bs.phyd.yml:3: role: required\nbs.macd.yml:1: rolle: unknown$"):
            supervision.check(supervision.programs_of(self.files(*FILES)), Path("/b"), run)

    def test_logs_are_the_users_own(self):
        self.assertEqual(str(supervision.log_folder({}, 0)), "/var/log/wimax")
        self.assertEqual(str(supervision.log_folder({"XDG_STATE_HOME": "/s"}, 1000)), "/s/wimax")
        self.assertEqual(str(supervision.log_folder({"HOME": "/home/x"}, 1000)), "/home/x/.local/state/wimax")
        with mock.patch.object(supervision.pwd, "getpwuid", lambda uid: types.SimpleNamespace(pw_dir=f"/home/{uid}")):
            self.assertEqual(str(supervision.log_folder({}, 1000)), "/home/1000/.local/state/wimax", "never in /tmp, where another user may make it")

    @unittest.skipUnless(os.geteuid() == 0, "needs root: acts for another user")
    def test_the_caller_of_sudo_may_read_older_logs(self):
        logs = self.folder / "logs"
        with mock.patch.dict(os.environ):
            os.environ.pop("SUDO_UID", None)
            supervision.prepare_log_folder(logs)
        log = logs / "bs.macd.log"
        log.touch(mode=0o640)
        with mock.patch.dict(os.environ, SUDO_UID=str(ALICE), SUDO_GID=str(ALICE)):
            supervision.prepare_log_folder(logs)
        self.assertEqual([(path.stat().st_uid, path.stat().st_gid) for path in (logs, log)], [(0, ALICE)] * 2)


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
        kept = [{"name": "bs.phyd", "statename": "RUNNING", "pid": 7, "now": now, "start": now - 3723, "spawnerr": "", "stdout_logfile": "/none"},
                {"name": "bs.macd", "statename": "EXITED", "pid": 0, "now": now, "start": 900, "spawnerr": "exit status 2", "stdout_logfile": "/none"}]
        left = [processes.Process(9, "ss.macd", "macd", None)]
        supervisor = types.SimpleNamespace(kept=lambda: kept, programs=lambda: kept, unsupervised=lambda: left)
        rows = command.status_rows(supervisor, lambda endpoint: lambda request: None)
        self.assertEqual([tuple(row.values()) for row in rows], [
            ("bs.phyd", "running", 7, "1:02:03", "does not answer"),
            ("bs.macd", "exited", "-", "-", " (exit status 2: configuration refused); correct it, then: ./wimax restart bs.macd"),
            ("ss.macd", "unsupervised", 9, "-", "does not answer")])

    def test_the_reason_of_an_end(self):
        with tempfile.NamedTemporaryFile("w") as log:
            log.write("12:00:00 info started\nwimax-macd: \x1b[31mbs.macd.yml:3: role: required\n\n")
            log.flush()
            info = {"name": "bs.macd", "statename": "EXITED", "stdout_logfile": log.name}
            said = "?[31mbs.macd.yml:3: role: required"
            for ended, words in (("exit status 2", f"{said} (exit status 2: configuration refused); correct it, then: ./wimax restart bs.macd"),
                                 ("exit status 3", f"{said} (exit status 3: served already); will be started again"),
                                 ("exit status 1", f"{said} (exit status 1: failed); will be started again"),
                                 ("exit status 77", f"{said} (exit status 77); will be started again"),
                                 ("exit status 0", f"{said} (exit status 0: done); to start it again: ./wimax restart bs.macd"),
                                 ("terminated by SIGKILL", "terminated by SIGKILL; ./wimax logs bs.macd"),
                                 ("", "stopped; ./wimax logs bs.macd")):
                self.assertEqual(supervision.why_ended({**info, "spawnerr": ended}), words)


class Statuses(unittest.TestCase):
    """One meaning of each status for daemons, tools and systemd."""

    def test_the_same_in_all_places(self):
        top = Path(__file__).resolve().parents[5]
        header = (top / "apps/common/exit_status.h").read_text(encoding="utf-8")
        named = re.findall(r"^ +(\w+) = (\d+),", header[header.index("enum class ExitStatus"):], re.MULTILINE)
        self.assertEqual({name.upper(): int(number) for name, number in named}, {status.name: status.value for status in ExitStatus})
        lacks = re.findall(r"case (E\w+):", header)
        self.assertGreater(len(lacks), 8)
        for number, name in errno.errorcode.items():
            expected = ExitStatus.SERVED_ALREADY if name == "EADDRINUSE" else ExitStatus.FAILED if name in lacks else ExitStatus.CONFIGURATION_REFUSED
            self.assertEqual(exit_status_of(number), expected, name)
        units = (top / "cmake/WimaxInstall.cmake").read_text(encoding="utf-8")
        prevented = {int(number) for number in re.search(r"^RestartPreventExitStatus=(.*)$", units, re.MULTILINE)[1].split()}
        self.assertEqual(prevented | {ExitStatus.DONE}, set(FINAL))  # systemd starts nothing again that is done
        self.assertIn("Restart=on-failure", units)
        self.assertRegex(units, r'(?m)set\(common_unit "[^"]*^StartLimitIntervalSec=0"', "or systemd gives up after five tries")
        for unit in (top / "cmake/packages").glob("*.service.in"):
            self.assertIn("@common_unit@", unit.read_text(encoding="utf-8").partition("[Service]")[0], unit.name)


class Limits(unittest.TestCase):
    def test_down_ends_hung_programs_and_a_hung_supervisor_within_ten_seconds(self):
        self.assertLessEqual(supervision.DOWN_ANSWER_S + processes.GRACE_S + 2 * processes.KILL_S, 10)


class Restarts(unittest.TestCase):
    def ended(self, wait_status, after_s, process=None):
        """A process that ended that many seconds after its start."""
        options = types.SimpleNamespace(logger=mock.Mock(), close_parent_pipes=mock.Mock(), mood=1)
        config = types.SimpleNamespace(name="bs.macd", startsecs=1, startretries=10**6, autorestart=object(), exitcodes=tuple(map(int, FINAL)), options=options)
        if process is None:
            ruled = type("Ruled", (Subprocess,), {"spawn": mock.Mock()})
            keeper.rule_restarts(ruled)
            process = ruled(config)
        process.laststart, process.pid = 1000.0, 7
        process.state = ProcessStates.RUNNING if after_s > config.startsecs else ProcessStates.STARTING
        with mock.patch("supervisor.process.events"), mock.patch("time.time", lambda: 1000.0 + after_s):
            process.finish(7, wait_status)
        return process

    def spawns(self, process):
        """Whether it is started again within the longest pause."""
        with mock.patch("supervisor.process.events"), mock.patch("time.time", lambda: process.laststop + keeper.LONGEST_PAUSE_S + 1):
            process.transition()
        return process.spawn.called

    def test_the_status_decides_whatever_the_speed_of_the_machine(self):
        for after_s in (0, 0.015, 0.99, 1, 1.01, 3, 100):
            for status in range(5):
                process = self.ended(status << 8, after_s)
                self.assertEqual(process.spawnerr, f"exit status {status}")
                self.assertEqual(self.spawns(process), status not in FINAL, f"status {status} after {after_s} s")
            process = self.ended(int(signal.SIGKILL), after_s)
            self.assertEqual(process.spawnerr, "terminated by SIGKILL")
            self.assertTrue(self.spawns(process))

    def test_pauses_have_a_limit(self):
        process = None
        for _ in range(40):
            process = self.ended(ExitStatus.SERVED_ALREADY << 8, 0.1, process)
            self.assertLessEqual(process.delay, process.laststop + keeper.LONGEST_PAUSE_S)
            self.assertTrue(self.spawns(process))
            process.spawn.reset_mock()


class Watching(unittest.TestCase):
    """`up` waits for each program, by a clock that the test moves."""

    def setUp(self):
        self.now = 0.0
        for change in (mock.patch.object(supervision.time, "monotonic", lambda: self.now), mock.patch.object(supervision.time, "sleep", self.sleep)):
            change.start()
            self.addCleanup(change.stop)

    def sleep(self, seconds):
        self.now += seconds

    def watch(self, lives, endpoints=None, answers=lambda name, now: True):
        """Names of those that failed, and after how long; `lives`: of each program what the supervisor says at a time."""
        def kept():
            return [{"name": name, "now": self.now, "spawnerr": "", "pid": 7, "start": 0, **life(self.now)} for name, life in lives.items()]

        def ask_of(address):
            return lambda request: {} if answers(Path(address).stem, self.now) else None

        watched = types.SimpleNamespace(kept=kept, folder="/r", is_up=lambda *words: supervision.Supervisor.is_up(watched, *words))
        begin = self.now
        with mock.patch.object(processes, "holder_of", lambda path: 7 if path.startswith("/r/mine") else 8):
            failed = supervision.Supervisor.watch(watched, endpoints or {name: f"ipc://{{run}}/{name}.ctl" for name in lives}, ask_of)
        return [info["name"] for info in failed], self.now - begin

    def test_an_answer_makes_a_program_up_however_slow_the_machine_is(self):
        running = lambda now: {"statename": "STARTING" if now < 20 else "RUNNING"}  # noqa: E731
        failed, passed = self.watch({"mine.macd": running}, answers=lambda name, now: now > 50)
        self.assertEqual((failed, round(passed)), ([], 50))

    def test_one_that_never_answers(self):
        failed, passed = self.watch({"mine.macd": lambda now: {"statename": "RUNNING"}}, answers=lambda name, now: False)
        self.assertEqual((failed, round(passed)), (["mine.macd"], supervision.FIRST_ANSWER_S))

    def test_an_answer_of_another_process_does_not_count(self):
        self.assertEqual(self.watch({"others.phyd": lambda now: {"statename": "RUNNING"}})[0], ["others.phyd"])
        self.assertEqual(self.watch({"others.phyd": lambda now: {"statename": "RUNNING"}}, {"others.phyd": "tcp://127.0.0.1:5701"})[0], [])

    def test_without_a_control_socket_the_time_counts(self):
        failed, passed = self.watch({"mine.phyd": lambda now: {"statename": "RUNNING"}}, {"mine.phyd": ""})
        self.assertEqual((failed, round(passed)), ([], supervision.STAY_S))

    def test_one_that_ends_while_others_are_awaited(self):
        failed, _ = self.watch({"mine.channeld": lambda now: {"statename": "RUNNING"} if now < 2 else {"statename": "EXITED", "spawnerr": "exit status 2"},
                                "mine.macd": lambda now: {"statename": "RUNNING"}}, answers=lambda name, now: name != "mine.macd" or now > 5)
        self.assertEqual(failed, ["mine.channeld"])

    def test_starts_again_and_again(self):
        """Each try lasts longer than supervisord's first second."""
        trying = lambda now: {"statename": "RUNNING" if now % 4 < 3 else "BACKOFF", "start": int(now / 4)}  # noqa: E731
        failed, passed = self.watch({"mine.macd": trying}, answers=lambda name, now: False)
        self.assertEqual((failed, round(passed)), (["mine.macd"], 4 * supervision.TRIES - 1))
        failed, _ = self.watch({"mine.macd": trying}, answers=lambda name, now: now > 100 + 4 * (supervision.TRIES - 1))
        self.assertEqual(failed, ["mine.macd"])

    def test_what_is_final(self):
        for life, final in (({"statename": "EXITED", "spawnerr": "exit status 2"}, True), ({"statename": "EXITED", "spawnerr": "exit status 0"}, True),
                            ({"statename": "EXITED", "spawnerr": "exit status 3"}, False), ({"statename": "EXITED", "spawnerr": "terminated by SIGKILL"}, False),
                            ({"statename": "FATAL", "spawnerr": ""}, True), ({"statename": "STOPPED", "spawnerr": ""}, True),
                            ({"statename": "BACKOFF", "spawnerr": "exit status 1"}, False)):
            self.assertEqual(supervision.ended_for_good(life), final, life)


STUB = f"""#!{sys.executable}
import fcntl, os, signal, sys, time
from pathlib import Path
file = Path(sys.argv[sys.argv.index("--config") + 1])
if "--dry-run" in sys.argv:
    print(file.with_suffix(".effective").read_text() if file.with_suffix(".effective").exists() else "")
    sys.exit()
words, kind = file.read_text().split(), file.stem.rpartition(".")[2]
starts = file.with_suffix(".starts")
starts.write_text((starts.read_text() if starts.exists() else "") + "x")
if words[0] == "exit" and len(starts.read_text()) <= int(words[2]):
    print(f"wimax-{{kind}}: {{words[3]}}", flush=True)
    sys.exit(int(words[1]))
def tidy(number, frame):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # as the programs: a second one ends them at once
    time.sleep(0.5)
    file.with_suffix(".tidied").write_text("x")
    sys.exit()
if words[0] == "tidy":
    signal.signal(signal.SIGTERM, tidy)
if words[0] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
run = Path(os.environ["WIMAX_RUN"])
run.mkdir(exist_ok=True)
lock = open(run / (file.stem + ".ctl.lock"), "w")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit(3)
while True:
    signal.pause()
"""


class Kept(unittest.TestCase):
    """Real processes, a real supervisor; the programs are scripts without control sockets."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.run_folder, self.logs = self.folder / "run", self.folder / "logs"
        (self.folder / "build/bin").mkdir(parents=True)
        (self.folder / "places").mkdir()
        for kind in processes.KINDS:
            (self.folder / f"build/bin/wimax-{kind}").write_text(STUB, encoding="utf-8")
            (self.folder / f"build/bin/wimax-{kind}").chmod(0o755)
        for change in (mock.patch.dict(os.environ, WIMAX_RUN=str(self.run_folder), WIMAX_BUILD_DIR=str(self.folder / "build")),
                       mock.patch.object(command, "log_folder", lambda: self.logs), mock.patch.object(supervision, "PLACES", self.folder / "places"),
                       mock.patch.object(supervision, "STAY_S", 0),
                       mock.patch.object(processes, "GRACE_S", 1)):
            change.start()
            self.addCleanup(change.stop)
        self.addCleanup(lambda: self.wimax("down"))

    def wimax(self, *arguments):
        """Exit status, and all that was printed."""
        with mock.patch("builtins.print") as said:
            code = command.main(list(arguments))
        return code, "\n".join(call[0][0] for call in said.call_args_list)

    def files(self, **programs):
        for name, text in programs.items():
            (self.folder / f"{name.replace('_', '.')}.yml").write_text(text, encoding="utf-8")
        return [str(self.folder / f"{name.replace('_', '.')}.yml") for name in programs]

    def wait_for_status(self, pattern):
        until = time.monotonic() + 20
        while not re.search(pattern, said := self.wimax("status")[1]):
            self.assertLess(time.monotonic(), until, said)
            time.sleep(0.05)

    def starts(self, name):
        return len((self.folder / f"{name}.starts").read_text(encoding="utf-8"))

    def pids(self):
        return {process.name: process.pid for process in supervision.Supervisor().processes()}

    def assert_ended(self, pids):
        self.assertEqual([pid for pid in pids if Path(f"/proc/{pid}/exe").exists()], [])

    def assert_nothing_left(self, pids):
        self.assert_ended(pids)
        self.assertEqual((list(self.run_folder.iterdir()), list((self.folder / "places").iterdir())), ([], []))

    def test_up_tells_which_programs_do_not_stay_up(self):
        files = self.files(channeld="serve", bs_phyd="exit 3 1000 served-already-by-process-7", ss_phyd="exit 3 1 once", bs_macd="exit 2 2 role:required")
        code, said = self.wimax("up", *files)
        self.assertEqual((code, said.splitlines()), (1, [
            "wimax up: 2 of 4 programs do not stay up",
            "bs.phyd: served-already-by-process-7 (exit status 3: served already); will be started again",
            "bs.macd: role:required (exit status 2: configuration refused); correct it, then: ./wimax restart bs.macd"]))
        self.assertEqual((self.starts("ss.phyd"), self.starts("bs.macd")), (2, 1))
        self.assertGreaterEqual(self.starts("bs.phyd"), supervision.TRIES)
        self.assertIn("role:required (exit status 2", self.wimax("status")[1])
        self.assertRegex(self.wimax("restart", "bs.macd")[1], "^wimax restart: 1 of 1 programs do not stay up\nbs.macd: role:required ")
        self.assertEqual(self.wimax("restart", "bs.macd"), (0, "bs.macd runs again"))
        pids = self.pids()
        self.assertEqual(self.wimax("down"), (0, "4 programs stopped"))
        self.assert_nothing_left(pids.values())

    def test_a_killed_supervisor_leaves_nothing_that_up_and_down_cannot_take_over(self):
        files = self.files(channeld="serve", bs_phyd="deaf", bs_macd="serve")
        self.assertEqual(self.wimax("up", *files)[0], 0)
        first = self.pids()
        self.assertEqual(sorted(first), ["bs.macd", "bs.phyd", "channeld"])
        self.kill_supervisor()
        code, said = self.wimax("status")
        self.assertEqual((code, [line.split()[:3] for line in said.splitlines()[1:]]),
                         (0, [[name, "unsupervised", str(first[name])] for name in ("channeld", "bs.phyd", "bs.macd")]))
        with mock.patch.object(subprocess, "run") as tail:
            self.assertEqual(self.wimax("logs", "bs.macd", "-n", "3"), (0, ""))
        self.assertEqual(tail.call_args[0][0], ["tail", "-n", "3", str(self.logs / "bs.macd.log")], "also without a supervisor")
        code, said = self.wimax("up", *files)
        self.assertEqual((code, said.splitlines()[0]), (0, "ended, for a supervisor that was killed had left them: " + ", ".join(
            f"{name} (process {first[name]})" for name in ("channeld", "bs.phyd", "bs.macd"))))
        self.assert_ended(first.values())
        second = self.pids()
        self.assertEqual((sorted(second), set(first.values()) & set(second.values())), (sorted(first), set()))
        self.kill_supervisor()
        for pid in second.values():
            os.kill(pid, signal.SIGSTOP)
        self.assertEqual(self.wimax("down"), (0, "3 programs stopped"))
        self.assert_nothing_left(second.values())
        code, said = self.wimax("down")
        self.assertEqual((code, said), (0, f"nothing was running in {self.run_folder}"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root: ports of DHCP")
    def test_servers_of_managed_stations_run_with_their_base_station(self):
        file, = self.files(bs_macd="serve")
        lab = self.folder / "lab"
        managed = f"{{policy: allowed, interface: none0, address: 10.253.0.1/16, relay_address: 10.253.0.2, lab_folder: {lab}}}"
        (self.folder / "bs.macd.effective").write_text(f"role: bs\nmanaged: {managed}\n", encoding="utf-8")
        self.wimax("up", file)
        self.wait_for_status(rf"\nbs.managed .* managed.lab_folder: value {lab}; allowed: .* \(exit status 2: .*\); correct it, then: ./wimax restart bs.managed")
        lab.mkdir()
        self.assertEqual(self.wimax("restart", "bs.managed"), (0, "bs.managed runs again"))
        self.wait_for_status(r"\nbs.managed +running .* waiting for 10.253.0.1 on interface none0")
        pids = self.pids()
        self.assertEqual(list(pids), ["bs.macd", "bs.managed"])
        with mock.patch.object(subprocess, "run") as tail:
            self.wimax("logs", "bs.managed")
        self.assertEqual(tail.call_args[0][0][-1], str(self.logs / "bs.managed.log"))
        self.kill_supervisor()
        self.assertRegex(self.wimax("status")[1], rf"\nbs.managed +unsupervised +{pids['bs.managed']} +- +-")
        self.assertEqual(self.wimax("down"), (0, "2 programs stopped"))
        self.assert_nothing_left(pids.values())

    def test_programs_have_the_time_to_clean_up(self):
        """With a supervisor, without one, and when `up` takes over."""
        files = self.files(bs_phyd="tidy", bs_macd="tidy")
        tidied = [self.folder / f"{name}.tidied" for name in ("bs.phyd", "bs.macd")]
        for killed, verb in ((False, ("down",)), (True, ("down",)), (True, ("up", *files))):
            self.assertEqual(self.wimax("up", *files)[0], 0)
            pids = self.pids()
            if killed:
                self.kill_supervisor()
            self.assertEqual(self.wimax(*verb)[0], 0)
            self.assert_ended(pids.values())
            self.assertEqual([file.exists() for file in tidied], [True, True], (killed, verb[0]))
            for file in tidied:
                file.unlink()

    def test_a_hung_supervisor_is_named_and_ended(self):
        files = self.files(channeld="serve", bs_macd="deaf")
        self.assertEqual(self.wimax("up", *files)[0], 0)
        pids, supervisor = self.pids(), supervision.Supervisor().process()
        os.kill(supervisor, signal.SIGSTOP)
        with mock.patch.object(supervision, "ANSWER_S", 0.3), mock.patch.object(supervision, "DOWN_ANSWER_S", 0.3):
            for words in (["status"], ["up", *files], ["restart", "channeld"]):
                self.assertEqual(self.wimax(*words), (1, f"wimax {words[0]}: the supervisor (process {supervisor}) does not answer: ./wimax down"))
            self.assertEqual(self.wimax("down"), (0, "2 programs stopped"))
        self.assert_nothing_left([*pids.values(), supervisor])

    def test_only_holders_of_locks_that_up_has_started_are_ended(self):
        """A lock file is in a folder of the user: its text may name any process."""
        file, = self.files(channeld="serve")
        self.run_folder.mkdir()
        victim = self.start_by_hand([self.folder / "build/bin/wimax-macd", "--config", *self.files(ss_macd="serve")], WIMAX_RUN=str(self.folder / "other"))
        by_hand = self.start_by_hand([self.folder / "build/bin/wimax-phyd", "--config", *self.files(bs_phyd="serve")])
        (self.run_folder / "forged.ctl.lock").write_text(str(victim.pid), encoding="ascii")
        with open(self.run_folder / "other.ctl.lock", "w", encoding="ascii") as other, open(self.run_folder / "mine.ctl.lock", "w", encoding="ascii") as mine:
            for lock in (other, mine):
                lock.write(str(victim.pid))
                lock.flush()
                fcntl.flock(lock, fcntl.LOCK_EX)  # held, by this process: it is no program
            self.assertEqual(self.wimax("up", file)[0], 0)
            self.assertEqual(self.pids(), {"channeld": self.pids()["channeld"], "bs.phyd": by_hand.pid})
            self.assertRegex(self.wimax("status")[1], rf"\nbs.phyd +unsupervised +{by_hand.pid} ")
            self.assertEqual(self.wimax("down"), (0, "1 programs stopped"))
            self.assertEqual((victim.poll(), by_hand.poll()), (None, None))
            self.assertEqual(sorted(path.name for path in self.run_folder.iterdir()), ["bs.phyd.ctl.lock", "mine.ctl.lock", "other.ctl.lock"])

    def start_by_hand(self, words, **environment):
        process = subprocess.Popen(words, env={**os.environ, **environment})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until = time.monotonic() + 20
        while not list(Path(environment.get("WIMAX_RUN", self.run_folder)).glob("*.ctl.lock")):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        return process

    @unittest.skipUnless(os.geteuid() == 0, "needs root: acts as two users")
    def test_under_sudo_the_supervisor_trusts_no_folder_of_the_user(self):
        file, = self.files(channeld="serve")
        os.chown(self.folder, ALICE, ALICE)  # as a home or /run/user
        self.run_folder.mkdir(mode=0o700)
        os.chown(self.run_folder, ALICE, ALICE)
        with mock.patch.dict(os.environ, SUDO_UID=str(ALICE), SUDO_GID=str(ALICE)), mock.patch.object(command, "log_folder", lambda: self.folder / "places/logs"):
            code, said = self.wimax("up", file)
            self.assertEqual(code, 0, said)
            self.assertEqual([path.name for path in self.run_folder.iterdir()], ["channeld.ctl.lock"])
            place = supervision.Supervisor().place
            self.assertFalse(place.is_relative_to(self.run_folder))
            for path in (place, *place.iterdir()):
                status = path.lstat()
                if stat.S_ISSOCK(status.st_mode):
                    self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (ALICE, 0o700), "the user may ask it")
                else:
                    self.assertEqual((status.st_uid, status.st_mode & 0o022), (0, 0), path)
            self.assertEqual([path.name for path in self.folder.rglob("*.conf")], [])
            self.assertEqual(((self.folder / "places/logs").stat().st_gid, stat.S_IMODE((self.folder / "places/logs").stat().st_mode)), (ALICE, 0o2750))
            for log in (self.folder / "places/logs").iterdir():
                self.assertEqual((log.stat().st_uid, log.stat().st_gid, log.stat().st_mode & 0o027), (0, ALICE, 0), log)
            self.assertEqual(self.wimax("down"), (0, "1 programs stopped"))
            self.assertEqual((list(self.run_folder.iterdir()), place.exists()), ([], False))

    @unittest.skipUnless(os.geteuid() == 0, "needs root: acts as two users")
    def test_folders_that_another_user_has_prepared_are_refused(self):
        file, = self.files(channeld="serve")
        self.folder.chmod(0o1777)  # as /tmp
        elsewhere = self.folder / "elsewhere"
        as_user(BOB, elsewhere.mkdir)
        for user in (None, ALICE):
            environment = {} if user is None else {"SUDO_UID": str(user), "SUDO_GID": str(user)}
            for folder in (self.run_folder, self.logs, supervision.place_of(self.run_folder)):
                for prepare in (lambda: folder.mkdir(mode=0o777), lambda: folder.symlink_to(elsewhere)):  # noqa: B023 - called at once
                    folder.parent.chmod(0o1777)
                    as_user(BOB, prepare)
                    with mock.patch.dict(os.environ, environment):
                        code, said = self.wimax("up", file)
                    self.assertEqual(code, 2, said)
                    self.assertRegex(said, f"wimax up: {folder}: (belongs to user {BOB}|is a symbolic link)")
                    self.assertEqual((list(elsewhere.iterdir()), (self.folder / "channeld.starts").exists()), ([], False))
                    folder.unlink() if folder.is_symlink() else folder.rmdir()

    def test_a_supervisor_that_does_not_start_leaves_nothing(self):
        files = self.files(channeld="serve")
        with mock.patch.object(supervision, "configuration", lambda *_: supervision.configparser.RawConfigParser()), \
                mock.patch.object(supervision, "READY_S", 10**6):
            code, said = self.wimax("up", *files)
        self.assertEqual((code, "supervisord does not start: Error: .ini file does not include supervisord section" in said), (1, True), said)
        self.assertEqual(list((self.folder / "places").iterdir()), [])

    def test_a_process_that_the_kernel_does_not_end_is_named(self):
        sleeper = subprocess.Popen(["sleep", "600"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        process = processes.Process(sleeper.pid, "bs.macd", "macd", "")
        with mock.patch.object(processes, "still_there", lambda handles, seconds: handles), mock.patch.object(processes.Handle, "send"), \
                self.assertRaisesRegex(Failed, f"the kernel does not end bs.macd \\(process {sleeper.pid}\\)"):
            processes.end([process], lambda: [process])

    def kill_supervisor(self):
        pid = supervision.Supervisor().process()
        with processes.Handle(processes.Process(pid, "supervisord", "", "")) as handle:
            handle.send(signal.SIGKILL)
            self.assertEqual(processes.still_there([handle], 5), [])

class NoSupervisor(unittest.TestCase):
    def test_what_is_not_kept_running(self):
        with tempfile.TemporaryDirectory() as folder:
            idle = supervision.Supervisor(folder)
            self.assertIsNone(idle.programs())
            self.assertEqual(idle.down(), [])
            for ask in (idle.kept, lambda: idle.restart("bs.macd", None), lambda: idle.one("bs.macd")):
                with self.assertRaisesRegex(Failed, "nothing is kept running in .*: ./wimax up"):
                    ask()
