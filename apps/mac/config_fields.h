/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers and switches of config.h: key, allowed range, unit and meaning of each, once. validate() walks them and
 * checks; the schema of wimax-macd walks them and reads, so that file, command line and library allow the same. Keys
 * are the members' names.
 *
 *   v(key, number or optional number, limits, unit, meaning)
 *   v(key, switch, meaning)
 *   v.each(key, array, limits, unit, meaning)
 *
 * What is text, a choice, a list or a rule over several keys is where it is read or checked.
 */
#pragma once

#include "mac/flow_limits.h"
#include "mac/frame_layout.h"
#include "mac/station_config.h"
#include "phy/base/description.h"

#include <limits>

namespace wimax::mac {

/// Both ends included; what a member's type cannot hold is not allowed either.
struct Limits {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

inline constexpr Limits kAnyNumber{}, kRateIds{0, phy::kRates - 1}, kBufferLimits{64, 100'000},
    kQueueLimits{3000, 100'000'000}, kCodelFrames{0, 100}, kCodelIntervalMs{10, 10'000}, kHoldFrames{0, 20},
    kTimerMs{1, 100'000}, kLongTimerMs{1, 600'000}, kBackoffExponents{0, 15};
inline constexpr size_t kMostScanChannels = 256;
/// A station takes CIDs above 640 alone for transport connections, since it is not told how many basic ones there are.
inline constexpr uint32_t kFewestBasicCids = 320, kMostBasicCids = 8000;
inline constexpr size_t kMaxFlowName = 126;  ///< octets of the service class name, without its final zero
inline constexpr const char* kBuffersHelp = "shared by all queues, beside 16 for each of them; 2 kB";

using gr::wimax::phy::Is;

/// The radio channel: members of both stations' configurations.
template <class V>
void visit_air(V& v, auto& c) {
    v("bandwidth_hz", c.bandwidth_hz, {phy::kMinBandwidthHz, phy::kMaxBandwidthHz}, "Hz", "channel bandwidth");
    v("frequency_hz", c.frequency_hz, {sap::kMinFrequencyHz, sap::kMaxFrequencyHz}, "Hz",
      "carrier; TDD: the same both ways");
    v("tx_gain_db", c.tx_gain_db, {-sap::kMaxGainDb, sap::kMaxGainDb}, "dB", "transmit gain of the radio");
    v("rx_gain_db", c.rx_gain_db, {-sap::kMaxGainDb, sap::kMaxGainDb}, "dB", "receive gain of the radio");
}

template <class V>
void visit(V& v, Is<ArqConfig> auto& a) {
    constexpr Limits kTimes{0, kMaxArqTimeMs};
    v("arq.enable", a.enable, "what is lost on air is sent again; needs fragmentation and crc");
    v("arq.window_blocks", a.window_blocks, {1, 1024}, "blocks", "sent and not acknowledged, at most");
    v("arq.block_octets", a.block_octets, {1, 2040}, "bytes", "SDUs are cut into blocks of");
    v("arq.retry_timeout_ms", a.retry_timeout_ms, kTimes, "ms",
      "a block that nobody acknowledges is sent again after; 0: six frames");
    v("arq.block_lifetime_ms", a.block_lifetime_ms, kTimes, "ms",
      "an SDU is given up so long after a block of it was first sent; 0: never");
    v("arq.sync_loss_timeout_ms", a.sync_loss_timeout_ms, kTimes, "ms",
      "both ends begin anew when the window has not moved so long, above the lifetime; 0: never");
    v("arq.rx_purge_timeout_ms", a.rx_purge_timeout_ms, kTimes, "ms",
      "what came waits so long for what is missing before it, above the lifetime; 0: for ever");
    v("arq.deliver_in_order", a.deliver_in_order, "a packet waits for those before it");
}

template <class V>
void visit(V& v, Is<ServiceFlowConfig> auto& f) {
    v("traffic_priority", f.traffic_priority, {0, 7}, "", "higher is served first");
    v("max_sustained_rate_bps", f.max_sustained_rate_bps, kAnyNumber, "bit/s", "0: no limit; UGS: the rate granted");
    v("max_burst_bytes", f.max_burst_bytes, kAnyNumber, "bytes",
      "bucket depth, at least 2040; 0: 40 ms of the rate and 2040");
    v("min_reserved_rate_bps", f.min_reserved_rate_bps, kAnyNumber, "bit/s", "reserved even when the cell is full");
    v("max_latency_ms", f.max_latency_ms, kAnyNumber, "ms", "0: not said");
    v("tolerated_jitter_ms", f.tolerated_jitter_ms, kAnyNumber, "ms", "0: not said");
    v("grant_interval_us", f.grant_interval_us, {0, 10'000'000}, "us",
      "UGS: between grants, rtPS and nrtPS: between polls; 0: every frame");
    v("fragmentation", f.fragmentation, "SDUs may be split over PDUs");
    v("packing", f.packing, "several SDUs may share a PDU");
    v("crc", f.crc, "PDUs end with a CRC-32");
    v("piggyback", f.piggyback, "requests ride on PDUs");
    v("contention_requests", f.contention_requests, "requests in contention are allowed");
    v("multicast", f.multicast,
      "downlink: the stations that have the flow share one connection, and each packet is sent once for all of them");
    v("queue_limit_bytes", f.queue_limit_bytes, kQueueLimits, "bytes", "longest queue");
    v("queue_limit_packets", f.queue_limit_packets, kAnyNumber, "packets", "the same in packets; 0: no limit");
    v("active_at_start", f.active_at_start, "else the first packet brings the flow up");
    v("idle_timeout_ms", f.idle_timeout_ms, {0, 3'600'000}, "ms",
      "without a packet that long the flow is taken down, until one comes; 0: never");
    v("idle_releases", f.idle_releases, "a flow that is down is provisioned only, and holds no resources");
    v("fixed_sdu_octets", f.fixed_sdu_octets, {0, 255}, "bytes",
      "length of all packets, which share PDUs without subheaders then, others are refused; 0: any length");
    visit(v, f.arq);
}

/// Of one station.
template <class V>
void visit_rates(V& v, auto& s) {
    v("dl_rate_id", s.dl_rate_id, kRateIds, "", "downlink rate; null: bs.dl_rate_id");
    v("ul_rate_id", s.ul_rate_id, kRateIds, "", "uplink rate; null: bs.ul_rate_id");
    v("dl_lowest_rate_id", s.dl_lowest_rate_id, kRateIds, "", "down to which the downlink rate may fall; null: bs's");
    v("ul_lowest_rate_id", s.ul_lowest_rate_id, kRateIds, "", "down to which the uplink rate may fall; null: bs's");
}

template <class V>
void visit(V& v, Is<StationConfig> auto& s) {
    visit_rates(v, s);
    v("weight", s.weight, {1, 100}, "", "share of best effort capacity");
    v("ul_subchannels", s.ul_subchannels, {1, 16}, "",
      "of its grants, 1, 2, 4, 8 or 16; null: all, or as bs.subchannelization finds");
    v("dynamic_flows", s.dynamic_flows, {0, kMaxFlowsEachWay}, "", "service flows that the station may add itself");
}

/// What of the UCD may change while stations are served; of the DCD the thresholds may.
template <class V>
void visit_contention(V& v, auto& p) {
    v("ranging_backoff_start", p.ranging_backoff_start, kBackoffExponents, "", "exponent of 2");
    v("ranging_backoff_end", p.ranging_backoff_end, kBackoffExponents, "", "exponent of 2");
    v("request_backoff_start", p.request_backoff_start, kBackoffExponents, "", "exponent of 2");
    v("request_backoff_end", p.request_backoff_end, kBackoffExponents, "", "exponent of 2");
    v("reservation_timeout", p.reservation_timeout, {1, 255}, "UL-MAPs",
      "to wait for a grant before a request counts as lost");
}

template <class V>
void visit(V& v, Is<BaseStationProfile> auto& p) {
    v("broadcast_rate_id", p.broadcast_rate_id, kRateIds, "",
      "rate of maps and descriptors; Rate_ID: 0 BPSK 1/2, 1 QPSK 1/2, 2 QPSK 3/4, 3 16-QAM 1/2, 4 16-QAM 3/4, 5 64-QAM "
      "2/3, 6 64-QAM 3/4");
    v("dcd_interval_ms", p.dcd_interval_ms, {0, 10'000}, "ms", "between DCDs; 0: every frame");
    v("ucd_interval_ms", p.ucd_interval_ms, {0, 10'000}, "ms", "between UCDs; 0: every frame");
    v("dl_map_interval_ms", p.dl_map_interval_ms, {0, 500}, "ms",
      "between DL-MAPs when nothing needs one; 0: every frame");
    v("ranging_interval_ms", p.ranging_interval_ms, {0, 2000}, "ms", "between initial ranging regions; 0: every frame");
    v("ranging_symbols", p.ranging_symbols, {5, 40}, "symbols", "length of a ranging opportunity");
    v("request_symbols", p.request_symbols, {0, 128}, "symbols",
      "contention region for requests in each frame; an opportunity has two, an odd one stays unused");
    v("focused_opportunities", p.focused_opportunities, {0, 8}, "",
      "for codes of focused contention in each frame, two symbols each; 0: none");
    v("focused_stations", p.focused_stations, {0, kMostBasicCids}, "stations",
      "registered, from which on codes take the place of the request region");
    v("scale", p.scale, "request region, its backoff windows and T27 grow with the number of registered stations");
    v("polling_group_stations", p.polling_group_stations, {0, 1000}, "stations",
      "in a multicast polling group, of which one has the request region of a frame; 0: no groups");
    v("spare_ranging", p.spare_ranging, "more ranging regions while the uplink idles and a station may be entering");
    visit_contention(v, p);
    v("unasked_symbols", p.unasked_symbols, {0, 1023}, "symbols", "granted to each registered station in each frame");
    v("grant_spare", p.grant_spare, "what is left of the uplink goes to stations that lately had traffic");
    v("turn_regions", p.turn_regions,
      "request and ranging regions are last in some frames, against interference at one place");
}

/// CINR thresholds of the descriptors: a byte of quarter decibels.
template <class V>
void visit_thresholds(V& v, auto& p) {
    v.each("exit_db", p.exit_db, {0, 63.75}, "dB", "CINR at or below which a burst profile is left, by rate [dB]");
    v.each("entry_db", p.entry_db, {0, 63.75}, "dB", "CINR from which on a burst profile may be entered, by rate [dB]");
}

/// Of either end; the base station has more.
template <class V>
void visit_adaptation(V& v, auto& a) {
    v("averaging_ms", a.averaging_ms, {0, 10'000}, "ms", "time constant of the CINR's mean, for higher rates");
    v("target_loss", a.target_loss, {0, 0.5}, "", "share of lost bursts that the outer loop aims at; 0: no outer loop");
    v("most_margin_db", a.most_margin_db, {0, 40}, "dB", "that the outer loop may add to the thresholds");
}
template <class V>
void visit(V& v, Is<LinkAdaptationConfig> auto& a) {
    visit_adaptation(v, a);
    v("margin_db", a.margin_db, {0, 20}, "dB", "protection margin on top of the profile's thresholds");
    v("report_ms", a.report_ms, {0, 60'000}, "ms", "between REP-REQs to stations whose rates are not fixed; 0: none");
}

template <class V>
void visit(V& v, Is<SubchannelizationConfig> auto& s) {
    v("enable", s.enable, "stations whose power does not do for all subchannels get grants on fewer");
    v("fewest", s.fewest, {1, 8}, "", "subchannels of such a grant: 1, 2, 4 or 8");
    v("hysteresis_db", s.hysteresis_db, {0, 20}, "dB", "CINR above what the rate needs, before a grant becomes wider");
}

template <class V>
void visit(V& v, Is<StcConfig> auto& s) {
    v("enable", s.enable, "stations whose link fades are served in an STC zone; needs a PHY with two antennas");
    v("enter_variation", s.enter_variation, {0.01, 2}, "",
      "standard deviation over mean of the CINR, from which on a station is served in the zone");
    v("leave_variation", s.leave_variation, {0, 2}, "", "the same, until which it is");
}

template <class V>
void visit(V& v, Is<MidamblesConfig> auto& m) {
    v("enable", m.enable, "uplink bursts of stations whose channel moves carry midambles");
}

/// Of stations without their own: they may change while stations are served.
template <class V>
void visit_common_rates(V& v, auto& c) {
    v("dl_rate_id", c.dl_rate_id, kRateIds, "", "downlink rate of stations without their own");
    v("ul_rate_id", c.ul_rate_id, kRateIds, "", "uplink rate of stations without their own");
    v("dl_lowest_rate_id", c.dl_lowest_rate_id, kRateIds, "",
      "down to which a station's downlink rate may fall; null: fixed");
    v("ul_lowest_rate_id", c.ul_lowest_rate_id, kRateIds, "",
      "down to which a station's uplink rate may fall; null: fixed");
}

template <class V>
void visit(V& v, Is<BaseStationConfig> auto& c) {
    v("first_frame_number", c.first_frame_number, {0, phy::FrameNumber::kLast}, "", "number of the first frame");
    v("dl_share", c.dl_share, {0.1, 0.9}, "", "downlink part of the frame, TTG included");
    v("dl_symbols", c.dl_symbols, {0, phy::kMaxFrameSymbols}, "symbols", "the same in symbols; 0: by bs.dl_share");
    v("ttg_us", c.ttg_us, {0, 10'000}, "us", "transmit/receive gap; 0: one symbol");
    v("rtg_us", c.rtg_us, {0, 10'000}, "us", "receive/transmit gap; 0: one symbol");
    v("start_silence_ms", c.start_silence_ms, {0, 10'000}, "ms",
      "nothing is sent after a start, so that stations re-enter");
    visit_common_rates(v, c);
    v("eirp_dbm", c.eirp_dbm, {-128, 127}, "dBm", "announced in the DCD; null: what the PHY reports");
    v("target_rssi_dbm", c.target_rssi_dbm, {-120, 0}, "dBm", "wanted from each station at the antenna");
    v("power_control", c.power_control, "correct the stations' power");
    v("power_tolerance_db", c.power_tolerance_db, {0.25, 10}, "dB", "not corrected within");
    v("frequency_tolerance", c.frequency_tolerance, {0.001, 0.1}, "", "not corrected within, of the carrier spacing");
    v("timing_tolerance_cp", c.timing_tolerance_cp, {0.01, 0.5}, "", "not corrected within, of the cyclic prefix");
    v("max_stations", c.max_stations, {1, kMostBasicCids}, "", "registered at the same time; at most bs.basic_cids");
    v("least_awake_stations", c.least_awake_stations, {0, kMostBasicCids}, "",
      "idle stations that a frame looks at all the same, in turn: they may get spare symbols unasked");
    v("basic_cids", c.basic_cids, {kFewestBasicCids, kMostBasicCids}, "",
      "basic CIDs are 1 to this, primary management CIDs as many behind them; protocol analysers take it for 320");
    v("admission_control", c.admission_control,
      "service flows whose promises cannot be kept beside those that are admitted are refused");
    v("check_source_addresses", c.check_source_addresses,
      "drop uplink packets whose source address is another station's, the base station's own, or not one of the "
      "station's ip_addresses");
    v("source_address_silence_s", c.source_address_silence_s, {1, 86'400}, "s",
      "an address that is in no station's ip_addresses stays with the station that used it first, until that station "
      "has not sent from it for this time");
    v("sdu_buffers", c.sdu_buffers, kBufferLimits, "packets", kBuffersHelp);
    v("codel_target_frames", c.codel_target_frames, kCodelFrames, "frames",
      "sojourn time that queue management tolerates; 0: no queue management");
    v("codel_interval_ms", c.codel_interval_ms, kCodelIntervalMs, "ms", "interval of queue management");
    v("ecn", c.ecn, "queue management marks packets whose ends understand ECN, in place of dropping them");
    v("sdu_hold_frames", c.sdu_hold_frames, kHoldFrames, "frames",
      "that a packet waits before it may ride: to imitate equipment that prepares its frames ahead");
    v("t27_idle_ms", c.t27_idle_ms, kTimerMs, "ms", "T27: between unicast grants to an idle station");
    v("t27_active_ms", c.t27_active_ms, kTimerMs, "ms", "T27 while the station has traffic");
    v("station_lost_ms", c.station_lost_ms, {100, 600'000}, "ms", "a station silent that long is deleted");
    v("t7_ms", c.t7_ms, kTimerMs, "ms", "T7: wait for DSA/DSC/DSD response");
    v("t8_ms", c.t8_ms, kTimerMs, "ms", "T8: wait for DSA/DSC acknowledge");
    v("t10_ms", c.t10_ms, kTimerMs, "ms", "T10: wait for transaction end");
    v("t9_ms", c.t9_ms, kTimerMs, "ms", "T9: wait for SBC-REQ after ranging");
    v("t17_ms", c.t17_ms, kLongTimerMs, "ms", "T17: wait for authorization and registration");
}

template <class V>
void visit(V& v, Is<SubscriberConfig> auto& c) {
    v("max_power_dbm", c.max_power_dbm, {-100, 60}, "dBm", "mean power of a data symbol; null: what the PHY reports");
    v("min_power_dbm", c.min_power_dbm, {-150, 60}, "dBm", "least power");
    v("first_power_backoff_db", c.first_power_backoff_db, {0, 40}, "dB",
      "first ranging attempt below the computed power");
    v("ranging_power_step_db", c.ranging_power_step_db, {0, 10}, "dB", "more with each unanswered attempt");
    v("sdu_buffers", c.sdu_buffers, kBufferLimits, "packets", kBuffersHelp);
    v("queue_limit_bytes", c.queue_limit_bytes, kQueueLimits, "bytes", "longest queue of an uplink flow");
    v("queue_limit_packets", c.queue_limit_packets, kAnyNumber, "packets", "the same in packets; 0: no limit");
    v("codel_target_frames", c.codel_target_frames, kCodelFrames, "frames",
      "sojourn time that queue management tolerates; 0: no queue management");
    v("codel_interval_ms", c.codel_interval_ms, kCodelIntervalMs, "ms", "interval of queue management");
    v("ecn", c.ecn, "queue management marks packets whose ends understand ECN, in place of dropping them");
    v("sdu_hold_frames", c.sdu_hold_frames, kHoldFrames, "frames",
      "that a packet waits before it may ride: to imitate equipment that prepares its frames ahead");
    v("random_seed", c.random_seed, kAnyNumber, "", "of backoff; 0: from the MAC address");
    v("lost_dl_map_ms", c.lost_dl_map_ms, kTimerMs, "ms", "lost DL-MAP interval");
    v("lost_ul_map_ms", c.lost_ul_map_ms, kTimerMs, "ms", "lost UL-MAP interval");
    v("t1_ms", c.t1_ms, kLongTimerMs, "ms", "T1: wait for DCD");
    v("t2_ms", c.t2_ms, kLongTimerMs, "ms", "T2: wait for a broadcast ranging region");
    v("t3_ms", c.t3_ms, {0, 100'000}, "ms", "T3: wait for RNG-RSP; 0: eight frames, 60..200 ms");
    v("t4_ms", c.t4_ms, kLongTimerMs, "ms", "T4: no unicast grant that long: range again");
    v("t6_ms", c.t6_ms, kTimerMs, "ms", "T6: wait for REG-RSP");
    v("t7_ms", c.t7_ms, kTimerMs, "ms", "T7: wait for DSA/DSC/DSD response");
    v("t8_ms", c.t8_ms, kTimerMs, "ms", "T8: wait for DSA/DSC acknowledge");
    v("t10_ms", c.t10_ms, kTimerMs, "ms", "T10: wait for transaction end");
    v("t14_ms", c.t14_ms, kTimerMs, "ms", "T14: wait for DSX-RVD");
    v("t12_ms", c.t12_ms, kLongTimerMs, "ms", "T12: wait for UCD");
    v("t16_ms", c.t16_ms, {10, 100'000}, "ms", "T16: wait for a grant, then the request is repeated");
    v("t18_ms", c.t18_ms, kTimerMs, "ms", "T18: wait for SBC-RSP");
    v("t20_ms", c.t20_ms, {40, 100'000}, "ms", "T20: search for a preamble on a channel, where there are others");
    v("t21_ms", c.t21_ms, kLongTimerMs, "ms", "T21: search for a DL-MAP on a channel");
    v("operational_ms", c.operational_ms, kLongTimerMs, "ms", "registered but no service flows that long: enter again");
}

}  // namespace wimax::mac
