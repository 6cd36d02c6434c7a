#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of radios while a cell carries traffic: each kind at each radio, again and again by chance with a seed, as the channel makes them. Is each
counted, within how many frames does the other end, or the own one, receive again, what is late besides? At the end each radio is unplugged, and
plugged in again. docs/radio-models.md has the results. Needs no root: packages are scripted.

    WIMAX_BUILD_DIR=build UHD_MODULE_PATH=build/uhd-modules PYTHONPATH=apps/tools/python tests/endurance/faults.py --minutes 30 --mode rt

Exit status 1: a fault was not counted, took longer than two frames beyond its own gap, or a radio that was plugged in again did not come back in time.
Where processes of the highest priority that only sleep (those of wimax bench --lates) could not run for the 2 ms that an answer has meanwhile, or for half a
millisecond and something was late, the host is at fault: such faults are told apart, and do not count. What the host did just before counts as well: a frame that
it has spoiled is told of with the next good one.
"""

import argparse
import contextlib
import json
import math
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from wimax_tools import provenance
from wimax_tools.bench import cable
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.lates import StallProbe
from wimax_tools.bench.stack import Stack, StackError
from wimax_tools.control import columns
from wimax_tools.progress import Progress, whole_file

# Fault of a radio: what its PHY counts then; nothing for what only shows as a delay.
COUNTED = {"overflow": "overflows", "lost_rx_packet": "sequence_errors", "underflow": "underflows", "lost_tx_packet": "sequence_errors", "jitter": None}
FRAMES_ALLOWED = 2
HEAL_S = 5              # of simulated time, beyond the model's opening time
UNPLUGGED_MS = 500
STALL_S = 0.002         # limit of a response (timing.tick_lead_us): after it a frame may be lost, whatever the programs do
LATE = ("late", "software_late", "air_late")  # reported by the radio, by the PHY, by the channel
REACH_S = 0.1           # time after a stall in which its effects may still be reported
PACKET_BYTES, PACKET_S = 400, 0.005  # each way: in each frame of 10 ms there is something
LOOK_S = 0.02
STILL_S = 60            # of the wall clock without simulated time passing
RESTART_MS = {"x310-ubx": 50, "n310": 50}  # gap of an overflow


def traffic(seconds):
    ends = {"bs": ("10.16.0.1", "10.16.0.2"), "ss1": ("10.16.0.2", "10.16.0.1")}
    return {site: [{"start_s": 0.5, "period_s": PACKET_S, "count": int(seconds / PACKET_S), "size_bytes": PACKET_BYTES, "source": source, "destination": to}]
            for site, (source, to) in ends.items()}


def look(stack):
    """What the PHYs have counted, by site."""
    figures, air = {}, stack.answer("channeld")["radios"]
    for site in stack.sites:
        phy = stack.answer(f"{site}.phyd")
        if not phy["radio_open"]:
            raise StackError(f"the radio of {site} is not open")
        figures[site] = {**phy["radio"], **{key: phy[key] for key in ("tx_frames", "tx_empty", "undetected_bursts", "fec_failures", "sync_losses")},
                         "outage_frames": phy["reception"]["outage_frames"], "software_late": phy["late"],
                         "missed_frames": stack.answer(f"{site}.macd")["missed_frames"],
                         "air_late": air[site]["lost_tx_chunks"] + air[site]["lost_rx_chunks"]}
    return figures


def wait(stack, seconds, done=lambda: False):
    """Simulated time passes, at most so much; how much it was."""
    begin = last = stack.clock().simulated_s
    moved = time.monotonic()
    while last - begin < seconds and not done():
        time.sleep(LOOK_S)
        stack.check_alive()
        now = stack.clock().simulated_s
        if now > last:
            last, moved = now, time.monotonic()
        elif time.monotonic() - moved > STILL_S:
            raise StackError(f"no simulated time passed for {STILL_S} s")
    return last - begin


def inject(stack, radio, fault, **more):
    answer = stack.ask("channeld", {"set": {"inject": {"radio": radio, "fault": fault, **more}}})
    if not answer or "error" in answer:
        raise StackError(f"{fault} at {radio}: {answer}")


def try_fault(stack, radio, fault, seconds, gap_ms):
    """One of them, and what came of it."""
    before, begin_s = look(stack), time.monotonic()
    inject(stack, radio, fault)
    wait(stack, seconds)
    after = look(stack)
    change = {site: {key: after[site][key] - before[site][key] for key in after[site] if isinstance(after[site][key], int)} for site in after}
    counted = COUNTED[fault]
    gap_frames = math.ceil(gap_ms * 1e-3 / stack.profile.frame_s) if fault == "overflow" else 0
    return {"radio": radio, "fault": fault, "counted": counted is None or change[radio][counted] >= 1,
            "frames": max(0, max(change[site]["outage_frames"] for site in change) - gap_frames),
            "late": sum(change[site][key] for key in LATE for site in change), "begin_s": begin_s, "end_s": time.monotonic(),
            "changes": {site: {key: n for key, n in change[site].items() if n} for site in change}}


def blame(tries, stalls):
    """Adds the longest stall of the machine during each or just before, and what was late with it."""
    for before, one in zip([None, *tries], tries):
        near = [stall for stall in stalls if one["begin_s"] - REACH_S < stall.end_s < one["end_s"] + stall.length_s]
        one["stalled_s"] = max((stall.length_s for stall in near), default=0)
        earlier = before is not None and any(stall.end_s <= one["begin_s"] for stall in near)
        one["late_with_stall"] = one["late"] + (before["late"] if earlier else 0)


def unplug(stack, radio, opening_s):
    """Simulated seconds from when it is plugged in again until all is as before; None: not within what is allowed."""
    starts = stack.answer(f"{radio}.macd")["phy_starts"]
    inject(stack, radio, "unplug", ms=UNPLUGGED_MS)
    wait(stack, UNPLUGGED_MS * 1e-3)

    def healed():
        if stack.answer(f"{radio}.macd")["phy_starts"] == starts:  # it has not heard of it yet, and takes itself for operational
            return False
        return all(state["operational"] and state["phy_alive"] for state in (stack.answer(f"{site}.macd") for site in stack.sites))

    limit_s = HEAL_S + opening_s
    took_s = wait(stack, limit_s, healed)
    return took_s if took_s < limit_s else None


def spoiled(one):
    return one["stalled_s"] >= STALL_S or (one["stalled_s"] > 0 and one["late_with_stall"] > 0)


def summary(tries):
    """By fault and radio. What the host spoiled is told, and does not count."""
    rows = []
    for radio, fault in sorted({(t["radio"], t["fault"]) for t in tries}, key=lambda key: (list(COUNTED).index(key[1]), key[0])):
        own = [t for t in tries if (t["radio"], t["fault"]) == (radio, fault)]
        clean = [t for t in own if not spoiled(t)]
        rows.append({"fault": fault, "radio": radio, "injected": len(own), "host stalled": len(own) - len(clean), "counted": sum(t["counted"] for t in own),
                     "frames, most": max((t["frames"] for t in clean), default=0), "frames, mean": round(sum(t["frames"] for t in clean) / max(1, len(clean)), 2),
                     "beyond": sum(t["frames"] > FRAMES_ALLOWED for t in clean), "late": sum(t["late"] for t in clean)})
    return rows


def passed(result):
    rows = result["faults"]
    return bool(rows) and all(row["counted"] == row["injected"] and row["beyond"] == 0 for row in rows) and all(
        healed is not None for healed in result["healed_s"].values())


def run(options):
    profile = Profile.parse(options.profile)
    seconds = 60 * options.minutes
    models = replace(cable.plan(Path(os.environ["WIMAX_BUILD_DIR"], "bin"), cable.names(options.personality), profile), opening_s=options.opening_s)
    stack = Stack(profile, mode=options.mode, seed=options.seed, tun=False, traffic=traffic(seconds + 60), cable=models)
    chance, tries, healed_s = random.Random(options.seed), [], {}
    progress, probe = Progress("faults"), StallProbe()
    try:
        stack.start()
        stack.wait_for_entry()
        wait(stack, 1)
        probe.start()
        begin = stack.clock().simulated_s
        quiet = look(stack)
        with contextlib.suppress(KeyboardInterrupt):
            while (spent := stack.clock().simulated_s - begin) < seconds:
                radio, fault = chance.choice(stack.sites), chance.choice(list(COUNTED))
                tries.append(try_fault(stack, radio, fault, options.every_s, RESTART_MS.get(models.end(radio).personality, 0)))
                progress.show(min(1, spent / seconds), f"{len(tries)} faults")
            for radio in stack.sites if options.unplug else ():
                healed_s[radio] = unplug(stack, radio, options.opening_s)
        simulated_s = stack.clock().simulated_s
        blame(tries, probe.stop())
    finally:
        progress.clear()
        stack.stop()
    return {"provenance": provenance.record("faults", provenance.script(), options.seed), "simulated_s": simulated_s, "before": quiet,
            "faults": summary(tries), "healed_s": healed_s, "tries": tries}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30, help="of simulated time (default %(default)s)")
    parser.add_argument("--mode", choices=("rt", "paced", "free"), default="rt", help="of the channel: rt as hardware, the others in lock-step (default %(default)s)")
    parser.add_argument("--personality", default="b210", help="BS[,SS]: models (default %(default)s)")
    parser.add_argument("--profile", default="5MHz-10ms", help="default %(default)s")
    parser.add_argument("--every-s", type=float, default=0.3, help="simulated seconds for each fault (default %(default)s)")
    parser.add_argument("--opening-s", type=float, default=1, help="that opening a radio takes (default %(default)s)")
    parser.add_argument("--no-unplug", dest="unplug", action="store_false", help="leave the radios plugged in")
    parser.add_argument("--seed", type=int, default=1, help="default %(default)s")
    parser.add_argument("--json", metavar="FILE", help="each fault with what came of it")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no program is left behind
    result = run(options)
    if options.json:
        with whole_file(options.json) as name:
            Path(name).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{result['simulated_s']:.0f} s simulated, {len(result['tries'])} faults; frames lost until reception is good again, at the end that has it longest:")
    print(columns(result["faults"], tuple(result["faults"][0])) if result["faults"] else "none")
    for radio, took_s in result["healed_s"].items():
        print(f"{radio} unplugged, plugged in again: " + (f"healed after {took_s:.1f} s" if took_s is not None else f"NOT healed after {HEAL_S + options.opening_s:g} s"))
    return 0 if passed(result) else 1


if __name__ == "__main__":
    sys.exit(main())
