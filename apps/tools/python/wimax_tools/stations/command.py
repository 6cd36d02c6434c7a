# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax stations: subscriber stations of a running base station, through the control socket of its wimax-macd."""

import argparse
import json

from wimax_tools import control
from wimax_tools.control import asked, columns

COLUMNS = ("mac", "name", "basic_cid", "state", "restriction", "dl_rate_id", "ul_rate_id", "rssi_dbm", "cinr_db")
VERBS = {"deregister": "DREG-CMD 0: leave this channel and try another",
         "reset": "RES-CMD: begin anew",
         "silence": "DREG-CMD 1: listen, and send nothing",
         "suspend": "DREG-CMD 2: send management alone, packets wait",
         "resume": "DREG-CMD 3: back to normal"}
RATES = {"--dl": "dl_rate_id", "--dl-lowest": "dl_lowest_rate_id", "--ul": "ul_rate_id", "--ul-lowest": "ul_lowest_rate_id"}


def parser():
    result = argparse.ArgumentParser(
        prog="wimax stations", description="Subscriber stations of a running base station, and its provisioning.")
    control.add_options(result)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="list|" + "|".join(VERBS) + "|rates|reload")
    verbs.add_parser("list", help="all stations")
    for verb, text in VERBS.items():
        verbs.add_parser(verb, help=text).add_argument("mac", metavar="MAC")
    rates = verbs.add_parser("rates", help="other limits of its rates, until it enters again or the file is read again",
                             description="A rate is fixed where the lowest is the same; what is not given stays.")
    rates.add_argument("mac", metavar="MAC")
    for option, key in RATES.items():
        rates.add_argument(option, dest=key, type=int, metavar="0..6", help="6: 64-QAM 3/4, 0: BPSK 1/2")
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
    rates = {key: getattr(options, key) for key in RATES.values() if getattr(options, key, None) is not None}
    asked(ask, {"set": {f"stations.{options.verb}": {"mac": options.mac, **rates}}})
    return json.dumps({"ok": True}) if options.json else f"{options.mac}: " + ("has the rates" if options.verb == "rates" else f"told to {options.verb}")


def main(arguments):
    return control.main("stations", parser().parse_args(arguments), run)
