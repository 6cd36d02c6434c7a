# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in the programs' statuses each metric is."""

from dataclasses import dataclass, field
from typing import Callable

LIGHT_M_PER_S = 299_792_458
LEAST_DB, LEAST_DBM = -99.0, -200.0  # a PHY that has measured nothing reports -100 dB and -270 dBm
BITS, MS = 1 / 8, 1e-3
ALL = "*"


@dataclass(frozen=True)
class Row:
    """One figure, or with `*` as the path's end all of an object: the members' names are the last label then."""
    metric: str
    path: str
    convert: Callable = float
    labels: dict = field(default_factory=dict)
    names: str = ""


def row(metric, path, convert=float, **labels):
    return Row(metric, path, convert, labels)


def members(metric, path, names, **labels):
    return Row(metric, f"{path}.{ALL}", float, labels, names)


def above(least):
    return lambda value: value if value > least else None


def times(factor):
    return lambda value: value * factor


def where_set(factor):
    """0 stands for none."""
    return lambda value: value * factor if value else None


def is_operational(state):
    return state == "operational"


cinr, rssi = above(LEAST_DB), above(LEAST_DBM)

SAP = (row("sap_messages_total", "sap.sent", direction="sent"), row("sap_messages_total", "sap.received", direction="received"),
       *(row("sap_faults_total", f"sap.{cause}", cause=cause) for cause in ("lost", "malformed", "stale", "unsent")))

MAC = (*SAP, row("frames_total", "frames"), row("late_frames_total", "station.late"), row("synchronised", "synchronised"),
       row("operational", "operational"), row("phy_alive", "phy_alive"), row("frame_age_seconds", "stalled_s"),
       row("air_time_seconds_total", "simulated_s"), row("missed_frames_total", "missed_frames"), row("phy_starts_total", "phy_starts"),
       members("phy_errors_total", "errors", "kind"),
       row("received_bursts_total", "bursts.detected"), row("received_bad_bursts_total", "bursts.bad"),
       row("user_packets_total", "sdus.in", direction="in"), row("user_packets_total", "sdus.out", direction="out"),
       row("user_bytes_total", "sdus.in_bytes", direction="in"), row("user_bytes_total", "sdus.out_bytes", direction="out"),
       *(row("user_dropped_packets_total", f"sdus.{cause}", cause=cause) for cause in ("refused", "too_long", "frag_needed")),
       row("capture_dropped_records_total", "pcap.dropped"))

LOADED = ("dl_scheduler", "ul_scheduler", "admission", "link_adaptation", "queue_management", "classifier")
REFUSED = {"no_privacy": "no privacy", "certificates": "certificate", "suites": "suite", "others": "other"}

BASE = (row("registered_ss", "registered"), row("lost_stations_total", "lost_stations"),
        row("capacity_bytes_per_second", "capacity_kbps.downlink", times(1e3 * BITS), direction="downlink"),
        row("capacity_bytes_per_second", "capacity_kbps.uplink", times(1e3 * BITS), direction="uplink"),
        members("frame_symbols_total", "symbols.dl", "use", direction="downlink"),
        members("frame_symbols_total", "symbols.ul", "use", direction="uplink"),
        *(row(f"{metric}_symbols_per_frame", f"reserved.{direction}.{key}", direction=direction)
          for direction in ("downlink", "uplink") for metric, key in (("reserved", "symbols"), ("reservable", "room"))),
        row("flows_without_room", "reserved.flows_without_room"), row("refused_flows_total", "reserved.refused"),
        row("ul_map_full_total", "ul_map_full"), members("base_dropped_total", "drops", "cause"),
        row("ranging_bursts_total", "ranging.bursts"), row("ranging_undecoded_bursts_total", "ranging.undecoded"),
        *(row("refused_entries_total", f"ranging.{cause}", cause=cause) for cause in ("refused", "duplicates", "evicted")),
        *(row("refused_entries_total", f"privacy.{key}", cause=cause) for key, cause in REFUSED.items()), row("ended_authorizations_total", "privacy.ended"),
        row("contention_bursts_total", "contention.bursts"), row("contention_undecoded_bursts_total", "contention.undecoded"))

