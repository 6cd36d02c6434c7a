# SPDX-License-Identifier: GPL-3.0-or-later
# Made by apps/tools/bindings/pdu_classes.py from apps/mac/pdu/dictionary.cc; do not edit.
"""TLVs of messages and compounds as classes (clause 11). An attribute is None where there is no such TLV."""
from __future__ import annotations

import dataclasses
from typing import ClassVar, Mapping

from wimax.pdu.values import Bits, Compound, HmacTuple, RepeatedTlvField, TlvField, TlvList, register


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RequestedDownlinkBurstProfile(Bits):
    """requested_downlink_burst_profile, TLV 1, 1 octet: `dcd_ccc_lsb4` 4 bits, `req_diuc` 4 bits."""
    TLV: ClassVar[str] = "requested_downlink_burst_profile"
    WIDTHS: ClassVar[Mapping[str, int]] = {"dcd_ccc_lsb4": 4, "req_diuc": 4}
    dcd_ccc_lsb4: int = 0
    req_diuc: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DownlinkOperationalBurstProfile(Bits):
    """downlink_operational_burst_profile, TLV 7, 2 octets: `op_diuc` 8 bits, `op_ccc` 8 bits."""
    TLV: ClassVar[str] = "downlink_operational_burst_profile"
    WIDTHS: ClassVar[Mapping[str, int]] = {"op_diuc": 8, "op_ccc": 8}
    op_diuc: int = 0
    op_ccc: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SubscriberTransitionGaps(Bits):
    """subscriber_transition_gaps, TLV 2, 2 octets: `ssttg_us` 8 bits, `ssrtg_us` 8 bits."""
    TLV: ClassVar[str] = "subscriber_transition_gaps"
    WIDTHS: ClassVar[Mapping[str, int]] = {"ssttg_us": 8, "ssrtg_us": 8}
    ssttg_us: int = 0
    ssrtg_us: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class CinrReport(Bits):
    """cinr_report, TLV 5, 2 octets: `cinr_mean` 8 bits, `cinr_deviation` 8 bits."""
    TLV: ClassVar[str] = "cinr_report"
    WIDTHS: ClassVar[Mapping[str, int]] = {"cinr_mean": 8, "cinr_deviation": 8}
    cinr_mean: int = 0
    cinr_deviation: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RssiReport(Bits):
    """rssi_report, TLV 6, 2 octets: `rssi_mean` 8 bits, `rssi_deviation` 8 bits."""
    TLV: ClassVar[str] = "rssi_report"
    WIDTHS: ClassVar[Mapping[str, int]] = {"rssi_mean": 8, "rssi_deviation": 8}
    rssi_mean: int = 0
    rssi_deviation: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Ieee8021qVlanId(Bits):
    """ieee_802_1q_vlan_id, TLV 12, 2 octets: `vlan_id` 12 bits, `reserved` 4 bits."""
    TLV: ClassVar[str] = "ieee_802_1q_vlan_id"
    WIDTHS: ClassVar[Mapping[str, int]] = {"vlan_id": 12, "reserved": 4}
    vlan_id: int = 0
    reserved: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ErrorParameterSet(Compound):
    """ErrorParameterSet (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 24
    errored_parameter: TlvField[bytes] = TlvField(1)
    """TLV 1, octets."""
    error_code: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet."""
    error_message: TlvField[str] = TlvField(3)
    """TLV 3, text."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ClassificationRule(Compound):
    """ClassificationRule (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 25
    classifier_rule_priority: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    ip_tos_range_and_mask: TlvField[tuple[int, ...]] = TlvField(2)
    """TLV 2, 3 octets."""
    protocol: TlvField[tuple[int, ...]] = TlvField(3)
    """TLV 3, integers of 1 octet."""
    ip_masked_source_address: TlvField[tuple[str, ...]] = TlvField(4)
    """TLV 4, texts address/mask."""
    ip_masked_destination_address: TlvField[tuple[str, ...]] = TlvField(5)
    """TLV 5, texts address/mask."""
    protocol_source_port_range: TlvField[tuple[tuple[int, int], ...]] = TlvField(6)
    """TLV 6, pairs (low, high) of integers."""
    protocol_destination_port_range: TlvField[tuple[tuple[int, int], ...]] = TlvField(7)
    """TLV 7, pairs (low, high) of integers."""
    ethernet_destination_mac_address: TlvField[tuple[str, ...]] = TlvField(8)
    """TLV 8, texts address/mask."""
    ethernet_source_mac_address: TlvField[tuple[str, ...]] = TlvField(9)
    """TLV 9, texts address/mask."""
    ethertype_ieee_802_2_sap: TlvField[tuple[int, ...]] = TlvField(10)
    """TLV 10, 3 octets."""
    ieee_802_1d_user_priority: TlvField[tuple[int, ...]] = TlvField(11)
    """TLV 11, 2 octets."""
    ieee_802_1q_vlan_id: TlvField[Ieee8021qVlanId] = TlvField(12)
    """TLV 12, 2 octets."""
    associated_phsi: TlvField[int] = TlvField(13)
    """TLV 13, 1 octet."""
    packet_classifier_rule_index: TlvField[int] = TlvField(14)
    """TLV 14, 2 octets."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PhsRule(Compound):
    """PhsRule (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 26
    phsi: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    phsf: TlvField[bytes] = TlvField(2)
    """TLV 2, octets."""
    phsm: TlvField[bytes] = TlvField(3)
    """TLV 3, octets."""
    phss: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet in octets."""
    phsv: TlvField[int] = TlvField(5)
    """TLV 5, 1 octet."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class CsParameters(Compound):
    """CsParameters (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 22
    classifier_dsc_action: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    classifier_error_parameter_set: TlvField[ErrorParameterSet] = TlvField(2)
    """TLV 2, TLVs."""
    packet_classification_rule: TlvField[ClassificationRule] = TlvField(3)
    """TLV 3, TLVs."""
    phs_dsc_action: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    phs_error_parameter_set: TlvField[ErrorParameterSet] = TlvField(5)
    """TLV 5, TLVs."""
    phs_rule: TlvField[PhsRule] = TlvField(6)
    """TLV 6, TLVs."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Ipv6ClassificationRule(Compound):
    """Ipv6ClassificationRule (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 27
    classifier_rule_priority: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    ip_tos_range_and_mask: TlvField[tuple[int, ...]] = TlvField(2)
    """TLV 2, 3 octets."""
    protocol: TlvField[tuple[int, ...]] = TlvField(3)
    """TLV 3, integers of 1 octet."""
    ip_masked_source_address: TlvField[tuple[str, ...]] = TlvField(4)
    """TLV 4, texts address/mask."""
    ip_masked_destination_address: TlvField[tuple[str, ...]] = TlvField(5)
    """TLV 5, texts address/mask."""
    protocol_source_port_range: TlvField[tuple[tuple[int, int], ...]] = TlvField(6)
    """TLV 6, pairs (low, high) of integers."""
    protocol_destination_port_range: TlvField[tuple[tuple[int, int], ...]] = TlvField(7)
    """TLV 7, pairs (low, high) of integers."""
    ethernet_destination_mac_address: TlvField[tuple[str, ...]] = TlvField(8)
    """TLV 8, texts address/mask."""
    ethernet_source_mac_address: TlvField[tuple[str, ...]] = TlvField(9)
    """TLV 9, texts address/mask."""
    ethertype_ieee_802_2_sap: TlvField[tuple[int, ...]] = TlvField(10)
    """TLV 10, 3 octets."""
    ieee_802_1d_user_priority: TlvField[tuple[int, ...]] = TlvField(11)
    """TLV 11, 2 octets."""
    ieee_802_1q_vlan_id: TlvField[Ieee8021qVlanId] = TlvField(12)
    """TLV 12, 2 octets."""
    associated_phsi: TlvField[int] = TlvField(13)
    """TLV 13, 1 octet."""
    packet_classifier_rule_index: TlvField[int] = TlvField(14)
    """TLV 14, 2 octets."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Ipv6CsParameters(Compound):
    """Ipv6CsParameters (clause 11.13.19): TLVs."""
    SET: ClassVar[int] = 23
    classifier_dsc_action: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    classifier_error_parameter_set: TlvField[ErrorParameterSet] = TlvField(2)
    """TLV 2, TLVs."""
    packet_classification_rule: TlvField[Ipv6ClassificationRule] = TlvField(3)
    """TLV 3, TLVs."""
    phs_dsc_action: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    phs_error_parameter_set: TlvField[ErrorParameterSet] = TlvField(5)
    """TLV 5, TLVs."""
    phs_rule: TlvField[PhsRule] = TlvField(6)
    """TLV 6, TLVs."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ServiceFlow(Compound):
    """ServiceFlow (clause 11.13): TLVs."""
    SET: ClassVar[int] = 19
    sfid: TlvField[int] = TlvField(1)
    """TLV 1, 4 octets."""
    cid: TlvField[int] = TlvField(2)
    """TLV 2, 2 octets."""
    service_class_name: TlvField[str] = TlvField(3)
    """TLV 3, text."""
    qos_parameter_set_type: TlvField[int] = TlvField(5)
    """TLV 5, 1 octet."""
    traffic_priority: TlvField[int] = TlvField(6)
    """TLV 6, 1 octet."""
    maximum_sustained_traffic_rate: TlvField[int] = TlvField(7)
    """TLV 7, 4 octets in b/s."""
    maximum_traffic_burst: TlvField[int] = TlvField(8)
    """TLV 8, 4 octets in octets."""
    minimum_reserved_traffic_rate: TlvField[int] = TlvField(9)
    """TLV 9, 4 octets in b/s."""
    minimum_tolerable_traffic_rate: TlvField[int] = TlvField(10)
    """TLV 10, 4 octets in b/s."""
    service_flow_scheduling_type: TlvField[int] = TlvField(11)
    """TLV 11, 1 octet."""
    request_transmission_policy: TlvField[int] = TlvField(12)
    """TLV 12, 4 octets."""
    tolerated_jitter: TlvField[int] = TlvField(13)
    """TLV 13, 4 octets in ms."""
    maximum_latency: TlvField[int] = TlvField(14)
    """TLV 14, 4 octets in ms."""
    fixed_length_versus_variable_length_sdu_indicator: TlvField[int] = TlvField(15)
    """TLV 15, 1 octet."""
    sdu_size: TlvField[int] = TlvField(16)
    """TLV 16, 1 octet in octets."""
    target_said: TlvField[int] = TlvField(17)
    """TLV 17, 2 octets."""
    arq_enable: TlvField[int] = TlvField(18)
    """TLV 18, 1 octet."""
    arq_window_size: TlvField[int] = TlvField(19)
    """TLV 19, 2 octets in blocks."""
    arq_retry_timeout_transmitter_delay: TlvField[int] = TlvField(20)
    """TLV 20, 2 octets in 10 us."""
    arq_retry_timeout_receiver_delay: TlvField[int] = TlvField(21)
    """TLV 21, 2 octets in 10 us."""
    arq_block_lifetime: TlvField[int] = TlvField(22)
    """TLV 22, 2 octets in 10 us."""
    arq_sync_loss_timeout: TlvField[int] = TlvField(23)
    """TLV 23, 2 octets in 10 us."""
    arq_deliver_in_order: TlvField[int] = TlvField(24)
    """TLV 24, 1 octet."""
    arq_rx_purge_timeout: TlvField[int] = TlvField(25)
    """TLV 25, 2 octets in 10 us."""
    arq_block_size: TlvField[int] = TlvField(26)
    """TLV 26, 2 octets in octets."""
    cs_specification: TlvField[int] = TlvField(28)
    """TLV 28, 1 octet."""
    atm_cs_parameters: TlvField[CsParameters] = TlvField(99)
    """TLV 99, TLVs."""
    ipv4_cs_parameters: TlvField[CsParameters] = TlvField(100)
    """TLV 100, TLVs."""
    ipv6_cs_parameters: TlvField[Ipv6CsParameters] = TlvField(101)
    """TLV 101, TLVs."""
    ethernet_cs_parameters: TlvField[CsParameters] = TlvField(102)
    """TLV 102, TLVs."""
    vlan_cs_parameters: TlvField[CsParameters] = TlvField(103)
    """TLV 103, TLVs."""
    ipv4_over_ethernet_cs_parameters: TlvField[CsParameters] = TlvField(104)
    """TLV 104, TLVs."""
    ipv6_over_ethernet_cs_parameters: TlvField[Ipv6CsParameters] = TlvField(105)
    """TLV 105, TLVs."""
    ipv4_over_vlan_cs_parameters: TlvField[CsParameters] = TlvField(106)
    """TLV 106, TLVs."""
    ipv6_over_vlan_cs_parameters: TlvField[Ipv6CsParameters] = TlvField(107)
    """TLV 107, TLVs."""
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class CommonTlvs(TlvList):
    """TLVs (clause 11.1) of all messages with TLVs."""
    SET: ClassVar[int] = 6
    vendor_specific: TlvField[bytes] = TlvField(143)
    """TLV 143, octets."""
    vendor_id: TlvField[bytes] = TlvField(144)
    """TLV 144, 3 octets."""
    uplink_service_flow: TlvField[ServiceFlow] = TlvField(145)
    """TLV 145, TLVs."""
    downlink_service_flow: TlvField[ServiceFlow] = TlvField(146)
    """TLV 146, TLVs."""
    current_transmit_power: TlvField[int] = TlvField(147)
    """TLV 147, 1 octet in 0.5 dB above -64 dBm."""
    mac_version: TlvField[int] = TlvField(148)
    """TLV 148, 1 octet."""
    hmac_tuple: TlvField[HmacTuple] = TlvField(149)
    """TLV 149, 21 octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class UplinkBurstProfile(Compound):
    """UplinkBurstProfile (clause 11.3): TLVs after `reserved` 4 bits, `uiuc` 4 bits."""
    SET: ClassVar[int] = 11
    PREFIX: ClassVar[Mapping[str, int]] = {"reserved": 4, "uiuc": 4}
    reserved: int = 0
    uiuc: int = 0
    fec_code_type: TlvField[int] = TlvField(150)
    """TLV 150, 1 octet."""
    focused_contention_power_boost: TlvField[int] = TlvField(151)
    """TLV 151, 1 octet in dB."""
    tcs_enable: TlvField[int] = TlvField(152)
    """TLV 152, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class UcdTlvs(CommonTlvs):
    """TLVs (clause 11.3) of UCD."""
    SET: ClassVar[int] = 0
    uplink_burst_profile: RepeatedTlvField[UplinkBurstProfile] = RepeatedTlvField(1)
    """TLV 1, TLVs, several."""
    contention_based_reservation_timeout: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet in UL-MAPs."""
    bandwidth_request_opportunity_size: TlvField[int] = TlvField(3)
    """TLV 3, 2 octets in PS."""
    ranging_request_opportunity_size: TlvField[int] = TlvField(4)
    """TLV 4, 2 octets in PS."""
    uplink_center_frequency: TlvField[int] = TlvField(5)
    """TLV 5, 4 octets in kHz."""
    subchannelization_req_region_full_parameters: TlvField[int] = TlvField(150)
    """TLV 150, 1 octet."""
    subchannelization_focused_contention_codes: TlvField[int] = TlvField(151)
    """TLV 151, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DownlinkBurstProfile(Compound):
    """DownlinkBurstProfile (clause 11.4): TLVs after `reserved` 4 bits, `diuc` 4 bits."""
    SET: ClassVar[int] = 12
    PREFIX: ClassVar[Mapping[str, int]] = {"reserved": 4, "diuc": 4}
    reserved: int = 0
    diuc: int = 0
    frequency: TlvField[int] = TlvField(1)
    """TLV 1, 4 octets in kHz."""
    fec_code_type: TlvField[int] = TlvField(150)
    """TLV 150, 1 octet."""
    diuc_mandatory_exit_threshold: TlvField[int] = TlvField(151)
    """TLV 151, 1 octet in 0.25 dB."""
    diuc_minimum_entry_threshold: TlvField[int] = TlvField(152)
    """TLV 152, 1 octet in 0.25 dB."""
    tcs_enable: TlvField[int] = TlvField(153)
    """TLV 153, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DcdTlvs(CommonTlvs):
    """TLVs (clause 11.4) of DCD."""
    SET: ClassVar[int] = 1
    downlink_burst_profile: RepeatedTlvField[DownlinkBurstProfile] = RepeatedTlvField(1)
    """TLV 1, TLVs, several."""
    bs_eirp: TlvField[int] = TlvField(2)
    """TLV 2, 2 octets signed in dBm."""
    frame_duration: TlvField[int] = TlvField(3)
    """TLV 3, 4 octets."""
    phy_type: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    power_adjustment_rule: TlvField[int] = TlvField(5)
    """TLV 5, 1 octet."""
    channel_number: TlvField[int] = TlvField(6)
    """TLV 6, 1 octet."""
    ttg: TlvField[int] = TlvField(7)
    """TLV 7, 1 octet in PS."""
    rtg: TlvField[int] = TlvField(8)
    """TLV 8, 1 octet in PS."""
    rss_ir_max: TlvField[int] = TlvField(9)
    """TLV 9, 2 octets signed in dBm."""
    channel_switch_frame_number: TlvField[int] = TlvField(10)
    """TLV 10, 3 octets."""
    downlink_center_frequency: TlvField[int] = TlvField(12)
    """TLV 12, 4 octets in kHz."""
    base_station_id: TlvField[bytes] = TlvField(13)
    """TLV 13, 6 octets."""
    frame_duration_code: TlvField[int] = TlvField(14)
    """TLV 14, 1 octet."""
    frame_number: TlvField[int] = TlvField(15)
    """TLV 15, 3 octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RngReqTlvs(CommonTlvs):
    """TLVs (clause 11.5) of RNG-REQ."""
    SET: ClassVar[int] = 2
    requested_downlink_burst_profile: TlvField[RequestedDownlinkBurstProfile] = TlvField(1)
    """TLV 1, 1 octet."""
    ss_mac_address: TlvField[bytes] = TlvField(2)
    """TLV 2, 6 octets."""
    ranging_anomalies: TlvField[int] = TlvField(3)
    """TLV 3, 1 octet."""
    aas_broadcast_capability: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RngRspTlvs(CommonTlvs):
    """TLVs (clause 11.6) of RNG-RSP."""
    SET: ClassVar[int] = 3
    timing_adjust: TlvField[int] = TlvField(1)
    """TLV 1, 4 octets signed in samples."""
    power_level_adjust: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet signed in 0.25 dB."""
    offset_frequency_adjust: TlvField[int] = TlvField(3)
    """TLV 3, 4 octets signed in Hz."""
    ranging_status: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    downlink_frequency_override: TlvField[int] = TlvField(5)
    """TLV 5, 4 octets in kHz."""
    uplink_channel_id_override: TlvField[int] = TlvField(6)
    """TLV 6, 1 octet."""
    downlink_operational_burst_profile: TlvField[DownlinkOperationalBurstProfile] = TlvField(7)
    """TLV 7, 2 octets."""
    ss_mac_address: TlvField[bytes] = TlvField(8)
    """TLV 8, 6 octets."""
    basic_cid: TlvField[int] = TlvField(9)
    """TLV 9, 2 octets."""
    primary_management_cid: TlvField[int] = TlvField(10)
    """TLV 10, 2 octets."""
    aas_broadcast_permission: TlvField[int] = TlvField(11)
    """TLV 11, 1 octet."""
    frame_number: TlvField[int] = TlvField(12)
    """TLV 12, 3 octets."""
    initial_ranging_opportunity_number: TlvField[int] = TlvField(13)
    """TLV 13, 1 octet."""
    ranging_subchannel: TlvField[int] = TlvField(14)
    """TLV 14, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ArqParameters(Compound):
    """ArqParameters (clause 11.13.18): TLVs."""
    SET: ClassVar[int] = 13
    arq_enable: TlvField[int] = TlvField(18)
    """TLV 18, 1 octet."""
    arq_window_size: TlvField[int] = TlvField(19)
    """TLV 19, 2 octets in blocks."""
    arq_retry_timeout_transmitter_delay: TlvField[int] = TlvField(20)
    """TLV 20, 2 octets in 10 us."""
    arq_retry_timeout_receiver_delay: TlvField[int] = TlvField(21)
    """TLV 21, 2 octets in 10 us."""
    arq_block_lifetime: TlvField[int] = TlvField(22)
    """TLV 22, 2 octets in 10 us."""
    arq_sync_loss_timeout: TlvField[int] = TlvField(23)
    """TLV 23, 2 octets in 10 us."""
    arq_deliver_in_order: TlvField[int] = TlvField(24)
    """TLV 24, 1 octet."""
    arq_rx_purge_timeout: TlvField[int] = TlvField(25)
    """TLV 25, 2 octets in 10 us."""
    arq_block_size: TlvField[int] = TlvField(26)
    """TLV 26, 2 octets in octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RegTlvs(CommonTlvs):
    """TLVs (clause 11.7) of REG-REQ, REG-RSP."""
    SET: ClassVar[int] = 4
    arq_parameters: TlvField[ArqParameters] = TlvField(1)
    """TLV 1, TLVs."""
    ss_management_support: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet."""
    ip_management_mode: TlvField[int] = TlvField(3)
    """TLV 3, 1 octet."""
    ip_version: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    secondary_management_cid: TlvField[int] = TlvField(5)
    """TLV 5, 2 octets."""
    number_of_uplink_cids_supported: TlvField[int] = TlvField(6)
    """TLV 6, 2 octets."""
    classification_phs_options_and_sdu_encapsulation_support: TlvField[int] = TlvField(7)
    """TLV 7, 2 octets."""
    maximum_number_of_classifiers: TlvField[int] = TlvField(8)
    """TLV 8, 2 octets."""
    phs_support: TlvField[int] = TlvField(9)
    """TLV 9, 1 octet."""
    arq_support: TlvField[int] = TlvField(10)
    """TLV 10, 1 octet."""
    dsx_flow_control: TlvField[int] = TlvField(11)
    """TLV 11, 1 octet."""
    mac_crc_support: TlvField[int] = TlvField(12)
    """TLV 12, 1 octet."""
    mca_flow_control: TlvField[int] = TlvField(13)
    """TLV 13, 1 octet."""
    multicast_polling_group_cid_support: TlvField[int] = TlvField(14)
    """TLV 14, 1 octet."""
    pkm_flow_control: TlvField[int] = TlvField(15)
    """TLV 15, 1 octet."""
    authorization_policy_support: TlvField[int] = TlvField(16)
    """TLV 16, 1 octet."""
    maximum_number_of_sas: TlvField[int] = TlvField(17)
    """TLV 17, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class TekParameters(Compound):
    """TekParameters (clause 11.9.8): TLVs."""
    SET: ClassVar[int] = 14
    tek: TlvField[bytes] = TlvField(8)
    """TLV 8, octets."""
    key_lifetime: TlvField[int] = TlvField(9)
    """TLV 9, 4 octets in s."""
    key_sequence_number: TlvField[int] = TlvField(10)
    """TLV 10, 1 octet."""
    cbc_iv: TlvField[bytes] = TlvField(15)
    """TLV 15, 8 octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class CryptographicSuiteList(Compound):
    """CryptographicSuiteList (clause 11.9.15): TLVs."""
    SET: ClassVar[int] = 16
    cryptographic_suite: RepeatedTlvField[bytes] = RepeatedTlvField(20)
    """TLV 20, 3 octets, several."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SecurityCapabilities(Compound):
    """SecurityCapabilities (clause 11.9.13): TLVs."""
    SET: ClassVar[int] = 15
    cryptographic_suite_list: TlvField[CryptographicSuiteList] = TlvField(21)
    """TLV 21, TLVs."""
    version: TlvField[int] = TlvField(22)
    """TLV 22, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SaDescriptor(Compound):
    """SaDescriptor (clause 11.9.17): TLVs."""
    SET: ClassVar[int] = 17
    said: TlvField[int] = TlvField(12)
    """TLV 12, 2 octets."""
    cryptographic_suite: TlvField[bytes] = TlvField(20)
    """TLV 20, 3 octets."""
    sa_type: TlvField[int] = TlvField(24)
    """TLV 24, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PkmConfigurationSettings(Compound):
    """PkmConfigurationSettings (clause 11.9.19): TLVs."""
    SET: ClassVar[int] = 18
    authorize_wait_timeout: TlvField[int] = TlvField(1)
    """TLV 1, 4 octets in s."""
    reauthorize_wait_timeout: TlvField[int] = TlvField(2)
    """TLV 2, 4 octets in s."""
    authorization_grace_time: TlvField[int] = TlvField(3)
    """TLV 3, 4 octets in s."""
    operational_wait_timeout: TlvField[int] = TlvField(4)
    """TLV 4, 4 octets in s."""
    rekey_wait_timeout: TlvField[int] = TlvField(5)
    """TLV 5, 4 octets in s."""
    tek_grace_time: TlvField[int] = TlvField(6)
    """TLV 6, 4 octets in s."""
    authorize_reject_wait_timeout: TlvField[int] = TlvField(7)
    """TLV 7, 4 octets in s."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PkmTlvs(CommonTlvs):
    """TLVs (clause 11.9) of PKM-REQ, PKM-RSP."""
    SET: ClassVar[int] = 5
    display_string: TlvField[str] = TlvField(6)
    """TLV 6, text."""
    auth_key: TlvField[bytes] = TlvField(7)
    """TLV 7, octets."""
    tek: TlvField[bytes] = TlvField(8)
    """TLV 8, octets."""
    key_lifetime: TlvField[int] = TlvField(9)
    """TLV 9, 4 octets in s."""
    key_sequence_number: TlvField[int] = TlvField(10)
    """TLV 10, 1 octet."""
    hmac_digest: TlvField[bytes] = TlvField(11)
    """TLV 11, 20 octets."""
    said: TlvField[int] = TlvField(12)
    """TLV 12, 2 octets."""
    tek_parameters: TlvField[TekParameters] = TlvField(13)
    """TLV 13, TLVs."""
    cbc_iv: TlvField[bytes] = TlvField(15)
    """TLV 15, 8 octets."""
    error_code: TlvField[int] = TlvField(16)
    """TLV 16, 1 octet."""
    ca_certificate: TlvField[bytes] = TlvField(17)
    """TLV 17, octets."""
    ss_certificate: TlvField[bytes] = TlvField(18)
    """TLV 18, octets."""
    security_capabilities: TlvField[SecurityCapabilities] = TlvField(19)
    """TLV 19, TLVs."""
    cryptographic_suite: TlvField[bytes] = TlvField(20)
    """TLV 20, 3 octets."""
    cryptographic_suite_list: TlvField[CryptographicSuiteList] = TlvField(21)
    """TLV 21, TLVs."""
    version: TlvField[int] = TlvField(22)
    """TLV 22, 1 octet."""
    sa_descriptor: TlvField[SaDescriptor] = TlvField(23)
    """TLV 23, TLVs."""
    sa_type: TlvField[int] = TlvField(24)
    """TLV 24, 1 octet."""
    pkm_configuration_settings: TlvField[PkmConfigurationSettings] = TlvField(27)
    """TLV 27, TLVs."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class McaTlvs(CommonTlvs):
    """TLVs (clause 11.10) of MCA-REQ."""
    SET: ClassVar[int] = 7
    multicast_cid: TlvField[int] = TlvField(1)
    """TLV 1, 2 octets."""
    assignment: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet."""
    multicast_group_type: TlvField[int] = TlvField(3)
    """TLV 3, 1 octet."""
    periodic_allocation_parameters: TlvField[int] = TlvField(4)
    """TLV 4, 4 octets."""
    periodic_allocation_type: TlvField[int] = TlvField(5)
    """TLV 5, 1 octet."""
    operation: TlvField[int] = TlvField(6)
    """TLV 6, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SbcTlvs(CommonTlvs):
    """TLVs (clause 11.8) of SBC-REQ, SBC-RSP."""
    SET: ClassVar[int] = 8
    bandwidth_allocation_support: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    subscriber_transition_gaps: TlvField[SubscriberTransitionGaps] = TlvField(2)
    """TLV 2, 2 octets."""
    maximum_transmit_power: TlvField[tuple[int, ...]] = TlvField(3)
    """TLV 3, 4 octets in 0.5 dB above -64 dBm."""
    capabilities_for_construction_and_transmission_of_mac_pdus: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    pkm_flow_control: TlvField[int] = TlvField(15)
    """TLV 15, 1 octet."""
    authorization_policy_support: TlvField[int] = TlvField(16)
    """TLV 16, 1 octet."""
    maximum_number_of_sas: TlvField[int] = TlvField(17)
    """TLV 17, 1 octet."""
    ofdm_ss_fft_sizes: TlvField[int] = TlvField(150)
    """TLV 150, 1 octet."""
    ofdm_ss_demodulator: TlvField[int] = TlvField(151)
    """TLV 151, 1 octet."""
    ofdm_ss_modulator: TlvField[int] = TlvField(152)
    """TLV 152, 1 octet."""
    ofdm_ss_focused_contention_support: TlvField[int] = TlvField(153)
    """TLV 153, 1 octet."""
    ofdm_ss_tc_sublayer_support: TlvField[int] = TlvField(154)
    """TLV 154, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ReportRequest(Compound):
    """ReportRequest (clause 11.11): TLVs."""
    SET: ClassVar[int] = 20
    report_type: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    channel_number: TlvField[int] = TlvField(2)
    """TLV 2, 1 octet."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RepReqTlvs(CommonTlvs):
    """TLVs (clause 11.11) of REP-REQ."""
    SET: ClassVar[int] = 9
    report_request: TlvField[ReportRequest] = TlvField(1)
    """TLV 1, TLVs."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Report(Compound):
    """Report (clause 11.12): TLVs."""
    SET: ClassVar[int] = 21
    channel_number: TlvField[int] = TlvField(1)
    """TLV 1, 1 octet."""
    start_frame: TlvField[int] = TlvField(2)
    """TLV 2, 2 octets."""
    duration: TlvField[int] = TlvField(3)
    """TLV 3, 3 octets."""
    basic_report: TlvField[int] = TlvField(4)
    """TLV 4, 1 octet."""
    cinr_report: TlvField[CinrReport] = TlvField(5)
    """TLV 5, 2 octets."""
    rssi_report: TlvField[RssiReport] = TlvField(6)
    """TLV 6, 2 octets."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RepRspTlvs(CommonTlvs):
    """TLVs (clause 11.12) of REP-RSP."""
    SET: ClassVar[int] = 10
    report: TlvField[Report] = TlvField(1)
    """TLV 1, TLVs."""


register(bits=(RequestedDownlinkBurstProfile, DownlinkOperationalBurstProfile, SubscriberTransitionGaps, CinrReport, RssiReport, Ieee8021qVlanId),
         compounds=(ErrorParameterSet, ClassificationRule, PhsRule, CsParameters, Ipv6ClassificationRule, Ipv6CsParameters, ServiceFlow,
                    UplinkBurstProfile, DownlinkBurstProfile, ArqParameters, TekParameters, CryptographicSuiteList, SecurityCapabilities,
                    SaDescriptor, PkmConfigurationSettings, ReportRequest, Report))

__all__ = ["RequestedDownlinkBurstProfile", "DownlinkOperationalBurstProfile", "SubscriberTransitionGaps", "CinrReport", "RssiReport",
           "Ieee8021qVlanId", "ErrorParameterSet", "ClassificationRule", "PhsRule", "CsParameters", "Ipv6ClassificationRule", "Ipv6CsParameters",
           "ServiceFlow", "UplinkBurstProfile", "DownlinkBurstProfile", "ArqParameters", "TekParameters", "CryptographicSuiteList",
           "SecurityCapabilities", "SaDescriptor", "PkmConfigurationSettings", "ReportRequest", "Report"]
