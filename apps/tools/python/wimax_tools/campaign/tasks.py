# SPDX-License-Identifier: GPL-3.0-or-later
"""One point: a program with these parameters and this seed, and the figures of its JSON. Runs in a worker, which may be another machine's."""
import copy
import json
import os
from pathlib import Path
import resource
import shlex
import socket
import subprocess
import sys
import tempfile
import time

from wimax_tools import provenance

WITH_ITS_WORKER = ["setpriv", "--pdeathsig", "KILL"]  # it ends, even where that is killed


class PointFault(RuntimeError):
    """The program refused, failed or took too long; it would again."""


def run(kind, base, parameters, seed, figures, timeout_s, commit):
    """A row: parameters, seed, figures; how and where they were made."""
    here = provenance.commit()
    if here != commit:
        raise PointFault(f"the worker on {socket.gethostname()} has commit {here}, the campaign {commit}")
    begin, cpu = time.monotonic(), cpu_s()
    with tempfile.TemporaryDirectory(prefix="wimax-point-") as folder:
        command = COMMANDS[kind](base, parameters, seed, Path(folder))
        result = finished(command, timeout_s)
    row = {**parameters, "seed": seed, **{name: figure_of(result, path) for name, path in figures.items()}}
    return {**row, "version": provenance.version(), "commit": here, "command": shown(kind, command, parameters), "host": socket.gethostname(),
            "machine": provenance.machine(), "seconds": round(time.monotonic() - begin, 3),
            "cpu_s": round(cpu_s() - cpu, 3)}


def finished(command, timeout_s):
    try:
        done = subprocess.run([*WITH_ITS_WORKER, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout_s, check=False)
    except (subprocess.TimeoutExpired, OSError) as error:
        raise PointFault(f"{shlex.join(command)}: {error}") from error
    if done.returncode != 0:
        raise PointFault(f"{shlex.join(command)} ended with {done.returncode}: {' '.join(done.stderr.split())[-500:]}")
    return json.loads(done.stdout)


def cpu_s():
    return sum(use.ru_utime + use.ru_stime for use in (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)))


def program(name):
    return str(Path(os.environ.get("WIMAX_BUILD_DIR") or Path(provenance.TOP, "build"), "bin", name))


def options(settings):
    return [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def link(base, parameters, seed, _folder):
    """One SNR a point; one thread, because points share the cores."""
    settings = {"threads": 1, **base, **parameters}
    if "snr_db" in settings:
        settings["snr_db"] = f"{settings['snr_db']}:1:{settings['snr_db']}"
    return [program("wimax-link"), *options(settings), "--seed", str(seed), "--json", "-"]


def sim(base, parameters, seed, folder):
    """Parameters are keys of the scenario, with dots and indices into what is deeper."""
    scenario = copy.deepcopy(base)
    for name, value in parameters.items():
        put(scenario, name.split("."), value)
    file = folder / "scenario.yml"
    file.write_text(json.dumps(scenario), encoding="utf-8")  # JSON is YAML
    return [program("wimax-sim"), "--scenario", str(file), "--seed", str(seed), "--json", "-"]


def bench(base, parameters, seed, folder):
    """Quick and in free mode, each in its own folder."""
    settings = {"mode": "free", "out": str(folder / "out"), **base, **parameters}
    return [sys.executable, "-B", "-m", "wimax_tools.bench", "--quick", *options(settings), "--seed", str(seed), "--json", "-"]


def curves(base, parameters, seed, _folder):
    """A whole curve: which SNRs it has is found on the way."""
    return [sys.executable, "-B", "-m", "wimax_tools.curves.measure", *options({**base, **parameters}), "--seed", str(seed), "--json", "-"]


COMMANDS = {"link": link, "sim": sim, "bench": bench, "curves": curves}


def put(into, path, value):
    for key in path[:-1]:
        into = into[int(key)] if isinstance(into, list) else into.setdefault(key, {})
    if isinstance(into, list):
        into[int(path[-1])] = value
    else:
        into[path[-1]] = value


def figure_of(result, path):
    for key in path.split("."):
        try:
            result = result[int(key)] if isinstance(result, list) else result[key]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise PointFault(f"the result has no {path}") from error
    return result


def shown(kind, command, parameters):
    """As it is typed; of a scenario, what differs from the campaign's base."""
    words = [word for word in command if word != "-B"]
    if kind == "curves":  # the launcher has no command for it
        return shlex.join(["./wimax", "python", *words[1:]])
    words[0:words.index("-m") + 2 if kind == "bench" else 1] = ["./wimax", kind]
    if kind == "sim":
        words[words.index("--scenario") + 1] = "base+" + ",".join(f"{name}={value}" for name, value in parameters.items())
    return shlex.join(words)