# Rows of either station.
POLICIES = (*(row(metric, f"policies.{policy}.{key}", factor, policy=policy) for policy in LOADED
              for metric, key, factor in (("policy_calls_total", "calls", float), ("policy_seconds_total", "spent_us", times(1e-6)),
                                          ("policy_replaced", "replaced", float), ("policy_busy_frames_total", "busy", float))),
            *(row("policy_faults_total", f"policies.{policy}.{kind}", policy=policy, kind=kind)
              for policy in LOADED for kind in ("late", "failed", "nonsense")))


def traffic(own, direction):
    return (row("ss_mac_sdus_total", f"{own}.sdus", direction=direction), row("ss_bytes_total", f"{own}.bytes", direction=direction),
            row("ss_dropped_mac_sdus_total", f"{own}.dropped", direction=direction),
            row("granted_symbols_total", f"{own}.symbols", direction=direction))


def changes(path, direction):
    return (row("rate_changes_total", f"{path}falls", direction=direction, to="lower"),
            row("rate_changes_total", f"{path}rises", direction=direction, to="higher"))


PKM = {"authorizations": "Auth Reply", "auth_rejects": "Auth Reject", "auth_invalids": "Auth Invalid", "key_replies": "Key Reply",
       "key_rejects": "Key Reject", "tek_invalids": "TEK Invalid"}

PRIVACY = (row("station_authorized", "privacy.authorized"),
           *(row(f"{metric}_{key}_seconds", f"privacy.{short}_{key}_s") for metric, short in (("authorization_key", "ak"), ("traffic_key", "tek"))
             for key in ("age", "left")),
           row("certificate_expiry_timestamp_seconds", "privacy.certificate_ends_s"),
           *(row("pkm_messages_total", f"privacy.{key}", kind=kind) for key, kind in PKM.items()),
           row("ss_opened_pdus_total", "privacy.pdus.opened"),
           members("privacy_dropped_total", "privacy.messages", "cause", kind="management"),
           *(row("privacy_dropped_total", f"privacy.{key}", kind="PKM", cause=key) for key in ("unreadable", "wrong_digests", "downgrades")),
           *(row("privacy_dropped_total", f"privacy.pdus.{cause}", kind="PDU", cause=cause)
             for cause in ("unknown_key", "forged", "replayed", "unprotected")))

BOTH = (*PRIVACY, *traffic("dl", "downlink"), *traffic("ul", "uplink"))

# Rows of a base station, for each of its stations.
SERVED = (*BOTH, row("station_operational", "state", is_operational), row("station_silence_seconds", "silent_s"),
          row("mean_cinr_report_db", "cinr_db", cinr, direction="uplink"), row("mean_cinr_report_db", "link.dl_cinr_db", cinr, direction="downlink"),
          row("mean_rssi_report_dbm", "rssi_dbm", rssi, direction="uplink"),
          row("rate_id", "dl_rate_id", direction="downlink"), row("rate_id", "ul_rate_id", direction="uplink"),
          *changes("link.dl_", "downlink"), *changes("link.ul_", "uplink"),
          row("ss_bursts_total", "ul.bursts", direction="uplink"), row("ss_uncorrectable_bursts_total", "ul.fec_errors", direction="uplink"),
          row("ss_missed_bursts_total", "ul.missed", direction="uplink"), row("ss_wrong_source_packets_total", "ul.wrong_source"),
          row("frequency_offset_hertz", "frequency_offset_hz"), row("transmit_power_headroom_db", "link.power_left_db"))

# Rows of a subscriber station.
SUBSCRIBER = (*BOTH, row("station_operational", "operational"),
              row("rate_id", "downlink_profile.rate_id", direction="downlink"), *changes("downlink_profile.", "downlink"),
              row("ss_bursts_total", "bursts", direction="downlink"),
              row("ss_uncorrectable_bursts_total", "undecoded_bursts", direction="downlink"),
              row("frequency_offset_hertz", "frequency_offset_hz"), row("transmit_power_dbm", "power_dbm"),
              row("entries_total", "restarts"), row("entry_seconds", "entry_time_s", where_set(1)))

# Measurements of a subscriber station's MAC, in addition to its station's: known while it is synchronised.
HEARD = (row("mean_cinr_report_db", "cinr_db", cinr, direction="downlink"), row("mean_rssi_report_dbm", "rssi_dbm", rssi, direction="downlink"))

