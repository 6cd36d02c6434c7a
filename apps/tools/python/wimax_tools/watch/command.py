# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax watch: a live page of the cell in the browser, and its administration."""

import asyncio
import secrets
import signal
import sys
from contextlib import closing

from wimax_tools import command_line, provenance
from wimax_tools.control import NAME_HELP, Failed, Refused, say_fault

ADDRESS, PORT = "127.0.0.1", 9817
EXAMPLES = """examples:
  wimax watch                                 serves http://127.0.0.1:9817 for the programs of this host
  wimax watch --file config/bs.macd.yml       the page can also write changes of service flows to this file
  wimax watch --address 0.0.0.0               for other hosts: everybody can look, a change needs the token
  wimax watch --name cell.example             behind a proxy that browsers reach under this name
  wimax watch far.macd=tcp://host:5701        a program of another host in addition to those of this one

docs/watch.md describes the page."""


def parser():
    result = command_line.Parser(prog="wimax watch", description=__doc__, epilog=EXAMPLES)
    result.add_argument("elsewhere", nargs="*", metavar="NAME=ENDPOINT", help="programs in addition to those with a socket in the runtime folder")
    command_line.add_listener(result, ADDRESS, PORT)
    result.add_argument("--name", action="append", default=[], metavar="NAME", help=NAME_HELP)
    result.add_argument("--file", metavar="CONFIG", help="configuration file of the base station; the page shows it and can write changes to it")
    return result


async def serve(options, watcher, token, out=sys.stderr):
    """Runs until it is stopped."""
    from wimax_tools.serving import Hosts, Server, listening
    from wimax_tools.watch.changes import Changes
    from wimax_tools.watch.server import application
    sockets = listening(options.address, options.port, "--address")
    server = Server(application(watcher, Changes(watcher.ask, options.file), token, Hosts(options.address, options.name)))
    server.add_sockets(sockets)
    host = f"[{options.address}]" if ":" in options.address else options.address
    print(f"page at http://{host}:{sockets[0].getsockname()[1]}/#token={token}\nwithout the part after # the page is read-only",
          file=out, flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    server.stop()


def check_file(path):
    try:
        if path:
            with open(path, encoding="utf-8") as file:
                file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"--file {path}: {getattr(error, 'strerror', None) or error}") from error


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        import ruamel.yaml  # noqa: F401  a missing module is reported now, not at the first change
        import tornado  # noqa: F401

        from wimax_tools.metrics.programs import named
        from wimax_tools.watch.watcher import Watcher
    except ModuleNotFoundError as error:
        return say_fault("watch", Failed(f"{error.name} is missing; type: {provenance.to_type('./wimax setup')}"))
    try:
        check_file(options.file)
        with closing(Watcher(named(options.elsewhere))) as watcher:
            asyncio.run(serve(options, watcher, secrets.token_urlsafe(16)))
        return 0
    except Refused as error:
        return say_fault("watch", error)
