# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax up, down, status, restart, logs: the programs of this host, kept running in the background."""
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wimax_tools import command_line, control, provenance
from wimax_tools.control import runtime_folder
from wimax_tools.upkeep.processes import KINDS
from wimax_tools.upkeep.supervision import (Supervisor, check, endpoints_of, last_line, log_folder, programs_of, servers_of, why_ended,
                                            why_not_up)

LINES = 50
FIRST_FILES = ("channeld.yml", "bs.phyd.yml", "bs.macd.yml", "ss.phyd.yml", "ss.macd.yml")
HELP = {"up": "Starts programs in the background and restarts those that fail. Without CONFIG: a base station, a subscriber station and the channel "
              "between them, with the files of config/.",
        "down": "Ends all programs that `wimax up` has started. Hung programs are killed, also after their supervisor was killed.",
        "status": "Lists the programs that run, for how long, their state, and why one does not run.",
        "restart": "Ends one program and starts it again with its present configuration file.", "logs": "Prints the log of one program."}
EXAMPLES = {"up": "  sudo wimax up\n  sudo wimax up my.macd.yml my.phyd.yml channeld.yml", "down": "  sudo wimax down", "status": "  wimax status\n  wimax status --json -",
            "restart": "  sudo wimax restart ss.macd", "logs": "  wimax logs bs.macd --follow"}


def parser(verb):
    result = command_line.Parser(prog=f"wimax {verb}", description=HELP[verb], epilog=f"examples:\n{EXAMPLES[verb]}")
    if verb == "up":
        result.add_argument("files", nargs="*", metavar="CONFIG", help="configuration files NAME.macd.yml, NAME.phyd.yml, channeld.yml; the name selects the program")
    elif verb == "status":
        command_line.add_json(result, bare=True)
    elif verb in ("restart", "logs"):
        result.add_argument("name", metavar="NAME", help="name of the program, as wimax status prints it")
    if verb == "logs":
        result.add_argument("-f", "--follow", action="store_true", help="continue to print new lines")
        result.add_argument("-n", "--lines", type=command_line.within(0, 10**9, int), default=LINES, metavar="N", help="number of last lines to print (default %(default)s)")
    return result


def folder_of_configurations():
    source = Path(os.environ["WIMAX_SOURCE_DIR"])
    return next((f for f in (source / "config", Path(os.environ["WIMAX_BUILD_DIR"], "etc/wimax"), Path("/etc/wimax")) if (f / FIRST_FILES[0]).is_file()),
                source / "config")


def duration(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def in_words(kind, status):
    """How a program is, from its own status."""
    if status is None:
        return "does not answer"
    if kind == "channeld":
        radios = status["radios"].values()
        return f"{status['time_s']:.1f} s at {status['realtime_factor']:.2f} of real time, {sum(r['streaming'] for r in radios)} of {len(radios)} radios stream"
    if kind == "phyd":
        words = "radio open" if status["radio_open"] else "no radio"
        return f"{words}, {'a MAC' if status['mac_attached'] else 'no MAC'}, late {status['late'] + status.get('radio', {}).get('late', 0)}"
    if not status["phy_alive"]:
        return "no PHY"
    if status["stalled_s"] > 1:
        return f"no frame for {status['stalled_s']:.0f} s"
    station = status["station"]
    if status["role"] == "ss":
        return station["state"] if status["synchronised"] else "searching a base station"
    stations = station["stations"]
    return f"{sum(s['state'] == 'operational' for s in stations)} of {len(stations)} stations operational"


def answers_of(names, ask_of):
    """Status of each program by its name. All are asked at once, since a hung one costs seconds."""
    def answer(name):
        socket = Path(runtime_folder(), f"{name}.ctl")
        return ask_of(f"ipc://{socket}")({"get": "status"}) if socket.is_socket() else None

    with ThreadPoolExecutor(max(1, len(names))) as pool:
        return {name: reply and reply.get("status") for name, reply in zip(names, pool.map(answer, names))}


def status_rows(supervisor, ask_of):
    """Of the programs that the supervisor keeps running, then of those that run here without it."""
    unsupervised = supervisor.unsupervised()
    kept = (supervisor.programs() or []) if unsupervised else supervisor.kept()
    kinds = {name: name.rpartition(".")[2] for name in [p["name"] for p in kept if p["statename"] == "RUNNING"] + [process.name for process in unsupervised]}
    answers = answers_of([name for name, kind in kinds.items() if kind in KINDS], ask_of)
    how = {name: in_words(kinds[name], answer) for name, answer in answers.items()}
    rows = []
    for p in kept:
        runs = p["statename"] == "RUNNING"
        rows.append({"program": p["name"], "state": p["statename"].lower(), "pid": p["pid"] or "-",
                     "for": duration(p["now"] - p["start"]) if runs else "-", "how": how.get(p["name"], last_line(p)) if runs else why_ended(p)})
    for process in unsupervised:
        rows.append({"program": process.name, "state": "unsupervised", "pid": process.pid, "for": "-", "how": how.get(process.name, "-")})
    return rows


def status(options, ask_of):
    rows = status_rows(Supervisor(), ask_of)
    return json.dumps(rows) if options.json else control.columns(rows, ("program", "state", "pid", "for", "how"))


def raise_failed(failed, count):
    """Reports which programs do not stay up, and why."""
    if failed:
        lines = [f"{len(failed)} of {count} programs do not stay up", *(f"{info['name']}: {why_not_up(info)}" for info in failed)]
        raise control.Failed("\n".join(lines))


def up(supervisor, files, ask_of):
    binaries, logs = Path(os.environ["WIMAX_BUILD_DIR"], "bin"), log_folder()
    programs = programs_of(files or [folder_of_configurations() / name for name in FIRST_FILES])
    configurations = check(programs, binaries)
    programs += servers_of(programs, configurations)
    if left := supervisor.up(programs, binaries, logs):
        print("ended, for a supervisor that was killed had left them: " + ", ".join(str(process) for process in left))
    raise_failed(supervisor.watch(endpoints_of(programs, configurations), ask_of), len(programs))
    return provenance.to_type(f"{len(programs)} programs run; ./wimax status, ./wimax logs NAME (they are in {logs}), ./wimax down")


def log_file(supervisor, name):
    """Also of a program that no supervisor keeps running."""
    file = log_folder() / f"{Path(name).name}.log"
    return file if supervisor.programs() is None and file.is_file() else supervisor.one(name)["stdout_logfile"]


def run(options, ask_of):
    """Text for standard output."""
    supervisor = Supervisor()
    if options.verb == "up":
        return up(supervisor, options.files, ask_of)
    if options.verb == "down":
        stopped = supervisor.down()
        return f"{len(stopped)} programs stopped" if stopped else f"nothing was running in {supervisor.folder}"
    if options.verb == "restart":
        raise_failed(supervisor.restart(options.name, ask_of), 1)
        return f"{options.name} runs again"
    subprocess.run(["tail", "-n", str(options.lines), *(["-F"] if options.follow else []), str(log_file(supervisor, options.name))], check=False)
    return None


def main(arguments):
    verb, *rest = arguments
    options = parser(verb).parse_args(rest)
    options.verb = verb
    return control.main_of_many(verb, options, status if verb == "status" else run)
