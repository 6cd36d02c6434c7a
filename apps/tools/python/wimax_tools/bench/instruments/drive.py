# SPDX-License-Identifier: GPL-3.0-or-later
"""A station that moves, or whose channel changes: its links follow a course in simulated time while transfers run. What arrives is
noted with it."""
import statistics
import time
from typing import NamedTuple, Optional

from wimax_tools.bench.stack import StackError

LINKS = ("bs->ss1", "ss1->bs")
STEP_S, LOOK_S = 0.1, 0.005  # of simulated time between two settings; of the wall clock between two looks at it


class Mark(NamedTuple):
    """Counters of a direction of the only station; also valid while it is not registered."""
    at_s: float              # simulated
    octets: int              # IP, delivered
    packets: int             # delivered
    sent: Optional[int]      # packets that left the queue for the air
    rate_id: Optional[int]   # None: the station is not registered


class Sample(NamedTuple):
    second: float            # simulated, since the beginning
    level: float             # of the course
    marks: dict              # by direction


def drive(stack, course, link_of, seconds, step_s=STEP_S):
    """Follows `course` (second -> level) to its end; `link_of`: level -> keys of a link, the same both ways. The sample of each step."""
    begin, samples = stack.clock().simulated_s, []
    while not samples or samples[-1].second < seconds:
        now = stack.clock().simulated_s - begin
        if samples and now < samples[-1].second + step_s:
            time.sleep(LOOK_S)
            continue
        level = course(now)
        if not samples or level != samples[-1].level:
            set_links(stack, link_of(level))
        samples.append(Sample(now, level, marks(stack)))
    return samples


def set_links(stack, keys):
    for link in LINKS:
        answer = stack.ask("channeld", {"set": {"link": {"name": link, **keys}}})
        if answer is None or "error" in answer:
            raise StackError(f"channel: {link}, {keys}: {answer}")


def marks(stack):
    status = {"uplink": stack.answer("bs.macd"), "downlink": stack.answer("ss1.macd")}  # of the sinks
    station = next(iter(status["uplink"]["station"]["stations"]), None)
    sent = {"downlink": station and station["dl"]["sdus"], "uplink": status["downlink"]["station"]["ul"]["sdus"]}
    return {d: Mark(one["simulated_s"], one["sdus"]["out_bytes"], one["sdus"]["out"], sent[d], station and station[f"{d[0]}l_rate_id"])
            for d, one in status.items()}


def rates_kbps(samples, direction, period_s=1.0):
    """(second at its end, kb/s, mean level) of each period."""
    found, first = [], 0
    for i, sample in enumerate(samples):
        if sample.second - samples[first].second >= period_s:
            begin, end = samples[first].marks[direction], sample.marks[direction]
            levels = [s.level for s in samples[first:i]]
            found.append((sample.second, 8e-3 * (end.octets - begin.octets) / (end.at_s - begin.at_s), statistics.fmean(levels)))
            first = i
    return found


def course_of(samples, direction):
    """(second, level, rate in use) of each sample, for pictures."""
    return [(s.second, s.level, s.marks[direction].rate_id) for s in samples]