DROPS = {"dropped_full": "queue full", "dropped_codel": "AQM", "dropped_pool": "no buffer", "dropped_no_room": "no room",
         "dropped_contention": "requests unanswered", "dropped_arq": "ARQ gave up", "dropped_rate": "beyond its rate",
         "refused": "refused", "refused_length": "too long", "malformed": "malformed"}

FLOW = (row("sf_mac_sdus_total", "sdus"), row("sf_bytes_total", "bytes"), row("sf_queue_mac_sdus", "backlog_packets"),
        row("sf_queue_bytes", "backlog_bytes"), row("sf_queue_bytes", "requested_bytes"),
        *(row("sf_dropped_mac_sdus_total", key, cause=cause) for key, cause in DROPS.items()),
        row("sf_arq_blocks_total", "arq_blocks"), row("sf_arq_repeated_blocks_total", "arq_repeats"),
        row("sf_arq_repeated_blocks_total", "arq_repeated"), row("sf_arq_resets_total", "arq_resets"),
        row("cps_max_sustained_rate_bytes_per_second", "max_sustained_rate_bps", where_set(BITS)),
        row("cps_min_reserved_rate_bytes_per_second", "min_reserved_rate_bps", where_set(BITS)),
        row("cps_max_latency_seconds", "max_latency_ms", where_set(MS)), row("cps_traffic_priority", "traffic_priority"))

RECEIVED = (row("sf_dropped_mac_sdus_total", "dropped", cause="piece lost"),)  # a sender's is the sum of its causes

PHY = (*SAP, row("frames_total", "frames"), row("late_frames_total", "late"), row("synchronised", "synchronised"), row("radio_open", "radio_open"),
       row("mac_attached", "mac_attached"), row("mac_losses_total", "mac_losses"), row("sync_losses_total", "sync_losses"),
       row("phy_bursts_total", "bursts"), row("phy_undetected_bursts_total", "undetected_bursts"), row("phy_fec_failures_total", "fec_failures"),
       row("phy_retried_blocks_total", "retried_blocks"), row("phy_saved_blocks_total", "saved_blocks"),
       row("phy_refused_blocks_total", "refused_blocks"),
       row("phy_reception_losses_total", "reception.outages"), row("phy_reception_lost_frames_total", "reception.outage_frames"),
       row("phy_longest_loss_frames", "reception.longest_outage_frames"),
       row("phy_cinr_db", "cinr_db", cinr), row("phy_rssi_dbm", "rssi_dbm", rssi), row("phy_frequency_offset_hertz", "frequency_offset_hz"),
       row("phy_clock_offset_ppm", "clock_offset_ppm"), row("radio_headroom_db", "headroom_db"),
       row("phy_dc_offset_db", "front_end.dc_dbfs"), row("phy_image_db", "front_end.image_dbc"),
       row("phy_sender_image_db", "front_end.sender_image_dbc"), row("phy_foreign_carrier_db", "front_end.tone_dbfs"),
       *(row("radio_faults_total", f"radio.{kind}", kind=kind) for kind in ("late", "underflows", "overflows", "sequence_errors")),
       members("radio_refused_pieces_total", "radio.refused", "cause"), row("radio_lost_samples_total", "radio.lost_samples"), row("radio_clipped_samples_total", "radio.clipped_samples"),
       row("radio_losses_total", "radio_losses"))

CHANNEL = (row("channel_time_seconds_total", "time_s"), row("channel_real_time_ratio", "realtime_factor"),
           row("channel_stretched_seconds_total", "stretched_s"))
LINK = (row("channel_link_path_loss_db", "path_loss_db"), row("channel_link_snr_db", "snr_db"))
RADIO = (row("channel_radio_streaming", "streaming"), row("channel_radio_received_dbm", "rx_dbm", rssi),
         row("channel_radio_late_chunks_total", "late"),
         row("channel_radio_lost_chunks_total", "lost_rx_chunks", direction="received"),
         row("channel_radio_lost_chunks_total", "lost_tx_chunks", direction="sent"), row("channel_radio_waited_seconds_total", "waited_s"))


def found(node, path):
    """None where it is not said."""
    for word in path.split("."):
        if not isinstance(node, dict) or word not in node:
            return None
        node = node[word]
    return node


