# SPDX-License-Identifier: GPL-3.0-or-later
"""All metrics: names, labels, and the objects of the MIB of 802.16f that gave them their names. docs/metrics.md has this table."""

from dataclasses import dataclass

PREFIX = "wimax_"
PROGRAM = ("daemon",)
WAY = (*PROGRAM, "direction")
POLICY = (*PROGRAM, "policy")
STATION = (*PROGRAM, "station")
STATION_WAY = (*STATION, "direction")
FLOW = (*STATION, "flow", "direction")
GROUPS = {"programs": "All programs", "mac": "Each MAC", "base": "Base station", "station": "Subscriber stations", "flow": "Service flows",
          "phy": "PHY and radio", "channel": "Simulated channel"}


@dataclass(frozen=True)
class Metric:
    group: str
    name: str            # as it is scraped, without the prefix
    labels: tuple
    help: str
    mib: tuple = ()      # objects
    histogram: bool = False

    @property
    def counter(self):
        return self.name.endswith("_total")

    @property
    def full_name(self):
        return PREFIX + self.name


def _of(group, *rows):
    return [Metric(group, *row) for row in rows]


METRICS = {metric.name: metric for metric in (
    *_of("programs",
         ("up", PROGRAM, "1 if the program responds on its control socket, otherwise 0."),
         ("frames_total", PROGRAM, "Frames that the MAC or PHY has processed."),
         ("late_frames_total", PROGRAM, "Frames whose response was too late and was discarded."),
         ("synchronised", PROGRAM, "1 if there is a frame clock. At a subscriber station: if it receives its base station."),
         ("sap_messages_total", WAY, "Messages between MAC and PHY, direction sent or received."),
         ("sap_faults_total", (*PROGRAM, "cause"), "Messages between MAC and PHY that were lost, malformed, stale or unsent.")),
    *_of("mac",
         ("operational", PROGRAM, "1 if the base station transmits, or if the subscriber station may send packets."),
         ("phy_alive", PROGRAM, "1 if the MAC receives messages of its PHY."),
         ("frame_age_seconds", PROGRAM, "Wall time since the PHY last announced a frame."),
         ("air_time_seconds_total", PROGRAM, "Time on the air."),
         ("missed_frames_total", PROGRAM, "Frames that the PHY did not announce."),
         ("phy_starts_total", PROGRAM, "Sessions that a PHY started with this MAC."),
         ("phy_errors_total", (*PROGRAM, "kind"), "Errors that the PHY reported, by kind."),
         ("received_bursts_total", PROGRAM, "Bursts in which something was detected."),
         ("received_bad_bursts_total", PROGRAM, "Received bursts whose code could not be corrected."),
         ("user_packets_total", WAY, "Packets of the network interface, direction in (into the air) or out."),
         ("user_bytes_total", WAY, "Bytes of these packets."),
         ("user_dropped_packets_total", (*PROGRAM, "cause"), "Packets of the network interface that the MAC did not accept, by cause."),
         ("capture_dropped_records_total", PROGRAM, "Records that were not written to the capture file."),
         ("policy_calls_total", POLICY, "Calls of a policy of the user (docs/policies.md)."),
         ("policy_seconds_total", POLICY, "Processor time of these calls."),
         ("policy_faults_total", (*POLICY, "kind"), "Calls that were late, failed, or returned nonsense."),
         ("policy_busy_frames_total", POLICY, "Frames without a call, because an earlier call had not ended."),
         ("policy_replaced", POLICY, "1 if the built-in policy has replaced this one after its faults.")),
    *_of("base",
         ("registered_ss", PROGRAM, "Subscriber stations that are registered.", ("wmanIfBsRegisteredSsTable",)),
         ("lost_stations_total", PROGRAM, "Stations that were deleted because they were silent."),
         ("capacity_bytes_per_second", WAY, "IP bytes per second that the frame can carry at the configured rates, with equal shares."),
         ("frame_symbols_total", (*WAY, "use"), "OFDM symbols, by use: what they were sent or reserved for."),
         ("reserved_symbols_per_frame", WAY, "Symbols that are reserved for service flows."),
         ("reservable_symbols_per_frame", WAY, "Symbols that may be reserved."),
         ("flows_without_room", PROGRAM, "Admitted service flows whose reservation no longer fits, because rates fell."),
         ("refused_flows_total", PROGRAM, "Service flows that admission control has refused."),
         ("ul_map_full_total", PROGRAM, "Frames whose UL-MAP had no element left."),
         ("base_dropped_total", (*PROGRAM, "cause"), "Packets and bursts that the base station dropped, by cause."),
         ("ranging_bursts_total", PROGRAM, "Bursts received in initial ranging regions."),
         ("ranging_undecoded_bursts_total", PROGRAM, "Ranging bursts that could not be decoded, for instance after collisions."),
         ("refused_entries_total", (*PROGRAM, "cause"),
          "Stations that were refused: by the provisioning, as a duplicate address, evicted for others, without privacy, by certificate or by suite."),
         ("ended_authorizations_total", PROGRAM, "Stations that were deleted because their authorization key had expired."),
         ("contention_bursts_total", PROGRAM, "Bandwidth requests received in contention."),
         ("contention_undecoded_bursts_total", PROGRAM, "Contention bursts that could not be decoded, for instance after collisions.")),
    *_of("station",
         ("station_info", (*STATION, "name"), "Always 1. The label has the station's configured name.", ("wmanIfBsSsMacAddress",)),
         ("station_operational", STATION, "1 if the station may send packets.", ("wmanIfBsSsStatusValue",)),
         ("station_silence_seconds", STATION, "Time since the base station last received the station."),
         ("mean_cinr_report_db", STATION_WAY,
          "CINR of data carriers. A base station knows the downlink's only if it asks for reports, which it does for adaptive rates.",
          ("wmanIfBsMeanCinrReport", "wmanIfSsMeanCinrReport")),
         ("mean_rssi_report_dbm", STATION_WAY, "Received power.", ("wmanIfBsMeanRssiReport", "wmanIfSsMeanRssiReport")),
         ("needed_cinr_db", STATION_WAY, "CINR at which one block in 10 000 of the station's present rate is lost in white noise."),
         ("rate_id", STATION_WAY, "Burst profile by Rate_ID: 0 BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, 16-QAM 3/4, 64-QAM 2/3, 6 64-QAM 3/4."),
         ("rate_changes_total", (*STATION_WAY, "to"), "Changes of the burst profile to a lower or higher rate."),
         ("ss_mac_sdus_total", STATION_WAY, "Packets sent to the station, or received from it.", ("wmanIfBsSsMacSduCount",)),
         ("ss_bytes_total", STATION_WAY, "Bytes of these packets.", ("wmanIfBsSsOctetCount",)),
         ("ss_dropped_mac_sdus_total", STATION_WAY, "Packets that were dropped."),
         ("granted_symbols_total", STATION_WAY, "OFDM symbols of the station's bursts."),
         ("ss_bursts_total", STATION_WAY, "Bursts of the station that were received."),
         ("ss_uncorrectable_bursts_total", STATION_WAY, "Received bursts whose code could not be corrected."),
         ("ss_missed_bursts_total", STATION_WAY, "Granted bursts that were not detected."),
         ("ss_wrong_source_packets_total", STATION, "Uplink packets dropped because their source address is not the station's."),
         ("frequency_offset_hertz", STATION,
          "Frequency offset of the station's signal at the base station, or of the base station's signal at the station."),
         ("timing_advance_seconds", STATION, "Timing advance: how much earlier the station transmits."),
         ("distance_meters", STATION, "Distance by the timing advance. Delays of the hardware are included."),
         ("transmit_power_dbm", STATION, "Transmit power of the station."),
         ("transmit_power_headroom_db", STATION, "Difference between the station's highest and present power."),
         ("entries_total", STATION, "Network entries that the station has started."),
         ("entry_seconds", STATION, "Duration of the last network entry, from the first preamble to service."),
         ("station_authorized", STATION, "1 if the station has an authorization key. This metric and the next ones are absent without privacy."),
         ("authorization_key_age_seconds", STATION, "Time since the newest authorization key was issued."),
         ("authorization_key_left_seconds", STATION, "Time until it expires."),
         ("certificate_expiry_timestamp_seconds", STATION,
          "UNIX time at which the station's certificate, its authority or the authority's revocation list ends, whichever is first. Base station only."),
         ("traffic_key_age_seconds", STATION, "Time since the newest traffic key of the primary SA was generated or received."),
         ("traffic_key_left_seconds", STATION, "Time until it expires."),
         ("pkm_messages_total", (*STATION, "kind"), "PKM responses of the base station, and its reports of invalid keys, by kind."),
         ("ss_opened_pdus_total", STATION, "Encrypted PDUs that passed authentication."),
         ("privacy_dropped_total", (*STATION, "kind", "cause"), "Messages (management, PKM) and PDUs that failed authentication.")),
    *_of("flow",
         ("service_flow_info", (*FLOW, "name", "scheduling", "state"), "Always 1: name, scheduling service and state of a flow.",
          ("wmanIfCmnCpsSfSchedulingType", "wmanIfCmnCpsSfState")),
         ("sf_mac_sdus_total", FLOW, "Packets: sent at the sender, delivered at the receiver.", ("wmanIfBsSsMacSduCount",)),
         ("sf_bytes_total", FLOW, "Bytes of these packets.", ("wmanIfBsSsOctetCount",)),
         ("sf_dropped_mac_sdus_total", (*FLOW, "cause"), "Packets that were dropped, by cause."),
         ("sf_queue_bytes", FLOW, "Bytes queued at the sender. For an uplink flow at the base station: bytes requested."),
         ("sf_queue_mac_sdus", FLOW, "Packets queued at the sender."),
         ("sf_arq_blocks_total", FLOW, "ARQ blocks sent or received."),
         ("sf_arq_repeated_blocks_total", FLOW, "ARQ blocks that were sent or received again."),
         ("sf_arq_resets_total", FLOW, "Resets of the ARQ state machine."),
         ("cps_max_sustained_rate_bytes_per_second", FLOW, "Maximum sustained rate. Absent without a limit.", ("wmanIfCmnCpsMaxSustainedRate",)),
         ("cps_min_reserved_rate_bytes_per_second", FLOW, "Minimum reserved rate. Absent without a reservation.", ("wmanIfCmnCpsMinReservedRate",)),
         ("cps_max_latency_seconds", FLOW, "Maximum latency. Absent without a bound.", ("wmanIfCmnCpsMaxLatency",)),
         ("cps_traffic_priority", FLOW, "Traffic priority, 0 to 7.", ("wmanIfCmnCpsTrafficPriority",))),
    *_of("phy",
         ("radio_open", PROGRAM, "1 if the radio works."),
         ("mac_attached", PROGRAM, "1 if a MAC is connected."),
         ("mac_losses_total", PROGRAM, "Times that the MAC disconnected."),
         ("sync_losses_total", PROGRAM, "Times that synchronisation with the downlink was lost."),
         ("phy_bursts_total", PROGRAM, "Bursts that the receiver has tried to decode."),
         ("phy_undetected_bursts_total", PROGRAM, "Expected bursts that were not detected."),
         ("phy_fec_failures_total", PROGRAM, "Bursts whose code could not be corrected."),
         ("phy_retried_blocks_total", PROGRAM, "Code blocks decoded a second time."),
         ("phy_saved_blocks_total", PROGRAM, "Failed code blocks that the second attempt corrected."),
         ("phy_refused_blocks_total", PROGRAM, "Failed code blocks without a second attempt: hopeless, or the work allowed was used up."),
         ("phy_reception_losses_total", PROGRAM,
          "Outages of some frames: of the broadcast burst at a subscriber station, of data bursts at a base station."),
         ("phy_reception_lost_frames_total", PROGRAM, "Frames of these outages."),
         ("phy_longest_loss_frames", PROGRAM, "Length of the longest outage."),
         ("phy_cinr_db", PROGRAM, "CINR of the last burst."),
         ("phy_rssi_dbm", PROGRAM, "RSSI of the last burst."),
         ("phy_frequency_offset_hertz", PROGRAM, "Frequency offset of the last burst."),
         ("phy_clock_offset_ppm", PROGRAM, "Offset of the base station's sampling clock from the radio's."),
         ("phy_dc_offset_db", PROGRAM, "DC offset that the receiver subtracts, over full scale. Absent if none is known."),
         ("phy_image_db", PROGRAM, "Image of the receiver's mixer, over the signal. Absent if none is known."),
         ("phy_sender_image_db", PROGRAM, "Image of the sender's mixer, over the signal. Absent if none is known."),
         ("phy_foreign_carrier_db", PROGRAM, "Strongest foreign carrier in the last preamble, over full scale. Absent if none is known."),
         ("radio_faults_total", (*PROGRAM, "kind"),
          "Faults of the radio: late (bursts whose time had passed), underflows, overflows, sequence errors (packets lost on the way)."),
         ("radio_refused_pieces_total", (*PROGRAM, "cause"),
          "Pieces of signal that were not sent: switched_off (radio.tx_enable), too_long, too_often, too_strong (the operator's limits)."),
         ("radio_lost_samples_total", PROGRAM, "Received samples that were lost."),
         ("radio_clipped_samples_total", PROGRAM, "Received samples at or above full scale."),
         ("radio_headroom_db", PROGRAM, "Full scale over the strongest sample received in the last second, without own transmissions."),
         ("answer_seconds", PROGRAM,
          "Histogram of the MAC's response time, from the last sample that a response needs until it is at the radio. Not in lock-step.",
          (), True),
         ("radio_losses_total", PROGRAM, "Radios that failed in use and were opened again.")),
    *_of("channel",
         ("channel_time_seconds_total", PROGRAM, "Simulated time."),
         ("channel_real_time_ratio", PROGRAM, "Simulated over wall time. 0 while simulated time is stopped."),
         ("channel_stretched_seconds_total", PROGRAM, "Delay of simulated time that is not made up."),
         ("channel_link_path_loss_db", (*PROGRAM, "link"), "Path loss of a simulated link."),
         ("channel_link_snr_db", (*PROGRAM, "link"), "SNR of a simulated link. Absent if the configuration gives none."),
         ("channel_radio_streaming", (*PROGRAM, "radio"), "1 while the radio streams."),
         ("channel_radio_received_dbm", (*PROGRAM, "radio"), "Power at the radio's antenna."),
         ("channel_radio_late_chunks_total", (*PROGRAM, "radio"), "Samples that the radio sent too late."),
         ("channel_radio_lost_chunks_total", (*PROGRAM, "radio", "direction"), "Samples that were lost on the way to the radio or from it."),
         ("channel_radio_waited_seconds_total", (*PROGRAM, "radio"), "Time that the channel in lock-step waited for the radio's program.")),
)}


def markdown():
    """The tables of docs/metrics.md."""
    lines = []
    for group, title in GROUPS.items():
        lines += [f"### {title}", "", "| metric | labels | what | MIB |", "|---|---|---|---|"]
        lines += [f"| `{m.full_name}` | {', '.join(m.labels)} | {m.help} | {' '.join(f'`{name}`' for name in m.mib)} |"
                  for m in METRICS.values() if m.group == group]
        lines.append("")
    return "\n".join(lines)
