# SPDX-License-Identifier: GPL-3.0-or-later
"""How `wimax policy check` tries a classifier: a cell, figures next to those of the rules, and their table."""
from wimax_tools.policy import packets
from wimax_tools.policy.cells import TRAFFIC_BOTH_WAYS, both_ways

METHOD, KEY, BUILT_IN = "classify", "classifier", "built-in"
VOICE = {"kind": "cbr", "rate_bps": 80000, "packet_bytes": 200, "service": "rtPS", "min_rate_bps": 200000}
LONG, SHORT = {"kind": "poisson", "rate_bps": 5e5, "packet_bytes": 1200}, {"kind": "poisson", "rate_bps": 40000, "packet_bytes": 100}
LONG_ENTRIES = (3, 4)  # numbers of the entries of LONG, whose service flows carry SHORT, too
CELLS = {
    "mixed": ("two stations with voice (rtPS), long packets (BE), and short packets that the rules put into the flow of the long ones",
              {"stations": 2, "traffic": both_ways(**VOICE) + both_ways(**LONG) +
               [{"direction": way, **SHORT, "same_flow_as": entry} for way, entry in zip(TRAFFIC_BOTH_WAYS, LONG_ENTRIES)]}),
}


def scenario(name, seconds, seed, policy, directions):
    return packets.scenario(CELLS[name][1], KEY, seconds, seed, policy, directions)


def compare(name, own, builtin, directions):
    return packets.compare(METHOD, KEY, name, own, builtin, directions)


def shares(figures):
    return ", ".join(f"{service} {100 * share:.1f} %" for service, share in figures["shares"].items())


def line(row):
    own, other = row["policy"], row["built_in"]
    return (f"{row['cell']:<9}{row['direction']:<10}{own['goodput_bps'] / 1e3:>9.0f}{packets.delays(row)}{packets.cost_text(row)}"
            f"  {shares(own)} ({shares(other)})")


def table(rows):
    columns = "".join(f"{name:>9}{'of':>9}" for name in ("p50 ms", "p99 ms"))
    lines = ["Classifier", f"{'':19}{'goodput':>9}{columns}{'':>8}{'us per':>8}{'longest':>9}",
             f"{'cell':<9}{'direction':<10}{'kb/s':>9}{('         ' + f'{BUILT_IN:>9}') * 2}{'calls':>8}{'call':>8}{'us':>9}  packets by service ({BUILT_IN})"]
    return "\n".join(lines + [line(row) for row in rows] + packets.notes(rows, CELLS, BUILT_IN))
