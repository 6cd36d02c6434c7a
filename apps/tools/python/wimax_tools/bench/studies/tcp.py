# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows that share one queue: two TCP transfers (B4), TCP and UDP (B5), a sparse flow and a full one (D2)."""
import statistics

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Experiment
from wimax_tools.bench.figure import mean_figure
from wimax_tools.bench.instruments.stream import HEADERS, Stream, Watch
from wimax_tools.bench.studies import pictures
from wimax_tools.bench.studies.cells import CREEP, FIRST_STREAM_PORT
from wimax_tools.bench.transfers import DIRECTIONS, jain, transfers

def at_least(what, key, goal):
    return lambda measured: [(f"{what}, {d}", goal, measured.lab[d][key], measured.lab[d][key] >= goal) for d in DIRECTIONS]


# B4

SECOND_S = 90  # after the first; the first stops as long after that, the second again


def measure_two_tcp(bench):
    """The second begins in the middle of the first."""
    figures = {}
    for d in DIRECTIONS:
        later_s = bench.seconds(SECOND_S)

        def second():
            bench.stack.pass_time(later_s)
            bench.start([bench.transfer_of((0, d, None, None, 2 * later_s))])

        results, _ = transfers(bench, [(0, d, None, None, 2 * later_s)], second)
        series = [[(round(begin + later_s * i, 2), 8e-3 * octets / (end - begin)) for begin, end, octets in r["intervals"] if end > begin]
                  for i, r in enumerate(results)]
        bench.keep(d, series)
        both = [[kbps for at, kbps in one if 1.1 * later_s <= at <= 1.9 * later_s] for one in series]
        means = [statistics.fmean(one) for one in both]
        figures[d] = {"first_kbps": mean_figure(both[0], 1), "second_kbps": mean_figure(both[1], 1), "jain": round(jain(means), 4)}
    return figures


# B5

UDP_OFFER = 1.2


def measure_tcp_beside_udp(bench):
    """UDP at 120 % of what the layout carries, and one TCP transfer in the same service flow."""
    capacity = bench.stack.capacity_kbps()
    figures = {}
    for direction in DIRECTIONS:
        results, _ = transfers(bench, [(0, direction, None), (0, direction, 1e3 * UDP_OFFER * capacity[direction])])
        tcp, udp = (r["ip_bps"] / 1e3 for r in results)
        figures[direction] = {"tcp_kbps": round(tcp, 1), "udp_kbps": round(udp, 1), "capacity_kbps": round(capacity[direction], 1),
                              "tcp_share": round(tcp / capacity[direction], 4)}
    return figures


# D2

SPARSE_OCTETS, SPARSE_GAP_S, FULL_OFFER, SPARSE_FRAMES = 20 + HEADERS, 0.04, 1.5, 3
BEFORE = 0.3  # of the time, the sparse flow is alone


def measure_sparse_beside_full(bench):
    stack, duration, capacity = bench.stack, bench.seconds(30), bench.stack.capacity_kbps()
    figures = {}
    for i, d in enumerate(DIRECTIONS):
        stack.wait_until_quiet()
        factor = bench.pace()
        sparse_gap_s, full_gap_s = (SPARSE_GAP_S + CREEP * bench.args.profile.frame_s) / factor, 8e-3 * traffic.PACKET / (FULL_OFFER * capacity[d] * factor)
        with Watch(stack.clock) as watch:
            sparse = Stream(stack.route(0, d), FIRST_STREAM_PORT + 2 * i, SPARSE_OCTETS, sparse_gap_s, int(duration / sparse_gap_s)).start()
            stack.pass_time(BEFORE * duration)
            full = Stream(stack.route(0, d), FIRST_STREAM_PORT + 2 * i + 1, traffic.PACKET, full_gap_s, int((1 - BEFORE) * duration / full_gap_s)).start()
            alone, beside = sparse.result(watch), full.result(watch)
        first = next(at for at, _ in beside["series"])
        quiet, loaded = [ms for at, ms in alone["series"] if at < first], [ms for at, ms in alone["series"] if at > first]
        bench.keep(d, {"sparse": alone["series"], "full": beside["series"][::10]})
        figures[d] = {"sparse_alone_ms": mean_figure(quiet, 1), "sparse_mean_ms": mean_figure(loaded, 1), "sparse_p99_ms": round(traffic.percentile(loaded, 0.99), 1),
                      "sparse_max_ms": round(max(loaded), 1), "sparse_lost": alone["lost"], "full_max_ms": round(max(beside["ms"]), 1),
                      "full_p50_ms": round(traffic.percentile([ms for at, ms in beside["series"][len(beside["series"]) // 2:]], 0.5), 1)}
    return figures


def sparse_goals(measured):
    limit = SPARSE_FRAMES * measured.profile.frame_ms
    return [(f"{d}, 99th percentile of a sparse flow's delay with a full one, ms", f"< {limit:g}", measured.lab[d]["sparse_p99_ms"],
             measured.lab[d]["sparse_p99_ms"] < limit) for d in DIRECTIONS]


EXPERIMENTS = (
    Experiment("B4", measure_two_tcp, at_least("Jain's index", "jain", 0.98), pictures={"shares": pictures.two_flows}),
    Experiment("B5", measure_tcp_beside_udp, at_least("TCP's share of the capacity", "tcp_share", 0.45)),
    Experiment("D2", measure_sparse_beside_full, sparse_goals, pictures={"delays": pictures.sparse_beside_full}),
)
