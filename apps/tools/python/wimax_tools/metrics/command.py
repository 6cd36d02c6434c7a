# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax metrics: figures of the programs of this host, for Prometheus and what else reads its format."""

import argparse
import signal
import socket
import sys
from contextlib import closing
from wsgiref.simple_server import WSGIRequestHandler, make_server

from wimax_tools import provenance
from wimax_tools.control import Failed, Refused, say_fault

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
    result.add_argument("--once", action="store_true", help="print them, and end")
    return result


def serve(address, port, exposition, out=sys.stderr):
    """Until it is interrupted."""
    from prometheus_client.exposition import ThreadingWSGIServer  # --help works without it

    class Server(ThreadingWSGIServer):
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET

    class Silent(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    try:
        server = make_server(address, port, exposition.wsgi(), Server, Silent)
    except (OSError, OverflowError) as error:
        raise Refused(f"--address {address} --port {port}: {error}") from error
    with server:
        print(f"metrics at http://{address}:{server.server_port}/metrics", file=out, flush=True)
        server.serve_forever(poll_interval=None)


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        from wimax_tools.metrics.exposition import Exposition
        from wimax_tools.metrics.programs import Programs, named
    except ModuleNotFoundError as error:
        return say_fault("metrics", Failed(f"{error.name} is missing; type: {provenance.to_type('./wimax setup')}"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with closing(Programs(named(options.elsewhere))) as programs:
            exposition = Exposition(programs)
            if options.once:
                print(exposition.text()[0].decode(), end="")
            else:
                serve(options.address, options.port, exposition)
        return 0
    except Refused as error:
        return say_fault("metrics", error)
    except KeyboardInterrupt:
        return 130 if options.once else 0
