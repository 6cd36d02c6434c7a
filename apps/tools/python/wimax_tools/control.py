# SPDX-License-Identifier: GPL-3.0-or-later
"""Code shared by the commands that use control sockets of running programs."""

import argparse
import errno
import os
import socket
import sys
from pathlib import Path

from wimax_tools import command_line, provenance
from wimax_tools.exit_status import ExitStatus
from wimax_tools.printable import printable, printable_lines

RUN = "{run}"  # stands for the runtime folder in addresses, as in configurations
REPLY_MS = 3000
SUFFIX, IPC = ".ctl", "ipc://"
NAME_HELP = ("one more host name that the server responds to, for instance the name of a proxy; may be repeated. Requests for names other than "
             "localhost, the name of this host and its addresses are refused")
LATER = "possible later: "  # begins a refusal of wimax-macd that another time may lift


class Refused(Exception):
    """Wrong input; `status`: what the command ends with."""

    def __init__(self, text, status=ExitStatus.CONFIGURATION_REFUSED):
        super().__init__(text)
        self.status = status


class Failed(Exception):
    """The work itself: exit 1."""


def runtime_folder(environment=os.environ, uid=None):
    """Where the sockets of this user's programs are: the rules of apps/common/address.h. Another user may have made it: safe_files checks it."""
    if environment.get("WIMAX_RUN"):
        return environment["WIMAX_RUN"].rstrip("/") or "/"
    uid = os.geteuid() if uid is None else uid
    called = environment.get("SUDO_UID", "")
    by_sudo = uid == 0 and called.isdigit()
    uid = int(called) if by_sudo else uid
    if uid == 0:
        return "/run/wimax"
    if environment.get("XDG_RUNTIME_DIR") and not by_sudo:
        return environment["XDG_RUNTIME_DIR"] + "/wimax"
    return f"/run/user/{uid}/wimax" if Path(f"/run/user/{uid}").is_dir() else f"/tmp/wimax-{uid}"


def expanded(address):
    return address.replace(RUN, runtime_folder())


def served(endpoint):
    """False: nothing is at this socket of this host, or only what a killed program left. Costs no waiting."""
    if not endpoint.startswith(IPC):
        return True
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        return probe.connect_ex(endpoint.removeprefix(IPC)) not in (errno.ECONNREFUSED, errno.ENOENT, errno.ENOTDIR)


def programs(folder=None):
    """Names of the programs that serve a control socket in the runtime folder."""
    found = Path(folder or runtime_folder()).glob(f"*{SUFFIX}")
    return sorted(path.name.removesuffix(SUFFIX) for path in found if served(f"{IPC}{path}"))


def endpoint(name):
    """Of a program by its name: `bs` is the MAC of the base station, `bs.phyd` its PHY; an endpoint stands for itself."""
    if "://" in name:
        return expanded(name)
    there = programs()
    for candidate in (name, f"{name}.macd"):
        if candidate in there:
            return f"{IPC}{runtime_folder()}/{candidate}{SUFFIX}"
    if not there:
        raise Refused(f"'{name}': no program runs in {runtime_folder()}; {to_start()}")
    hint = command_line.did_you_mean(name, there)
    raise Refused(f"'{name}': no such program in {runtime_folder()}{hint + ' Allowed' if hint else '; allowed'}: {', '.join(there)}")


def to_start():
    return f"start a cell: {provenance.to_type('sudo ./wimax up')}"


def check_served(endpoint):
    if not served(endpoint):
        raise Failed(f"no program runs at {endpoint}; {to_start()}")


def add_options(parser, **more):
    parser.add_argument("--control", metavar="ENDPOINT", type=expanded, help="control socket of wimax-macd (default: ipc://{run}/bs.macd.ctl)",
                        **{"default": "ipc://{run}/bs.macd.ctl", **more})
    command_line.add_json(parser, bare=True, **more)


def add_options_to_verbs(verbs):
    """The same after the verb."""
    for parser in verbs.choices.values():
        add_options(parser, default=argparse.SUPPRESS)


def with_station(arguments, verbs):
    """`wimax flows ss list`: a program's name before the verb is its control socket."""
    if len(arguments) > 1 and arguments[0] not in verbs and arguments[1] in verbs and not arguments[0].startswith("-"):
        return ["--control", endpoint(arguments[0]), *arguments[1:]]
    return arguments


def asked(ask, request):
    reply = ask(request)
    if reply is None:
        raise Failed(f"no answer from the control socket within {REPLY_MS // 1000} s: the program hangs, or it is not one of this project")
    if "error" in reply:
        text = "\n".join(reply["error"])
        raise Failed(text) if LATER in text else Refused(text)
    return reply


def cell_text(value):
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"
    return printable(value)


def columns(items, names):
    """A table with at least four digits of each measured value."""
    rows = [names] + [tuple(cell_text(item.get(name, "-")) for name in names) for item in items]
    widths = [max(len(row[i]) for row in rows) for i in range(len(names))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def say_fault(name, error):
    command_line.say_fault(f"wimax {name}", printable_lines(str(error)))
    return int(error.status if isinstance(error, Refused) else ExitStatus.FAILED)


def main(name, options, run):
    """Prints the result of run(options, ask) for the program at `options.control`; returns the exit status."""
    def run_one(known, ask_of):
        ask = ask_of(known.control)  # which refuses the socket of another user
        check_served(known.control)
        return run(known, ask)

    return main_of_many(name, options, run_one)


def main_of_many(name, options, run):
    """The same with `ask_of(endpoint)`, for several programs."""
    import zmq  # --help works without it

    from wimax_tools.bench.stack import ask
    from wimax_tools.safe_files import check_server
    context = zmq.Context()

    def ask_of(endpoint):
        check_server(endpoint)
        return lambda request: ask(context, endpoint, request, REPLY_MS)

    try:
        if text := run(options, ask_of):
            command_line.print_result(printable_lines(text), getattr(options, "json", None))
        return 0
    except BrokenPipeError:  # the reader has enough, for instance head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except zmq.ZMQError as error:
        print(f"wimax {name}: --control {options.control}: {error}", file=sys.stderr)
        return 2
    except (Refused, Failed) as error:
        return say_fault(name, error)
    except OSError as error:  # of --json
        return say_fault(name, Refused(f"{error.filename}: cannot be written: {error.strerror}"))
    except KeyboardInterrupt:
        return 130
    finally:
        context.term()
