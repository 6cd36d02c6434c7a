# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax watch: a live page of the cell in the browser, and its administration."""

import argparse
import asyncio
import secrets
import signal
import sys
from contextlib import closing

from wimax_tools import provenance
from wimax_tools.control import NAME_HELP, Failed, Refused, say_fault

HOST, PORT = "127.0.0.1", 9817
EXAMPLES = """examples:
  wimax watch                                 http://127.0.0.1:9817, of the programs of this host
  wimax watch --file config/bs.macd.yml       changes of service flows are written there, too, where that is asked for
  wimax watch --host 0.0.0.0                  for other hosts: everybody may look, who has the token may change
  wimax watch --name cell.example             behind a proxy that browsers reach under this name
  wimax watch far.macd=tcp://host:5701        a program of another host beside those of this one

docs/watch.md says what it shows."""


def parser():
    result = argparse.ArgumentParser(prog="wimax watch", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("elsewhere", nargs="*", metavar="NAME=ENDPOINT", help="programs beside those whose sockets are in the runtime folder")
    result.add_argument("--host", default=HOST, help="address to listen at (default %(default)s: this host only)")
    result.add_argument("--port", type=int, default=PORT, help="default %(default)s; 0: any that is free")
    result.add_argument("--name", action="append", default=[], metavar="NAME", help=NAME_HELP)
    result.add_argument("--file", metavar="CONFIG", help="configuration file of the base station, which the page shows and writes when asked to")
    return result


async def serve(options, watcher, token, out=sys.stderr):
    """Runs until it is stopped."""
    from wimax_tools.serving import Hosts, Server, listening
    from wimax_tools.watch.changes import Changes
    from wimax_tools.watch.server import application
    sockets = listening(options.host, options.port, "--host")
    server = Server(application(watcher, Changes(watcher.ask, options.file), token, Hosts(options.host, options.name)))
    server.add_sockets(sockets)
    host = f"[{options.host}]" if ":" in options.host else options.host
    print(f"page at http://{host}:{sockets[0].getsockname()[1]}/#token={token}\nwithout what follows # it can be looked at, and nothing changed",
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
        raise Refused(f"--file {path}: {error}") from error


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        import ruamel.yaml  # noqa: F401  what is missing is said now, not at the first change
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
