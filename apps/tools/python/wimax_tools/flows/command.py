# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax flows: service flows of a running base or subscriber station, through the control socket of its wimax-macd."""

import argparse
import json
import random
import time

from wimax_tools import command_line, control
from wimax_tools.control import Failed, asked, columns
from wimax_tools.printable import printable

RESULT_S = 30.0  # of the wall clock; a simulated cell may be slower than real time
PAUSE_S = 0.05

VERBS = ("list", "add", "change", "delete")
EXAMPLES = """examples:
  wimax flows list
  wimax flows ss list
  wimax flows add --station 02:00:00:00:00:01 direction=uplink scheduling=rtps min_reserved_rate_bps=500000
  wimax flows change 3 max_sustained_rate_bps=2000000 state=admitted
  wimax flows add --station 02:00:00:00:00:01 'classifiers=[{"protocols": [17]}]'

wimax macd --write-reference prints all keys (bs.service_flows). state is active, admitted or provisioned."""
COLUMNS = ("station", "sfid", "cid", "direction", "scheduling", "state", "name", "max_sustained_rate_bps",
           "min_reserved_rate_bps", "backlog_bytes", "sdus")


def parameter(text):
    """KEY=VALUE; the value is JSON, or a text as it stands."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def parser():
    result = command_line.Parser(
        prog="wimax flows", description="Lists, adds, changes and deletes service flows of a running station. The default is the base station; "
                                        "name another program before the verb.", epilog=EXAMPLES)
    control.add_options(result)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))
    verbs.add_parser("list", help="list all service flows")
    add = verbs.add_parser("add", help="add a service flow (DSA)")
    add.add_argument("--station", metavar="MAC", help="MAC address of the subscriber station; required at a base station")
    change = verbs.add_parser("change", help="change parameters of a service flow; the others keep their values (DSC)")
    delete = verbs.add_parser("delete", help="delete a service flow (DSD)")
    for verb in (change, delete):
        verb.add_argument("sfid", type=command_line.within(1, 2**32 - 1, int), metavar="SFID", help="service flow ID, as list prints it")
    for verb in (add, change):
        verb.add_argument("parameters", nargs="*", type=parameter, metavar="KEY=VALUE", help="keys of bs.service_flows; lists as JSON")
    control.add_options_to_verbs(verbs)
    return result


def request_of(options, number):
    value = {"id": number}
    if options.verb == "add" and options.station:
        value["station"] = options.station
    if options.verb in ("change", "delete"):
        value["sfid"] = options.sfid
    if options.verb in ("add", "change"):
        value.update(options.parameters)
    return {"set": {f"flows.{options.verb}": value}}


def result_of(ask, number, pause=time.sleep, tries=int(RESULT_S / PAUSE_S)):
    """What became of a command; asks until it is done."""
    for _ in range(tries):
        for result in asked(ask, {"get": "flows"})["flows"]["results"]:
            if result["id"] == number and result["done"]:
                return result
        pause(PAUSE_S)
    raise Failed("no result: the station neither accepted nor refused the command")


def run(options, ask):
    """Text for standard output."""
    if options.verb == "list":
        all_of_it = asked(ask, {"get": "flows"})["flows"]
        if options.json:
            return json.dumps(all_of_it)
        flows = all_of_it["flows"]
        shared = [dict(one, station=f"{one['listeners']} of {one['members']}", sfid="-") for one in all_of_it["multicast"]]
        return "\n".join([columns(flows + shared, COLUMNS)] + [f"flow {flow['sfid']}: {printable(flow['refusal'])}" for flow in flows
                                           if flow.get("refusal")])
    number = random.getrandbits(48)
    asked(ask, request_of(options, number))
    result = result_of(ask, number)
    if not result["ok"]:
        raise Failed(f"flow {result['sfid']}: {printable(result['text'])} (code {result['code']})")
    return json.dumps(result) if options.json else f"flow {result['sfid']}: {printable(result['text'])}"


def main(arguments):
    try:
        arguments = control.with_station(arguments, VERBS)
    except control.Refused as error:
        return control.say_fault("flows", error)
    return control.main("flows", parser().parse_args(arguments), run)
