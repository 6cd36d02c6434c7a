// SPDX-License-Identifier: GPL-3.0-or-later
// Management messages (6.3.2.3) as structures, as far as entry and operation need them. The octets start with the
// message type and end before the CRC. Receiving is lenient: unknown TLVs and reserved bits are ignored, a TLV of an
// unusable length counts as absent; a broken structure (a TLV running over the end, a missing fixed field) is an error.
//
//     DlMap map;                                   // kept from frame to frame: the IE list keeps its capacity
//     if (auto r = decode(pdu->body, map); !r) ... r.error().offset ...
//     writer.message(cid::kBroadcast, map);        // PduWriter
#pragma once

#include "mac/pdu/dictionary.h"
#include "mac/pdu/map_ie.h"

#include <optional>
#include <string>

namespace wimax::mac {

using MacAddress = std::array<uint8_t, 6>;
template <class T> using Opt = std::optional<T>;

/// HMAC tuple. Without privacy: sequence 0 and a digest of zeros.
struct HmacTuple {
    uint8_t ak_sequence = 0;  ///< 4 bits
    std::array<uint8_t, 20> digest{};
    bool operator==(const HmacTuple&) const = default;
};

struct DownlinkProfile {
    uint8_t diuc = 0;
    Opt<uint8_t> fec;                              ///< 0..6: rate_id
    Opt<uint8_t> exit_threshold, entry_threshold;  ///< CINR, 0.25 dB
    Opt<uint8_t> tcs_enable;
    bool operator==(const DownlinkProfile&) const = default;
};
struct UplinkProfile {
    uint8_t uiuc = 0;
    Opt<uint8_t> fec;
    Opt<uint8_t> focused_power_boost_db;
    Opt<uint8_t> tcs_enable;
    bool operator==(const UplinkProfile&) const = default;
};

struct Dcd {
    static constexpr MessageType kType = MessageType::dcd;
    uint8_t dl_channel_id = 1, change_count = 0;
    Opt<int16_t> bs_eirp_dbm, rss_ir_max_dbm;
    Opt<uint16_t> ttg_ps;  ///< one octet sent, one or two accepted
    Opt<uint8_t> rtg_ps;
    Opt<uint32_t> frequency_khz;
    Opt<MacAddress> bs_id;
    Opt<uint8_t> frame_duration_code;
    Opt<uint32_t> frame_number;  ///< 24 bits, of the frame carrying this DCD
    Opt<uint8_t> mac_version;
    std::vector<DownlinkProfile> profiles;
    bool operator==(const Dcd&) const = default;
};

struct Ucd {
    static constexpr MessageType kType = MessageType::ucd;
    uint8_t change_count = 0;
    std::array<uint8_t, 2> ranging_backoff{}, request_backoff{};  ///< start, end; exponents of 2
    Opt<uint8_t> reservation_timeout_maps;
    Opt<uint16_t> request_opportunity_ps, ranging_opportunity_ps;
    Opt<uint32_t> frequency_khz;
    Opt<uint8_t> req_region_full, focused_codes;
    std::vector<UplinkProfile> profiles;
    bool operator==(const Ucd&) const = default;
};

struct DlMap {
    static constexpr MessageType kType = MessageType::dl_map;
    uint8_t dcd_count = 0;
    uint64_t bs_id = 0;  ///< 48 bits
    std::vector<DlMapIe> ies;
    bool operator==(const DlMap&) const = default;
};

struct UlMap {
    static constexpr MessageType kType = MessageType::ul_map;
    uint8_t ul_channel_id = 1, ucd_count = 0;
    uint32_t alloc_start_ps = 0;  ///< from the start of the frame in which the map is sent
    std::vector<UlMapIe> ies;
    bool operator==(const UlMap&) const = default;
};

/// RNG-REQ TLV 1.
struct RequestedProfile {
    uint8_t dcd_count_lsb4 = 0, diuc = 0;
    bool operator==(const RequestedProfile&) const = default;
};
/// RNG-RSP TLV 7: the least robust DIUC allowed.
struct OperationalProfile {
    uint8_t diuc = 0, dcd_count = 0;
    bool operator==(const OperationalProfile&) const = default;
};

/// Bits of RNG-REQ's anomalies.
namespace anomaly {
inline constexpr uint8_t kMaximumPower = 1, kMinimumPower = 2, kLargeTimingAdjustment = 4;
}

struct RngReq {
    static constexpr MessageType kType = MessageType::rng_req;
    uint8_t dl_channel_id = 1;
    Opt<RequestedProfile> requested_profile;
    Opt<MacAddress> ss_mac;
    Opt<uint8_t> anomalies;  ///< bits of namespace anomaly
    bool operator==(const RngReq&) const = default;
};

enum class RangingStatus : uint8_t { continue_ranging = 1, abort = 2, success = 3, rerange = 4 };

struct RngRsp {
    static constexpr MessageType kType = MessageType::rng_rsp;
    uint8_t ul_channel_id = 1;
    Opt<int32_t> timing_adjust_samples;  ///< 1/Fs; positive: transmit earlier
    Opt<int8_t> power_adjust_qdb;        ///< 0.25 dB
    Opt<int32_t> frequency_adjust_hz;
    Opt<RangingStatus> status;
    Opt<uint32_t> downlink_frequency_khz;
    Opt<uint8_t> uplink_channel_id_override;
    Opt<OperationalProfile> operational_profile;
    Opt<MacAddress> ss_mac;
    Opt<uint16_t> basic_cid, primary_cid;
    Opt<uint32_t> frame_number;       ///< 24 bits
    Opt<uint8_t> opportunity_number;  ///< first is 1
    bool operator==(const RngRsp&) const = default;
};

/// Contents of SBC-REQ and SBC-RSP.
struct BasicCapabilities {
    Opt<uint8_t> bandwidth_allocation;               ///< bit 1: full duplex
    Opt<std::array<uint8_t, 2>> transition_gaps_us;  ///< SSTTG, SSRTG
    Opt<std::array<uint8_t, 4>> maximum_power;       ///< BPSK, QPSK, 16-QAM, 64-QAM: 2 x (dBm + 64); request only
    Opt<uint8_t> pdu_construction;                   ///< bit 0 piggyback requests, bit 1 11-bit FSN
    Opt<uint8_t> current_transmit_power;             ///< 2 x (dBm + 64); request only
    Opt<uint8_t> fft_sizes, demodulator, modulator, focused_contention, tc_sublayer;
    Opt<uint8_t> authorization_policy;
    bool operator==(const BasicCapabilities&) const = default;
};
struct SbcReq : BasicCapabilities {
    static constexpr MessageType kType = MessageType::sbc_req;
    bool operator==(const SbcReq&) const = default;
};
struct SbcRsp : BasicCapabilities {
    static constexpr MessageType kType = MessageType::sbc_rsp;
    bool operator==(const SbcRsp&) const = default;
};

/// ARQ parameters of a connection (service flow TLVs 18 to 26).
struct ArqFields {
    Opt<uint8_t> arq_enable, arq_deliver_in_order;
    Opt<uint16_t> arq_window_blocks, arq_block_octets;
    Opt<uint16_t> arq_retry_transmitter, arq_retry_receiver, arq_block_lifetime, arq_sync_loss,
        arq_rx_purge;  ///< 10 us
    bool operator==(const ArqFields&) const = default;
};

/// Contents of REG-REQ and REG-RSP.
struct Registration {
    Opt<ArqFields> secondary_arq;  ///< of the secondary management connection
    Opt<uint8_t> managed, ip_mode, ip_version;
    Opt<uint16_t> secondary_cid, uplink_cids;
    Opt<uint32_t> cs_support;  ///< bit 1 IPv4; two octets sent, two or four accepted
    Opt<uint16_t> maximum_classifiers;
    Opt<uint8_t> phs, arq, dsx_flow_control, mac_crc, mac_version;
    Opt<HmacTuple> hmac;
    bool operator==(const Registration&) const = default;
};
struct RegReq : Registration {
    static constexpr MessageType kType = MessageType::reg_req;
    bool operator==(const RegReq&) const = default;
};
struct RegRsp : Registration {
    static constexpr MessageType kType = MessageType::reg_rsp;
    uint8_t response = 0;  ///< 0 OK, 1 message authentication failure
    bool operator==(const RegRsp&) const = default;
};

struct Ipv4Mask {
    uint32_t address = 0, mask = 0;
    bool operator==(const Ipv4Mask&) const = default;
};
struct Ipv6Mask {
    std::array<uint8_t, 16> address{}, mask{};
    bool operator==(const Ipv6Mask&) const = default;
};
struct MacMask {
    std::array<uint8_t, 6> address{}, mask{};
    bool operator==(const MacMask&) const = default;
};
struct PortRange {
    uint16_t low = 0, high = 0;
    bool operator==(const PortRange&) const = default;
};
/// Packet classification rule with the fields of IPv4, IPv6 or Ethernet, which differ in the addresses.
template <class Mask> struct BasicClassifierRule {
    Opt<uint8_t> priority;
    Opt<std::array<uint8_t, 3>> tos;  ///< low, high, mask
    std::vector<uint8_t> protocols;
    std::vector<Mask> sources, destinations;
    std::vector<PortRange> source_ports, destination_ports;
    Opt<std::array<uint8_t, 3>> ethertype;      ///< type (1: Ethertype), value
    Opt<std::array<uint8_t, 2>> user_priority;  ///< low, high
    Opt<uint16_t> vlan_id;                      ///< 12 bits, left justified
    Opt<uint8_t> phsi;                          ///< of the PHS rule for its packets
    Opt<uint16_t> index;                        ///< assigned by the BS, unique per flow
    bool operator==(const BasicClassifierRule&) const = default;
};
using ClassifierRule = BasicClassifierRule<Ipv4Mask>;
using Ipv6ClassifierRule = BasicClassifierRule<Ipv6Mask>;
using EthernetClassifierRule = BasicClassifierRule<MacMask>;
enum class ClassifierAction : uint8_t { add = 0, replace = 1, remove = 2 };
enum class PhsAction : uint8_t { add = 0, set = 1, remove = 2, remove_all = 3 };
/// Payload header suppression rule.
struct PhsRule {
    Opt<uint8_t> phsi;
    std::vector<uint8_t> field, mask;
    Opt<uint8_t> size, verification;  ///< octets it spans; 0: verify, 1: do not
    bool operator==(const PhsRule&) const = default;
};
/// One CS parameter TLV.
template <class Mask> struct BasicCsParameters {
    Opt<ClassifierAction> action;
    Opt<BasicClassifierRule<Mask>> rule;
    Opt<PhsAction> phs_action;
    Opt<PhsRule> phs;
    bool operator==(const BasicCsParameters&) const = default;
};
using CsParameters = BasicCsParameters<Ipv4Mask>;
using Ipv6CsParameters = BasicCsParameters<Ipv6Mask>;
using EthernetCsParameters = BasicCsParameters<MacMask>;

enum class Scheduling : uint8_t { undefined = 1, best_effort = 2, nrtps = 3, rtps = 4, ertps = 5, ugs = 6 };
/// CS specification (service flow TLV 28); the CS parameter TLV of packets is 99 + this.
inline constexpr uint8_t kCsIpv4 = 1, kCsIpv6 = 2, kCsEthernet = 3, kCsVlan = 4;

namespace qos_set {
inline constexpr uint8_t kProvisioned = 1, kAdmitted = 2, kActive = 4;
}
/// Request/transmission policy bits.
namespace policy {
inline constexpr uint32_t kNoContention = 1, kNoPiggyback = 4, kNoFragmentation = 8, kNoPhs = 16, kNoPacking = 32,
                          kNoCrc = 64;
}

struct ServiceFlow : ArqFields {
    Opt<uint32_t> sfid;
    Opt<uint16_t> cid;
    Opt<std::string> service_class;  ///< without the terminating zero; not always is_text()
    Opt<uint8_t> qos_set_type, traffic_priority;
    Opt<uint32_t> maximum_rate_bps, maximum_burst_octets, minimum_rate_bps;
    Opt<Scheduling> scheduling;
    Opt<uint32_t> policy, tolerated_jitter_ms, maximum_latency_ms;
    Opt<uint8_t> fixed_length_sdu, sdu_size;
    Opt<uint16_t> target_said;
    Opt<uint8_t> cs_specification;
    std::vector<CsParameters> cs_ipv4;                       ///< TLV 100
    std::vector<Ipv6CsParameters> cs_ipv6;                   ///< TLV 101
    std::vector<EthernetCsParameters> cs_ethernet, cs_vlan;  ///< TLVs 102 and 103
    std::vector<uint8_t> vendor_specific;                    ///< TLV 143, the last one
    bool operator==(const ServiceFlow&) const = default;
};

/// Contents of DSA and DSC messages.
struct FlowChange {
    uint16_t tid = 0;
    Opt<ServiceFlow> uplink, downlink;
    Opt<HmacTuple> hmac;
    bool operator==(const FlowChange&) const = default;
};
/// True for a text as in the standard, 2..128 octets with its terminating zero.
inline bool is_text(const std::string& text) {
    constexpr size_t kMost = 127;
    return !text.empty() && text.size() <= kMost && text.find('\0') == std::string::npos;
}

namespace confirmation {
inline constexpr uint8_t kSuccess = 0, kRejectOther = 1, kUnrecognized = 2, kTemporary = 3, kPermanent = 4,
                         kNotOwner = 5, kFlowNotFound = 6, kFlowExists = 7, kParameterMissing = 8,
                         kHeaderSuppression = 9, kUnknownTransaction = 10, kAuthenticationFailure = 11,
                         kAddAborted = 12, kServiceLimit = 13;
}
struct FlowChangeReply : FlowChange {
    uint8_t cc = confirmation::kSuccess;
    bool operator==(const FlowChangeReply&) const = default;
};
struct DsaReq : FlowChange {
    static constexpr MessageType kType = MessageType::dsa_req;
};
struct DsaRsp : FlowChangeReply {
    static constexpr MessageType kType = MessageType::dsa_rsp;
};
struct DsaAck : FlowChangeReply {
    static constexpr MessageType kType = MessageType::dsa_ack;
};
struct DscReq : FlowChange {
    static constexpr MessageType kType = MessageType::dsc_req;
};
struct DscRsp : FlowChangeReply {
    static constexpr MessageType kType = MessageType::dsc_rsp;
};
struct DscAck : FlowChangeReply {
    static constexpr MessageType kType = MessageType::dsc_ack;
};

struct DsdReq {
    static constexpr MessageType kType = MessageType::dsd_req;
    uint16_t tid = 0;
    uint32_t sfid = 0;
    Opt<HmacTuple> hmac;
    bool operator==(const DsdReq&) const = default;
};
struct DsdRsp {
    static constexpr MessageType kType = MessageType::dsd_rsp;
    uint16_t tid = 0;
    uint8_t cc = 0;
    uint32_t sfid = 0;
    Opt<HmacTuple> hmac;
    bool operator==(const DsdRsp&) const = default;
};
struct DsxRvd {
    static constexpr MessageType kType = MessageType::dsx_rvd;
    uint16_t tid = 0;
    uint8_t cc = 0;
    bool operator==(const DsxRvd&) const = default;
};

struct DbpcReq {
    static constexpr MessageType kType = MessageType::dbpc_req;
    uint8_t diuc = 0, change_count = 0;
    bool operator==(const DbpcReq&) const = default;
};
struct DbpcRsp {
    static constexpr MessageType kType = MessageType::dbpc_rsp;
    uint8_t diuc = 0, change_count = 0;
    bool operator==(const DbpcRsp&) const = default;
};

/// Joining or leaving a multicast polling group.
struct McaReq {
    static constexpr MessageType kType = MessageType::mca_req;
    uint16_t tid = 0;
    Opt<uint16_t> multicast_cid;
    Opt<uint8_t> assignment;  ///< 0 leave, 1 join
    // Of groups with periodic allocations. Numbers and lengths are from memory, contents are not known: 0 is our
    // reading of a plain group and of no operation. All are as long as the longest: no length of up to four octets
    // hides a value.
    Opt<uint32_t> group_type, periodic_parameters, periodic_type, operation;
    bool plain() const {
        const bool periodic = periodic_parameters || periodic_type;
        return group_type.value_or(periodic ? 1 : 0) == 0 && operation.value_or(0) == 0;
    }
    bool operator==(const McaReq&) const = default;
};
struct McaRsp {
    static constexpr MessageType kType = MessageType::mca_rsp;
    uint16_t tid = 0;
    uint8_t cc = 0;
    bool operator==(const McaRsp&) const = default;
};

/// The configuration file of a managed station is complete.
struct TftpCplt {
    static constexpr MessageType kType = MessageType::tftp_cplt;
    Opt<HmacTuple> hmac;
    bool operator==(const TftpCplt&) const = default;
};
struct TftpRsp {
    static constexpr MessageType kType = MessageType::tftp_rsp;
    uint8_t response = 0;  ///< 0 OK
    Opt<HmacTuple> hmac;
    bool operator==(const TftpRsp&) const = default;
};

struct ResCmd {
    static constexpr MessageType kType = MessageType::res_cmd;
    Opt<HmacTuple> hmac;
    bool operator==(const ResCmd&) const = default;
};
struct DregCmd {
    static constexpr MessageType kType = MessageType::dreg_cmd;
    uint8_t action = 0;
    Opt<HmacTuple> hmac;
    bool operator==(const DregCmd&) const = default;
};
struct DregReq {
    static constexpr MessageType kType = MessageType::dreg_req;
    uint8_t code = 0;
    Opt<HmacTuple> hmac;
    bool operator==(const DregReq&) const = default;
};

/// Channel measurements that a base station requests (11.11).
struct ReportRequest {
    Opt<uint8_t> type;  ///< bits of tlv::report_request
    Opt<uint8_t> channel;
    bool operator==(const ReportRequest&) const = default;
};
struct RepReq {
    static constexpr MessageType kType = MessageType::rep_req;
    Opt<ReportRequest> request;
    bool operator==(const RepReq&) const = default;
};
/// Mean and deviation as codes of channel_quality.h (11.12).
struct Report {
    Opt<uint8_t> channel;
    Opt<uint8_t> basic;  ///< bits of tlv::report
    Opt<std::array<uint8_t, 2>> cinr, rssi;
    bool operator==(const Report&) const = default;
};
struct RepRsp {
    static constexpr MessageType kType = MessageType::rep_rsp;
    Opt<Report> report;
    Opt<uint8_t> current_transmit_power;  ///< 2 x (dBm + 64)
    bool operator==(const RepRsp&) const = default;
};

struct ArqFeedback {
    static constexpr MessageType kType = MessageType::arq_feedback;
    std::vector<FeedbackIe> ies;  ///< the encoder sets `last` on the last one only
    bool operator==(const ArqFeedback&) const = default;
};
struct ArqDiscard {
    static constexpr MessageType kType = MessageType::arq_discard;
    uint16_t cid = 0, bsn = 0;
    bool operator==(const ArqDiscard&) const = default;
};
struct ArqReset {
    static constexpr MessageType kType = MessageType::arq_reset;
    uint16_t cid = 0;
    uint8_t type = 0;  ///< 0 by the initiator, 1 acknowledged, 2 confirmed by the initiator
    bool operator==(const ArqReset&) const = default;
};

/// Nothing: an empty body, or an unknown type.
std::optional<MessageType> message_type(Octets message);

/// Appends the message, type octet first. Defined for each structure with kType.
template <class Message> void encode(const Message& message, Buffer& out);

/// Error offsets count from the type octet. Vectors inside `out` are reused.
template <class Message> tl::expected<void, ParseError> decode(Octets octets, Message& out);

}  // namespace wimax::mac
