# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a scheduler from results of wimax-sim, next to those of the built-in one, and their table."""
from wimax_tools.policy.cells import CELLS, scenario

METHOD, KEY, BUILT_IN = "schedule", "dl_scheduler", "fair"
FIGURES = {"downlink": "dl_scheduler", "uplink": "ul_scheduler"}

STARVED = 0.05     # of the mean goodput of the stations with the same traffic
FAULTS = ("late", "failed", "nonsense")


def starved(result, direction):
    """Numbers of the stations whose flow of an entry got less than STARVED of the mean of that entry."""
    entries = {}
    for flow in result["flows"]:
        if flow["direction"] == direction:
            entries.setdefault(flow["entry"], []).append(flow)
    found = set()
    for flows in entries.values():
        mean = sum(flow["goodput_bps"] for flow in flows) / len(flows)
        found |= {flow["station"] for flow in flows if flow["goodput_bps"] < STARVED * mean or flow["delivered_packets"] == 0}
    return sorted(found)


def bounds(result, direction):
    """Largest share of packets after their delay bound, of the flows that have one; None without such flows."""
    shares = [flow["late_fraction"] for flow in result["flows"] if flow["direction"] == direction and flow["service"] != "BE"]
    return max(shares) if shares else None


def figures(result, direction):
    total = result["total"][direction]
    return {"goodput_bps": total["goodput_bps"], "jain": total["jain"], "delay_ms": {key: total["delay_ms"][key] for key in ("p50", "p99")},
            "late_fraction": bounds(result, direction), "starved_stations": starved(result, direction)}


def cost(result, figure, member="policies"):
    """Calls and faults of a loaded policy; None if it is built in."""
    policy = result.get(member, {}).get(figure)
    if policy is None:
        return None
    return {**{name: policy[name] for name in ("calls", "replaced", "longest_us", *FAULTS)}, "mean_us": policy["spent_us"] / max(1, policy["calls"])}


def compare(name, own, builtin, directions):
    return [{"kind": METHOD, "cell": name, "direction": direction, "policy": figures(own, direction), "built_in": figures(builtin, direction),
             "cost": cost(own, FIGURES[direction])} for direction in directions]


def faults(rows):
    return sum(row["cost"][kind] for row in rows if row["cost"] for kind in FAULTS)


def faults_text(rows):
    """Lines below a table."""
    if not faults(rows):
        return ["no faults"]
    return [f"{row['cell']} {row.get('direction', '')}".rstrip() + ": " + ", ".join(f"{row['cost'][kind]} {kind}" for kind in FAULTS) +
            ("; replaced by the built-in policy" if row["cost"]["replaced"] else "") for row in rows if row["cost"] and faults([row])]


def percent(share):
    return "-" if share is None else f"{100 * share:.2f}"


def line(row):
    own, other = row["policy"], row["built_in"]
    ratio = own["goodput_bps"] / other["goodput_bps"] if other["goodput_bps"] else 1
    of_cost = row["cost"] or {"mean_us": 0, "longest_us": 0}
    return (f"{row['cell']:<7}{row['direction']:<10}{own['goodput_bps'] / 1e3:>9.0f}{100 * ratio:>7.1f}{own['jain']:>8.3f}{other['jain']:>8.3f}"
            f"{own['delay_ms']['p50']:>9.1f}{own['delay_ms']['p99']:>9.1f}{other['delay_ms']['p99']:>9.1f}"
            f"{percent(own['late_fraction']):>8}{len(own['starved_stations']):>9}{of_cost['mean_us']:>8.0f}{of_cost['longest_us']:>9.0f}")


def table(rows):
    lines = ["Schedulers", f"{'':17}{'goodput':>9}{'% of':>7}{'Jain':>8}{'of':>8}{'delay ms':>9}{'':>9}{'of':>9}{'after':>8}{'starved':>9}{'us per':>8}{'longest':>9}",
             f"{'cell':<7}{'direction':<10}{'kb/s':>9}{'fair':>7}{'index':>8}{'fair':>8}{'p50':>9}{'p99':>9}{'fair':>9}{'bound %':>8}{'stations':>9}{'call':>8}{'us':>9}"]
    lines += [line(row) for row in rows]
    lines += ["", "fair: the built-in scheduler in the same cell. Cells:"]
    lines += [f"  {name:<7}{CELLS[name][0]}" for name in dict.fromkeys(row["cell"] for row in rows)]
    return "\n".join(lines + faults_text(rows))
