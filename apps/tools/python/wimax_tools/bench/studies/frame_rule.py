# SPDX-License-Identifier: GPL-3.0-or-later
"""Study A's rule of who rides in which frame (A9), as a model, and what of measured delays it and the parts of the stack explain.

A packet rides in frame n only if it was queued before frame n-1 began: then the frame was prepared, or the uplink map sent that describes
the next frame. Times are ms after the begin of a frame, any one; delays end when the packet is out of the receiver.
"""
import math
import statistics

import numpy

from wimax_tools.bench.figure import mean_figure
from wimax_tools.bench.transfers import DIRECTIONS


def delay_ms(queued, arrives, frame, lead=0.0):
    """`arrives`: after its frame's begin. `lead`: that a packet has to be there before a frame begins, to ride in the next."""
    return (math.floor((queued + lead) / frame) + 2) * frame + arrives - queued


def mean_delay_ms(arrives, frame, lead=0.0):
    """Of packets that come at any time."""
    return 1.5 * frame + lead + arrives


def lead_ms(points, frame):
    """The lead of packets (queued, arrived): up to where in the frame they ride in the same frame, with the fewest exceptions."""
    arrives = place([arrived for _, arrived in points], frame)
    ways = sorted((queued % frame, round((arrived - arrives) / frame) - math.floor(queued / frame)) for queued, arrived in points)
    rides = numpy.array([way for _, way in ways])
    first = statistics.mode(rides[:1 + len(rides) // 8].tolist())
    wrong = numpy.concatenate([[0], numpy.cumsum(rides != first)]) + numpy.concatenate([[0], numpy.cumsum(rides[::-1] == first)])[::-1]
    edge = int(numpy.argmin(wrong))
    last, following = (ways[edge - 1][0] if edge else 0.0), (ways[edge][0] if edge < len(ways) else frame)
    return (first - 1) * frame - (last + following) / 2


def place(times, frame):
    """Where in a frame these times are, which are close together there: their mean on a circle."""
    angles = [2 * math.pi * at / frame for at in times]
    return math.atan2(statistics.fmean(map(math.sin, angles)), statistics.fmean(map(math.cos, angles))) * frame / (2 * math.pi) % frame


def account(times, burst_ends, frame):
    """`times`: by direction of the probes, when each was sent, echoed and back. By direction and leg: prediction of the rule, measurement, and
    what explains the difference; and (place in the frame, delay) of each probe on its way out."""
    out = {d: [(sent, echoed) for sent, echoed, _ in times[d]] for d in DIRECTIONS}
    leads = {d: lead_ms(out[d], frame) for d in DIRECTIONS}
    found = {}
    for d in DIRECTIONS:
        other, = set(DIRECTIONS) - {d}
        back = [(echoed, end) for _, echoed, end in times[d]]
        there, here = (place([arrived for _, arrived in points], frame) for points in (out[d], back))
        legs = {"outgoing": parts(mean_delay_ms(burst_ends[d], frame), mean_delay_ms(there, frame, leads[d]), out[d], burst_ends[d], there, leads[d]),
                "return": parts(delay_ms(burst_ends[d], burst_ends[other], frame), delay_ms(there, here, frame, leads[other]), back, burst_ends[other], here, leads[other])}
        found[d] = legs, [(sent % frame, echoed - sent) for sent, echoed in out[d]]
    return found


def parts(rule, explained, points, burst_end, arrives, lead):
    measured = mean_figure([arrived - queued for queued, arrived in points])
    return {"rule_ms": rule, "measured_ms": measured, "burst_ends_ms": burst_end, "reception_ms": arrives - burst_end, "lead_ms": lead,
            "explained_ms": explained, "left_ms": float(measured) - explained}
