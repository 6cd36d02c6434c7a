# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax ctl: reads and changes values of a running program through its control socket."""

import json
import time

from wimax_tools import command_line, control
from wimax_tools.control import SUFFIX, Refused, asked, endpoint, programs, runtime_folder
from wimax_tools.printable import printable

EXAMPLES = """examples:
  wimax ctl                                    list the programs that run here
  wimax ctl bs                                 list the keys of the base station's MAC with their meaning
  wimax ctl ss get status.station.cinr_db      one value; without the dots all values of a key
  wimax ctl ss watch status.cinr_db status.in_kbps
  wimax ctl bs set log.mac debug
  wimax ctl channeld set link '{"name": "bs->ss1", "snr_db": 12}'"""


def parser():
    result = command_line.Parser(prog="wimax ctl", description=__doc__, epilog=EXAMPLES)
    result.add_argument("station", nargs="?", metavar="STATION",
                        help="program: bs, ss, bs.phyd, channeld ... (a socket in the runtime folder), or an endpoint; without it, the running programs are listed")
    result.add_argument("verb", nargs="?", choices=("get", "set", "watch", "keys"), default="keys")
    result.add_argument("words", nargs="*", metavar="KEY", help="for get and watch: keys with dots; for set: KEY VALUE")
    result.add_argument("--every", type=command_line.within(0.01, 86400), default=1.0, metavar="S", help="watch: seconds between lines (default %(default)s)")
    result.add_argument("--count", type=command_line.within(1, 10**9, int), metavar="N", help="watch: number of lines (default: until Ctrl-C)")
    command_line.add_json(result, bare=True)
    return result


def pick(value, path, whole):
    """Members by name, elements by number or, of stations and flows, by what names them."""
    for word in path:
        if isinstance(value, dict) and word in value:
            value = value[word]
        elif isinstance(value, list) and (found := element(value, word)) is not None:
            value = found
        else:
            raise Refused(f"'{whole}': there is no '{word}'; allowed: {', '.join(names(value)) or 'no keys below this one'}")
    return value


def element(values, word):
    if word.isdigit() and int(word) < len(values):
        return values[int(word)]
    return next((one for one in values if isinstance(one, dict) and word in names_of(one)), None)


def names_of(one):
    return [str(one[key]) for key in ("name", "mac", "sfid") if key in one and one[key] != ""]


def names(value):
    if isinstance(value, dict):
        return list(value)
    return [(names_of(one) or [str(i)])[0] if isinstance(one, dict) else str(i) for i, one in enumerate(value)] if isinstance(value, list) else []


def fetched(ask, key):
    first, *path = key.split(".")
    answer = asked(ask, {"get": first})
    return pick(answer[first], path, key)


def flat(value, prefix=""):
    """(key, scalar) for each."""
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else ((names(value)[i], one) for i, one in enumerate(value))
        for name, one in items:
            yield from flat(one, f"{prefix}.{name}" if prefix else name)
    else:
        yield prefix, value


def text(value):
    return printable(value) if isinstance(value, str) else json.dumps(value)


def shown(value, as_json):
    if as_json:
        return json.dumps(value)
    if not isinstance(value, (dict, list)):
        return text(value)
    rows = [(printable(key), one) for key, one in flat(value)]
    width = max((len(key) for key, _ in rows), default=0)
    return "\n".join(f"{key:{width}}  {text(one)}" for key, one in rows)


def keys(ask, as_json):
    answer = asked(ask, {"get": ""})["help"]
    if as_json:
        return json.dumps(answer)
    rows = [(verb, key, words) for verb in ("get", "set") for key, words in answer[verb].items()]
    width = max(len(key) for _, key, _ in rows)
    return "\n".join(f"{verb}  {key:{width}}  {words}" for verb, key, words in rows)


def set_request(words):
    if len(words) != 2:
        raise Refused("set needs KEY VALUE")
    try:
        return {"set": {words[0]: json.loads(words[1])}}
    except ValueError:
        return {"set": {words[0]: words[1]}}


def watch(ask, options, out=print, pause=time.sleep):
    """A line of all keys at once, as often as asked."""
    done = 0
    while options.count is None or done < options.count:
        if done:
            pause(options.every)
        values = {key: fetched(ask, key) for key in options.words}
        out(json.dumps(values) if options.json else "  ".join(f"{printable(key)} {text(value)}" for key, value in values.items()))
        done += 1
    return None


def run(options, ask):
    """Text for standard output."""
    if options.verb == "keys":
        return keys(ask, options.json)
    if options.verb == "set":
        asked(ask, set_request(options.words))
        return json.dumps({"ok": True}) if options.json else "done"
    if not options.words:
        raise Refused(f"{options.verb} needs a KEY; allowed:\n{keys(ask, False)}")
    if options.verb == "watch":
        return watch(ask, options)
    return "\n".join(shown(fetched(ask, key), options.json) for key in options.words)


def all_programs(options, ask_of):
    """Running programs, and whether they respond."""
    rows = []
    for name in programs():
        answer = ask_of(f"ipc://{runtime_folder()}/{name}{SUFFIX}")({"get": "status"})
        rows.append({"program": name, "state": "silent" if answer is None else "answers"})
    if options.json:
        return json.dumps(rows)
    return control.columns(rows, ("program", "state")) if rows else f"no program runs in {runtime_folder()}; {control.to_start()}"


def main(arguments):
    options = parser().parse_intermixed_args(arguments)
    if options.station is None:
        return control.main_of_many("ctl", options, all_programs)
    try:
        options.control = endpoint(options.station)
    except Refused as error:
        return control.say_fault("ctl", error)
    return control.main("ctl", options, run)
