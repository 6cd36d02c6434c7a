# SPDX-License-Identifier: GPL-3.0-or-later
"""How `wimax policy check` tries an admission rule: cells, figures next to those of the built-in policy, and their table."""
from wimax_tools.policy.cells import LATENCY_MS, both_ways
from wimax_tools.policy.report import cost, faults_text, percent

METHOD, KEY, BUILT_IN = "admit", "admission", "built-in"
VIDEO_MS = 60
CALL = {"service": "UGS", "kind": "cbr", "rate_bps": 80000, "packet_bytes": 200, "max_latency_ms": LATENCY_MS}
VIDEO = {"direction": "downlink", "service": "rtPS", "kind": "cbr", "packet_bytes": 1000, "max_latency_ms": VIDEO_MS}
CELLS = {
    "calls": ("twenty stations at QPSK 1/2 with a voice call each, a bound of 25 ms", {"stations": 20, "rate": 1, "traffic": both_ways(**CALL)}),
    "video": ("seven stations with a reserved rate of 1.5 Mbit/s each, a bound of 60 ms",
              {"stations": 7, "traffic": [{**VIDEO, "rate_bps": 1500000, "min_rate_bps": 1500000}]}),
    "weak": ("four stations, of which one has an SNR of 1 dB", {"stations": 4, "rate": "auto", "snr_db": [25, 20, 15, 1], "traffic": both_ways(kind="saturate")}),
}


def scenario(name, seconds, seed, policy, _):
    return {**CELLS[name][1], "seconds": seconds, "warmup_s": 1, "seed": seed, "status": True, "base_station": {"admission": policy}}


def figures(result):
    stations = result["status"]["base_station"]["stations"]
    flows = [flow for station in stations for flow in station["flows"]]
    refused = sum(flow["state"] == "provisioned" for flow in flows)
    late = [flow["late_fraction"] for flow in result["flows"] if flow["service"] != "BE" and flow["delivered_packets"] > 0]
    return {"stations": len([station for station in stations if station["flows"]]), "admitted_flows": len(flows) - refused, "refused_flows": refused,
            "goodput_bps": sum(total["goodput_bps"] for total in result["total"].values()), "late_fraction": max(late) if late else None}


def compare(name, own, builtin, _):
    return [{"kind": METHOD, "cell": name, "policy": figures(own), "built_in": figures(builtin), "cost": cost(own, "admission")}]


def line(row):
    own, other, of_cost = row["policy"], row["built_in"], row["cost"]
    both = (f"{own[key]:>9}{other[key]:>9}" for key in ("stations", "admitted_flows", "refused_flows"))
    return (f"{row['cell']:<7}{''.join(both)}{own['goodput_bps'] / 1e3:>9.0f}{other['goodput_bps'] / 1e3:>9.0f}{percent(own['late_fraction']):>8}"
            f"{percent(other['late_fraction']):>9}{of_cost['mean_us']:>8.0f}{of_cost['longest_us']:>9.0f}")


def table(rows):
    columns = "".join(f"{name:>9}{'of':>9}" for name in ("stations", "admitted", "refused", "kb/s"))
    lines = ["Admission", f"{'':7}{columns}{'after':>8}{'of':>9}{'us per':>8}{'longest':>9}",
             f"{'cell':<7}{''.join(f'{what:>9}{BUILT_IN:>9}' for what in ('', 'flows', 'flows', ''))}{'bound %':>8}{BUILT_IN:>9}{'call':>8}{'us':>9}"]
    lines += [line(row) for row in rows]
    lines += ["", f"{BUILT_IN}: the built-in policy in the same cell. Cells:"]
    lines += [f"  {name:<7}{CELLS[name][0]}" for name in dict.fromkeys(row["cell"] for row in rows)]
    return "\n".join(lines + faults_text(rows))
