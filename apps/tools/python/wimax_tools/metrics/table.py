# SPDX-License-Identifier: GPL-3.0-or-later
"""All metrics there are: names, labels, and the objects of the MIB of 802.16f that they are named after. docs/metrics.md has this table."""

from dataclasses import dataclass

PREFIX = "wimax_"
PROGRAM = ("daemon",)
WAY = (*PROGRAM, "direction")
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
         ("up", PROGRAM, "1 where the program answers on its control socket, 0 where it does not."),
         ("frames_total", PROGRAM, "Frames of the air that MAC or PHY have seen begin."),
         ("late_frames_total", PROGRAM, "Frames whose answer came too late and was left out."),
         ("synchronised", PROGRAM, "1 where there is a frame clock: of a subscriber station, where it hears its base station."),
         ("sap_messages_total", WAY, "Messages between MAC and PHY, direction sent or received."),
         ("sap_faults_total", (*PROGRAM, "cause"), "Messages between MAC and PHY that were lost, malformed, stale or unsent.")),
    *_of("mac",
         ("operational", PROGRAM, "1 where the base station transmits, or the subscriber station is served."),
         ("phy_alive", PROGRAM, "1 where the MAC hears its PHY."),
         ("frame_age_seconds", PROGRAM, "Wall time since the PHY last said that a frame begins."),
         ("air_time_seconds_total", PROGRAM, "Time of the air."),
         ("missed_frames_total", PROGRAM, "Frames that the PHY never told of."),
         ("phy_starts_total", PROGRAM, "Times that a PHY was met anew."),
         ("phy_errors_total", (*PROGRAM, "kind"), "What the PHY complained of."),
         ("received_bursts_total", PROGRAM, "Bursts in which something was detected."),
         ("received_bad_bursts_total", PROGRAM, "Those whose code could not be corrected."),
         ("user_packets_total", WAY, "Packets of the network interface, direction in (into the air) or out."),
         ("user_bytes_total", WAY, "Octets of those packets."),
         ("user_dropped_packets_total", (*PROGRAM, "cause"), "Packets of the network interface that the MAC did not take."),
         ("capture_dropped_records_total", PROGRAM, "Records that the capture file did not take.")),
    *_of("base",
         ("registered_ss", PROGRAM, "Subscriber stations that are registered.", ("wmanIfBsRegisteredSsTable",)),
         ("lost_stations_total", PROGRAM, "Stations that were given up after silence."),
         ("capacity_bytes_per_second", WAY, "What the frame can carry of IP packets at the configured rates, by equal shares."),
         ("frame_symbols_total", (*WAY, "use"), "OFDM symbols, by what they were sent or reserved for."),
         ("reserved_symbols_per_frame", WAY, "Symbols that are promised to service flows."),
         ("reservable_symbols_per_frame", WAY, "Symbols that may be promised."),
         ("flows_without_room", PROGRAM, "Admitted service flows whose promise can't be kept since rates fell."),
         ("refused_flows_total", PROGRAM, "Service flows that admission control has refused."),
         ("ul_map_full_total", PROGRAM, "Frames whose UL-MAP had no element left."),
         ("base_dropped_total", (*PROGRAM, "cause"), "Packets and bursts that the base station dropped, by cause."),
         ("ranging_bursts_total", PROGRAM, "Bursts heard where stations may begin."),
         ("ranging_undecoded_bursts_total", PROGRAM, "Those that could not be read: collisions, for instance."),
         ("refused_entries_total", (*PROGRAM, "cause"),
          "Stations that were not let in: refused, duplicates of an address, evicted for others; without privacy, or by their certificate or suite."),
         ("ended_authorizations_total", PROGRAM, "Stations that were deleted because their authorization key had ended."),
         ("contention_bursts_total", PROGRAM, "Bandwidth requests heard in contention."),
         ("contention_undecoded_bursts_total", PROGRAM, "Those that could not be read: collisions, for instance.")),
    *_of("station",
         ("station_info", (*STATION, "name"), "Always 1: the station's configured name.", ("wmanIfBsSsMacAddress",)),
         ("station_operational", STATION, "1 where the station may send packets.", ("wmanIfBsSsStatusValue",)),
         ("station_silence_seconds", STATION, "Since the base station last heard it."),
         ("mean_cinr_report_db", STATION_WAY,
          "CINR of data carriers; a base station knows the downlink's where it asks for reports: for rates that follow.",
          ("wmanIfBsMeanCinrReport", "wmanIfSsMeanCinrReport")),
         ("mean_rssi_report_dbm", STATION_WAY, "Received power.", ("wmanIfBsMeanRssiReport", "wmanIfSsMeanRssiReport")),
         ("needed_cinr_db", STATION_WAY, "CINR that the station's present rate needs for a bit error rate of 1e-6."),
         ("rate_id", STATION_WAY, "Burst profile by Rate_ID: 0 BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, 16-QAM 3/4, 64-QAM 2/3, 6 64-QAM 3/4."),
         ("rate_changes_total", (*STATION_WAY, "to"), "Changes of the burst profile, to one that is lower or higher."),
         ("ss_mac_sdus_total", STATION_WAY, "Packets: sent to the station, received of it.", ("wmanIfBsSsMacSduCount",)),
         ("ss_bytes_total", STATION_WAY, "Octets of those packets.", ("wmanIfBsSsOctetCount",)),
         ("ss_dropped_mac_sdus_total", STATION_WAY, "Packets given up."),
         ("granted_symbols_total", STATION_WAY, "OFDM symbols of the station's bursts."),
         ("ss_bursts_total", STATION_WAY, "Bursts of the station that were received."),
         ("ss_uncorrectable_bursts_total", STATION_WAY, "Those whose code could not be corrected."),
         ("ss_missed_bursts_total", STATION_WAY, "Granted bursts of which nothing was heard."),
         ("ss_wrong_source_packets_total", STATION, "Uplink packets dropped because their source address is not the station's."),
         ("frequency_offset_hertz", STATION, "Of the station's signal at the base station; of the base station's at the station."),
         ("timing_advance_seconds", STATION, "How much earlier the station sends."),
         ("distance_meters", STATION, "By the timing advance, delays of the hardware included."),
         ("transmit_power_dbm", STATION, "Of the station."),
         ("transmit_power_headroom_db", STATION, "What it has left to its highest power."),
         ("entries_total", STATION, "Times that the station began to look for a base station."),
         ("entry_seconds", STATION, "From the first preamble to service, last time."),
         ("station_authorized", STATION, "1 where it has an authorization key; absent where there is no privacy, as what follows."),
         ("authorization_key_age_seconds", STATION, "Since the newest authorization key was given."),
         ("authorization_key_left_seconds", STATION, "Until it ends."),
         ("certificate_expiry_timestamp_seconds", STATION,
          "UNIX time at which the station's certificate, its authority or the authority's revocation list ends, whichever is first. Base station only."),
         ("traffic_key_age_seconds", STATION, "Since the newest traffic key of the primary SA was made or came."),
         ("traffic_key_left_seconds", STATION, "Until it ends."),
         ("pkm_messages_total", (*STATION, "kind"), "Answers of the base station about keys, and its word that keys are none."),
         ("ss_opened_pdus_total", STATION, "Encrypted PDUs that proved genuine."),
         ("privacy_dropped_total", (*STATION, "kind", "cause"), "Messages, of management or of PKM, and PDUs that did not prove genuine.")),
    *_of("flow",
         ("service_flow_info", (*FLOW, "name", "scheduling", "state"), "Always 1: name, scheduling service and state of a flow.",
          ("wmanIfCmnCpsSfSchedulingType", "wmanIfCmnCpsSfState")),
         ("sf_mac_sdus_total", FLOW, "Packets: at its sender sent, at its receiver delivered.", ("wmanIfBsSsMacSduCount",)),
         ("sf_bytes_total", FLOW, "Octets of those packets.", ("wmanIfBsSsOctetCount",)),
         ("sf_dropped_mac_sdus_total", (*FLOW, "cause"), "Packets given up, by cause."),
         ("sf_queue_bytes", FLOW, "Octets that wait at the sender; of an uplink flow at the base station, what was asked for."),
         ("sf_queue_mac_sdus", FLOW, "Packets that wait at the sender."),
         ("sf_arq_blocks_total", FLOW, "ARQ blocks sent or received."),
         ("sf_arq_repeated_blocks_total", FLOW, "ARQ blocks that were sent or received once more."),
         ("sf_arq_resets_total", FLOW, "Times that ARQ began anew."),
         ("cps_max_sustained_rate_bytes_per_second", FLOW, "Where there is a limit.", ("wmanIfCmnCpsMaxSustainedRate",)),
         ("cps_min_reserved_rate_bytes_per_second", FLOW, "Where one is promised.", ("wmanIfCmnCpsMinReservedRate",)),
         ("cps_max_latency_seconds", FLOW, "Where one is promised.", ("wmanIfCmnCpsMaxLatency",)),
         ("cps_traffic_priority", FLOW, "0 to 7.", ("wmanIfCmnCpsTrafficPriority",))),
    *_of("phy",
         ("radio_open", PROGRAM, "1 where the radio works."),
         ("mac_attached", PROGRAM, "1 where a MAC is connected."),
         ("mac_losses_total", PROGRAM, "Times that the MAC went."),
         ("sync_losses_total", PROGRAM, "Times that the downlink was lost."),
         ("phy_bursts_total", PROGRAM, "Bursts that were decoded, or tried."),
         ("phy_undetected_bursts_total", PROGRAM, "Expected bursts of which nothing was seen."),
         ("phy_fec_failures_total", PROGRAM, "Bursts whose code could not be corrected."),
         ("phy_reception_losses_total", PROGRAM, "Times that reception failed for some frames: subscriber station, the broadcast burst; base station, bursts of data."),
         ("phy_reception_lost_frames_total", PROGRAM, "Frames of those times."),
         ("phy_longest_loss_frames", PROGRAM, "The longest of them."),
         ("phy_cinr_db", PROGRAM, "Of the last burst."),
         ("phy_rssi_dbm", PROGRAM, "Of the last burst."),
         ("phy_frequency_offset_hertz", PROGRAM, "Of the last burst."),
         ("phy_clock_offset_ppm", PROGRAM, "Of the base station's clock against the radio's."),
         ("phy_dc_offset_db", PROGRAM, "DC offset that the receiver takes off, over full scale; absent where it knows of none."),
         ("phy_image_db", PROGRAM, "Image of its mixer, over the signal; likewise."),
         ("phy_sender_image_db", PROGRAM, "Image of the sender's mixer, over the signal; likewise."),
         ("phy_foreign_carrier_db", PROGRAM, "Strongest foreign carrier in the last preamble, over full scale; likewise."),
         ("radio_faults_total", (*PROGRAM, "kind"), "Of the radio: late (bursts whose time had passed), underflows, overflows, sequence errors (packets lost on the way)."),
         ("radio_refused_pieces_total", (*PROGRAM, "cause"),
          "Pieces of signal that were kept back: switched_off (radio.tx_enable), too_long, too_often, too_strong (the operator's limits)."),
         ("radio_lost_samples_total", PROGRAM, "Received samples that were lost."),
         ("radio_clipped_samples_total", PROGRAM, "Received samples at or beyond full scale."),
         ("radio_headroom_db", PROGRAM, "Full scale over the strongest sample received in the last second, own transmissions left out."),
         ("answer_seconds", PROGRAM, "Wall time from the last sample that an answer waited for to the answer in the radio's hands; a histogram, where time "
          "runs by itself.", (), True),
         ("radio_losses_total", PROGRAM, "Radios that went while they were in use, and were opened anew.")),
    *_of("channel",
         ("channel_time_seconds_total", PROGRAM, "Simulated time."),
         ("channel_real_time_ratio", PROGRAM, "Simulated over wall time; 0 while it stands."),
         ("channel_stretched_seconds_total", PROGRAM, "What it fell behind real time for good."),
         ("channel_link_path_loss_db", (*PROGRAM, "link"), "Of a simulated link."),
         ("channel_link_snr_db", (*PROGRAM, "link"), "Of a simulated link, where the configuration gives one."),
         ("channel_radio_streaming", (*PROGRAM, "radio"), "1 while the radio streams."),
         ("channel_radio_received_dbm", (*PROGRAM, "radio"), "Power at the radio's antenna."),
         ("channel_radio_late_chunks_total", (*PROGRAM, "radio"), "Samples that the radio sent too late."),
         ("channel_radio_lost_chunks_total", (*PROGRAM, "radio", "direction"), "Samples that were lost on their way to the radio or from it."),
         ("channel_radio_waited_seconds_total", (*PROGRAM, "radio"), "How long the channel in lock-step waited for the radio's program.")),
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
