// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/dictionary.h"

#include <array>

namespace wimax::mac {
namespace {

using Kind = ValueKind;

constexpr TlvSpec uint_tlv(uint8_t type, std::string_view name, uint8_t octets, std::string_view key = {}) {
    return {type, name, key.empty() ? name : key, Kind::unsigned_integer, octets};
}
constexpr TlvSpec sint_tlv(uint8_t type, std::string_view name, uint8_t octets, std::string_view key = {}) {
    return {type, name, key.empty() ? name : key, Kind::signed_integer, octets};
}
constexpr TlvSpec octets_tlv(uint8_t type, std::string_view name, uint8_t octets = 0, std::string_view key = {}) {
    return {type, name, key.empty() ? name : key, Kind::octets, octets};
}
constexpr TlvSpec blob_tlv(uint8_t type, std::string_view name, std::string_view key, std::string_view length_key) {
    return {type, name, key, Kind::blob, 0, 0, {}, nullptr, 0, false, length_key};
}
constexpr TlvSpec bits_tlv(uint8_t type, std::string_view name, uint8_t octets, std::span<const BitPart> parts) {
    return {type, name, {}, Kind::bits, octets, 0, parts};
}
constexpr TlvSpec array_tlv(uint8_t type, std::string_view name, Kind kind, uint8_t width, std::string_view key,
                            uint8_t octets = 0) {
    return {type, name, key, kind, octets, width};
}
constexpr TlvSpec compound(uint8_t type, std::string_view name, const TlvSet& children, std::string_view key = {}) {
    return {type, name, key.empty() ? name : key, Kind::compound, 0, 0, {}, &children};
}
constexpr TlvSpec profile(uint8_t type, std::string_view name, const TlvSet& children,
                          std::span<const BitPart> prefix) {
    return {type, name, "profiles", Kind::compound, 0, 0, prefix, &children, 1, true};
}
/// A second name of a value: the vectors and the format's text use different ones, or one attribute has two meanings.
constexpr TlvSpec also(TlvSpec spec, std::string_view alias) {
    spec.alias = alias;
    return spec;
}
constexpr TlvSpec measured(TlvSpec spec, std::string_view unit) {
    spec.unit = unit;
    return spec;
}
constexpr TlvSpec repeated(TlvSpec spec) {
    spec.repeats = true;
    return spec;
}

// ---- inside service flows (11.13) ----

constexpr TlvSpec kPhsRule[] = {
    uint_tlv(tlv::cs::phs::index, "phsi", 1),        octets_tlv(tlv::cs::phs::field, "phsf"),
    octets_tlv(tlv::cs::phs::mask, "phsm"),          measured(uint_tlv(tlv::cs::phs::size, "phss", 1), "octets"),
    uint_tlv(tlv::cs::phs::verification, "phsv", 1), octets_tlv(tlv::vendor_specific, "vendor_specific")};
constexpr TlvSet kPhsRuleTlvs{kPhsRule, nullptr, "phs_rule", "11.13.19"};

constexpr TlvSpec kErrorSet[] = {octets_tlv(1, "errored_parameter"),
                                 uint_tlv(2, "error_code", 1),
                                 {3, "error_message", "error_message", Kind::text}};
constexpr TlvSet kErrorTlvs{kErrorSet, nullptr, "error_parameter_set", "11.13.19"};

constexpr BitPart kVlanId[] = {{"vlan_id", 12}, {"", 4}};

/// Addresses are 4 octets in IPv4 and 16 in IPv6 classifiers: one table each.
constexpr std::array<TlvSpec, 15> classifier_rule(uint8_t address_octets) {
    namespace rule = tlv::cs::rule;
    return {uint_tlv(rule::priority, "classifier_rule_priority", 1, "priority"),
            array_tlv(rule::tos, "ip_tos_range_and_mask", Kind::list, 1, "tos", 3),
            array_tlv(rule::protocol, "protocol", Kind::list, 1, "protocol"),
            array_tlv(rule::source, "ip_masked_source_address", Kind::addresses, address_octets, "src"),
            array_tlv(rule::destination, "ip_masked_destination_address", Kind::addresses, address_octets, "dst"),
            array_tlv(rule::source_ports, "protocol_source_port_range", Kind::ranges, 2, "src_ports"),
            array_tlv(rule::destination_ports, "protocol_destination_port_range", Kind::ranges, 2, "dst_ports"),
            array_tlv(rule::ethernet_destination, "ethernet_destination_mac_address", Kind::addresses, 6, "eth_dst"),
            array_tlv(rule::ethernet_source, "ethernet_source_mac_address", Kind::addresses, 6, "eth_src"),
            array_tlv(rule::ethertype, "ethertype_ieee_802_2_sap", Kind::list, 1, "ethertype", 3),
            array_tlv(rule::user_priority, "ieee_802_1d_user_priority", Kind::list, 1, "user_priority", 2),
            bits_tlv(rule::vlan_id, "ieee_802_1q_vlan_id", 2, kVlanId),
            uint_tlv(rule::phsi, "associated_phsi", 1, "phsi"),
            uint_tlv(rule::index, "packet_classifier_rule_index", 2, "index"),
            octets_tlv(tlv::vendor_specific, "vendor_specific")};
}
constexpr auto kRuleIpv4 = classifier_rule(4), kRuleIpv6 = classifier_rule(16);
constexpr TlvSet kRuleIpv6Tlvs{kRuleIpv6, nullptr, "ipv6_classification_rule", "11.13.19"};

constexpr std::array<TlvSpec, 7> cs_parameters(const TlvSet& rules) {
    using namespace tlv::cs;
    return {uint_tlv(classifier_action, "classifier_dsc_action", 1, "action"),
            compound(classifier_error, "classifier_error_parameter_set", kErrorTlvs),
            compound(classification_rule, "packet_classification_rule", rules, "rule"),
            uint_tlv(phs_action, "phs_dsc_action", 1, "phs_action"),
            compound(phs_error, "phs_error_parameter_set", kErrorTlvs),
            compound(phs_rule, "phs_rule", kPhsRuleTlvs),
            octets_tlv(tlv::vendor_specific, "vendor_specific")};
}

}  // namespace

constinit const TlvSet kRuleTlvs{kRuleIpv4, nullptr, "classification_rule", "11.13.19"};

namespace {
constexpr auto kCsIpv4 = cs_parameters(kRuleTlvs), kCsIpv6 = cs_parameters(kRuleIpv6Tlvs);
constexpr TlvSet kCsIpv6Tlvs{kCsIpv6, nullptr, "ipv6_cs_parameters", "11.13.19"};
}  // namespace

constinit const TlvSet kCsTlvs{kCsIpv4, nullptr, "cs_parameters", "11.13.19"};

namespace {

/// ARQ parameters are the same in service flows and in REG TLV 1. Units of 10 us.
#define WIMAX_ARQ_TLVS                                                                                           \
    uint_tlv(tlv::flow::arq_enable, "arq_enable", 1),                                                            \
        measured(uint_tlv(tlv::flow::arq_window_size, "arq_window_size", 2), "blocks"),                          \
        measured(uint_tlv(tlv::flow::arq_retry_transmitter, "arq_retry_timeout_transmitter_delay", 2), "10 us"), \
        measured(uint_tlv(tlv::flow::arq_retry_receiver, "arq_retry_timeout_receiver_delay", 2), "10 us"),       \
        measured(uint_tlv(tlv::flow::arq_block_lifetime, "arq_block_lifetime", 2), "10 us"),                     \
        measured(uint_tlv(tlv::flow::arq_sync_loss, "arq_sync_loss_timeout", 2), "10 us"),                       \
        uint_tlv(tlv::flow::arq_in_order, "arq_deliver_in_order", 1),                                            \
        measured(uint_tlv(tlv::flow::arq_rx_purge, "arq_rx_purge_timeout", 2), "10 us"),                         \
        measured(uint_tlv(tlv::flow::arq_block_size, "arq_block_size", 2), "octets")

constexpr TlvSpec kArqParameters[] = {WIMAX_ARQ_TLVS};
constexpr TlvSet kArqTlvs{kArqParameters, nullptr, "arq_parameters", "11.13.18"};

constexpr TlvSpec cs_tlv(uint8_t type, std::string_view name, const TlvSet& children) {
    return compound(type, name, children, "classifier");
}

constexpr TlvSpec kServiceFlow[] = {
    uint_tlv(tlv::flow::sfid, "sfid", 4),
    uint_tlv(tlv::flow::cid, "cid", 2),
    {tlv::flow::service_class, "service_class_name", "class", Kind::text},
    uint_tlv(tlv::flow::qos_set_type, "qos_parameter_set_type", 1, "qos_set"),
    uint_tlv(tlv::flow::traffic_priority, "traffic_priority", 1, "priority"),
    measured(uint_tlv(tlv::flow::maximum_rate, "maximum_sustained_traffic_rate", 4, "max_rate"), "b/s"),
    measured(uint_tlv(tlv::flow::maximum_burst, "maximum_traffic_burst", 4, "max_burst"), "octets"),
    measured(uint_tlv(tlv::flow::minimum_rate, "minimum_reserved_traffic_rate", 4, "min_rate"), "b/s"),
    measured(uint_tlv(tlv::flow::minimum_tolerable_rate, "minimum_tolerable_traffic_rate", 4), "b/s"),
    uint_tlv(tlv::flow::scheduling, "service_flow_scheduling_type", 1, "scheduling"),
    uint_tlv(tlv::flow::policy, "request_transmission_policy", 4, "policy"),
    measured(uint_tlv(tlv::flow::tolerated_jitter, "tolerated_jitter", 4), "ms"),
    measured(uint_tlv(tlv::flow::maximum_latency, "maximum_latency", 4, "max_latency_ms"), "ms"),
    uint_tlv(tlv::flow::fixed_length_sdu, "fixed_length_versus_variable_length_sdu_indicator", 1, "fixed_sdu"),
    measured(uint_tlv(tlv::flow::sdu_size, "sdu_size", 1), "octets"),
    uint_tlv(tlv::flow::target_said, "target_said", 2, "said"),
    WIMAX_ARQ_TLVS,
    uint_tlv(tlv::flow::cs_specification, "cs_specification", 1, "cs"),
    cs_tlv(99, "atm_cs_parameters", kCsTlvs),
    cs_tlv(100, "ipv4_cs_parameters", kCsTlvs),
    cs_tlv(101, "ipv6_cs_parameters", kCsIpv6Tlvs),
    cs_tlv(102, "ethernet_cs_parameters", kCsTlvs),
    cs_tlv(103, "vlan_cs_parameters", kCsTlvs),
    cs_tlv(104, "ipv4_over_ethernet_cs_parameters", kCsTlvs),
    cs_tlv(105, "ipv6_over_ethernet_cs_parameters", kCsIpv6Tlvs),
    cs_tlv(106, "ipv4_over_vlan_cs_parameters", kCsTlvs),
    cs_tlv(107, "ipv6_over_vlan_cs_parameters", kCsIpv6Tlvs),
    octets_tlv(tlv::vendor_specific, "vendor_specific")};
#undef WIMAX_ARQ_TLVS

}  // namespace

constinit const TlvSet kServiceFlowTlvs{kServiceFlow, nullptr, "service_flow", "11.13"};

namespace {

// ---- TLVs of any message (11.1) ----

constexpr TlvSpec kCommon[] = {
    octets_tlv(tlv::vendor_specific, "vendor_specific"),
    octets_tlv(tlv::vendor_id, "vendor_id", 3),
    compound(tlv::uplink_service_flow, "uplink_service_flow", kServiceFlowTlvs, "ul_flow"),
    compound(tlv::downlink_service_flow, "downlink_service_flow", kServiceFlowTlvs, "dl_flow"),
    measured(uint_tlv(tlv::current_transmit_power, "current_transmit_power", 1, "cur_power_code"),
             "0.5 dB above -64 dBm"),
    uint_tlv(tlv::mac_version, "mac_version", 1),
    {tlv::hmac_tuple, "hmac_tuple", "hmac_tuple", Kind::hmac, 21}};
constexpr TlvSet kCommonTlvs{kCommon, nullptr, "common", "11.1"};

// ---- channel descriptors (11.3, 11.4) ----

constexpr TlvSpec kDownlinkProfile[] = {
    measured(uint_tlv(tlv::dcd::profile::frequency, "frequency", 4, "frequency_khz"), "kHz"),
    uint_tlv(tlv::dcd::profile::fec, "fec_code_type", 1, "fec"),
    measured(uint_tlv(tlv::dcd::profile::exit_threshold, "diuc_mandatory_exit_threshold", 1, "exit"), "0.25 dB"),
    measured(uint_tlv(tlv::dcd::profile::entry_threshold, "diuc_minimum_entry_threshold", 1, "entry"), "0.25 dB"),
    uint_tlv(tlv::dcd::profile::tcs_enable, "tcs_enable", 1)};
constexpr TlvSpec kUplinkProfile[] = {
    uint_tlv(tlv::ucd::profile::fec, "fec_code_type", 1, "fec"),
    measured(uint_tlv(tlv::ucd::profile::focused_power_boost, "focused_contention_power_boost", 1, "boost"), "dB"),
    uint_tlv(tlv::ucd::profile::tcs_enable, "tcs_enable", 1)};

}  // namespace

constinit const TlvSet kDownlinkProfileTlvs{kDownlinkProfile, nullptr, "downlink_burst_profile", "11.4"};
constinit const TlvSet kUplinkProfileTlvs{kUplinkProfile, nullptr, "uplink_burst_profile", "11.3"};

namespace {

constexpr BitPart kDiucPrefix[] = {{"", 4}, {"diuc", 4}}, kUiucPrefix[] = {{"", 4}, {"uiuc", 4}};

constexpr TlvSpec kDcd[] = {
    profile(tlv::dcd::burst_profile, "downlink_burst_profile", kDownlinkProfileTlvs, kDiucPrefix),
    measured(sint_tlv(tlv::dcd::bs_eirp, "bs_eirp", 2, "bs_eirp_dbm"), "dBm"),
    uint_tlv(tlv::dcd::frame_duration_sc, "frame_duration", 4),
    uint_tlv(tlv::dcd::phy_type, "phy_type", 1),
    uint_tlv(tlv::dcd::power_adjustment_rule, "power_adjustment_rule", 1),
    uint_tlv(tlv::dcd::channel_number, "channel_number", 1),
    measured(uint_tlv(tlv::dcd::ttg, "ttg", 1, "ttg_ps"), "PS"),
    measured(uint_tlv(tlv::dcd::rtg, "rtg", 1, "rtg_ps"), "PS"),
    measured(sint_tlv(tlv::dcd::rss_ir_max, "rss_ir_max", 2, "rss_ir_max_dbm"), "dBm"),
    uint_tlv(tlv::dcd::channel_switch_frame_number, "channel_switch_frame_number", 3),
    measured(uint_tlv(tlv::dcd::frequency, "downlink_center_frequency", 4, "frequency_khz"), "kHz"),
    octets_tlv(tlv::dcd::bs_id, "base_station_id", 6, "bs_id"),
    uint_tlv(tlv::dcd::frame_duration_code, "frame_duration_code", 1),
    uint_tlv(tlv::dcd::frame_number, "frame_number", 3)};
constexpr TlvSet kDcdTlvs{kDcd, &kCommonTlvs, "dcd", "11.4"};

constexpr TlvSpec kUcd[] = {
    profile(tlv::ucd::burst_profile, "uplink_burst_profile", kUplinkProfileTlvs, kUiucPrefix),
    measured(uint_tlv(tlv::ucd::reservation_timeout, "contention_based_reservation_timeout", 1, "reservation_timeout"),
             "UL-MAPs"),
    measured(uint_tlv(tlv::ucd::request_opportunity_size, "bandwidth_request_opportunity_size", 2, "bw_req_opp_ps"),
             "PS"),
    measured(uint_tlv(tlv::ucd::ranging_opportunity_size, "ranging_request_opportunity_size", 2, "ranging_opp_ps"),
             "PS"),
    measured(uint_tlv(tlv::ucd::frequency, "uplink_center_frequency", 4, "frequency_khz"), "kHz"),
    uint_tlv(tlv::ucd::req_region_full, "subchannelization_req_region_full_parameters", 1, "subch_req_region_full"),
    uint_tlv(tlv::ucd::focused_codes, "subchannelization_focused_contention_codes", 1, "subch_focused_codes")};
constexpr TlvSet kUcdTlvs{kUcd, &kCommonTlvs, "ucd", "11.3"};

// ---- entry (11.5 to 11.8) ----

constexpr BitPart kRequestedProfile[] = {{"dcd_ccc_lsb4", 4}, {"req_diuc", 4}};
constexpr TlvSpec kRngReq[] = {
    bits_tlv(tlv::rng_req::requested_profile, "requested_downlink_burst_profile", 1, kRequestedProfile),
    also(octets_tlv(tlv::rng_req::ss_mac_address, "ss_mac_address", 6, "ss_mac"), "mac"),
    uint_tlv(tlv::rng_req::ranging_anomalies, "ranging_anomalies", 1),
    uint_tlv(tlv::rng_req::aas_broadcast_capability, "aas_broadcast_capability", 1)};
constexpr TlvSet kRngReqTlvs{kRngReq, &kCommonTlvs, "rng_req", "11.5"};

constexpr BitPart kOperationalProfile[] = {{"op_diuc", 8}, {"op_ccc", 8}};
constexpr TlvSpec kRngRsp[] = {
    measured(sint_tlv(tlv::rng_rsp::timing_adjust, "timing_adjust", 4, "timing"), "samples"),
    measured(sint_tlv(tlv::rng_rsp::power_adjust, "power_level_adjust", 1, "power_qdb"), "0.25 dB"),
    measured(sint_tlv(tlv::rng_rsp::frequency_adjust, "offset_frequency_adjust", 4, "freq_hz"), "Hz"),
    uint_tlv(tlv::rng_rsp::status, "ranging_status", 1, "status"),
    measured(uint_tlv(tlv::rng_rsp::downlink_frequency_override, "downlink_frequency_override", 4), "kHz"),
    uint_tlv(tlv::rng_rsp::uplink_channel_override, "uplink_channel_id_override", 1),
    bits_tlv(tlv::rng_rsp::operational_profile, "downlink_operational_burst_profile", 2, kOperationalProfile),
    also(octets_tlv(tlv::rng_rsp::ss_mac_address, "ss_mac_address", 6, "ss_mac"), "mac"),
    uint_tlv(tlv::rng_rsp::basic_cid, "basic_cid", 2),
    uint_tlv(tlv::rng_rsp::primary_cid, "primary_management_cid", 2, "primary_cid"),
    uint_tlv(tlv::rng_rsp::aas_broadcast_permission, "aas_broadcast_permission", 1),
    uint_tlv(tlv::rng_rsp::frame_number, "frame_number", 3),
    uint_tlv(tlv::rng_rsp::opportunity_number, "initial_ranging_opportunity_number", 1),
    uint_tlv(tlv::rng_rsp::ranging_subchannel, "ranging_subchannel", 1)};
constexpr TlvSet kRngRspTlvs{kRngRsp, &kCommonTlvs, "rng_rsp", "11.6"};

constexpr BitPart kTransitionGaps[] = {{"ssttg_us", 8}, {"ssrtg_us", 8}};
constexpr TlvSpec kSbc[] = {
    uint_tlv(tlv::sbc::bandwidth_allocation, "bandwidth_allocation_support", 1, "bw_alloc"),
    bits_tlv(tlv::sbc::transition_gaps, "subscriber_transition_gaps", 2, kTransitionGaps),
    {tlv::sbc::maximum_power,
     "maximum_transmit_power",
     "max_power_code",
     Kind::power_codes,
     4,
     1,
     {},
     nullptr,
     0,
     false,
     "max_power_dbm",
     "0.5 dB above -64 dBm"},
    uint_tlv(tlv::sbc::pdu_construction, "capabilities_for_construction_and_transmission_of_mac_pdus", 1, "pdu_caps"),
    uint_tlv(tlv::sbc::pkm_flow_control, "pkm_flow_control", 1),
    uint_tlv(tlv::sbc::authorization_policy, "authorization_policy_support", 1),
    uint_tlv(tlv::sbc::maximum_sas, "maximum_number_of_sas", 1),
    uint_tlv(tlv::sbc::fft_sizes, "ofdm_ss_fft_sizes", 1, "fft_sizes"),
    uint_tlv(tlv::sbc::demodulator, "ofdm_ss_demodulator", 1, "demod"),
    uint_tlv(tlv::sbc::modulator, "ofdm_ss_modulator", 1, "mod"),
    uint_tlv(tlv::sbc::focused_contention, "ofdm_ss_focused_contention_support", 1, "focused_contention"),
    uint_tlv(tlv::sbc::tc_sublayer, "ofdm_ss_tc_sublayer_support", 1, "tc_sublayer")};
constexpr TlvSet kSbcTlvs{kSbc, &kCommonTlvs, "sbc", "11.8"};

constexpr TlvSpec kReg[] = {
    compound(tlv::reg::arq_parameters, "arq_parameters", kArqTlvs),
    uint_tlv(tlv::reg::managed, "ss_management_support", 1, "managed"),
    uint_tlv(tlv::reg::ip_mode, "ip_management_mode", 1, "ip_mode"),
    uint_tlv(tlv::reg::ip_version, "ip_version", 1),
    uint_tlv(tlv::reg::secondary_cid, "secondary_management_cid", 2, "secondary_cid"),
    uint_tlv(tlv::reg::uplink_cids, "number_of_uplink_cids_supported", 2, "ul_cids"),
    uint_tlv(tlv::reg::cs_support, "classification_phs_options_and_sdu_encapsulation_support", 2, "cs_bits"),
    uint_tlv(tlv::reg::maximum_classifiers, "maximum_number_of_classifiers", 2, "max_classifiers"),
    uint_tlv(tlv::reg::phs, "phs_support", 1, "phs"),
    uint_tlv(tlv::reg::arq, "arq_support", 1, "arq"),
    uint_tlv(tlv::reg::dsx_flow_control, "dsx_flow_control", 1, "dsx_flow"),
    uint_tlv(tlv::reg::mac_crc, "mac_crc_support", 1, "mac_crc"),
    uint_tlv(tlv::reg::mca_flow_control, "mca_flow_control", 1),
    uint_tlv(tlv::reg::multicast_polling_cids, "multicast_polling_group_cid_support", 1),
    uint_tlv(tlv::reg::pkm_flow_control, "pkm_flow_control", 1),
    uint_tlv(tlv::reg::authorization_policy, "authorization_policy_support", 1),
    uint_tlv(tlv::reg::maximum_sas, "maximum_number_of_sas", 1)};
constexpr TlvSet kRegTlvs{kReg, &kCommonTlvs, "reg", "11.7"};

// ---- PKM attributes (11.9) ----

constexpr TlvSpec kTekParameters[] = {octets_tlv(8, "tek"), measured(uint_tlv(9, "key_lifetime", 4, "lifetime_s"), "s"),
                                      uint_tlv(10, "key_sequence_number", 1, "seq"), octets_tlv(15, "cbc_iv", 8)};
constexpr TlvSet kTekTlvs{kTekParameters, nullptr, "tek_parameters", "11.9.8"};
constexpr TlvSpec kSuiteList[] = {repeated(octets_tlv(20, "cryptographic_suite", 3, "crypto_suites"))};
constexpr TlvSet kSuiteListTlvs{kSuiteList, nullptr, "cryptographic_suite_list", "11.9.15"};
constexpr TlvSpec kSecurityCapabilities[] = {compound(21, "cryptographic_suite_list", kSuiteListTlvs),
                                             uint_tlv(22, "version", 1)};
constexpr TlvSet kSecurityTlvs{kSecurityCapabilities, nullptr, "security_capabilities", "11.9.13"};
constexpr TlvSpec kSaDescriptor[] = {uint_tlv(12, "said", 2), octets_tlv(20, "cryptographic_suite", 3, "suite"),
                                     uint_tlv(24, "sa_type", 1, "type")};
constexpr TlvSet kSaTlvs{kSaDescriptor, nullptr, "sa_descriptor", "11.9.17"};
constexpr TlvSpec kPkmSettings[] = {measured(uint_tlv(1, "authorize_wait_timeout", 4), "s"),
                                    measured(uint_tlv(2, "reauthorize_wait_timeout", 4), "s"),
                                    measured(uint_tlv(3, "authorization_grace_time", 4), "s"),
                                    measured(uint_tlv(4, "operational_wait_timeout", 4), "s"),
                                    measured(uint_tlv(5, "rekey_wait_timeout", 4), "s"),
                                    measured(uint_tlv(6, "tek_grace_time", 4), "s"),
                                    measured(uint_tlv(7, "authorize_reject_wait_timeout", 4), "s")};
constexpr TlvSet kPkmSettingsTlvs{kPkmSettings, nullptr, "pkm_configuration_settings", "11.9.19"};

constexpr TlvSpec kPkm[] = {{6, "display_string", "display_string", Kind::text},
                            blob_tlv(7, "auth_key", "auth_key", "auth_key_len"),
                            octets_tlv(8, "tek"),
                            measured(uint_tlv(9, "key_lifetime", 4, "lifetime_s"), "s"),
                            also(uint_tlv(10, "key_sequence_number", 1, "seq"), "ak_seq"),
                            octets_tlv(11, "hmac_digest", 20),
                            uint_tlv(12, "said", 2),
                            compound(13, "tek_parameters", kTekTlvs),
                            octets_tlv(15, "cbc_iv", 8),
                            uint_tlv(16, "error_code", 1),
                            blob_tlv(17, "ca_certificate", "ca_cert", "ca_cert_len"),
                            blob_tlv(18, "ss_certificate", "ss_cert", "ss_cert_len"),
                            compound(19, "security_capabilities", kSecurityTlvs),
                            octets_tlv(20, "cryptographic_suite", 3, "suite"),
                            compound(21, "cryptographic_suite_list", kSuiteListTlvs),
                            uint_tlv(22, "version", 1),
                            compound(23, "sa_descriptor", kSaTlvs, "sa"),
                            uint_tlv(24, "sa_type", 1),
                            compound(27, "pkm_configuration_settings", kPkmSettingsTlvs)};
constexpr TlvSet kPkmTlvs{kPkm, &kCommonTlvs, "pkm", "11.9"};

// ---- multicast assignment and reports (11.10 to 11.12) ----

constexpr TlvSpec kMca[] = {uint_tlv(tlv::mca::multicast_cid, "multicast_cid", 2),
                            uint_tlv(tlv::mca::assignment, "assignment", 1),
                            uint_tlv(tlv::mca::group_type, "multicast_group_type", 1),
                            uint_tlv(tlv::mca::periodic_parameters, "periodic_allocation_parameters", 4),
                            uint_tlv(tlv::mca::periodic_type, "periodic_allocation_type", 1),
                            uint_tlv(tlv::mca::operation, "operation", 1)};
constexpr TlvSet kMcaTlvs{kMca, &kCommonTlvs, "mca", "11.10"};

constexpr BitPart kCinr[] = {{"cinr_mean", 8}, {"cinr_deviation", 8}},
                  kRssi[] = {{"rssi_mean", 8}, {"rssi_deviation", 8}};
constexpr TlvSpec kReportRequest[] = {uint_tlv(tlv::report_request::type, "report_type", 1),
                                      uint_tlv(tlv::report_request::channel, "channel_number", 1)};
constexpr TlvSet kReportRequestTlvs{kReportRequest, nullptr, "report_request", "11.11"};
constexpr TlvSpec kRepReq[] = {compound(tlv::report_request::request, "report_request", kReportRequestTlvs)};
constexpr TlvSet kRepReqTlvs{kRepReq, &kCommonTlvs, "rep_req", "11.11"};
constexpr TlvSpec kReport[] = {
    uint_tlv(tlv::report::channel, "channel_number", 1),  uint_tlv(tlv::report::start_frame, "start_frame", 2),
    uint_tlv(tlv::report::duration, "duration", 3),       uint_tlv(tlv::report::basic, "basic_report", 1),
    bits_tlv(tlv::report::cinr, "cinr_report", 2, kCinr), bits_tlv(tlv::report::rssi, "rssi_report", 2, kRssi)};
constexpr TlvSet kReportTlvs{kReport, nullptr, "report", "11.12"};
constexpr TlvSpec kRepRsp[] = {compound(tlv::report::report, "report", kReportTlvs)};
constexpr TlvSet kRepRspTlvs{kRepRsp, &kCommonTlvs, "rep_rsp", "11.12"};

// ---- configuration files ----

constexpr TlvSpec kConfigurationFile[] = {
    repeated(octets_tlv(tlv::file::ss_mac_address, "ss_mac_address", 6, "ss_mac")),
    measured(uint_tlv(tlv::file::not_before, "not_valid_before", 8, "not_before"), "s"),
    measured(uint_tlv(tlv::file::not_after, "not_valid_after", 8, "not_after"), "s"),
    repeated(compound(tlv::uplink_service_flow, "uplink_service_flow", kServiceFlowTlvs, "ul_flow")),
    repeated(compound(tlv::downlink_service_flow, "downlink_service_flow", kServiceFlowTlvs, "dl_flow")),
    octets_tlv(tlv::file::signature, "hmac_sha256", 32, "signature")};

}  // namespace

constinit const TlvSet kConfigurationFileTlvs{kConfigurationFile, &kCommonTlvs, "configuration_file"};

namespace {

// ---- messages (6.3.2.3) ----

constexpr FieldSpec octet(std::string_view name) { return {name, 8}; }
/// An octet that became reserved with 802.16e.
constexpr FieldSpec channel_id(std::string_view name) { return {name, 8, 1, false, true}; }
constexpr FieldSpec kReserved4bits{{}, 4}, kReserved5bits{{}, 5}, kReserved6bits{{}, 6};
constexpr FieldSpec kTid{"tid", 16}, kCc{"cc", 8}, kSfid{"sfid", 32};

constexpr FieldSpec kUcdFields[] = {octet("change_count"), {"ranging_backoff", 8, 2}, {"request_backoff", 8, 2}};
constexpr FieldSpec kDcdFields[] = {channel_id("dl_channel_id"), octet("change_count")};
constexpr FieldSpec kDlMapFields[] = {octet("dcd_count"), {"bs_id", 48, 1, true}};
constexpr FieldSpec kUlMapFields[] = {channel_id("ul_channel_id"), octet("ucd_count"), {"alloc_start", 32}};
constexpr FieldSpec kRngReqFields[] = {channel_id("dl_channel_id")};
constexpr FieldSpec kRngRspFields[] = {channel_id("ul_channel_id")};
constexpr FieldSpec kResponse[] = {octet("response")};
constexpr FieldSpec kPkmFields[] = {octet("code"), octet("identifier")};
constexpr FieldSpec kTransaction[] = {kTid};
constexpr FieldSpec kTransactionReply[] = {kTid, kCc};
constexpr FieldSpec kDsdReqFields[] = {kTid, kSfid};
constexpr FieldSpec kDsdRspFields[] = {kTid, kCc, kSfid};
constexpr FieldSpec kDbpcFields[] = {kReserved4bits, {"diuc", 4}, octet("change_count")};
constexpr FieldSpec kAction[] = {octet("action")};
constexpr FieldSpec kCode[] = {octet("code")};
constexpr FieldSpec kDiscardFields[] = {{"cid", 16}, kReserved5bits, {"bsn", 11}};
constexpr FieldSpec kResetFields[] = {{"cid", 16}, {"type", 2}, kReserved6bits};
constexpr std::span<const FieldSpec> kNoFields{};

constexpr MessageSpec kMessages[] = {
    {0, "UCD", kUcdFields, Tail::tlvs, &kUcdTlvs, "6.3.2.3.3"},
    {1, "DCD", kDcdFields, Tail::tlvs, &kDcdTlvs, "6.3.2.3.1"},
    {2, "DL-MAP", kDlMapFields, Tail::dl_map_ies, nullptr, "6.3.2.3.2"},
    {3, "UL-MAP", kUlMapFields, Tail::ul_map_ies, nullptr, "6.3.2.3.4"},
    {4, "RNG-REQ", kRngReqFields, Tail::tlvs, &kRngReqTlvs, "6.3.2.3.5"},
    {5, "RNG-RSP", kRngRspFields, Tail::tlvs, &kRngRspTlvs, "6.3.2.3.6"},
    {6, "REG-REQ", kNoFields, Tail::tlvs, &kRegTlvs, "6.3.2.3.7"},
    {7, "REG-RSP", kResponse, Tail::tlvs, &kRegTlvs, "6.3.2.3.8"},
    {8, "reserved", kNoFields, Tail::octets, nullptr},
    {9, "PKM-REQ", kPkmFields, Tail::tlvs, &kPkmTlvs, "6.3.2.3.9"},
    {10, "PKM-RSP", kPkmFields, Tail::tlvs, &kPkmTlvs, "6.3.2.3.9"},
    {11, "DSA-REQ", kTransaction, Tail::tlvs, &kCommonTlvs, "6.3.2.3.10"},
    {12, "DSA-RSP", kTransactionReply, Tail::tlvs, &kCommonTlvs, "6.3.2.3.11"},
    {13, "DSA-ACK", kTransactionReply, Tail::tlvs, &kCommonTlvs, "6.3.2.3.12"},
    {14, "DSC-REQ", kTransaction, Tail::tlvs, &kCommonTlvs, "6.3.2.3.13"},
    {15, "DSC-RSP", kTransactionReply, Tail::tlvs, &kCommonTlvs, "6.3.2.3.14"},
    {16, "DSC-ACK", kTransactionReply, Tail::tlvs, &kCommonTlvs, "6.3.2.3.15"},
    {17, "DSD-REQ", kDsdReqFields, Tail::tlvs, &kCommonTlvs, "6.3.2.3.16"},
    {18, "DSD-RSP", kDsdRspFields, Tail::tlvs, &kCommonTlvs, "6.3.2.3.17"},
    {19, "reserved", kNoFields, Tail::octets, nullptr},
    {20, "reserved", kNoFields, Tail::octets, nullptr},
    {21, "MCA-REQ", kTransaction, Tail::tlvs, &kMcaTlvs, "6.3.2.3.18"},
    {22, "MCA-RSP", kTransactionReply, Tail::none, nullptr, "6.3.2.3.19"},
    {23, "DBPC-REQ", kDbpcFields, Tail::none, nullptr, "6.3.2.3.20"},
    {24, "DBPC-RSP", kDbpcFields, Tail::none, nullptr, "6.3.2.3.21"},
    {25, "RES-CMD", kNoFields, Tail::tlvs, &kCommonTlvs, "6.3.2.3.22"},
    {26, "SBC-REQ", kNoFields, Tail::tlvs, &kSbcTlvs, "6.3.2.3.23"},
    {27, "SBC-RSP", kNoFields, Tail::tlvs, &kSbcTlvs, "6.3.2.3.24"},
    {28, "CLK-CMP", kNoFields, Tail::clocks, nullptr, "6.3.2.3.25"},
    {29, "DREG-CMD", kAction, Tail::tlvs, &kCommonTlvs, "6.3.2.3.26"},
    {30, "DSX-RVD", kTransactionReply, Tail::none, nullptr, "6.3.2.3.27"},
    {31, "TFTP-CPLT", kNoFields, Tail::tlvs, &kCommonTlvs, "6.3.2.3.28"},
    {32, "TFTP-RSP", kResponse, Tail::tlvs, &kCommonTlvs, "6.3.2.3.29"},
    {33, "ARQ-Feedback", kNoFields, Tail::feedback_ies, nullptr, "6.3.2.3.30"},
    {34, "ARQ-Discard", kDiscardFields, Tail::none, nullptr, "6.3.2.3.31"},
    {35, "ARQ-Reset", kResetFields, Tail::none, nullptr, "6.3.2.3.32"},
    {36, "REP-REQ", kNoFields, Tail::tlvs, &kRepReqTlvs, "6.3.2.3.33"},
    {37, "REP-RSP", kNoFields, Tail::tlvs, &kRepRspTlvs, "6.3.2.3.33"},
    {38, "FPC", kNoFields, Tail::stations, nullptr, "6.3.2.3.34"},
    {39, "MSH-NCFG", kNoFields, Tail::octets, nullptr, "6.3.2.3.35"},
    {40, "MSH-NENT", kNoFields, Tail::octets, nullptr, "6.3.2.3.36"},
    {41, "MSH-DSCH", kNoFields, Tail::octets, nullptr, "6.3.2.3.37"},
    {42, "MSH-CSCH", kNoFields, Tail::octets, nullptr, "6.3.2.3.38"},
    {43, "MSH-CSCF", kNoFields, Tail::octets, nullptr, "6.3.2.3.39"},
    {44, "AAS-FBCK-REQ", kNoFields, Tail::octets, nullptr, "6.3.2.3.40"},
    {45, "AAS-FBCK-RSP", kNoFields, Tail::octets, nullptr, "6.3.2.3.40"},
    {46, "AAS-BEAM-SELECT", kNoFields, Tail::octets, nullptr},
    {47, "AAS-BEAM-REQ", kNoFields, Tail::octets, nullptr},
    {48, "AAS-BEAM-RSP", kNoFields, Tail::octets, nullptr},
    {49, "DREG-REQ", kCode, Tail::tlvs, &kCommonTlvs, "6.3.2.3.42"},
};
constexpr MessageSpec kReservedMessage{255, "reserved", kNoFields, Tail::octets, nullptr};

constexpr bool in_order() {
    for (size_t i = 0; i < std::size(kMessages); ++i)
        if (kMessages[i].type != i) return false;
    return true;
}
static_assert(in_order());

}  // namespace

const char* to_string(ValueKind kind) {
    constexpr const char* kNames[] = {"unsigned", "signed", "octets",    "blob",        "text", "bits",
                                      "list",     "ranges", "addresses", "power_codes", "hmac", "compound"};
    return kNames[static_cast<size_t>(kind)];
}

const char* to_string(Tail tail) {
    constexpr const char* kNames[] = {"none", "tlvs", "dl_map", "ul_map", "feedback", "clocks", "stations", "octets"};
    return kNames[static_cast<size_t>(tail)];
}

const TlvSpec* TlvSet::find(uint8_t type) const {
    for (const TlvSet* set = this; set; set = set->fallback)
        for (const TlvSpec& spec : set->specs)
            if (spec.type == type) return &spec;
    return nullptr;
}

const MessageSpec& message_spec(uint8_t type) {
    return type < std::size(kMessages) ? kMessages[type] : kReservedMessage;
}

}  // namespace wimax::mac
