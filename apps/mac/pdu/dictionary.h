// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of management messages (6.3.2.3) and TLV encodings (11): numbers, names, sizes, kinds of values. The
// codecs of management_messages.h and the tree of wimax-pdu both read it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wimax::mac {

enum class MessageType : uint8_t {
    ucd = 0,
    dcd = 1,
    dl_map = 2,
    ul_map = 3,
    rng_req = 4,
    rng_rsp = 5,
    reg_req = 6,
    reg_rsp = 7,
    pkm_req = 9,
    pkm_rsp = 10,
    dsa_req = 11,
    dsa_rsp = 12,
    dsa_ack = 13,
    dsc_req = 14,
    dsc_rsp = 15,
    dsc_ack = 16,
    dsd_req = 17,
    dsd_rsp = 18,
    mca_req = 21,
    mca_rsp = 22,
    dbpc_req = 23,
    dbpc_rsp = 24,
    res_cmd = 25,
    sbc_req = 26,
    sbc_rsp = 27,
    clk_cmp = 28,
    dreg_cmd = 29,
    dsx_rvd = 30,
    tftp_cplt = 31,
    tftp_rsp = 32,
    arq_feedback = 33,
    arq_discard = 34,
    arq_reset = 35,
    rep_req = 36,
    rep_rsp = 37,
    fpc = 38,
    dreg_req = 49
};

/// TLV type numbers. OFDM readings; some mean other things to OFDMA.
namespace tlv {
enum common : uint8_t {
    vendor_specific = 143,
    vendor_id = 144,
    uplink_service_flow = 145,
    downlink_service_flow = 146,
    current_transmit_power = 147,
    mac_version = 148,
    hmac_tuple = 149
};
namespace mca {
enum : uint8_t {
    multicast_cid = 1,
    assignment = 2,
    group_type = 3,
    periodic_parameters = 4,
    periodic_type = 5,
    operation = 6
};
}
namespace dcd {
enum : uint8_t {
    burst_profile = 1,
    bs_eirp = 2,
    frame_duration_sc = 3,
    phy_type = 4,
    power_adjustment_rule = 5,
    channel_number = 6,
    ttg = 7,
    rtg = 8,
    rss_ir_max = 9,
    channel_switch_frame_number = 10,
    frequency = 12,
    bs_id = 13,
    frame_duration_code = 14,
    frame_number = 15
};
namespace profile {
enum : uint8_t { frequency = 1, fec = 150, exit_threshold = 151, entry_threshold = 152, tcs_enable = 153 };
}
}  // namespace dcd
namespace ucd {
enum : uint8_t {
    burst_profile = 1,
    reservation_timeout = 2,
    request_opportunity_size = 3,
    ranging_opportunity_size = 4,
    frequency = 5,
    req_region_full = 150,
    focused_codes = 151
};
namespace profile {
enum : uint8_t { fec = 150, focused_power_boost = 151, tcs_enable = 152 };
}
}  // namespace ucd
namespace rng_req {
enum : uint8_t { requested_profile = 1, ss_mac_address = 2, ranging_anomalies = 3, aas_broadcast_capability = 4 };
}
namespace rng_rsp {
enum : uint8_t {
    timing_adjust = 1,
    power_adjust = 2,
    frequency_adjust = 3,
    status = 4,
    downlink_frequency_override = 5,
    uplink_channel_override = 6,
    operational_profile = 7,
    ss_mac_address = 8,
    basic_cid = 9,
    primary_cid = 10,
    aas_broadcast_permission = 11,
    frame_number = 12,
    opportunity_number = 13,
    ranging_subchannel = 14
};
}
namespace sbc {
enum : uint8_t {
    bandwidth_allocation = 1,
    transition_gaps = 2,
    maximum_power = 3,
    pdu_construction = 4,
    pkm_flow_control = 15,
    authorization_policy = 16,
    maximum_sas = 17,
    fft_sizes = 150,
    demodulator = 151,
    modulator = 152,
    focused_contention = 153,
    tc_sublayer = 154
};
}
namespace report_request {
enum : uint8_t { request = 1, type = 1, channel = 2 };
/// Bits of the type; an averaging parameter in 1/32 lies between RSSI and power.
enum : uint8_t { basic = 1, cinr = 2, rssi = 4, current_power = 128 };
inline constexpr unsigned kAveragingShift = 3, kAveragingMask = 15;
}  // namespace report_request
namespace report {
enum : uint8_t { report = 1, channel = 1, start_frame = 2, duration = 3, basic = 4, cinr = 5, rssi = 6 };
enum : uint8_t { not_measured = 8 };  ///< bit of the basic report
}  // namespace report
namespace reg {
enum : uint8_t {
    arq_parameters = 1,
    managed = 2,
    ip_mode = 3,
    ip_version = 4,
    secondary_cid = 5,
    uplink_cids = 6,
    cs_support = 7,
    maximum_classifiers = 8,
    phs = 9,
    arq = 10,
    dsx_flow_control = 11,
    mac_crc = 12,
    mca_flow_control = 13,
    multicast_polling_cids = 14,
    pkm_flow_control = 15,
    authorization_policy = 16,
    maximum_sas = 17
};
}
/// Configuration files. The numbers below the service flows and that of the signature are this project's.
namespace file {
enum : uint8_t {
    pad = 0,
    ss_mac_address = 1,
    not_before = 2,
    not_after = 3,
    signature = 254,
    end = 255  ///< as the pad, without length and value
};
}
namespace flow {
enum : uint8_t {
    sfid = 1,
    cid = 2,
    service_class = 3,
    qos_set_type = 5,
    traffic_priority = 6,
    maximum_rate = 7,
    maximum_burst = 8,
    minimum_rate = 9,
    minimum_tolerable_rate = 10,
    scheduling = 11,
    policy = 12,
    tolerated_jitter = 13,
    maximum_latency = 14,
    fixed_length_sdu = 15,
    sdu_size = 16,
    target_said = 17,
    arq_enable = 18,
    arq_window_size = 19,
    arq_retry_transmitter = 20,
    arq_retry_receiver = 21,
    arq_block_lifetime = 22,
    arq_sync_loss = 23,
    arq_in_order = 24,
    arq_rx_purge = 25,
    arq_block_size = 26,
    cs_specification = 28,
    cs_atm = 99,
    cs_ipv4 = 100,
    cs_ipv6 = 101,
    cs_ethernet = 102,
    cs_vlan = 103,
    cs_last = 107
};
}
namespace cs {
enum : uint8_t {
    classifier_action = 1,
    classifier_error = 2,
    classification_rule = 3,
    phs_action = 4,
    phs_error = 5,
    phs_rule = 6
};
namespace rule {
enum : uint8_t {
    priority = 1,
    tos = 2,
    protocol = 3,
    source = 4,
    destination = 5,
    source_ports = 6,
    destination_ports = 7,
    ethernet_destination = 8,
    ethernet_source = 9,
    ethertype = 10,
    user_priority = 11,
    vlan_id = 12,
    phsi = 13,
    index = 14
};
}
namespace phs {
enum : uint8_t { index = 1, field = 2, mask = 3, size = 4, verification = 5 };
}
}  // namespace cs
}  // namespace tlv

