# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax radio capture --phy: records the samples around an event of a running PHY as SigMF. The PHY buffers its last samples
(capture.length_ms) and continues to run."""
import sys
import time
from pathlib import Path

from wimax_tools import command_line, control
from wimax_tools.control import Failed, asked, endpoint

TRIGGERS = ("hand", "fec_failure", "sync_loss", "late", "clip")
LOOK_S = 0.1


def parser():
    result = command_line.Parser(prog="wimax radio capture", description=__doc__, epilog="example:\n  wimax radio capture --phy bs.phyd --out event.sigmf-data --trigger fec_failure")
    result.add_argument("--phy", required=True, metavar="PROGRAM", help="program: bs.phyd, ss.phyd (a socket in the runtime folder), or an endpoint")
    result.add_argument("--out", required=True, metavar="FILE", help="SigMF pair that the PHY writes on its machine, NAME.sigmf-data")
    result.add_argument("--trigger", choices=TRIGGERS, default="hand", help="event that starts the capture; hand: now (default)")
    result.add_argument("--timeout-s", type=command_line.within(0.1, 1e6), default=60, metavar="S", help="give up after this number of seconds without an event (default %(default)s)")
    return result


def capture(options, ask):
    def state():
        return asked(ask, {"get": "capture"})["capture"]

    asked(ask, {"set": {"capture": {"file": str(Path(options.out).resolve()), "trigger": options.trigger}}})
    end = time.monotonic() + options.timeout_s
    while (now := state())["state"] != "idle":
        if now["state"] == "armed" and time.monotonic() > end:
            asked(ask, {"set": {"capture": None}})
            raise Failed(f"no {options.trigger} within {options.timeout_s:g} s; nothing is written")
        time.sleep(LOOK_S)
    if now["fault"]:
        raise Failed(now["fault"])
    return f"{now['file']}\nanalyse it: ./wimax iq decode {now['file']} --spec SPEC.json --report PAGE"


def main(argv=None):
    options = parser().parse_args(argv)
    try:
        options.control = endpoint(options.phy)
    except control.Refused as error:
        return control.say_fault("radio capture", error)
    return control.main("radio capture", options, capture)


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:] if sys.argv[1:2] == ["capture"] else sys.argv[1:]))
