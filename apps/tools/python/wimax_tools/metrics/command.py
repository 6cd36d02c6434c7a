# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax metrics: figures of the programs of this host, for Prometheus and what else reads its format."""

import argparse
import asyncio
import signal
import sys
from contextlib import closing

from wimax_tools import provenance
from wimax_tools.control import NAME_HELP, Failed, Refused, say_fault

ADDRESS, PORT = "127.0.0.1", 9816
EXAMPLES = """examples:
  wimax metrics                               serves them at http://127.0.0.1:9816/metrics
  wimax metrics --address 0.0.0.0             for a Prometheus elsewhere: there is no password
  wimax metrics far.macd=tcp://host:5701      beside those of this host, one elsewhere
  wimax metrics --once                        prints them

docs/metrics.md has the names, a Grafana dashboard and alerts."""


def parser():
    result = argparse.ArgumentParser(prog="wimax metrics", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("elsewhere", nargs="*", metavar="NAME=ENDPOINT", help="programs beside those whose sockets are in the runtime folder")
    result.add_argument("--address", default=ADDRESS, help="to listen at (default %(default)s: this host only)")
    result.add_argument("--port", type=int, default=PORT, help="default %(default)s; 0: any that is free")
    result.add_argument("--name", action="append", default=[], metavar="NAME", help=NAME_HELP)
    result.add_argument("--once", action="store_true", help="print them, and end")
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
                print(Exposition(programs).text()[0].decode(), end="")
            else:
                serve(options.address, options.port, Scrapes(programs), options.name)
        return 0
    except Refused as error:
        return say_fault("metrics", error)
    except KeyboardInterrupt:
        return 130 if options.once else 0
