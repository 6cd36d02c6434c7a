# SPDX-License-Identifier: GPL-3.0-or-later
"""What all commands share that talk to a running wimax-macd through its control socket."""

import os
import sys
from pathlib import Path

from wimax_tools.exit_status import ExitStatus
from wimax_tools.printable import printable, printable_lines

RUN = "{run}"  # stands for the runtime folder in addresses, as in configurations
REPLY_MS = 3000
NAME_HELP = ("one more host name that the server answers to, for instance of a proxy or of the DNS; may be repeated. Requests for other names than "
             "localhost, this host's own name and its addresses are refused")
LATER = "possible later: "  # of what wimax-macd says: nothing wrong with it, but not now


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


def add_options(parser):
    parser.add_argument("--control", default="ipc://{run}/bs.macd.ctl", metavar="ENDPOINT", type=expanded,
                        help="control socket of wimax-macd (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def asked(ask, request):
    reply = ask(request)
    if reply is None:
        raise Failed("no answer from the control socket")
    if "error" in reply:
        text = "\n".join(reply["error"])
        raise Failed(text) if LATER in text else Refused(text)
    return reply


def columns(items, names):
    rows = [names] + [tuple(printable(item.get(name, "-")) for name in names) for item in items]
    widths = [max(len(row[i]) for row in rows) for i in range(len(names))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def say_fault(name, error):
    print(printable_lines(f"wimax {name}: {error}"), file=sys.stderr)
    return int(error.status if isinstance(error, Refused) else ExitStatus.FAILED)


def main(name, options, run):
    """Prints the result of run(options, ask) for the program at `options.control`; returns the exit status."""
    return main_of_many(name, options, lambda known, ask_of: run(known, ask_of(known.control)))


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
            print(printable_lines(text), flush=True)
        return 0
    except BrokenPipeError:  # the reader has enough, for instance head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except zmq.ZMQError as error:
        print(f"wimax {name}: --control {options.control}: {error}", file=sys.stderr)
        return 2
    except (Refused, Failed) as error:
        return say_fault(name, error)
    except KeyboardInterrupt:
        return 130
    finally:
        context.term()
