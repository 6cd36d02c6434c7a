# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations by site, and arguments of the bench, that several experiments have."""
from wimax_tools.bench.stack import SUBNET, Stack
from wimax_tools.bench.transfers import DIRECTIONS

SHORT = {"downlink": "down", "uplink": "up"}
ROBUST_MAPS = {"bs": {"bs": {"profile": {"broadcast_rate_id": 0}}}}
NO_QUEUE_MANAGEMENT = {"codel_target_frames": 0}  # its drops would be taken for losses
FOR_EVER = {"enable": True, "block_lifetime_ms": 0, "sync_loss_timeout_ms": 0, "rx_purge_timeout_ms": 0}
FIRST_STREAM_PORT = 4000
CREEP = 1 / 40  # of a frame: each packet of a steady stream arrives this much later in its frame, else all would arrive at one place
LOSSY_DB, LOSSY_RATE = 18.6, 6  # a tenth of the PDUs fails


def rates(rate_id):
    return {"dl_rate": rate_id, "ul_rate": rate_id}


def own_flows(common):
    """The only station has a flow each way with these keys."""
    flows = [{"name": SHORT[d], "direction": d, **common} for d in DIRECTIONS]
    return {"service_flows": flows, "stations": [], "accept_unknown": True, "unknown_station": {"flows": [flow["name"] for flow in flows]}}


def stations(*flows):
    """The base station's, each with the names of its flows."""
    return [{"mac": Stack.mac_address(i), "name": f"ss{i + 1}", "ip_addresses": [f"{SUBNET}.{i + 2}/32"], "flows": list(names)}
            for i, names in enumerate(flows)]
