# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax up, down, status, restart, logs: the programs of this host, kept running in the background."""
import argparse
import json
import os
import subprocess
from pathlib import Path

from wimax_tools import control, provenance
from wimax_tools.control import runtime_folder
from wimax_tools.upkeep.supervision import Supervisor, check, log_folder, programs_of

LINES = 50
FIRST_FILES = ("channeld.yml", "bs.phyd.yml", "bs.macd.yml", "ss.phyd.yml", "ss.macd.yml")
HELP = {"up": "starts programs and keeps them running; those of config/ without arguments: a base station, a subscriber station, the channel between them",
        "down": "stops them all", "status": "what runs, for how long, and how it is", "restart": "one of them, with its configuration as it is now",
        "logs": "what one of them has said"}


def parser(verb):
    result = argparse.ArgumentParser(prog=f"wimax {verb}", description=HELP[verb])
    if verb == "up":
        result.add_argument("files", nargs="*", metavar="CONFIG", help="NAME.macd.yml, NAME.phyd.yml, channeld.yml: the name says which program")
    elif verb == "status":
        result.add_argument("--json", action="store_true", help="print JSON")
    elif verb in ("restart", "logs"):
        result.add_argument("name", metavar="NAME", help="as wimax status has it")
    if verb == "logs":
        result.add_argument("-f", "--follow", action="store_true", help="go on as it says more")
        result.add_argument("-n", "--lines", type=int, default=LINES, metavar="N", help="the last ones (default %(default)s)")
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
    """How a program is, of what it says itself."""
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


def status_rows(supervisor, ask_of):
    rows = []
    for program in supervisor.kept():
        runs = program["statename"] == "RUNNING"
        answer = ask_of(f"ipc://{runtime_folder()}/{program['name']}.ctl")({"get": "status"}) if runs else None
        rows.append({"program": program["name"], "state": program["statename"].lower(), "pid": program["pid"] or "-",
                     "for": duration(program["now"] - program["start"]) if runs else "-",
                     "how": in_words(program["name"].rpartition(".")[2], answer and answer.get("status")) if runs else
                     program["spawnerr"] or provenance.to_type(f"ended with status {program['exitstatus']}; ./wimax logs {program['name']}")})
    return rows


def status(options, ask_of):
    rows = status_rows(Supervisor(), ask_of)
    return json.dumps(rows) if options.json else control.columns(rows, ("program", "state", "pid", "for", "how"))


def run(verb, options):
    """Text for standard output."""
    supervisor, logs = Supervisor(), log_folder()
    if verb == "up":
        binaries = Path(os.environ["WIMAX_BUILD_DIR"], "bin")
        programs = programs_of(options.files or [folder_of_configurations() / name for name in FIRST_FILES])
        check(programs, binaries)
        supervisor.up(programs, binaries, logs)
        return provenance.to_type(f"{len(programs)} programs run; ./wimax status, ./wimax logs NAME (they are in {logs}), ./wimax down")
    if verb == "down":
        return f"{supervisor.down()} programs stopped"
    if verb == "restart":
        supervisor.restart(options.name)
        return f"{options.name} runs again"
    file = supervisor.one(options.name)["stdout_logfile"]
    subprocess.run(["tail", "-n", str(options.lines), *(["-F"] if options.follow else []), file], check=False)
    return None


def main(arguments):
    verb, *rest = arguments
    options = parser(verb).parse_args(rest)
    if verb == "status":
        return control.main_of_many(verb, options, status)
    try:
        if text := run(verb, options):
            print(text)
        return 0
    except KeyboardInterrupt:
        return 130
    except (control.Refused, control.Failed) as error:
        return control.say_fault(verb, error)
