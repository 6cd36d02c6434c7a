# SPDX-License-Identifier: GPL-3.0-or-later
"""TCP seen by tcpdump at both ends: how packets and acknowledgments come by frames (A6), round trips under load (A7)."""
import contextlib
import dataclasses
from pathlib import Path
import statistics
import tempfile
import time

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.figure import mean_figure
from wimax_tools.bench.instruments import tcp_trace
from wimax_tools.bench.instruments.stream import Watch
from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.bench.studies import delay_pictures
from wimax_tools.bench.studies.throughput import symbol_cases
from wimax_tools.bench.transfers import DIRECTIONS, ENDING, SETTLED, transfers

RATE = RATE_NAMES[4]
LIKE_A2 = {name: case for name, case in symbol_cases("downlink").items() if name in (RATE, f"{RATE}, Speedy")}  # its three stations
FIELD_CASE = f"{RATE}, Speedy"
STUDY_WINDOW = 65536  # of the sockets: Linux doubles it for what it spends itself, which is the 128 KB that its senders were limited to
WHOLE_S = 60


def with_window(case):
    return dataclasses.replace(case, arguments={**case.arguments, "window_octets": STUDY_WINDOW})


LIKE_STUDY = {FIELD_CASE: with_window(LIKE_A2[FIELD_CASE]), RATE: LIKE_A2[RATE]}


def traced(bench, direction, meanwhile=None):
    """A TCP transfer: iperf3's result, the result of `meanwhile`, its whole trace by end, and by end the middle of it in simulated time."""
    stack, seconds = bench.stack, bench.seconds(WHOLE_S)
    source, sink, _ = stack.route(0, direction)
    with tempfile.TemporaryDirectory(prefix="wimax-") as folder, Watch(stack.clock) as watch:
        with contextlib.ExitStack() as captures:
            ends = {site: captures.enter_context(tcp_trace.Capture(netns, interface_of(netns), Path(folder, f"{site}.pcap")))
                    for site, netns in (("source", source), ("sink", sink))}
            (result,), said = transfers(bench, [(0, direction, None, getattr(bench.args, "window_octets", None), seconds)], meanwhile)
        whole = {site: end.transfer() for site, end in ends.items()}
    begin = whole["source"].data[0].at_s
    middle = {site: tcp_trace.between(one, begin + SETTLED * seconds, begin + (1 - ENDING) * seconds, watch.at) for site, one in whole.items()}
    return result, said, whole, middle


def interface_of(netns):
    """As the stack names them."""
    return f"wimax-{netns.rpartition('-')[2]}"


# A6

ACKS_UP_TO = 4
IN_STEP, ACKNOWLEDGED = 0.98, 0.99  # the study: all, and 0.9988


def measure_acknowledgments(bench):
    """Packets as the sink has them, acknowledgments as the source has them."""
    frame_s = bench.args.profile.frame_s
    result, _, whole, middle = traced(bench, "downlink")
    arrived, acked = [segment.at_s for segment in middle["sink"].data], [segment.at_s for segment in middle["source"].acks]
    packets, acks = tcp_trace.by_frames(arrived, frame_s), tcp_trace.by_frames(acked, frame_s)
    again, octets = tcp_trace.sent_again(whole["source"].data)
    return {"downlink": {"kbps": round(result["ip_bps"] / 1e3, 1), "packets_per_frame": tcp_trace.batched_mean(packets), "frames": len(packets),
                         "acks_per_packet": round(len(acked) / len(arrived), 3), "packets_again": again, "octets_again": octets,
                         "gaps": tcp_trace.gaps(arrived, frame_s), "acks_in_a_frame": tcp_trace.shares(acks, ACKS_UP_TO)}}


def acknowledgment_goals(measured):
    """A2 measures the capacity of a frame. This is the arrival pattern that the study saw."""
    field = measured.field["downlink"][FIELD_CASE]
    in_step = round(sum(field["gaps"].values()), 4)
    acknowledged = round(1 - field["acks_in_a_frame"]["0"], 4)
    return [("study's network: share of gaps within a frame's burst or of one frame", IN_STEP, in_step, in_step >= IN_STEP),
            ("study's network: share of frames with an acknowledgment", ACKNOWLEDGED, acknowledged, acknowledged >= ACKNOWLEDGED),
            ("study's network: packets sent again", 0, field["packets_again"], field["packets_again"] == 0)]


