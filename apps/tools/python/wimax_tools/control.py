# SPDX-License-Identifier: GPL-3.0-or-later
"""What all commands share that talk to a running wimax-macd through its control socket."""

import sys

REPLY_MS = 3000
LATER = "possible later: "  # of what wimax-macd says: nothing wrong with it, but not now


class Refused(Exception):
    """Wrong input: exit 2."""


class Failed(Exception):
    """The work itself: exit 1."""


def add_options(parser):
    parser.add_argument("--control", default="ipc:///tmp/wimax-bs-macd.ctl", metavar="ENDPOINT",
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
    rows = [names] + [tuple(str(item.get(name, "-")) for name in names) for item in items]
    widths = [max(len(row[i]) for row in rows) for i in range(len(names))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def main(name, options, run):
    """Prints what run(options, ask) says; returns the exit status."""
    import zmq  # --help works without it

    from wimax_tools.bench.stack import ask
    context = zmq.Context()
    try:
        print(run(options, lambda request: ask(context, options.control, request, REPLY_MS)))
        return 0
    except zmq.ZMQError as error:
        print(f"wimax {name}: --control {options.control}: {error}", file=sys.stderr)
        return 2
    except (Refused, Failed) as error:
        print(f"wimax {name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, Refused) else 1
    finally:
        context.term()
