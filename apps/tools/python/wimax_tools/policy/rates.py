# SPDX-License-Identifier: GPL-3.0-or-later
"""How `wimax policy check` tries link adaptation: cells, figures next to those of the built-in policy, and their table."""
from wimax_tools.policy.cells import both_ways
from wimax_tools.policy.report import cost, faults_text, percent

METHOD, KEY, BUILT_IN = "adapt", "adaptation.policy", "outcome"
SATURATED = {"rate": "auto", "traffic": both_ways(kind="saturate")}
CELLS = {
    "steady": ("seven stations from 5 to 26 dB in white noise", {**SATURATED, "stations": 7, "snr_db": [5, 8.5, 12, 15.5, 19, 22.5, 26]}),
    "fading": ("four stations whose channels fade with 2 Hz", {**SATURATED, "stations": 4, "snr_db": [12, 16, 20, 24],
                                                              "path": {"doppler_hz": 2, "k_factor_db": 6}}),
    "arq": ("the same with ARQ", {**SATURATED, "stations": 4, "snr_db": [12, 16, 20, 24], "arq": True, "path": {"doppler_hz": 2, "k_factor_db": 6}}),
}
# The base station chooses the rates of the uplink, the stations those of the downlink.
PLACES = {"downlink": "subscriber_station", "uplink": "base_station"}
RESULTS = {"downlink": "station_policies", "uplink": "policies"}


def scenario(name, seconds, seed, policy, directions):
    return {**CELLS[name][1], "seconds": seconds, "warmup_s": 1, "seed": seed,
            **{PLACES[direction]: {"adaptation": {"policy": policy}} for direction in directions}}


def figures(result, direction):
    total = result["total"][direction]
    sent = total["offered_packets"] - total["refused_packets"]
    return {"goodput_bps": total["goodput_bps"], "loss": (total["lost_packets"] - total["refused_packets"]) / max(1, sent)}


def compare(name, own, builtin, directions):
    return [{"kind": METHOD, "cell": name, "direction": direction, "policy": figures(own, direction), "built_in": figures(builtin, direction),
             "cost": cost(own, "link_adaptation", RESULTS[direction])} for direction in directions]


def line(row):
    own, other, of_cost = row["policy"], row["built_in"], row["cost"]
    ratio = own["goodput_bps"] / other["goodput_bps"] if other["goodput_bps"] else 1
    return (f"{row['cell']:<7}{row['direction']:<10}{own['goodput_bps'] / 1e3:>9.0f}{100 * ratio:>9.1f}{percent(own['loss']):>8}{percent(other['loss']):>9}"
            f"{of_cost['mean_us']:>8.0f}{of_cost['longest_us']:>9.0f}")


def table(rows):
    lines = ["Link adaptation", f"{'':17}{'goodput':>9}{'% of':>9}{'loss':>8}{'of':>9}{'us per':>8}{'longest':>9}",
             f"{'cell':<7}{'direction':<10}{'kb/s':>9}{BUILT_IN:>9}{'%':>8}{BUILT_IN:>9}{'call':>8}{'us':>9}"]
    lines += [line(row) for row in rows]
    lines += ["", f"{BUILT_IN}: the built-in policy in the same cell. Cells:"]
    lines += [f"  {name:<7}{CELLS[name][0]}" for name in dict.fromkeys(row["cell"] for row in rows)]
    return "\n".join(lines + faults_text(rows))