# A7

CONNECTIONS = 5   # each way, each in its own cell
PING_SHARE = 0.8  # of a transfer, in its middle, in which it is probed
MODE_MS = 10      # width of the study's histogram
MOST_MS = 50


def probe_meanwhile(bench):
    """Echo requests during the transfer: their round trips in ms, and the number of lost ones."""
    seconds, frame_s = bench.seconds(WHOLE_S), bench.args.profile.frame_s

    def probe():
        bench.stack.pass_time(seconds * (1 - PING_SHARE) / 2)
        begin = bench.stack.clock()
        found = traffic.ping(bench.stack.bs_netns, bench.stack.ss_address(0), max(50, int(PING_SHARE * seconds / (3 * frame_s))), frame_s / bench.pace())
        factor = bench.stack.clock().factor_since(begin)
        return [1e3 * s * factor for s in found["rtt_s"]], found["lost"]

    return probe


def round_trip_of(bench, direction):
    """Of one transfer."""
    result, (pings, lost), whole, middle = traced(bench, direction, probe_meanwhile(bench))
    return {"kbps": result["ip_bps"] / 1e3, "ms": [1e3 * (back - sent) for sent, back in tcp_trace.round_trips(middle["source"])],
            "in_flight": [octets / traffic.TCP_PAYLOAD for octets in tcp_trace.in_flight(middle["source"])],
            "again": tcp_trace.sent_again(whole["source"].data)[0], "pings": pings, "pings_lost": lost}


def measure_round_trip_under_load(bench):
    """Several transfers, each in a new cell and one per direction. A cell and a connection keep the state in which they settle (a mean of 31
    or of 34.5 ms at 16-QAM 3/4), so the bounds are those of cells."""
    transfers_of, figures = {d: [] for d in DIRECTIONS}, {}
    for number in range(CONNECTIONS):
        if number:
            bench.stack.begin_anew()
        for d in DIRECTIONS:
            transfers_of[d].append(round_trip_of(bench, d))
    for d, found in transfers_of.items():
        ms, pings = ([one for each in found for one in each[key]] for key in ("ms", "pings"))
        modes = tcp_trace.modes(ms, MODE_MS)
        figures[d] = {"tcp_kbps": mean_figure((each["kbps"] for each in found), 1),
                      "rtt_mean_ms": mean_figure((statistics.fmean(each["ms"]) for each in found), 1), "rtt_p50_ms": round(traffic.percentile(ms, 0.5), 1),
                      "rtt_p99_ms": round(traffic.percentile(ms, 0.99), 1), "rtt_mode_ms": modes[0] if modes else None,
                      "segments_in_flight": mean_figure((statistics.fmean(each["in_flight"]) for each in found), 1),
                      "packets_again": sum(each["again"] for each in found), "ping_p50_ms": round(traffic.percentile(pings, 0.5), 1),
                      "ping_p99_ms": round(traffic.percentile(pings, 0.99), 1), "pings": len(pings),
                      "pings_lost": sum(each["pings_lost"] for each in found)}
        bench.keep(d, {"rtt_ms": [round(one, 1) for one in ms], "ping_ms": [round(one, 1) for one in pings]})
    return figures


def round_trip_goals(measured):
    goals = [(f"{d}, {case}: 99th percentile of {what} in ms", MOST_MS, one[key], one[key] <= MOST_MS)
             for d in DIRECTIONS for case, one in measured.lab[d].items()
             for what, key in (("TCP's own round trips", "rtt_p99_ms"), ("round trips of echo requests", "ping_p99_ms"))]
    field, lab = measured.field["downlink"][FIELD_CASE]["tcp_kbps"], measured.lab["downlink"][RATE]["tcp_kbps"]
    return goals + [("downlink, kb/s compared with the study's network", f">= {field:g}", lab, lab >= field)]


EXPERIMENTS = (
    Experiment("A6", measure_acknowledgments, acknowledgment_goals, LIKE_STUDY, {"acknowledgments": delay_pictures.acknowledgments}),
    Experiment("A7", measure_round_trip_under_load, round_trip_goals, {**LIKE_STUDY, RATE_NAMES[6]: Case(profiles=("lab",))},
               {"round-trips": delay_pictures.round_trips}),
)
