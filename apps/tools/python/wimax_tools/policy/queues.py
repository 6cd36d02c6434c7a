# SPDX-License-Identifier: GPL-3.0-or-later
"""How `wimax policy check` tries queue management: cells, figures next to those of CoDel, and their table."""
from wimax_tools.policy import packets
from wimax_tools.policy.cells import both_ways

METHOD, KEY, BUILT_IN = "manage", "queue_management", "built-in"
CELLS = {
    "overload": ("two stations that are offered more than the cell carries", {"stations": 2, "traffic": both_ways(kind="poisson", rate_bps=8e6)}),
    "tcp": ("two stations with a TCP transfer with ECN, and one without",
            {"stations": 3, "traffic": both_ways(kind="tcp", stations=[1, 2]) + both_ways(kind="tcp", stations=[3], ecn=False)}),
    "light": ("four stations with less traffic than the cell carries", {"stations": 4, "traffic": both_ways(kind="poisson", rate_bps=6e5)}),
}


def scenario(name, seconds, seed, policy, directions):
    return packets.scenario(CELLS[name][1], KEY, seconds, seed, policy, directions)


def compare(name, own, builtin, directions):
    return packets.compare(METHOD, KEY, name, own, builtin, directions)


def line(row):
    own, other = row["policy"], row["built_in"]
    ratio = own["goodput_bps"] / other["goodput_bps"] if other["goodput_bps"] else 1
    counts = "".join(f"{whose[key]:>9}" for key in ("dropped", "marked") for whose in (own, other))
    return f"{row['cell']:<9}{row['direction']:<10}{own['goodput_bps'] / 1e3:>9.0f}{100 * ratio:>9.1f}{packets.delays(row)}{counts}{packets.cost_text(row)}"


def table(rows):
    columns = "".join(f"{name:>9}{'of':>9}" for name in ("p50 ms", "p99 ms", "dropped", "marked"))
    lines = ["Queue management", f"{'':19}{'goodput':>9}{'% of':>9}{columns}{'':>8}{'us per':>8}{'longest':>9}",
             f"{'cell':<9}{'direction':<10}{'kb/s':>9}{BUILT_IN:>9}{('         ' + f'{BUILT_IN:>9}') * 4}{'calls':>8}{'call':>8}{'us':>9}"]
    return "\n".join(lines + [line(row) for row in rows] + packets.notes(rows, CELLS, BUILT_IN))
