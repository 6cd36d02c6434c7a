# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of this host under supervisord: its configuration, starting and stopping it, asking it."""
import configparser
import contextlib
import http.client
import io
import os
import pwd
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xmlrpc.client
from dataclasses import dataclass
from pathlib import Path

import yaml

from wimax_tools import provenance
from wimax_tools.control import RUN, Failed, Refused, runtime_folder
from wimax_tools.exit_status import FINAL, ExitStatus
from wimax_tools.managed.server import is_wanted
from wimax_tools.safe_files import caller, checked_folder
from wimax_tools.upkeep import keeper, processes
from wimax_tools.upkeep.processes import KINDS, MANAGED, ORDER

LOG_OCTETS, LOG_FILES = 10_000_000, 3  # of each program
READY_S = 30         # for the supervisor itself
ANSWER_S = 5         # of a supervisor that is not hung
DOWN_ANSWER_S = 2    # `wimax down` ends a slow one by force, and harms nothing by that
STAY_S = 5           # a program without a control socket is up after this time
TRIES = 3            # `wimax up` gives up a program after this number of ends; the supervisor continues
FIRST_ANSWER_S = 60  # of a program that runs
PLACES = Path("/run")
SOCKET, PID, LOCK = "supervisor.sock", "supervisord.pid", "supervisor.lock"
FOLDER_MODE, LOG_FOLDER_MODE, GROUP_LOG_FOLDER_MODE = 0o755, 0o750, 0o2750  # of root's folder: the user who called sudo reaches the socket


@dataclass(frozen=True)
class Program:
    name: str  # of its file, without the suffix
    kind: str
    file: Path

    def command(self, binaries):
        """Its words. The file is the last one."""
        if self.kind == MANAGED:
            return [sys.executable, "-B", "-P", "-m", "wimax_tools.managed", str(self.file)]
        return [str(binaries / f"wimax-{self.kind}"), "--config", str(self.file)]


def program_of(file):
    """By the file's name: channeld.yml, bs.phyd.yml, roof.macd.yml."""
    path = Path(file).resolve()
    if not path.is_file():
        raise Refused(f"{file}: no such file")
    kind = path.stem.rpartition(".")[2]
    if path.suffix not in (".yml", ".yaml") or kind not in KINDS:
        raise Refused(f"{file}: the name does not say which program it is for; allowed: " + ", ".join(f"[NAME.]{k}.yml" for k in KINDS))
    return Program(path.stem, kind, path)


def programs_of(files):
    programs = sorted((program_of(file) for file in files), key=lambda p: (KINDS.index(p.kind), p.name))
    for one, other in zip(programs, programs[1:]):
        if one.name == other.name:
            raise Refused(f"{one.file} and {other.file}: both have the name '{one.name}'; allowed: a different name for each program")
    return programs


def log_folder(environment=os.environ, uid=None):
    uid = os.geteuid() if uid is None else uid
    if uid == 0:
        return Path("/var/log/wimax")
    if state := environment.get("XDG_STATE_HOME"):
        return Path(state, "wimax")
    return Path(environment.get("HOME") or pwd.getpwuid(uid).pw_dir, ".local/state/wimax")


def prepare_log_folder(logs):
    """Only this user can have prepared it. Under sudo the group of the user who called may read the logs."""
    with checked_folder(logs, make=True, owners={os.geteuid()}, mode=LOG_FOLDER_MODE) as folder:
        group = os.environ.get("SUDO_GID", "")
        if caller() is not None and group.isdigit():
            os.fchown(folder.fd, -1, int(group))
            os.fchmod(folder.fd, GROUP_LOG_FOLDER_MODE)
            for name in os.listdir(folder.fd):  # logs of an `up` that was not under sudo continue
                os.chown(name, -1, int(group), dir_fd=folder.fd, follow_symlinks=False)


