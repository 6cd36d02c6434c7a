# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax radio capture --phy: samples around an event of a PHY that runs, as a SigMF recording. The PHY keeps its last samples anyway
(capture.length_ms), and continues to run."""
import argparse
import sys
import time
from pathlib import Path

from wimax_tools import control
from wimax_tools.control import Failed, asked
from wimax_tools.ctl.command import endpoint

TRIGGERS = ("hand", "fec_failure", "sync_loss", "late", "clip")
LOOK_S = 0.1


def parser():
    result = argparse.ArgumentParser(prog="wimax radio capture", description=__doc__)
    result.add_argument("--phy", required=True, metavar="PROGRAM", help="bs.phyd, ss.phyd: a socket of the runtime folder, or an endpoint")
    result.add_argument("--out", required=True, metavar="FILE", help="SigMF pair to write, NAME.sigmf-data; by the PHY, on its machine")
    result.add_argument("--trigger", choices=TRIGGERS, default="hand", help="hand: now (default)")
    result.add_argument("--timeout-s", type=float, default=60, metavar="S", help="ends it without an event (default %(default)s)")
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
    return f"{now['file']}\nlook at it: ./wimax iq decode --in {now['file']} --spec SPEC.json --report PAGE"


def main(argv=None):
    options = parser().parse_args(argv)
    try:
        options.control = endpoint(options.phy)
    except control.Refused as error:
        return control.say_fault("radio capture", error)
    return control.main("radio capture", options, capture)


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:] if sys.argv[1:2] == ["capture"] else sys.argv[1:]))
