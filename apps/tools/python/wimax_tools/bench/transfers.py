# SPDX-License-Identifier: GPL-3.0-or-later
"""What several experiments do with the bench's transfers."""
from wimax_tools.bench.figure import mean_figure

DIRECTIONS = ("downlink", "uplink")
BATCHES = 10
SETTLED, ENDING = 0.2, 0.1  # shares of a transfer in which it begins and ends


def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) if any(rates) else 0.0


def transfers(bench, flows, meanwhile=None):
    """Transfers (station, direction, offered IP bit/s or None for TCP) at once; their figures, rates and intervals in simulated time.
    Queues are empty before."""
    bench.stack.wait_until_quiet()
    begin = bench.stack.clock()
    bench.start(flows)
    said = meanwhile() if meanwhile else None
    results = bench.results(" and ".join("TCP" if f.offer_bps is None else "UDP" for f in map(bench.transfer_of, flows)))
    factor = bench.stack.clock().factor_since(begin)
    in_simulated_time = lambda r: [(begin_s * factor, end_s * factor, octets) for begin_s, end_s, octets in r["intervals"]]  # noqa: E731
    return [dict(r, ip_bps=r["ip_bps"] / factor, intervals=in_simulated_time(r)) for r in results], said


def delivered_in(stack, direction):
    """IP octets delivered so far in this direction, to all sinks, with the simulated time of the last answer."""
    found = stack.delivered(direction)
    return sum(d.octets for d in found), found[-1].simulated_s


def batch_rates_kbps(bench, directions, seconds):
    """Mean rates over batches of the middle of a transfer that has just begun and takes `seconds`, by direction; and where the symbols
    of these frames went."""
    stack = bench.stack
    stack.pass_time(SETTLED * seconds)
    stack.forget_usage()
    marks = [{d: delivered_in(stack, d) for d in directions}]
    for _ in range(BATCHES):
        stack.pass_time((1 - SETTLED - ENDING) * seconds / BATCHES)
        marks.append({d: delivered_in(stack, d) for d in directions})
    for d in directions:
        stack.keep_usage(d)
    return {d: [8e-3 * (b[d][0] - a[d][0]) / (b[d][1] - a[d][1]) for a, b in zip(marks, marks[1:])] for d in directions}


def steady(bench, flows, seconds):
    """Transfers at once; their results, and by direction the rate of the middle with its bounds in kb/s."""
    directions = list(dict.fromkeys(bench.transfer_of(flow).direction for flow in flows))
    results, batches = transfers(bench, flows, lambda: batch_rates_kbps(bench, directions, seconds))
    return results, {d: mean_figure(batches[d], 1) for d in directions}


def spent_symbols(stack, direction, carried):
    """Symbols of a frame by purpose, of the last transfer that was watched; `carried`: of IP octets."""
    usage = dict(stack.usage[direction])
    frames = usage.pop("frames", 0)
    if not frames:
        return {}
    parts = {purpose: round(count / frames, 2) for purpose, count in usage.items() if count}
    data = parts.pop("data", 0.0)
    return {**parts, "ip": round(carried, 2), "headers_padding_tails": round(data - carried, 2)}