/// Format of a value.
enum class ValueKind : uint8_t {
    unsigned_integer,
    signed_integer,
    octets,
    blob,         ///< octets too long to print (certificates); `alias` names their number
    text,         ///< zero terminated or not
    bits,         ///< several fields, see parts
    list,         ///< several integers of `width` octets
    ranges,       ///< pairs (low, high) of integers of `width` octets
    addresses,    ///< pairs (address, mask) of `width` octets each
    power_codes,  ///< octets 2 x (dBm + 64)
    hmac,         ///< 4 bits reserved, 4 bits AK sequence number, 20 octets digest
    compound,     ///< a list of TLVs after `prefix` octets
};
const char* to_string(ValueKind kind);

struct BitPart {
    std::string_view name;
    uint8_t bits = 0;
};

struct TlvSet;

struct TlvSpec {
    uint8_t type = 0;
    std::string_view name;  ///< the standard's
    std::string_view key;   ///< of the readable value
    ValueKind kind = ValueKind::octets;
    uint8_t length = 0;  ///< octets; 0: any
    uint8_t width = 0;   ///< list, ranges, addresses: octets of one integer or address
    std::span<const BitPart> parts{};
    const TlvSet* children = nullptr;
    uint8_t prefix = 0;        ///< compound: octets in front of the list
    bool repeats = false;      ///< may occur several times: its readable value is always a list
    std::string_view alias{};  ///< a second key for the same value
    std::string_view unit{};   ///< unit of the number; empty: none, or a code
};

struct TlvSet {
    std::span<const TlvSpec> specs;
    const TlvSet* fallback = nullptr;  ///< searched next
    std::string_view name{};           ///< name of a compound's contents, or of a message's TLVs
    std::string_view clause{};
    const TlvSpec* find(uint8_t type) const;
};

struct FieldSpec {
    std::string_view name;  ///< empty: reserved bits
    uint8_t bits = 0;       ///< of one element
    uint8_t count = 1;      ///< elements
    bool hex = false;       ///< read as octets rather than an integer
    bool optional = false;  ///< an octet that later editions made reserved: an encoder may leave it at 0
};

/// Content after the fixed fields.
enum class Tail : uint8_t { none, tlvs, dl_map_ies, ul_map_ies, feedback_ies, clocks, stations, octets };
const char* to_string(Tail tail);

struct MessageSpec {
    uint8_t type = 0;
    std::string_view name;
    std::span<const FieldSpec> fields;
    Tail tail = Tail::none;
    const TlvSet* tlvs = nullptr;
    std::string_view clause{};
};

/// Never null: unknown and reserved types have tail `octets`.
const MessageSpec& message_spec(uint8_t type);
inline const MessageSpec& message_spec(MessageType type) { return message_spec(static_cast<uint8_t>(type)); }

/// Sets that management_messages.h needs by name.
extern const TlvSet kDownlinkProfileTlvs, kUplinkProfileTlvs, kServiceFlowTlvs, kCsTlvs, kRuleTlvs;
/// Settings of a configuration file, which no message has.
extern const TlvSet kConfigurationFileTlvs;

}  // namespace wimax::mac
