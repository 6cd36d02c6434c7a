# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of this host under supervisord: its configuration, starting and stopping it, asking it."""
import configparser
import os
import shutil
import subprocess
import time
import xmlrpc.client
from dataclasses import dataclass
from pathlib import Path

from wimax_tools import provenance
from wimax_tools.control import Failed, Refused, runtime_folder

KINDS = ("channeld", "phyd", "macd")  # in the order of their start; none needs it
STOP_S = 12                # between SIGTERM and SIGKILL; each program has a limit of its own below that
CONFIGURATION_FAULT = 2    # exit status: starting it again would say the same
LOG_OCTETS, LOG_FILES = 10_000_000, 3  # of each program
READY_S = 10


@dataclass(frozen=True)
class Program:
    name: str  # of its file, without the suffix
    kind: str
    file: Path


def program_of(file):
    """By the file's name: channeld.yml, bs.phyd.yml, roof.macd.yml."""
    path = Path(file).resolve()
    kind = path.stem.rpartition(".")[2]
    if path.suffix not in (".yml", ".yaml") or kind not in KINDS:
        raise Refused(f"{file}: allowed are names that say which program it is for: " + ", ".join(f"[NAME.]{k}.yml" for k in KINDS))
    if not path.is_file():
        raise Refused(f"{file}: there is no such file")
    return Program(path.stem, kind, path)


def programs_of(files):
    programs = sorted((program_of(file) for file in files), key=lambda p: (KINDS.index(p.kind), p.name))
    for one, other in zip(programs, programs[1:]):
        if one.name == other.name:
            raise Refused(f"{one.file} and {other.file}: both are '{one.name}', names are each program's own")
    return programs


def log_folder(environment=os.environ, uid=None):
    if (os.geteuid() if uid is None else uid) == 0:
        return Path("/var/log/wimax")
    return Path(environment.get("XDG_STATE_HOME") or Path(environment.get("HOME", "/tmp"), ".local/state"), "wimax")


def check(programs, binaries, run=subprocess.run):
    """What any of them says of its configuration, before one is started."""
    faults = []
    for program in programs:
        done = run([str(binaries / f"wimax-{program.kind}"), "--config", str(program.file), "--dry-run"], stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            faults.append(done.stderr.strip() or f"{program.file}: refused with status {done.returncode}")
    if faults:
        raise Refused("\n".join(faults))


def owner(environment=os.environ):
    """In whose name root works: the supervisor's socket is theirs."""
    uid = environment.get("SUDO_UID", "")
    return f"{uid}:{environment.get('SUDO_GID', uid)}" if os.geteuid() == 0 and uid.isdigit() else ""


def configuration(programs, binaries, folder, logs):
    """As supervisord reads it; percent signs are its own."""
    def plain(text):
        return str(text).replace("%", "%%")

    ini = configparser.RawConfigParser()
    ini["unix_http_server"] = {"file": plain(folder / "supervisor.sock"), "chmod": "0700", **({"chown": owner()} if owner() else {})}
    ini["supervisord"] = {"identifier": "wimax", "pidfile": plain(folder / "supervisord.pid"), "logfile": plain(logs / "supervisord.log"),
                          "logfile_maxbytes": LOG_OCTETS, "logfile_backups": LOG_FILES}
    if os.geteuid() == 0:
        ini["supervisord"]["user"] = "root"  # or it warns
    ini["rpcinterface:supervisor"] = {"supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"}
    for i, program in enumerate(programs):
        ini[f"program:{program.name}"] = {
            "command": f'"{plain(binaries / f"wimax-{program.kind}")}" --config "{plain(program.file)}"', "priority": i + 1,
            "autorestart": "unexpected", "exitcodes": f"0,{CONFIGURATION_FAULT}", "startretries": 1_000_000, "stopwaitsecs": STOP_S,
            "stdout_logfile": plain(logs / f"{program.name}.log"), "redirect_stderr": "true", "stdout_logfile_maxbytes": LOG_OCTETS,
            "stdout_logfile_backups": LOG_FILES}
    return ini


class Supervisor:
    """The one of the runtime folder."""

    def __init__(self, folder=None):
        self.folder = Path(folder or runtime_folder())
        self.socket = self.folder / "supervisor.sock"

    def server(self):
        from supervisor.xmlrpc import SupervisorTransport  # --help works without it
        return xmlrpc.client.ServerProxy("http://wimax", transport=SupervisorTransport(None, None, f"unix://{self.socket}")).supervisor

    def programs(self):
        """What it keeps running, in the order of their start; None: it does not run."""
        try:
            return sorted(self.server().getAllProcessInfo(), key=lambda p: (KINDS.index(p["name"].rpartition(".")[2]), p["name"]))
        except PermissionError as error:
            raise Failed(f"{self.socket}: {error.strerror}: another user's") from error
        except (OSError, xmlrpc.client.ProtocolError):
            return None

    def kept(self):
        programs = self.programs()
        if programs is None:
            raise Failed(f"nothing is kept running in {self.folder}: {provenance.to_type('./wimax up')}")
        return programs

    def one(self, name):
        found = next((p for p in self.kept() if p["name"] == name), None)
        if found is None:
            raise Refused(f"'{name}': no such program; allowed: " + ", ".join(p["name"] for p in self.kept()))
        return found

    def up(self, programs, binaries, logs):
        if self.programs() is not None:
            raise Failed(f"already running in {self.folder}: {provenance.to_type('./wimax status, ./wimax down')}")
        if not shutil.which("supervisord"):
            raise Failed(f"supervisord is missing; type: {provenance.to_type('./wimax setup')}")
        for folder in (self.folder, logs):
            folder.mkdir(parents=True, exist_ok=True)
        if owner():
            os.chown(self.folder, *map(int, owner().split(":")))
        file = self.folder / "supervisord.conf"
        with open(file, "w", encoding="utf-8") as out:
            configuration(programs, binaries, self.folder, logs).write(out)
        done = subprocess.run(["supervisord", "-c", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        until = time.monotonic() + READY_S
        while self.programs() is None:
            if done.returncode or time.monotonic() > until:
                raise Failed(f"supervisord does not start: {done.stdout.strip()}")
            time.sleep(0.05)

    def down(self):
        """Returns when all of them have ended."""
        count = len(self.kept())
        pid = int((self.folder / "supervisord.pid").read_text(encoding="ascii"))
        self.server().shutdown()
        until = time.monotonic() + 2 * STOP_S
        while Path(f"/proc/{pid}").exists():
            if time.monotonic() > until:
                raise Failed(f"supervisord, process {pid}, does not end")
            time.sleep(0.05)
        (self.folder / "supervisord.conf").unlink(missing_ok=True)
        return count

    def restart(self, name):
        self.one(name)
        server = self.server()
        try:
            server.stopProcess(name)
        except xmlrpc.client.Fault:
            pass  # it had ended by itself
        try:
            server.startProcess(name)
        except xmlrpc.client.Fault as fault:
            raise Failed(f"{name}: {fault.faultString}; {provenance.to_type('./wimax logs')} {name}") from fault
