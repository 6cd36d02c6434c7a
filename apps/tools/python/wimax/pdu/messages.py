# SPDX-License-Identifier: GPL-3.0-or-later
# Made by apps/tools/bindings/pdu_classes.py from apps/mac/pdu/dictionary.cc; do not edit.
"""Management messages as classes (6.3.2.3)."""
from __future__ import annotations

import dataclasses
from typing import ClassVar, Sequence

from wimax.pdu.elements import Clock, DlMapIe, FeedbackIe, PowerCorrection, UlMapIe
from wimax.pdu.message import Message
from wimax.pdu.tlvs import (CommonTlvs, DcdTlvs, McaTlvs, PkmTlvs, RegTlvs, RepReqTlvs, RepRspTlvs, RngReqTlvs, RngRspTlvs, SbcTlvs, UcdTlvs)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Ucd(UcdTlvs, Message):
    """UCD, type 0 (clause 6.3.2.3.3).

    `change_count`: 8 bits. `ranging_backoff`: 2 x 8 bits. `request_backoff`: 2 x 8 bits. TLVs: `uplink_burst_profile` (TLV 1, TLVs, several);
    `contention_based_reservation_timeout` (TLV 2, 1 octet in UL-MAPs); `bandwidth_request_opportunity_size` (TLV 3, 2 octets in PS);
    `ranging_request_opportunity_size` (TLV 4, 2 octets in PS); `uplink_center_frequency` (TLV 5, 4 octets in kHz);
    `subchannelization_req_region_full_parameters` (TLV 150, 1 octet); `subchannelization_focused_contention_codes` (TLV 151, 1 octet);
    `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146,
    TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 0
    NAME: ClassVar[str] = "UCD"
    change_count: int = 0
    """8 bits."""
    ranging_backoff: Sequence[int] = (0, 0)
    """2 integers of 8 bits."""
    request_backoff: Sequence[int] = (0, 0)
    """2 integers of 8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Dcd(DcdTlvs, Message):
    """DCD, type 1 (clause 6.3.2.3.1).

    `dl_channel_id`: 8 bits. `change_count`: 8 bits. TLVs: `downlink_burst_profile` (TLV 1, TLVs, several); `bs_eirp` (TLV 2, 2 octets signed in dBm);
    `frame_duration` (TLV 3, 4 octets); `phy_type` (TLV 4, 1 octet); `power_adjustment_rule` (TLV 5, 1 octet); `channel_number` (TLV 6, 1 octet);
    `ttg` (TLV 7, 1 octet in PS); `rtg` (TLV 8, 1 octet in PS); `rss_ir_max` (TLV 9, 2 octets signed in dBm); `channel_switch_frame_number` (TLV 10, 3
    octets); `downlink_center_frequency` (TLV 12, 4 octets in kHz); `base_station_id` (TLV 13, 6 octets); `frame_duration_code` (TLV 14, 1 octet);
    `frame_number` (TLV 15, 3 octets); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 1
    NAME: ClassVar[str] = "DCD"
    dl_channel_id: int = 0
    """8 bits, reserved since 802.16e."""
    change_count: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DlMap(Message):
    """DL-MAP, type 2 (clause 6.3.2.3.2).

    `dcd_count`: 8 bits. `bs_id`: 48 bits. `ies`: bursts, in the order on air.
    """
    TYPE: ClassVar[int] = 2
    NAME: ClassVar[str] = "DL-MAP"
    dcd_count: int = 0
    """8 bits."""
    bs_id: bytes = bytes(6)
    """6 octets."""
    ies: Sequence[DlMapIe] = ()


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class UlMap(Message):
    """UL-MAP, type 3 (clause 6.3.2.3.4).

    `ul_channel_id`: 8 bits. `ucd_count`: 8 bits. `alloc_start`: 32 bits. `ies`: allocations, in the order on air.
    """
    TYPE: ClassVar[int] = 3
    NAME: ClassVar[str] = "UL-MAP"
    ul_channel_id: int = 0
    """8 bits, reserved since 802.16e."""
    ucd_count: int = 0
    """8 bits."""
    alloc_start: int = 0
    """32 bits."""
    ies: Sequence[UlMapIe] = ()


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RngReq(RngReqTlvs, Message):
    """RNG-REQ, type 4 (clause 6.3.2.3.5).

    `dl_channel_id`: 8 bits. TLVs: `requested_downlink_burst_profile` (TLV 1, 1 octet); `ss_mac_address` (TLV 2, 6 octets); `ranging_anomalies` (TLV
    3, 1 octet); `aas_broadcast_capability` (TLV 4, 1 octet); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets);
    `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64
    dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 4
    NAME: ClassVar[str] = "RNG-REQ"
    dl_channel_id: int = 0
    """8 bits, reserved since 802.16e."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RngRsp(RngRspTlvs, Message):
    """RNG-RSP, type 5 (clause 6.3.2.3.6).

    `ul_channel_id`: 8 bits. TLVs: `timing_adjust` (TLV 1, 4 octets signed in samples); `power_level_adjust` (TLV 2, 1 octet signed in 0.25 dB);
    `offset_frequency_adjust` (TLV 3, 4 octets signed in Hz); `ranging_status` (TLV 4, 1 octet); `downlink_frequency_override` (TLV 5, 4 octets in
    kHz); `uplink_channel_id_override` (TLV 6, 1 octet); `downlink_operational_burst_profile` (TLV 7, 2 octets); `ss_mac_address` (TLV 8, 6 octets);
    `basic_cid` (TLV 9, 2 octets); `primary_management_cid` (TLV 10, 2 octets); `aas_broadcast_permission` (TLV 11, 1 octet); `frame_number` (TLV 12,
    3 octets); `initial_ranging_opportunity_number` (TLV 13, 1 octet); `ranging_subchannel` (TLV 14, 1 octet); `vendor_specific` (TLV 143, octets);
    `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV
    147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 5
    NAME: ClassVar[str] = "RNG-RSP"
    ul_channel_id: int = 0
    """8 bits, reserved since 802.16e."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RegReq(RegTlvs, Message):
    """REG-REQ, type 6 (clause 6.3.2.3.7).

    TLVs: `arq_parameters` (TLV 1, TLVs); `ss_management_support` (TLV 2, 1 octet); `ip_management_mode` (TLV 3, 1 octet); `ip_version` (TLV 4, 1
    octet); `secondary_management_cid` (TLV 5, 2 octets); `number_of_uplink_cids_supported` (TLV 6, 2 octets);
    `classification_phs_options_and_sdu_encapsulation_support` (TLV 7, 2 octets); `maximum_number_of_classifiers` (TLV 8, 2 octets); `phs_support`
    (TLV 9, 1 octet); `arq_support` (TLV 10, 1 octet); `dsx_flow_control` (TLV 11, 1 octet); `mac_crc_support` (TLV 12, 1 octet); `mca_flow_control`
    (TLV 13, 1 octet); `multicast_polling_group_cid_support` (TLV 14, 1 octet); `pkm_flow_control` (TLV 15, 1 octet); `authorization_policy_support`
    (TLV 16, 1 octet); `maximum_number_of_sas` (TLV 17, 1 octet); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets);
    `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64
    dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 6
    NAME: ClassVar[str] = "REG-REQ"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RegRsp(RegTlvs, Message):
    """REG-RSP, type 7 (clause 6.3.2.3.8).

    `response`: 8 bits. TLVs: `arq_parameters` (TLV 1, TLVs); `ss_management_support` (TLV 2, 1 octet); `ip_management_mode` (TLV 3, 1 octet);
    `ip_version` (TLV 4, 1 octet); `secondary_management_cid` (TLV 5, 2 octets); `number_of_uplink_cids_supported` (TLV 6, 2 octets);
    `classification_phs_options_and_sdu_encapsulation_support` (TLV 7, 2 octets); `maximum_number_of_classifiers` (TLV 8, 2 octets); `phs_support`
    (TLV 9, 1 octet); `arq_support` (TLV 10, 1 octet); `dsx_flow_control` (TLV 11, 1 octet); `mac_crc_support` (TLV 12, 1 octet); `mca_flow_control`
    (TLV 13, 1 octet); `multicast_polling_group_cid_support` (TLV 14, 1 octet); `pkm_flow_control` (TLV 15, 1 octet); `authorization_policy_support`
    (TLV 16, 1 octet); `maximum_number_of_sas` (TLV 17, 1 octet); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets);
    `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64
    dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 7
    NAME: ClassVar[str] = "REG-RSP"
    response: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PkmReq(PkmTlvs, Message):
    """PKM-REQ, type 9 (clause 6.3.2.3.9).

    `code`: 8 bits. `identifier`: 8 bits. TLVs: `display_string` (TLV 6, text); `auth_key` (TLV 7, octets); `tek` (TLV 8, octets); `key_lifetime` (TLV
    9, 4 octets in s); `key_sequence_number` (TLV 10, 1 octet); `hmac_digest` (TLV 11, 20 octets); `said` (TLV 12, 2 octets); `tek_parameters` (TLV
    13, TLVs); `cbc_iv` (TLV 15, 8 octets); `error_code` (TLV 16, 1 octet); `ca_certificate` (TLV 17, octets); `ss_certificate` (TLV 18, octets);
    `security_capabilities` (TLV 19, TLVs); `cryptographic_suite` (TLV 20, 3 octets); `cryptographic_suite_list` (TLV 21, TLVs); `version` (TLV 22, 1
    octet); `sa_descriptor` (TLV 23, TLVs); `sa_type` (TLV 24, 1 octet); `pkm_configuration_settings` (TLV 27, TLVs); `vendor_specific` (TLV 143,
    octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power`
    (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 9
    NAME: ClassVar[str] = "PKM-REQ"
    code: int = 0
    """8 bits."""
    identifier: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PkmRsp(PkmTlvs, Message):
    """PKM-RSP, type 10 (clause 6.3.2.3.9).

    `code`: 8 bits. `identifier`: 8 bits. TLVs: `display_string` (TLV 6, text); `auth_key` (TLV 7, octets); `tek` (TLV 8, octets); `key_lifetime` (TLV
    9, 4 octets in s); `key_sequence_number` (TLV 10, 1 octet); `hmac_digest` (TLV 11, 20 octets); `said` (TLV 12, 2 octets); `tek_parameters` (TLV
    13, TLVs); `cbc_iv` (TLV 15, 8 octets); `error_code` (TLV 16, 1 octet); `ca_certificate` (TLV 17, octets); `ss_certificate` (TLV 18, octets);
    `security_capabilities` (TLV 19, TLVs); `cryptographic_suite` (TLV 20, 3 octets); `cryptographic_suite_list` (TLV 21, TLVs); `version` (TLV 22, 1
    octet); `sa_descriptor` (TLV 23, TLVs); `sa_type` (TLV 24, 1 octet); `pkm_configuration_settings` (TLV 27, TLVs); `vendor_specific` (TLV 143,
    octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power`
    (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 10
    NAME: ClassVar[str] = "PKM-RSP"
    code: int = 0
    """8 bits."""
    identifier: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsaReq(CommonTlvs, Message):
    """DSA-REQ, type 11 (clause 6.3.2.3.10).

    `tid`: 16 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 11
    NAME: ClassVar[str] = "DSA-REQ"
    tid: int = 0
    """16 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsaRsp(CommonTlvs, Message):
    """DSA-RSP, type 12 (clause 6.3.2.3.11).

    `tid`: 16 bits. `cc`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 12
    NAME: ClassVar[str] = "DSA-RSP"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsaAck(CommonTlvs, Message):
    """DSA-ACK, type 13 (clause 6.3.2.3.12).

    `tid`: 16 bits. `cc`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 13
    NAME: ClassVar[str] = "DSA-ACK"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DscReq(CommonTlvs, Message):
    """DSC-REQ, type 14 (clause 6.3.2.3.13).

    `tid`: 16 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 14
    NAME: ClassVar[str] = "DSC-REQ"
    tid: int = 0
    """16 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DscRsp(CommonTlvs, Message):
    """DSC-RSP, type 15 (clause 6.3.2.3.14).

    `tid`: 16 bits. `cc`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 15
    NAME: ClassVar[str] = "DSC-RSP"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DscAck(CommonTlvs, Message):
    """DSC-ACK, type 16 (clause 6.3.2.3.15).

    `tid`: 16 bits. `cc`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 16
    NAME: ClassVar[str] = "DSC-ACK"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsdReq(CommonTlvs, Message):
    """DSD-REQ, type 17 (clause 6.3.2.3.16).

    `tid`: 16 bits. `sfid`: 32 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145,
    TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1
    octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 17
    NAME: ClassVar[str] = "DSD-REQ"
    tid: int = 0
    """16 bits."""
    sfid: int = 0
    """32 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsdRsp(CommonTlvs, Message):
    """DSD-RSP, type 18 (clause 6.3.2.3.17).

    `tid`: 16 bits. `cc`: 8 bits. `sfid`: 32 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow`
    (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV
    148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 18
    NAME: ClassVar[str] = "DSD-RSP"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""
    sfid: int = 0
    """32 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class McaReq(McaTlvs, Message):
    """MCA-REQ, type 21 (clause 6.3.2.3.18).

    `tid`: 16 bits. TLVs: `multicast_cid` (TLV 1, 2 octets); `assignment` (TLV 2, 1 octet); `multicast_group_type` (TLV 3, 1 octet);
    `periodic_allocation_parameters` (TLV 4, 4 octets); `periodic_allocation_type` (TLV 5, 1 octet); `operation` (TLV 6, 1 octet); `vendor_specific`
    (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV 146, TLVs);
    `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 21
    NAME: ClassVar[str] = "MCA-REQ"
    tid: int = 0
    """16 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class McaRsp(Message):
    """MCA-RSP, type 22 (clause 6.3.2.3.19).

    `tid`: 16 bits. `cc`: 8 bits.
    """
    TYPE: ClassVar[int] = 22
    NAME: ClassVar[str] = "MCA-RSP"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DbpcReq(Message):
    """DBPC-REQ, type 23 (clause 6.3.2.3.20).

    `diuc`: 4 bits. `change_count`: 8 bits.
    """
    TYPE: ClassVar[int] = 23
    NAME: ClassVar[str] = "DBPC-REQ"
    diuc: int = 0
    """4 bits."""
    change_count: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DbpcRsp(Message):
    """DBPC-RSP, type 24 (clause 6.3.2.3.21).

    `diuc`: 4 bits. `change_count`: 8 bits.
    """
    TYPE: ClassVar[int] = 24
    NAME: ClassVar[str] = "DBPC-RSP"
    diuc: int = 0
    """4 bits."""
    change_count: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ResCmd(CommonTlvs, Message):
    """RES-CMD, type 25 (clause 6.3.2.3.22).

    TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV
    146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21
    octets).
    """
    TYPE: ClassVar[int] = 25
    NAME: ClassVar[str] = "RES-CMD"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SbcReq(SbcTlvs, Message):
    """SBC-REQ, type 26 (clause 6.3.2.3.23).

    TLVs: `bandwidth_allocation_support` (TLV 1, 1 octet); `subscriber_transition_gaps` (TLV 2, 2 octets); `maximum_transmit_power` (TLV 3, 4 octets
    in 0.5 dB above -64 dBm); `capabilities_for_construction_and_transmission_of_mac_pdus` (TLV 4, 1 octet); `pkm_flow_control` (TLV 15, 1 octet);
    `authorization_policy_support` (TLV 16, 1 octet); `maximum_number_of_sas` (TLV 17, 1 octet); `ofdm_ss_fft_sizes` (TLV 150, 1 octet);
    `ofdm_ss_demodulator` (TLV 151, 1 octet); `ofdm_ss_modulator` (TLV 152, 1 octet); `ofdm_ss_focused_contention_support` (TLV 153, 1 octet);
    `ofdm_ss_tc_sublayer_support` (TLV 154, 1 octet); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV
    145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148,
    1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 26
    NAME: ClassVar[str] = "SBC-REQ"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SbcRsp(SbcTlvs, Message):
    """SBC-RSP, type 27 (clause 6.3.2.3.24).

    TLVs: `bandwidth_allocation_support` (TLV 1, 1 octet); `subscriber_transition_gaps` (TLV 2, 2 octets); `maximum_transmit_power` (TLV 3, 4 octets
    in 0.5 dB above -64 dBm); `capabilities_for_construction_and_transmission_of_mac_pdus` (TLV 4, 1 octet); `pkm_flow_control` (TLV 15, 1 octet);
    `authorization_policy_support` (TLV 16, 1 octet); `maximum_number_of_sas` (TLV 17, 1 octet); `ofdm_ss_fft_sizes` (TLV 150, 1 octet);
    `ofdm_ss_demodulator` (TLV 151, 1 octet); `ofdm_ss_modulator` (TLV 152, 1 octet); `ofdm_ss_focused_contention_support` (TLV 153, 1 octet);
    `ofdm_ss_tc_sublayer_support` (TLV 154, 1 octet); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV
    145, TLVs); `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148,
    1 octet); `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 27
    NAME: ClassVar[str] = "SBC-RSP"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ClkCmp(Message):
    """CLK-CMP, type 28 (clause 6.3.2.3.25).

    `clocks`: at most 255.
    """
    TYPE: ClassVar[int] = 28
    NAME: ClassVar[str] = "CLK-CMP"
    clocks: Sequence[Clock] = ()


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DregCmd(CommonTlvs, Message):
    """DREG-CMD, type 29 (clause 6.3.2.3.26).

    `action`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 29
    NAME: ClassVar[str] = "DREG-CMD"
    action: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DsxRvd(Message):
    """DSX-RVD, type 30 (clause 6.3.2.3.27).

    `tid`: 16 bits. `cc`: 8 bits.
    """
    TYPE: ClassVar[int] = 30
    NAME: ClassVar[str] = "DSX-RVD"
    tid: int = 0
    """16 bits."""
    cc: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class TftpCplt(CommonTlvs, Message):
    """TFTP-CPLT, type 31 (clause 6.3.2.3.28).

    TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs); `downlink_service_flow` (TLV
    146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet); `hmac_tuple` (TLV 149, 21
    octets).
    """
    TYPE: ClassVar[int] = 31
    NAME: ClassVar[str] = "TFTP-CPLT"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class TftpRsp(CommonTlvs, Message):
    """TFTP-RSP, type 32 (clause 6.3.2.3.29).

    `response`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 32
    NAME: ClassVar[str] = "TFTP-RSP"
    response: int = 0
    """8 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ArqFeedback(Message):
    """ARQ-Feedback, type 33 (clause 6.3.2.3.30).

    `ies`: at least one.
    """
    TYPE: ClassVar[int] = 33
    NAME: ClassVar[str] = "ARQ-Feedback"
    ies: Sequence[FeedbackIe] = ()


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ArqDiscard(Message):
    """ARQ-Discard, type 34 (clause 6.3.2.3.31).

    `cid`: 16 bits. `bsn`: 11 bits.
    """
    TYPE: ClassVar[int] = 34
    NAME: ClassVar[str] = "ARQ-Discard"
    cid: int = 0
    """16 bits."""
    bsn: int = 0
    """11 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ArqReset(Message):
    """ARQ-Reset, type 35 (clause 6.3.2.3.32).

    `cid`: 16 bits. `type`: 2 bits.
    """
    TYPE: ClassVar[int] = 35
    NAME: ClassVar[str] = "ARQ-Reset"
    cid: int = 0
    """16 bits."""
    type: int = 0
    """2 bits."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RepReq(RepReqTlvs, Message):
    """REP-REQ, type 36 (clause 6.3.2.3.33).

    TLVs: `report_request` (TLV 1, TLVs); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 36
    NAME: ClassVar[str] = "REP-REQ"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class RepRsp(RepRspTlvs, Message):
    """REP-RSP, type 37 (clause 6.3.2.3.33).

    TLVs: `report` (TLV 1, TLVs); `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 37
    NAME: ClassVar[str] = "REP-RSP"


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Fpc(Message):
    """FPC, type 38 (clause 6.3.2.3.34).

    `power_measurement_frame`: 8 bits. `stations`: at most 255.
    """
    TYPE: ClassVar[int] = 38
    NAME: ClassVar[str] = "FPC"
    power_measurement_frame: int = 0
    stations: Sequence[PowerCorrection] = ()


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class MshNcfg(Message):
    """MSH-NCFG, type 39 (clause 6.3.2.3.35).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 39
    NAME: ClassVar[str] = "MSH-NCFG"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class MshNent(Message):
    """MSH-NENT, type 40 (clause 6.3.2.3.36).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 40
    NAME: ClassVar[str] = "MSH-NENT"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class MshDsch(Message):
    """MSH-DSCH, type 41 (clause 6.3.2.3.37).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 41
    NAME: ClassVar[str] = "MSH-DSCH"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class MshCsch(Message):
    """MSH-CSCH, type 42 (clause 6.3.2.3.38).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 42
    NAME: ClassVar[str] = "MSH-CSCH"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class MshCscf(Message):
    """MSH-CSCF, type 43 (clause 6.3.2.3.39).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 43
    NAME: ClassVar[str] = "MSH-CSCF"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class AasFbckReq(Message):
    """AAS-FBCK-REQ, type 44 (clause 6.3.2.3.40).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 44
    NAME: ClassVar[str] = "AAS-FBCK-REQ"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class AasFbckRsp(Message):
    """AAS-FBCK-RSP, type 45 (clause 6.3.2.3.40).

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 45
    NAME: ClassVar[str] = "AAS-FBCK-RSP"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class AasBeamSelect(Message):
    """AAS-BEAM-SELECT, type 46.

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 46
    NAME: ClassVar[str] = "AAS-BEAM-SELECT"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class AasBeamReq(Message):
    """AAS-BEAM-REQ, type 47.

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 47
    NAME: ClassVar[str] = "AAS-BEAM-REQ"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class AasBeamRsp(Message):
    """AAS-BEAM-RSP, type 48.

    `payload`: octets that the library does not read.
    """
    TYPE: ClassVar[int] = 48
    NAME: ClassVar[str] = "AAS-BEAM-RSP"
    payload: bytes = b""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DregReq(CommonTlvs, Message):
    """DREG-REQ, type 49 (clause 6.3.2.3.42).

    `code`: 8 bits. TLVs: `vendor_specific` (TLV 143, octets); `vendor_id` (TLV 144, 3 octets); `uplink_service_flow` (TLV 145, TLVs);
    `downlink_service_flow` (TLV 146, TLVs); `current_transmit_power` (TLV 147, 1 octet in 0.5 dB above -64 dBm); `mac_version` (TLV 148, 1 octet);
    `hmac_tuple` (TLV 149, 21 octets).
    """
    TYPE: ClassVar[int] = 49
    NAME: ClassVar[str] = "DREG-REQ"
    code: int = 0
    """8 bits."""


__all__ = ["Ucd", "Dcd", "DlMap", "UlMap", "RngReq", "RngRsp", "RegReq", "RegRsp", "PkmReq", "PkmRsp", "DsaReq", "DsaRsp", "DsaAck", "DscReq",
           "DscRsp", "DscAck", "DsdReq", "DsdRsp", "McaReq", "McaRsp", "DbpcReq", "DbpcRsp", "ResCmd", "SbcReq", "SbcRsp", "ClkCmp", "DregCmd",
           "DsxRvd", "TftpCplt", "TftpRsp", "ArqFeedback", "ArqDiscard", "ArqReset", "RepReq", "RepRsp", "Fpc", "MshNcfg", "MshNent", "MshDsch",
           "MshCsch", "MshCscf", "AasFbckReq", "AasFbckRsp", "AasBeamSelect", "AasBeamReq", "AasBeamRsp", "DregReq"]
