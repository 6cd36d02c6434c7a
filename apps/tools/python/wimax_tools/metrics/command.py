# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax metrics: serves figures of the programs of this host in the format of Prometheus."""

import asyncio
import signal
import sys
from contextlib import closing

from wimax_tools import command_line, provenance
from wimax_tools.control import NAME_HELP, Failed, Refused, runtime_folder, say_fault, to_start

ADDRESS, PORT = "127.0.0.1", 9816
EXAMPLES = """examples:
  wimax metrics                               serves http://127.0.0.1:9816/metrics
  wimax metrics --address 0.0.0.0             for a Prometheus on another host; there is no password
  wimax metrics far.macd=tcp://host:5701      a program of another host in addition to those of this one
  wimax metrics --once                        prints the figures once

docs/metrics.md lists the names, a Grafana dashboard and alerts."""


def parser():
    result = command_line.Parser(prog="wimax metrics", description=__doc__, epilog=EXAMPLES)
    result.add_argument("elsewhere", nargs="*", metavar="NAME=ENDPOINT", help="programs in addition to those with a socket in the runtime folder")
    command_line.add_listener(result, ADDRESS, PORT)
    result.add_argument("--name", action="append", default=[], metavar="NAME", help=NAME_HELP)
    result.add_argument("--once", action="store_true", help="print the figures once and end")
    return result


def serve(address, port, scrapes, names=(), out=sys.stderr):
    """Until it is interrupted."""
    from wimax_tools.metrics.scrapes import application
    from wimax_tools.serving import Hosts, Server, listening

    async def run():
        sockets = listening(address, port, "--address")
        server = Server(application(scrapes, Hosts(address, names)))
        server.add_sockets(sockets)
        host = f"[{address}]" if ":" in address else address
        print(f"metrics at http://{host}:{sockets[0].getsockname()[1]}/metrics", file=out, flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        from wimax_tools.metrics.exposition import Exposition
        from wimax_tools.metrics.programs import Programs, named
        from wimax_tools.metrics.scrapes import Scrapes
    except ModuleNotFoundError as error:
        return say_fault("metrics", Failed(f"{error.name} is missing; type: {provenance.to_type('./wimax setup')}"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with closing(Programs(named(options.elsewhere))) as programs:
            if options.once:
                figures = Exposition(programs).text()[0].decode()
                print(figures, end="")
                if not figures:
                    print(f"wimax metrics: no program runs in {runtime_folder()}; {to_start()}", file=sys.stderr)
            else:
                serve(options.address, options.port, Scrapes(programs), options.name)
        return 0
    except Refused as error:
        return say_fault("metrics", error)
    except KeyboardInterrupt:
        return 130 if options.once else 0
