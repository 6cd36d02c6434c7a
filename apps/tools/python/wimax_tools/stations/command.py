# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax stations: subscriber stations of a running base station, through the control socket of its wimax-macd."""

import json

from wimax_tools import command_line, control
from wimax_tools.control import asked, columns

COLUMNS = ("mac", "name", "basic_cid", "state", "restriction", "dl_rate_id", "ul_rate_id", "rssi_dbm", "cinr_db")
VERBS = {"deregister": "leave this channel and try another (DREG-CMD 0)",
         "reset": "restart network entry (RES-CMD)",
         "silence": "listen and stop transmitting (DREG-CMD 1)",
         "suspend": "send management messages only; packets wait (DREG-CMD 2)",
         "resume": "return to normal operation (DREG-CMD 3)"}
EXAMPLES = """examples:
  wimax stations list
  wimax stations suspend 02:00:00:00:00:01
  wimax stations rates 02:00:00:00:00:01 --dl-rate 4 --dl-lowest 1
  wimax stations reload"""
RATES = {"--dl-rate": "dl_rate_id", "--dl-lowest": "dl_lowest_rate_id", "--ul-rate": "ul_rate_id", "--ul-lowest": "ul_lowest_rate_id"}
ALIASES = {"--dl-rate": ("--dl",), "--ul-rate": ("--ul",)}
ALL_VERBS = ("list", *VERBS, "rates", "reload")


def parser():
    result = command_line.Parser(prog="wimax stations", description="Lists and controls the subscriber stations of a running base station.", epilog=EXAMPLES)
    control.add_options(result)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="|".join(ALL_VERBS))
    verbs.add_parser("list", help="list all stations")
    for verb, text in VERBS.items():
        verbs.add_parser(verb, help=text).add_argument("mac", metavar="MAC", help="MAC address of the station")
    rates = verbs.add_parser("rates", help="set the limits of a station's rates, until it enters again or the file is read again",
                             description="If the lowest rate equals the rate, it is fixed. Limits that are not given keep their values.")
    rates.add_argument("mac", metavar="MAC", help="MAC address of the station")
    for option, key in RATES.items():
        rates.add_argument(option, *ALIASES.get(option, ()), dest=key, type=command_line.within(0, 6, int), metavar="ID",
                           help=f"{'lowest ' if 'lowest' in option else ''}Rate_ID, 0 (BPSK 1/2) to 6 (64-QAM 3/4)")
    verbs.add_parser("reload", help="read the configuration file again without a restart")
    control.add_options_to_verbs(verbs)
    return result


def run(options, ask):
    """Text for standard output."""
    if options.verb == "list":
        stations = asked(ask, {"get": "stations"})["stations"]
        return json.dumps(stations) if options.json else columns(stations, COLUMNS)
    if options.verb == "reload":
        asked(ask, {"set": {"reload": True}})
        result = asked(ask, {"get": "reload"})["reload"]
        lines = ["configuration read again"] + [f"{key}: changes only with a restart" for key in result["unchanged"]]
        return json.dumps(result) if options.json else "\n".join(lines)
    rates = {key: getattr(options, key) for key in RATES.values() if getattr(options, key, None) is not None}
    asked(ask, {"set": {f"stations.{options.verb}": {"mac": options.mac, **rates}}})
    return json.dumps({"ok": True}) if options.json else f"{options.mac}: " + ("rates changed" if options.verb == "rates" else f"{options.verb} requested")


def main(arguments):
    try:
        arguments = control.with_station(arguments, ALL_VERBS)
    except control.Refused as error:
        return control.say_fault("stations", error)
    return control.main("stations", parser().parse_args(arguments), run)
