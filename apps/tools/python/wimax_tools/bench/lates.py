# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax bench --lates N`: how many of N frames are late in real time, the response times, and which late frames host
stalls explain. UDP runs both ways at 95 % of the computed capacity."""
import gc
import multiprocessing
import os
import time
from dataclasses import dataclass

from wimax_tools.bench.origin import origin
from wimax_tools.bench.stack import RT_TIMING, StackError

NEAR_LIMIT = 0.95
LOOK_S = 0.25            # PHYs list their last 64 late frames
WARM_UP_FRAMES = 200     # after entry: what is made once has been made
PROBE_S = 1e-3
STALL_S = 0.5e-3         # beyond the millisecond that was asked for: what a machine does anyway stays below
CALM_S = 0.2             # after a stall, all waiting programs need the cores at once: late frames then count as late by the machine, too
PROBE_PRIORITY = 45      # above all of ours (40, 20), so that they cannot delay it: what it sees is the machine's


@dataclass(frozen=True)
class Stall:
    """Nothing ran on one CPU, not even processes of the highest priority."""
    end_s: float
    length_s: float


@dataclass(frozen=True)
class Late:
    site: str
    frame: int
    late_us: int     # 0: the radio reported it without an amount
    at_s: float
    count: int = 1   # packets reported together


def of_the_machine(late, stalls, reach_s, telling_s):
    """True if the frame would have been in time without the stalls of any CPU within `reach_s` before it. A radio reports no lateness, and one frame
    later (`telling_s`): then any stall explains it."""
    if not late.late_us:
        reach_s += telling_s
    begin = late.at_s - reach_s - late.late_us * 1e-6
    held_s = sum(max(0.0, min(stall.end_s, late.at_s) - max(stall.end_s - stall.length_s, begin)) for stall in stalls)
    return held_s > 0 and held_s * 1e6 >= late.late_us


def disturbed(stalls):
    """Spans of time in which a CPU stood still, or had CALM_S before."""
    spans = []
    for begin_s, end_s in sorted((stall.end_s - stall.length_s, stall.end_s + CALM_S) for stall in stalls):
        if spans and begin_s <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end_s)
        else:
            spans.append([begin_s, end_s])
    return spans


def calm_figures(lates, frames, stalls, begin_s, end_s):
    """The same of an idle machine: of the frames that no stall was near. Late ones that no list has are not in it."""
    spans = disturbed(stalls)
    disturbed_s = sum(max(0.0, min(last, end_s) - max(first, begin_s)) for first, last in spans)
    late = {(one.site, one.frame) for one in lates if not any(first <= one.at_s <= last for first, last in spans)}
    calm = round(frames * max(0.0, 1 - disturbed_s / (end_s - begin_s)))
    return {"calm_frames": calm, "calm_late": len(late), "calm_late_in_10000": round(1e4 * len(late) / max(1, calm), 2)}


class StallProbe:
    """A process for each CPU that sleeps a millisecond at a time."""

    def __init__(self):
        self._end = multiprocessing.Event()
        self._ends = []
        self._processes = []

    def start(self):
        for cpu in sorted(os.sched_getaffinity(0)):
            mine, its = multiprocessing.Pipe(duplex=False)
            self._processes.append(multiprocessing.Process(target=watch_cpu, args=(cpu, self._end, its), daemon=True))
            self._ends.append(mine)
            self._processes[-1].start()

    def stop(self):
        """All stalls, by their end."""
        self._end.set()
        stalls = [stall for end in self._ends for stall in end.recv()]
        for process in self._processes:
            process.join()
        return sorted(stalls, key=lambda stall: stall.end_s)


def watch_cpu(cpu, end, report):
    gc.disable()
    os.sched_setaffinity(0, {cpu})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PROBE_PRIORITY))
    except PermissionError:
        pass  # then it sees what delays others of its kind, ours as well
    stalls, before = [], time.monotonic()
    while not end.is_set():
        time.sleep(PROBE_S)
        now = time.monotonic()
        if now - before > PROBE_S + STALL_S:
            stalls.append(Stall(now, now - before - PROBE_S))
        before = time.monotonic()
    report.send(stalls)


class Watch:
    """What came late at all PHYs: what their lists have, and how much there was."""

    def __init__(self, stack):
        self.stack, self.lates = stack, set()
        self._before = {site: count_of(stack.answer(f"{site}.phyd")) for site in stack.sites}
        self._begin_s = time.monotonic()

    def look(self):
        """Frames of the base station so far."""
        statuses = {site: self.stack.answer(f"{site}.phyd") for site in self.stack.sites}
        self.lates |= {Late(site, **one) for site, status in statuses.items() for one in status["late_frames"] if one["at_s"] >= self._begin_s}
        self.count = sum(count_of(status) - self._before[site] for site, status in statuses.items())
        return statuses


def count_of(status):
    return status["late"] + status["radio"]["late"] + status["radio"]["underflows"]


def figures(lates, count, frames, stalls, reach_s, telling_s):
    """A frame counts once, however many of its packets a radio found late. `count`: of all of them; those that no list has are ours."""
    listed = {(late.site, late.frame) for late in lates}
    blamed = listed - {(late.site, late.frame) for late in lates if not of_the_machine(late, stalls, reach_s, telling_s)}
    all_late = len(listed) + max(0, count - sum(late.count for late in lates))
    excused, own = len(blamed), all_late - len(blamed)
    return {"frames": frames, "late": all_late, "late_by_machine": excused, "late_by_us": own, "late_by_us_in_10000": round(1e4 * own / max(1, frames), 2),
            "worst_late_us": max((late.late_us for late in lates), default=0),
            "stalls": len(stalls), "longest_stall_ms": round(1e3 * max((stall.length_s for stall in stalls), default=0), 2)}


def answers_of(status):
    return {key: status["answers"][key] for key in ("count", "p50_us", "p99_us", "p999_us", "longest_us")}


def run(bench, frames):
    """Starts the stack and watches it for the given number of frames."""
    stack, args = bench.stack, bench.args
    bench.progress("starting channel, base station, " + f"{args.stations} subscriber station(s)")
    stack.start()
    entry = stack.wait_for_entry(on_progress=bench.progress)
    seconds = (frames + WARM_UP_FRAMES) * args.profile.frame_s
    limits = stack.capacity_kbps()
    bench.start((i, d, limits[d] * 1e3 * NEAR_LIMIT, None, seconds + 10) for i in range(args.stations) for d in ("downlink", "uplink"))
    time.sleep(WARM_UP_FRAMES * args.profile.frame_s)
    probe = StallProbe()
    probe.start()
    watch, begin_s = Watch(stack), time.monotonic()
    first = last = watch.look()["bs"]["frames"]
    while last - first < frames:
        stack.check_alive()
        time.sleep(LOOK_S)
        statuses = watch.look()
        last = statuses["bs"]["frames"]
        bench.progress(f"{last - first} of {frames} frames, {watch.count} late after")
    end_s, stalls = time.monotonic(), probe.stop()
    bench.progress("")
    if any("answers" not in status for status in statuses.values()):
        raise StackError("a PHY reports no response times: simulated time waits for it")
    reach_s = 1e-6 * max(RT_TIMING.values()) + args.profile.frame_s
    all_frames = (last - first) * len(stack.sites)
    return {"profile": args.profile.name, **bench.path(), "entry_time_s": round(entry, 3),
            **figures(watch.lates, watch.count, all_frames, stalls, reach_s, args.profile.frame_s),
            **calm_figures(watch.lates, all_frames, stalls, begin_s, end_s),
            "host_stolen_share": round(stack.stolen_share(), 4),
            "overflows": {site: status["radio"]["overflows"] for site, status in statuses.items()},
            "answers": {site: answers_of(status) for site, status in statuses.items()},
            "lates": [{**vars(late), "by_machine": of_the_machine(late, stalls, reach_s, args.profile.frame_s)}
                      for late in sorted(watch.lates, key=lambda late: late.at_s)],
            "stalls_of_machine": [vars(stall) for stall in stalls],
            "provenance": dict(origin(args), mode=args.mode)}


def table(result, out):
    print(f"{result['profile']}: {result['frames']} frames of all stations, {result['late']} late: {result['late_by_machine']} while the machine "
          f"stood still, {result['late_by_us']} else ({result['late_by_us_in_10000']:g} in 10 000); worst {result['worst_late_us'] / 1e3:g} ms", file=out)
    print(f"of {result['calm_frames']} frames with no stall in the {CALM_S:g} s before: {result['calm_late']} late "
          f"({result['calm_late_in_10000']:g} in 10 000)", file=out)
    print(f"stalls of the machine: {result['stalls']}, longest {result['longest_stall_ms']:g} ms; stolen {result['host_stolen_share']:.0%}", file=out)
    print("answers, ms       half   99 %  99.9 %  longest  overflows", file=out)
    for site, a in result["answers"].items():
        print(f"{site:<14} {a['p50_us'] / 1e3:7.2f} {a['p99_us'] / 1e3:6.2f} {a['p999_us'] / 1e3:7.2f} {a['longest_us'] / 1e3:8.2f} {result['overflows'][site]:10d}",
              file=out)