def figures_of(one, node):
    """(value, labels) of a row, here."""
    if not one.path.endswith(ALL):
        values = {None: found(node, one.path)}
    else:
        values = found(node, one.path.removesuffix("." + ALL)) or {}
    for name, value in values.items():
        if value is not None and (converted := one.convert(value)) is not None:
            yield float(converted), one.labels if name is None else {**one.labels, one.names: name}


def readings(rows, node, **labels):
    """(metric, labels, value) of all values in a part of a status."""
    for one in rows:
        for value, own in figures_of(one, node):
            yield one.metric, {**labels, **own}, value


def of_flows(daemon, station, flows):
    for flow in flows:
        labels = {"daemon": daemon, "station": station, "flow": flow["sfid"], "direction": flow["direction"]}
        yield from readings(FLOW if "backlog_bytes" in flow else FLOW + RECEIVED, flow, **labels)
        yield "service_flow_info", {**labels, "name": flow["name"], "scheduling": flow["scheduling"], "state": flow["state"]}, 1


def needed(rate_ids, rates, labels):
    needs = {rate["id"]: rate["needs_db"] for rate in rates}
    for direction, rate_id in rate_ids.items():
        if rate_id in needs:
            yield "needed_cinr_db", {**labels, "direction": direction}, needs[rate_id]


def of_base(daemon, status, rates):
    yield from readings(MAC, status, daemon=daemon)
    station = status["station"]
    yield from readings((*BASE, *POLICIES), station, daemon=daemon)
    for one in station.get("stations", ()):
        labels = {"daemon": daemon, "station": one["mac"]}
        yield from readings(SERVED, one, **labels)
        yield from needed({"downlink": one.get("dl_rate_id"), "uplink": one.get("ul_rate_id")}, rates, labels)
        yield "station_info", {**labels, "name": one.get("name") or one["mac"]}, 1
        yield from of_flows(daemon, one["mac"], one.get("flows", ()))
    yield from of_flows(daemon, "multicast", station.get("multicast", ()))


def of_subscriber(daemon, status, rates):
    yield from readings(MAC, status, daemon=daemon)
    station = status["station"]
    labels = {"daemon": daemon, "station": station["mac"]}
    yield from readings(POLICIES, station, daemon=daemon)
    yield from readings(SUBSCRIBER, station, **labels)
    if status.get("synchronised"):
        yield from readings(HEARD, status, **labels)
        yield from needed({"downlink": found(station, "downlink_profile.rate_id")}, rates, labels)
    if station.get("operational"):
        yield from of_place(station, labels)
    yield from of_flows(daemon, station["mac"], station.get("flows", ()))


def of_place(station, labels):
    if advance_s := station.get("sample_rate_hz") and station["timing_advance_samples"] / station["sample_rate_hz"]:
        yield "timing_advance_seconds", labels, advance_s
        yield "distance_meters", labels, advance_s * LIGHT_M_PER_S / 2
    yield "transmit_power_headroom_db", labels, station["maximum_power_dbm"] - station["power_dbm"]


@dataclass(frozen=True)
class Distribution:
    """Of a histogram: [(upper limit, how many up to it)], the last of all, and the sum."""
    buckets: list
    sum: float


def of_phy(daemon, status, _rates):
    yield from readings(PHY, status, daemon=daemon)
    if answers := status.get("answers"):
        limits = sorted((int(us), n) for us, n in answers["within_us"].items())
        yield "answer_seconds", {"daemon": daemon}, Distribution([*((f"{us * 1e-6:g}", n) for us, n in limits), ("+Inf", answers["count"])],
                                                                 answers["sum_us"] * 1e-6)


def of_channel(daemon, status, _rates):
    yield from readings(CHANNEL, status, daemon=daemon)
    for link, node in status["links"].items():
        yield from readings(LINK, node, daemon=daemon, link=link)
    for radio, node in status["radios"].items():
        yield from readings(RADIO, node, daemon=daemon, radio=radio)


def reader_of(status):
    """Kind of a status by its keys: channel, PHY, base station or subscriber station; None for others."""
    if "links" in status and "radios" in status:
        return of_channel
    if "station" in status:
        return of_base if status.get("role") == "bs" else of_subscriber
    return of_phy if "radio_open" in status else None


def is_mac(status):
    return "station" in status


def all_of(daemon, status, rates):
    """(metric, labels, value) of one program."""
    read = reader_of(status)
    return read(daemon, status, rates) if read else ()