def check(programs, binaries, run=subprocess.run):
    """Checks all configurations before one program is started. Returns them by the program's name, with all defaults."""
    faults, configurations = [], {}
    for program in programs:
        done = run([str(binaries / f"wimax-{program.kind}"), "--config", str(program.file), "--dry-run"], stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            faults.append(done.stderr.strip() or f"{program.file}: refused with status {done.returncode}")
        else:
            configurations[program.name] = yaml.safe_load(done.stdout) or {}
    if faults:
        raise Refused("\n".join(faults))
    return configurations


def servers_of(programs, configurations):
    """Programs that serve the managed stations of these base stations."""
    return [Program(f"{program.name.removesuffix('macd')}{MANAGED}", MANAGED, program.file) for program in programs
            if program.kind == "macd" and is_wanted(configurations.get(program.name, {}))]


def endpoints_of(programs, configurations):
    """Control endpoint of each program by its name; empty: it has none."""
    return {program.name: (configurations.get(program.name, {}).get("control") or {}).get("endpoint") or "" for program in programs}


def configuration(programs, binaries, folder, logs):
    """As supervisord reads it; percent signs are its own."""
    def plain(text):
        return str(text).replace("%", "%%")

    def quoted(words):
        return " ".join(word if word.startswith("-") else f'"{plain(word)}"' for word in words)

    ini = configparser.RawConfigParser()
    ini["unix_http_server"] = {"file": plain(folder / SOCKET), "chmod": "0700"}
    ini["supervisord"] = {"identifier": "wimax", "pidfile": plain(folder / PID), "logfile": plain(logs / "supervisord.log"),
                          "logfile_maxbytes": LOG_OCTETS, "logfile_backups": LOG_FILES}
    if os.geteuid() == 0:
        ini["supervisord"]["user"] = "root"  # or it warns
    ini["rpcinterface:supervisor"] = {"supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"}
    for i, program in enumerate(programs):
        ini[f"program:{program.name}"] = {
            "command": quoted(program.command(binaries)), "priority": i + 1,
            "autorestart": "unexpected", "exitcodes": ",".join(str(int(status)) for status in FINAL), "startretries": 1_000_000,
            "stopwaitsecs": processes.GRACE_S, "umask": keeper.USUAL, "stdout_logfile": plain(logs / f"{program.name}.log"),
            "redirect_stderr": "true", "stdout_logfile_maxbytes": LOG_OCTETS, "stdout_logfile_backups": LOG_FILES}
    return ini


class Connection(http.client.HTTPConnection):
    """To a UNIX socket."""

    def __init__(self, path, timeout_s):
        super().__init__("wimax", timeout=timeout_s)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(str(self.path))
        except OSError:
            self.close()
            raise


class Transport(xmlrpc.client.Transport):
    def __init__(self, path, timeout_s):
        super().__init__()
        self.path, self.timeout_s = path, timeout_s

    def make_connection(self, host):
        connection = Connection(self.path, self.timeout_s)
        self._connection = host, connection  # what close() closes
        return connection


def place_of(run):
    """Folder of the supervisor's files. Root's folder is never one that another user may write, also under sudo."""
    of_root = PLACES / f"wimax-supervisor-{urllib.parse.quote(str(run).strip('/'), safe='')}"
    return of_root if os.geteuid() == 0 or of_root.is_dir() else Path(run)


def last_line(info):
    """The last line that a program has logged, without its name."""
    try:
        with open(info["stdout_logfile"], "rb") as file:
            file.seek(max(0, file.seek(0, io.SEEK_END) - 4096))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    line = next((line for line in reversed(lines) if line.strip()), "")
    text = line.strip().removeprefix(f"wimax-{info['name'].rpartition('.')[2]}: ")
    return "".join(c if c.isprintable() else "?" for c in text)


def why_ended(info):
    """Of a program that does not run: its last words, and what follows."""
    words, name = info["spawnerr"] or "stopped", info["name"]
    if not words.startswith("exit status "):
        return f"{words}; {provenance.to_type(f'./wimax logs {name}')}"
    status = int(words.rpartition(" ")[2])
    meaning = f" ({words}: {ExitStatus(status).name.lower().replace('_', ' ')})" if status in set(ExitStatus) else f" ({words})"
    follows = "will be started again"
    if status == ExitStatus.CONFIGURATION_REFUSED:
        follows = provenance.to_type(f"correct it, then: ./wimax restart {name}")
    elif status == ExitStatus.DONE:
        follows = provenance.to_type(f"to start it again: ./wimax restart {name}")
    return f"{last_line(info)}{meaning}; {follows}"


def ended_for_good(info):
    """No restart follows."""
    final = {f"exit status {int(status)}" for status in FINAL}
    return info["statename"] in ("FATAL", "STOPPED") or (info["statename"] == "EXITED" and info["spawnerr"] in final)


def why_not_up(info):
    """Of a program that watch() returned."""
    return f"runs and does not answer on its control socket; {provenance.to_type('./wimax logs')} {info['name']}" \
        if info["statename"] in ("RUNNING", "STARTING") else why_ended(info)


class Hung(Failed):
    """The supervisor runs and does not answer."""


class Supervisor:
    """The one of a runtime folder."""

    def __init__(self, folder=None):
        self.folder = Path(folder or runtime_folder())
        self.place = place_of(self.folder)
        self.socket = self.place / SOCKET
        self.patience_s = ANSWER_S

    def call(self, method, *arguments):
        """Of supervisord's interface."""
        with xmlrpc.client.ServerProxy("http://wimax", transport=Transport(self.socket, self.patience_s)) as server:
            return getattr(server.supervisor, method)(*arguments)

    def process(self):
        """Number of the supervisor's process, by its lock; None: it does not run."""
        return processes.holder_of(self.place / LOCK)

    def programs(self):
        """What it keeps running, in the order of their start; None: it does not run."""
        try:
            return sorted(self.call("getAllProcessInfo"), key=lambda p: (ORDER.index(p["name"].rpartition(".")[2]), p["name"]))
        except PermissionError as error:
            raise Failed(f"{self.socket}: {error.strerror}: another user's") from error
        except (TimeoutError, BlockingIOError) as error:
            raise Hung(f"the supervisor (process {self.process()}) does not answer: {provenance.to_type('./wimax down')}") from error
        except (OSError, http.client.HTTPException, xmlrpc.client.ProtocolError):
            return None

    def kept(self):
        found = self.programs()
        if found is None:
            raise Failed(f"nothing is kept running in {self.folder}: {provenance.to_type('./wimax up')}")
        return found

    def one(self, name):
        found = next((p for p in self.kept() if p["name"] == name), None)
        if found is None:
            raise Refused(f"'{name}': no such program; allowed: " + ", ".join(p["name"] for p in self.kept()))
        return found

    def processes(self):
        return processes.processes_of(self.folder, self.place)

    def unsupervised(self):
        """Programs that serve this runtime folder without a supervisor: left by a killed one, or started by hand."""
        kept = {program["pid"] for program in self.programs() or ()}
        return [process for process in self.processes() if process.pid not in kept]

    def started_by_up(self):
        """Processes that `up` has started here and that no other supervisor keeps running."""
        return [process for process in self.processes() if process.supervisor and
                (process.supervisor == str(self.place) or processes.holder_of(Path(process.supervisor, LOCK)) is None)]

    def tidy(self):
        """Removes sockets and locks that no process holds."""
        no_supervisor = self.process() is None
        for path in {self.folder, self.place}:
            with contextlib.suppress(FileNotFoundError), checked_folder(path) as folder:
                processes.remove_leftovers(folder)
                if path == self.place and no_supervisor:
                    folder.unlink(SOCKET)
                    folder.unlink(PID)
        if self.place != self.folder:
            with contextlib.suppress(OSError):  # it is not there
                self.place.rmdir()

    def up(self, programs, binaries, logs):
        """Returns the processes that a killed supervisor had left and that were ended before the start."""
        if self.programs() is not None:
            raise Failed(f"already running in {self.folder}: {provenance.to_type('./wimax status, ./wimax down')}")
        with contextlib.suppress(FileNotFoundError):  # the programs make it
            checked_folder(self.folder).close()
        left = self.started_by_up()
        processes.end(left, self.processes)
        self.tidy()
        prepare_log_folder(logs)
        self.start(configuration(programs, binaries, self.place, logs))
        return left

    def start(self, ini):
        """The configuration has no name: there is no file that another user could change."""
        text = io.StringIO()
        ini.write(text)
        with checked_folder(self.place, make=True, owners={os.geteuid()}, mode=FOLDER_MODE) as folder, tempfile.TemporaryFile() as said, \
                tempfile.TemporaryFile("w+") as given:
            lock = folder.open(LOCK, os.O_RDWR | os.O_CREAT)
            given.write(text.getvalue())
            given.seek(0)
            started = subprocess.Popen([sys.executable, "-B", keeper.__file__, str(lock)], stdin=given, stdout=said, stderr=said,
                                       pass_fds=(lock,), start_new_session=True, env={**os.environ, processes.MARK: str(self.place)})
            os.close(lock)
            until = time.monotonic() + READY_S
            while self.programs() is None:
                if started.poll() is not None or time.monotonic() > until:
                    started.kill()
                    started.wait()
                    self.tidy()
                    said.seek(0)
                    raise Failed(f"supervisord does not start: {said.read().decode(errors='replace').strip()}")
                time.sleep(0.05)
            started.returncode = 0  # it continues after this process has ended
            if caller() is not None:  # the user in whose name root works may ask it
                os.chown(SOCKET, caller(), -1, dir_fd=folder.fd, follow_symlinks=False)

    def is_up(self, info, endpoint, ask_of):
        """It answers on its control socket. Without one: it has run for some seconds."""
        if not endpoint:
            return info["now"] - info["start"] >= STAY_S
        address = endpoint.replace(RUN, str(self.folder))
        path = address.removeprefix("ipc://")
        if path.startswith("/") and processes.holder_of(path + processes.LOCK) != info["pid"]:
            return False  # another process answers there
        return ask_of(address)({"get": "status"}) is not None

    def watch(self, endpoints, ask_of):
        """Watches the programs, given by name with their control endpoints, until each is up or has failed. Returns what failed."""
        begin, starts = time.monotonic(), {name: set() for name in endpoints}
        while True:
            passed, failed, undecided = time.monotonic() - begin, [], False
            for info in self.kept():
                name = info["name"]
                if name not in endpoints or (info["statename"] == "RUNNING" and self.is_up(info, endpoints[name], ask_of)):
                    continue
                starts[name].add(info["start"])
                ended = len(starts[name]) - (info["statename"] in ("STARTING", "RUNNING"))
                if ended_for_good(info) or ended >= TRIES or passed > FIRST_ANSWER_S:
                    failed.append(info)
                else:
                    undecided = True
            if not undecided:
                return failed
            time.sleep(0.1)

    def down(self):
        """Ends all programs that `up` has started, and the supervisor, hung ones by force. Returns the names; none: nothing ran."""
        hung, kept, asked, self.patience_s = False, None, set(), DOWN_ANSWER_S
        try:
            kept = self.programs()
        except Hung:
            hung = True
        ours = self.started_by_up()
        if not hung and kept is None and not ours:
            return []
        with contextlib.ExitStack() as stack:
            keeper_handle = self.handle(stack)
            if kept is not None:
                with contextlib.suppress(OSError, http.client.HTTPException, xmlrpc.client.Error):
                    self.call("stopAllProcesses", False)
                    asked = {program["pid"] for program in kept}
                    self.call("shutdown")
            elif keeper_handle:
                keeper_handle.send(signal.SIGKILL)
            processes.end(ours, self.processes, asked)
            if keeper_handle and processes.still_there([keeper_handle], processes.KILL_S):
                keeper_handle.send(signal.SIGKILL)
                processes.still_there([keeper_handle], processes.KILL_S)
        processes.end(self.started_by_up(), self.processes)  # started meanwhile
        self.tidy()
        return sorted({process.name for process in ours} | {program["name"] for program in kept or ()})

    def handle(self, stack):
        """Of the supervisor's process; None: it does not run."""
        pid = self.process()
        if pid is None:
            return None
        try:
            handle = stack.enter_context(processes.Handle(processes.Process(pid, "supervisord", "", "")))
        except ProcessLookupError:
            return None
        return handle if self.process() == pid else None

    @staticmethod
    def checked(name, command):
        """Control endpoint by the name of a program that the supervisor starts with this command. Refused: its configuration is wrong now."""
        program = program_of(command[-1])
        if name != program.name:  # wimax-macd has checked this one's configuration
            return {name: ""}
        return endpoints_of([program], check([program], Path(command[0]).parent))

    def restart(self, name, ask_of):
        """With its configuration as it is now; a wrong one is refused before the program is stopped. Returns what watch() returns."""
        self.one(name)
        command = next(shlex.split(c["command"]) for c in self.call("getAllConfigInfo") if c["name"] == name)
        endpoints = self.checked(name, command)
        with contextlib.suppress(xmlrpc.client.Fault):  # it had ended
            self.call("stopProcess", name, False)
        until = time.monotonic() + processes.GRACE_S + processes.KILL_S + ANSWER_S
        while self.one(name)["pid"] and time.monotonic() < until:
            time.sleep(0.05)
        try:
            self.call("startProcess", name, False)
        except xmlrpc.client.Fault as fault:
            raise Failed(f"{name}: {fault.faultString}; {provenance.to_type('./wimax logs')} {name}") from fault
        return self.watch(endpoints, ask_of)
