# SPDX-License-Identifier: GPL-3.0-or-later
"""What trials of queue management and classifiers have in common: ends, figures, cost."""
from wimax_tools.policy import report

ENDS = {"downlink": "base_station", "uplink": "subscriber_station"}  # that sends in this direction
RESULTS = {"downlink": "policies", "uplink": "station_policies"}


def scenario(cell, key, seconds, seed, policy, directions):
    """Keys of wimax-sim. `policy`: value of `key` at the ends that send."""
    return {**cell, "seconds": seconds, "warmup_s": 2, "seed": seed, "status": True, **{ENDS[direction]: {key: policy} for direction in directions}}


def sending_flows(result, direction):
    """Status of the service flows where they are sent."""
    status = result["status"]
    stations = status["base_station"]["stations"] if direction == "downlink" else status["stations"]
    return [flow for station in stations for flow in station["flows"] if flow["direction"] == direction]


def figures(result, direction):
    flows, total = sending_flows(result, direction), result["total"][direction]
    packets = {}
    for flow in flows:
        packets[flow["scheduling"]] = packets.get(flow["scheduling"], 0) + flow["sdus"]
    return {"goodput_bps": total["goodput_bps"], "delay_ms": {key: total["delay_ms"][key] for key in ("p50", "p99")},
            "dropped": sum(flow["dropped"] for flow in flows), "marked": sum(flow["marked"] for flow in flows),
            "shares": {service: count / max(1, sum(packets.values())) for service, count in sorted(packets.items())}}


def compare(method, key, name, own, builtin, directions):
    return [{"kind": method, "cell": name, "direction": direction, "policy": figures(own, direction), "built_in": figures(builtin, direction),
             "cost": report.cost(own, key, RESULTS[direction])} for direction in directions]


def delays(row):
    return "".join(f"{row[whose]['delay_ms'][key]:>9.1f}" for key in ("p50", "p99") for whose in ("policy", "built_in"))


def cost_text(row):
    of_cost = row["cost"] or {"calls": 0, "mean_us": 0, "longest_us": 0}
    return f"{of_cost['calls']:>8}{of_cost['mean_us']:>8.0f}{of_cost['longest_us']:>9.0f}"


def notes(rows, descriptions, built_in):
    """Lines below a table."""
    lines = ["", f"{built_in}: the built-in policy in the same cell. Cells:"]
    lines += [f"  {name:<9}{descriptions[name][0]}" for name in dict.fromkeys(row["cell"] for row in rows)]
    return lines + report.faults_text(rows)
