# SPDX-License-Identifier: GPL-3.0-or-later
"""Instructions that one round of each item of wimax-speed takes, by callgrind.

They do not depend on the processor, its clock or other programs: valgrind emulates one processor, with AVX2. They depend on compiler and
libraries; the figures are therefore recorded for one system. The test instructions fails if an item takes 3 % more than recorded, or if
second attempts take more than their share of a receiver's instructions, on any system."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from wimax_tools.command_line import say_fault
from wimax_tools.provenance import TOP

RECORDED = Path(__file__).with_name("instructions.json")
SYSTEM = Path("/etc/os-release")
MOST_MORE = 0.03
ROUND = "wimax_speed_round"  # apps/tools/speed/main.cc
# Items with second attempts, the same without, and the largest allowed ratio. Their code runs fewer instructions in a cycle than the rest of
# a receiver: the ratios of CPU time are larger (docs/receiver.md).
SHARES = (("rx_64qam34_limit", "rx_64qam34_limit_once", 1.06), ("rx_64qam34_fade", "rx_64qam34_fade_once", 1.4))
ITEMS = ("rx_bpsk12", "rx_qpsk12", "rx_16qam34", "rx_64qam34", *(name for share in SHARES for name in share[:2]), "rx_idle", "tx_bpsk12", "tx_64qam34",
         "viterbi_single", "viterbi_batch", "rs_decode_clean", "rs_decode_full", "fft256", "front_tx", "front_rx", "llr_64qam")


class CountFault(Exception):
    pass


def system_of(text):
    """The key of a system in the record, from /etc/os-release: debian-12."""
    values = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)"?$', text, re.M))
    return "-".join(filter(None, (values.get("ID", "linux"), values.get("VERSION_ID"))))


def total_of(dump):
    """The instructions of one dump of callgrind."""
    found = re.search(r"^(?:summary|totals): (\d+)$", dump, re.M)
    if not found:
        raise CountFault("callgrind's file has no sum")
    return int(found[1])


def count(program, items):
    """Instructions by item. Callgrind writes one file per round, numbered in the order of the items."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counted")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no", f"--toggle-collect={ROUND}",
                   f"--dump-after={ROUND}", program, "--isa", "avx2", "--rounds", "1", "--items", ",".join(items), "--json", str(Path(folder, "speed.json"))]
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        except FileNotFoundError:
            raise CountFault("valgrind is missing; install it with: ./wimax setup test") from None
        if done.returncode:
            raise CountFault("\n".join(done.stderr.splitlines()[-5:]))
        order = [item["name"] for item in json.loads(Path(folder, "speed.json").read_text(encoding="utf-8"))["items"]]
        return {name: total_of(Path(f"{out}.{i}").read_text(encoding="utf-8")) for i, name in enumerate(order, 1)}


def compare(recorded, counted):
    """(item, recorded, counted, more than allowed) for each item of either."""
    rows = []
    for name in dict.fromkeys((*recorded, *counted)):
        before, now = recorded.get(name), counted.get(name)
        rows.append((name, before, now, before is None or now is None or now > before * (1 + MOST_MORE)))
    return rows


def table(rows):
    lines = [f"{'item':18} {'recorded':>16} {'now':>16} {'change':>9}"]
    for name, before, now, more in rows:
        change = f"{100 * (now / before - 1):+8.2f} %" if before and now else f"{'new' if now else 'gone':>9}"
        lines.append(f"{name:18} {before or '-':>16} {now or '-':>16} {change}{'   MORE' if more and before and now else ''}")
    return "\n".join(lines)


def shares(counted):
    """(item, ratio, allowed) for each pair of SHARES that was counted."""
    return [(more, counted[more] / counted[less], most) for more, less, most in SHARES if more in counted and less in counted]


def arguments(argv):
    parser = argparse.ArgumentParser(prog="wimax speed --instructions", description=__doc__.split("\n")[0],
                                     epilog="example: ./wimax speed --instructions --items rx_64qam34,rx_idle")
    parser.add_argument("--items", help=f"count only these items, several with commas; default: {', '.join(ITEMS)}")
    parser.add_argument("--accept", metavar="REASON", help="record these figures, with the reason for the change")
    parser.add_argument("--program", default=str(Path(os.environ.get("WIMAX_BUILD_DIR") or Path(TOP, "build"), "bin/wimax-speed")),
                        help="path of wimax-speed")
    return parser.parse_args(argv)


def main(argv=None):
    options = arguments(argv)
    items = options.items.split(",") if options.items else ITEMS
    system, recorded = system_of(SYSTEM.read_text(encoding="utf-8")), json.loads(RECORDED.read_text(encoding="utf-8"))
    before = recorded.get(system, {}).get("items")
    try:
        counted = count(options.program, items)
    except CountFault as fault:
        say_fault("wimax speed", str(fault))
        return 1
    rows = compare({name: before[name] for name in items if name in before} if before else counted, counted)
    print(table(rows))
    too_much = []
    for name, ratio, most in shares(counted):
        print(f"{name} with second attempts: {ratio:.3f} times the instructions without; {most:g} times are allowed")
        if ratio > most:
            too_much.append(name)
    if too_much:
        say_fault("wimax speed", f"second attempts take more than their share of instructions: {', '.join(too_much)}")
        return 1
    if options.accept:
        recorded[system] = {"reason": options.accept, "items": {**(before or {}), **counted}}
        RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
        return 0
    if before is None:
        print(f"OK (skipped=1): no figures are recorded for {system}; --accept REASON records these")
        return 0
    more = [name for name, _, _, is_more in rows if is_more]
    if more:
        say_fault("wimax speed", f"more than {100 * MOST_MORE:g} % more instructions than recorded, or not recorded: {', '.join(more)}. If this is intended: "
                  "./wimax speed --instructions --accept REASON")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
