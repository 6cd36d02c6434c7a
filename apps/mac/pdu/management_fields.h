// SPDX-License-Identifier: GPL-3.0-or-later
// Assigns members of message structures to fixed fields and TLVs, once for both directions: management_messages.cc
// walks these functions with encoding and decoding visitors. Fixed fields have the order of the table in dictionary.cc;
// TLVs are encoded in the order given here.
#pragma once

#include "mac/pdu/management_messages.h"

namespace wimax::mac {

template <class V> void visit(V& v, DownlinkProfile& p) {
    v.tlv(tlv::dcd::profile::fec, p.fec);
    v.tlv(tlv::dcd::profile::exit_threshold, p.exit_threshold);
    v.tlv(tlv::dcd::profile::entry_threshold, p.entry_threshold);
    v.tlv(tlv::dcd::profile::tcs_enable, p.tcs_enable);
}
template <class V> void visit(V& v, UplinkProfile& p) {
    v.tlv(tlv::ucd::profile::fec, p.fec);
    v.tlv(tlv::ucd::profile::focused_power_boost, p.focused_power_boost_db);
    v.tlv(tlv::ucd::profile::tcs_enable, p.tcs_enable);
}
template <class V> void visit(V& v, Dcd& m) {
    v.fixed(m.dl_channel_id, m.change_count);
    v.tlv(tlv::dcd::bs_eirp, m.bs_eirp_dbm);
    v.tlv(tlv::dcd::ttg, m.ttg_ps);
    v.tlv(tlv::dcd::rtg, m.rtg_ps);
    v.tlv(tlv::dcd::rss_ir_max, m.rss_ir_max_dbm);
    v.tlv(tlv::dcd::frequency, m.frequency_khz);
    v.tlv(tlv::dcd::bs_id, m.bs_id);
    v.tlv(tlv::dcd::frame_duration_code, m.frame_duration_code);
    v.tlv(tlv::dcd::frame_number, m.frame_number);
    v.tlv(tlv::mac_version, m.mac_version);
    v.compounds(tlv::dcd::burst_profile, m.profiles);
}
template <class V> void visit(V& v, Ucd& m) {
    v.fixed(m.change_count, m.ranging_backoff, m.request_backoff);
    v.tlv(tlv::ucd::reservation_timeout, m.reservation_timeout_maps);
    v.tlv(tlv::ucd::request_opportunity_size, m.request_opportunity_ps);
    v.tlv(tlv::ucd::ranging_opportunity_size, m.ranging_opportunity_ps);
    v.tlv(tlv::ucd::frequency, m.frequency_khz);
    v.tlv(tlv::ucd::req_region_full, m.req_region_full);
    v.tlv(tlv::ucd::focused_codes, m.focused_codes);
    v.compounds(tlv::ucd::burst_profile, m.profiles);
}
template <class V> void visit(V& v, DlMap& m) {
    v.fixed(m.dcd_count, m.bs_id);
    v.ies(m.ies);
}
template <class V> void visit(V& v, UlMap& m) {
    v.fixed(m.ul_channel_id, m.ucd_count, m.alloc_start_ps);
    v.ies(m.ies);
}
template <class V> void visit(V& v, RngReq& m) {
    v.fixed(m.dl_channel_id);
    v.bits(tlv::rng_req::requested_profile, m.requested_profile);
    v.tlv(tlv::rng_req::ss_mac_address, m.ss_mac);
    v.tlv(tlv::rng_req::ranging_anomalies, m.anomalies);
}
template <class V> void visit(V& v, RngRsp& m) {
    v.fixed(m.ul_channel_id);
    v.tlv(tlv::rng_rsp::timing_adjust, m.timing_adjust_samples);
    v.tlv(tlv::rng_rsp::power_adjust, m.power_adjust_qdb);
    v.tlv(tlv::rng_rsp::frequency_adjust, m.frequency_adjust_hz);
    v.tlv(tlv::rng_rsp::status, m.status);
    v.tlv(tlv::rng_rsp::downlink_frequency_override, m.downlink_frequency_khz);
    v.tlv(tlv::rng_rsp::uplink_channel_override, m.uplink_channel_id_override);
    v.bits(tlv::rng_rsp::operational_profile, m.operational_profile);
    v.tlv(tlv::rng_rsp::frame_number, m.frame_number);
    v.tlv(tlv::rng_rsp::opportunity_number, m.opportunity_number);
    v.tlv(tlv::rng_rsp::ss_mac_address, m.ss_mac);
    v.tlv(tlv::rng_rsp::basic_cid, m.basic_cid);
    v.tlv(tlv::rng_rsp::primary_cid, m.primary_cid);
}
template <class V> void visit(V& v, BasicCapabilities& m) {
    v.tlv(tlv::sbc::bandwidth_allocation, m.bandwidth_allocation);
    v.tlv(tlv::sbc::transition_gaps, m.transition_gaps_us);
    v.tlv(tlv::sbc::maximum_power, m.maximum_power);
    v.tlv(tlv::current_transmit_power, m.current_transmit_power);
    v.tlv(tlv::sbc::pdu_construction, m.pdu_construction);
    v.tlv(tlv::sbc::fft_sizes, m.fft_sizes);
    v.tlv(tlv::sbc::demodulator, m.demodulator);
    v.tlv(tlv::sbc::modulator, m.modulator);
    v.tlv(tlv::sbc::focused_contention, m.focused_contention);
    v.tlv(tlv::sbc::tc_sublayer, m.tc_sublayer);
    v.tlv(tlv::sbc::authorization_policy, m.authorization_policy);
}
template <class V> void visit(V& v, ReportRequest& m) {
    v.tlv(tlv::report_request::type, m.type);
    v.tlv(tlv::report_request::channel, m.channel);
}
template <class V> void visit(V& v, RepReq& m) { v.compound(tlv::report_request::request, m.request); }
template <class V> void visit(V& v, Report& m) {
    v.tlv(tlv::report::channel, m.channel);
    v.tlv(tlv::report::basic, m.basic);
    v.tlv(tlv::report::cinr, m.cinr);
    v.tlv(tlv::report::rssi, m.rssi);
}
template <class V> void visit(V& v, RepRsp& m) {
    v.compound(tlv::report::report, m.report);
    v.tlv(tlv::current_transmit_power, m.current_transmit_power);
}
template <class V> void visit(V& v, ArqFields& m) {
    v.tlv(tlv::flow::arq_enable, m.arq_enable);
    v.tlv(tlv::flow::arq_window_size, m.arq_window_blocks);
    v.tlv(tlv::flow::arq_retry_transmitter, m.arq_retry_transmitter);
    v.tlv(tlv::flow::arq_retry_receiver, m.arq_retry_receiver);
    v.tlv(tlv::flow::arq_block_lifetime, m.arq_block_lifetime);
    v.tlv(tlv::flow::arq_sync_loss, m.arq_sync_loss);
    v.tlv(tlv::flow::arq_in_order, m.arq_deliver_in_order);
    v.tlv(tlv::flow::arq_rx_purge, m.arq_rx_purge);
    v.tlv(tlv::flow::arq_block_size, m.arq_block_octets);
}
template <class V> void visit_registration(V& v, Registration& m) {
    v.compound(tlv::reg::arq_parameters, m.secondary_arq);
    v.tlv(tlv::reg::managed, m.managed);
    v.tlv(tlv::reg::ip_mode, m.ip_mode);
    v.tlv(tlv::reg::ip_version, m.ip_version);
    v.tlv(tlv::reg::secondary_cid, m.secondary_cid);
    v.tlv(tlv::reg::uplink_cids, m.uplink_cids);
    v.tlv(tlv::reg::cs_support, m.cs_support);
    v.tlv(tlv::reg::maximum_classifiers, m.maximum_classifiers);
    v.tlv(tlv::reg::phs, m.phs);
    v.tlv(tlv::reg::arq, m.arq);
    v.tlv(tlv::reg::dsx_flow_control, m.dsx_flow_control);
    v.tlv(tlv::reg::mac_crc, m.mac_crc);
    v.tlv(tlv::mac_version, m.mac_version);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, RegReq& m) { visit_registration(v, m); }
template <class V> void visit(V& v, RegRsp& m) {
    v.fixed(m.response);
    visit_registration(v, m);
}
template <class V, class Mask> void visit(V& v, BasicClassifierRule<Mask>& m) {
    namespace rule = tlv::cs::rule;
    v.tlv(rule::priority, m.priority);
    v.tlv(rule::tos, m.tos);
    v.list(rule::protocol, m.protocols);
    constexpr bool ethernet = std::same_as<Mask, MacMask>;
    v.list(ethernet ? rule::ethernet_source : rule::source, m.sources);
    v.list(ethernet ? rule::ethernet_destination : rule::destination, m.destinations);
    v.tlv(rule::ethertype, m.ethertype);
    v.tlv(rule::user_priority, m.user_priority);
    v.tlv(rule::vlan_id, m.vlan_id);
    v.list(rule::source_ports, m.source_ports);
    v.list(rule::destination_ports, m.destination_ports);
    v.tlv(rule::phsi, m.phsi);
    v.tlv(rule::index, m.index);
}
template <class V> void visit(V& v, PhsRule& m) {
    namespace phs = tlv::cs::phs;
    v.tlv(phs::index, m.phsi);
    v.list(phs::field, m.field);
    v.list(phs::mask, m.mask);
    v.tlv(phs::size, m.size);
    v.tlv(phs::verification, m.verification);
}
template <class V, class Mask> void visit(V& v, BasicCsParameters<Mask>& m) {
    v.tlv(tlv::cs::classifier_action, m.action);
    v.compound(tlv::cs::classification_rule, m.rule);
    v.tlv(tlv::cs::phs_action, m.phs_action);
    v.compound(tlv::cs::phs_rule, m.phs);
}
template <class V> void visit(V& v, ServiceFlow& m) {
    v.tlv(tlv::flow::sfid, m.sfid);
    v.tlv(tlv::flow::cid, m.cid);
    v.text(tlv::flow::service_class, m.service_class);
    v.tlv(tlv::flow::qos_set_type, m.qos_set_type);
    v.tlv(tlv::flow::traffic_priority, m.traffic_priority);
    v.tlv(tlv::flow::maximum_rate, m.maximum_rate_bps);
    v.tlv(tlv::flow::maximum_burst, m.maximum_burst_octets);
    v.tlv(tlv::flow::minimum_rate, m.minimum_rate_bps);
    v.tlv(tlv::flow::scheduling, m.scheduling);
    v.tlv(tlv::flow::policy, m.policy);
    v.tlv(tlv::flow::tolerated_jitter, m.tolerated_jitter_ms);
    v.tlv(tlv::flow::maximum_latency, m.maximum_latency_ms);
    v.tlv(tlv::flow::fixed_length_sdu, m.fixed_length_sdu);
    v.tlv(tlv::flow::sdu_size, m.sdu_size);
    v.tlv(tlv::flow::target_said, m.target_said);
    visit(v, static_cast<ArqFields&>(m));
    v.tlv(tlv::flow::cs_specification, m.cs_specification);
    v.compounds(tlv::flow::cs_ipv4, m.cs_ipv4);
    v.compounds(tlv::flow::cs_ipv6, m.cs_ipv6);
    v.compounds(tlv::flow::cs_ethernet, m.cs_ethernet);
    v.compounds(tlv::flow::cs_vlan, m.cs_vlan);
    v.list(tlv::vendor_specific, m.vendor_specific);
}
template <class V> void visit_flows(V& v, FlowChange& m) {
    v.compound(tlv::uplink_service_flow, m.uplink);
    v.compound(tlv::downlink_service_flow, m.downlink);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, FlowChange& m) {
    v.fixed(m.tid);
    visit_flows(v, m);
}
template <class V> void visit(V& v, FlowChangeReply& m) {
    v.fixed(m.tid, m.cc);
    visit_flows(v, m);
}
template <class V> void visit(V& v, DsdReq& m) {
    v.fixed(m.tid, m.sfid);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, DsdRsp& m) {
    v.fixed(m.tid, m.cc, m.sfid);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, DsxRvd& m) { v.fixed(m.tid, m.cc); }
template <class V> void visit(V& v, DbpcReq& m) { v.fixed(m.diuc, m.change_count); }
template <class V> void visit(V& v, DbpcRsp& m) { v.fixed(m.diuc, m.change_count); }
template <class V> void visit(V& v, McaReq& m) {
    v.fixed(m.tid);
    v.tlv(tlv::mca::multicast_cid, m.multicast_cid);
    v.tlv(tlv::mca::assignment, m.assignment);
    v.tlv(tlv::mca::group_type, m.group_type);
    v.tlv(tlv::mca::periodic_parameters, m.periodic_parameters);
    v.tlv(tlv::mca::periodic_type, m.periodic_type);
    v.tlv(tlv::mca::operation, m.operation);
}
template <class V> void visit(V& v, McaRsp& m) { v.fixed(m.tid, m.cc); }
template <class V> void visit(V& v, TftpCplt& m) { v.tlv(tlv::hmac_tuple, m.hmac); }
template <class V> void visit(V& v, TftpRsp& m) {
    v.fixed(m.response);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, ResCmd& m) { v.tlv(tlv::hmac_tuple, m.hmac); }
template <class V> void visit(V& v, DregCmd& m) {
    v.fixed(m.action);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, DregReq& m) {
    v.fixed(m.code);
    v.tlv(tlv::hmac_tuple, m.hmac);
}
template <class V> void visit(V& v, ArqFeedback& m) { v.ies(m.ies); }
template <class V> void visit(V& v, ArqDiscard& m) { v.fixed(m.cid, m.bsn); }
template <class V> void visit(V& v, ArqReset& m) { v.fixed(m.cid, m.type); }

/// Fields inside a value of ValueKind::bits, in the table's order.
template <class F> void parts(RequestedProfile& p, F&& f) { f(p.dcd_count_lsb4), f(p.diuc); }
template <class F> void parts(OperationalProfile& p, F&& f) { f(p.diuc), f(p.dcd_count); }

/// The burst profile's code in front of its TLVs: four bits reserved, four bits DIUC or UIUC.
inline uint8_t* prefix(DownlinkProfile& p) { return &p.diuc; }
inline uint8_t* prefix(UplinkProfile& p) { return &p.uiuc; }
template <class Mask> uint8_t* prefix(BasicCsParameters<Mask>&) { return nullptr; }
inline uint8_t* prefix(PhsRule&) { return nullptr; }
inline constexpr uint8_t kPrefixMask = 0x0F;

}  // namespace wimax::mac
