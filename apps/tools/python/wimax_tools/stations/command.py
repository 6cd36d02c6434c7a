# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax stations: subscriber stations of a running base station, through the control socket of its wimax-macd."""

import argparse
import json
import sys

from wimax_tools.flows.command import REPLY_MS, Failed, Refused, asked, columns

COLUMNS = ("mac", "name", "basic_cid", "state", "restriction", "dl_rate_id", "ul_rate_id", "rssi_dbm", "cinr_db")
VERBS = {"deregister": "DREG-CMD 0: leave this channel and try another",
         "reset": "RES-CMD: begin anew",
         "silence": "DREG-CMD 1: listen, and send nothing",
         "suspend": "DREG-CMD 2: send management alone, packets wait",
         "resume": "DREG-CMD 3: back to normal"}


def parser():
    result = argparse.ArgumentParser(
        prog="wimax stations", description="Subscriber stations of a running base station, and its provisioning.")
    result.add_argument("--control", default="ipc:///tmp/wimax-bs-macd.ctl", metavar="ENDPOINT",
                        help="control socket of wimax-macd (default: %(default)s)")
    result.add_argument("--json", action="store_true", help="print JSON")
    verbs = result.add_subparsers(dest="verb", required=True, metavar="list|" + "|".join(VERBS) + "|reload")
    verbs.add_parser("list", help="all stations")
    for verb, text in VERBS.items():
        verbs.add_parser(verb, help=text).add_argument("mac", metavar="MAC")
    verbs.add_parser("reload", help="read the configuration file again while stations are served")
    return result


def run(options, ask):
    """Text for standard output."""
    if options.verb == "list":
        stations = asked(ask, {"get": "stations"})["stations"]
        return json.dumps(stations) if options.json else columns(stations, COLUMNS)
    if options.verb == "reload":
        asked(ask, {"set": {"reload": True}})
        result = asked(ask, {"get": "reload"})["reload"]
        lines = ["read again"] + [f"{key}: changes with a restart only" for key in result["unchanged"]]
        return json.dumps(result) if options.json else "\n".join(lines)
    asked(ask, {"set": {f"stations.{options.verb}": {"mac": options.mac}}})
    return json.dumps({"ok": True}) if options.json else f"{options.mac}: told to {options.verb}"


def main(arguments):
    options = parser().parse_args(arguments)
    import zmq  # --help works without it

    from wimax_tools.bench.stack import ask
    context = zmq.Context()
    try:
        print(run(options, lambda request: ask(context, options.control, request, REPLY_MS)))
        return 0
    except zmq.ZMQError as error:
        print(f"wimax stations: --control {options.control}: {error}", file=sys.stderr)
        return 2
    except (Refused, Failed) as error:
        print(f"wimax stations: {error}", file=sys.stderr)
        return 2 if isinstance(error, Refused) else 1
    finally:
        context.term()
