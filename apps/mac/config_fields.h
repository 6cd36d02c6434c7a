// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers and switches of station_config.h, described as in limits.h. validate() walks them and checks; the schema
// of wimax-macd walks them and reads, so that file, command line and library allow the same. Keys are the members'
// names. air_config.h has those of the air interface.
//
// Texts, choices, lists and rules over several keys are defined where they are read or checked.
#pragma once

#include "mac/flow_limits.h"
#include "mac/station_config.h"

#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/base/numerology.h>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

inline constexpr Limits kAnyNumber{}, kRateIds{0, kRateCount - 1}, kBufferLimits{64, 100'000},
    kQueueLimits{3000, 100'000'000}, kCodelFrames{0, 100}, kCodelIntervalMs{10, 10'000}, kHoldFrames{0, 20},
    kTimerMs{1, 100'000}, kLongTimerMs{1, 600'000}, kBackoffExponents{0, 15};
inline constexpr size_t kMostScanChannels = 256;
/// A station uses only CIDs above 640 for transport connections, since the number of basic CIDs is not announced.
inline constexpr uint32_t kFewestBasicCids = 320, kMostBasicCids = 8000;
inline constexpr size_t kMaxFlowName = 126;  ///< octets of the service class name, without its final zero
inline constexpr const char* kBuffersHelp =
    "number of packet buffers (2 kB each) shared by all queues, in addition to 16 reserved per queue. Raise it for "
    "many busy flows";

template <class V> void visit(V& v, Is<ArqConfig> auto& a) {
    constexpr Limits kTimes{0, kMaxArqTimeMs};
    v("arq.enable", a.enable,
      "send lost blocks again (ARQ); needs fragmentation and crc. For links with losses, at the cost of delay");
    v("arq.window_blocks", a.window_blocks, {1, 1024}, "blocks",
      "largest number of blocks that are sent and not acknowledged. Raise it for fast links with a long round trip");
    v("arq.block_octets", a.block_octets, {1, 2040}, "bytes",
      "size of an ARQ block. Smaller blocks repeat less after a loss and need more overhead");
    v("arq.retry_timeout_ms", a.retry_timeout_ms, kTimes, "ms",
      "a block without an acknowledgement is sent again after this time; 0: six frames");
    v("arq.block_lifetime_ms", a.block_lifetime_ms, kTimes, "ms",
      "an SDU is discarded this time after its first block was sent; 0: never. Lower it for traffic that is useless "
      "when late");
    v("arq.sync_loss_timeout_ms", a.sync_loss_timeout_ms, kTimes, "ms",
      "both ends reset ARQ if the window has not moved for this time, which must exceed the lifetime; 0: never");
    v("arq.rx_purge_timeout_ms", a.rx_purge_timeout_ms, kTimes, "ms",
      "received blocks wait this time for missing earlier blocks; it must exceed the lifetime; 0: without limit");
    v("arq.deliver_in_order", a.deliver_in_order,
      "deliver packets in order: a packet waits for missing earlier packets");
}

template <class V> void visit(V& v, Is<ServiceFlowConfig> auto& f) {
    v("traffic_priority", f.traffic_priority, {0, 7}, "",
      "priority within the scheduling service; flows of higher priority are served first");
    v("max_sustained_rate_bps", f.max_sustained_rate_bps, kAnyNumber, "bit/s",
      "maximum sustained traffic rate; 0: no limit. For UGS it is the granted rate");
    v("max_burst_bytes", f.max_burst_bytes, kAnyNumber, "bytes",
      "maximum traffic burst: depth of the rate limiter's bucket, at least 2040; 0: 40 ms of the rate plus 2040");
    v("min_reserved_rate_bps", f.min_reserved_rate_bps, kAnyNumber, "bit/s",
      "minimum reserved traffic rate, which the flow gets even when the cell is full");
    v("max_latency_ms", f.max_latency_ms, kAnyNumber, "ms", "0: not said");
    v("tolerated_jitter_ms", f.tolerated_jitter_ms, kAnyNumber, "ms", "0: not said");
    v("target_loss", f.target_loss, {kLeastTargetLoss, kMostTargetLoss}, "",
      "share of lost packets that adaptive rates are chosen for if the flow has no ARQ; null: adaptation.target_loss");
    v("grant_interval_us", f.grant_interval_us, {0, 10'000'000}, "us",
      "interval between grants (UGS) or polls (rtPS, nrtPS); 0: every frame");
    v("fragmentation", f.fragmentation, "allow packets to be split over several PDUs");
    v("packing", f.packing, "allow several packets in one PDU");
    v("crc", f.crc, "end PDUs with a CRC-32");
    v("piggyback", f.piggyback, "send bandwidth requests in PDUs of the flow (piggyback)");
    v("contention_requests", f.contention_requests, "allow bandwidth requests by contention");
    v("multicast", f.multicast,
      "downlink only: all stations with this flow share one connection, and each packet is sent once for all");
    v("queue_limit_bytes", f.queue_limit_bytes, kQueueLimits, "bytes",
      "longest queue of the flow in bytes. Lower it for less delay, raise it for bursts");
    v("queue_limit_packets", f.queue_limit_packets, kAnyNumber, "packets", "longest queue in packets; 0: no limit");
    v("active_at_start", f.active_at_start, "activate the flow at network entry; false: with its first packet");
    v("idle_timeout_ms", f.idle_timeout_ms, {0, 3'600'000}, "ms",
      "deactivate the flow after this time without a packet, until the next packet; 0: never");
    v("idle_releases", f.idle_releases,
      "a deactivated flow is only provisioned and reserves no resources; false: it stays admitted");
    v("fixed_sdu_octets", f.fixed_sdu_octets, {0, 255}, "bytes",
      "length of all packets of the flow. They share PDUs without subheaders, and packets of another length are "
      "refused; 0: any length");
    visit(v, f.arq);
}

/// Fields of one station.
template <class V> void visit_rates(V& v, auto& s) {
    v("dl_rate_id", s.dl_rate_id, kRateIds, "",
      "highest downlink Rate_ID, 0 (BPSK 1/2) to 6 (64-QAM 3/4); null: bs.dl_rate_id");
    v("ul_rate_id", s.ul_rate_id, kRateIds, "",
      "highest uplink Rate_ID, 0 (BPSK 1/2) to 6 (64-QAM 3/4); null: bs.ul_rate_id");
    v("dl_lowest_rate_id", s.dl_lowest_rate_id, kRateIds, "",
      "lowest downlink Rate_ID that adaptation may choose; null: bs.dl_lowest_rate_id");
    v("ul_lowest_rate_id", s.ul_lowest_rate_id, kRateIds, "",
      "lowest uplink Rate_ID that adaptation may choose; null: bs.ul_lowest_rate_id");
}

template <class V> void visit(V& v, Is<StationConfig> auto& s) {
    visit_rates(v, s);
    v("weight", s.weight, {1, 100}, "", "weight of the station in the division of best effort capacity");
    v("ul_subchannels", s.ul_subchannels, {1, 16}, "",
      "number of subchannels of its uplink grants: 1, 2, 4, 8 or 16; null: all, or as bs.subchannelization chooses");
    v("dynamic_flows", s.dynamic_flows, {0, kMaxFlowsEachWay}, "",
      "number of service flows that the station may add with DSA requests");
}

/// UCD parameters that may change while stations are served; of the DCD the thresholds may.
template <class V> void visit_contention(V& v, auto& p) {
    v("ranging_backoff_start", p.ranging_backoff_start, kBackoffExponents, "", "exponent of 2");
    v("ranging_backoff_end", p.ranging_backoff_end, kBackoffExponents, "", "exponent of 2");
    v("request_backoff_start", p.request_backoff_start, kBackoffExponents, "", "exponent of 2");
    v("request_backoff_end", p.request_backoff_end, kBackoffExponents, "", "exponent of 2");
    v("reservation_timeout", p.reservation_timeout, {1, 255}, "UL-MAPs",
      "number of UL-MAPs without a grant after which a request counts as lost");
}

template <class V> void visit(V& v, Is<BaseStationProfile> auto& p) {
    v("broadcast_rate_id", p.broadcast_rate_id, kRateIds, "",
      "Rate_ID of maps and descriptors. Lower it for stations at the edge of the cell. Rate_ID: 0 BPSK 1/2, 1 QPSK "
      "1/2, 2 QPSK 3/4, 3 16-QAM 1/2, 4 16-QAM 3/4, 5 64-QAM 2/3, 6 64-QAM 3/4");
    v("dcd_interval_ms", p.dcd_interval_ms, {0, 10'000}, "ms", "interval between DCD messages; 0: every frame");
    v("ucd_interval_ms", p.ucd_interval_ms, {0, 10'000}, "ms", "interval between UCD messages; 0: every frame");
    v("dl_map_interval_ms", p.dl_map_interval_ms, {0, 500}, "ms",
      "interval between DL-MAPs in frames that need none; 0: every frame");
    v("ranging_interval_ms", p.ranging_interval_ms, {0, 2000}, "ms",
      "interval between initial ranging regions; 0: every frame. Raise it to save uplink symbols; stations then enter "
      "later");
    v("ranging_symbols", p.ranging_symbols, {5, 40}, "symbols",
      "length of an initial ranging opportunity. It must cover the round trip to the farthest station");
    v("request_symbols", p.request_symbols, {0, 128}, "symbols",
      "length of the contention region for bandwidth requests in each frame. An opportunity has two symbols; an odd "
      "symbol stays unused");
    v("focused_opportunities", p.focused_opportunities, {0, 8}, "",
      "number of focused contention opportunities in each frame, two symbols each; 0: none");
    v("focused_stations", p.focused_stations, {0, kMostBasicCids}, "stations",
      "number of registered stations at which focused contention replaces the request region");
    v("focused_subchannel_codes", p.focused_subchannel_codes, {0, 8}, "",
      "number of the 8 codes whose response is on bs.subchannelization.fewest subchannels, for stations at the edge of "
      "the cell; 0: none. It needs focused_opportunities and bs.subchannelization.enable");
    v("scale", p.scale, "scale the request region, its backoff windows and T27 with the number of registered stations");
    v("polling_group_stations", p.polling_group_stations, {0, 1000}, "stations",
      "number of stations per multicast polling group. Each frame's request region belongs to one group; 0: no groups");
    v("spare_ranging", p.spare_ranging, "add ranging regions while the uplink is idle and a station may be entering");
    visit_contention(v, p);
    v("unasked_symbols", p.unasked_symbols, {0, 1023}, "symbols",
      "uplink symbols that each registered station gets in each frame without a request. They save the delay of a "
      "request");
    v("grant_spare", p.grant_spare, "grant unused uplink symbols to stations that recently had traffic");
    v("turn_regions", p.turn_regions,
      "put request and ranging regions last in some frames, so that interference at one position in the frame does not "
      "block them");
}

/// CINR thresholds of the descriptors: a byte of quarter decibels.
template <class V> void visit_thresholds(V& v, auto& p) {
    v.each("exit_db", p.exit_db, {0, 63.75}, "dB",
           "exit threshold of each burst profile, by Rate_ID: at or below this CINR it is left");
    v.each("entry_db", p.entry_db, {0, 63.75}, "dB",
           "entry threshold of each burst profile, by Rate_ID: from this CINR on it may be used");
}

/// Fields of link adaptation at either end; the base station has more.
template <class V> void visit_adaptation(V& v, auto& a) {
    v("averaging_ms", a.averaging_ms, {0, 10'000}, "ms",
      "time constant of the CINR average that decides on higher rates. Raise it if rates change too often");
    v("target_loss", a.target_loss, {0, kMostTargetLoss}, "",
      "share of lost packets that rates are chosen for, in flows without ARQ; 0: losses do not count");
    v("most_margin_db", a.most_margin_db, {0, 40}, "dB",
      "largest margin that losses may add to what the receiver needs in white noise");
}
template <class V> void visit(V& v, Is<LinkAdaptationConfig> auto& a) {
    visit_adaptation(v, a);
    v("margin_db", a.margin_db, {0, 20}, "dB",
      "margin on top of the thresholds of the burst profiles. Raise it for other makers' stations without ARQ");
    v("report_ms", a.report_ms, {0, 60'000}, "ms",
      "interval between REP-REQ messages to stations whose rates are not fixed; 0: none");
}

/// Defaults of stations without own values: they may change while stations are served.
template <class V> void visit_common_rates(V& v, auto& c) {
    v("dl_rate_id", c.dl_rate_id, kRateIds, "",
      "highest downlink Rate_ID of stations without their own value, 0 (BPSK 1/2) to 6 (64-QAM 3/4)");
    v("ul_rate_id", c.ul_rate_id, kRateIds, "",
      "highest uplink Rate_ID of stations without their own value, 0 (BPSK 1/2) to 6 (64-QAM 3/4)");
    v("dl_lowest_rate_id", c.dl_lowest_rate_id, kRateIds, "",
      "lowest downlink Rate_ID that adaptation may choose; null: the rate is fixed");
    v("ul_lowest_rate_id", c.ul_lowest_rate_id, kRateIds, "",
      "lowest uplink Rate_ID that adaptation may choose; null: the rate is fixed");
}

/// What both ends have: management of queues, timers of transactions about service flows.
template <class V> void visit_queues(V& v, auto& c) {
    v("codel_target_frames", c.codel_target_frames, kCodelFrames, "frames",
      "queueing delay in frames that queue management (CoDel) tolerates; 0: no queue management. Lower it for less "
      "delay");
    v("codel_interval_ms", c.codel_interval_ms, kCodelIntervalMs, "ms",
      "time over which queue management must see the delay before it drops packets");
    v("ecn", c.ecn, "mark packets that support ECN in place of dropping them");
    v("sdu_hold_frames", c.sdu_hold_frames, kHoldFrames, "frames",
      "number of frames that a packet waits before it may be sent, to imitate equipment that prepares frames in "
      "advance");
}
template <class V> void visit_transactions(V& v, auto& c) {
    v("t7_ms", c.t7_ms, kTimerMs, "ms", "T7: wait for a DSA, DSC or DSD response");
    v("t8_ms", c.t8_ms, kTimerMs, "ms", "T8: wait for a DSA or DSC acknowledgement");
    v("t10_ms", c.t10_ms, kTimerMs, "ms", "T10: wait for the end of a transaction");
}

template <class V> void visit(V& v, Is<BaseStationConfig> auto& c) {
    v("first_frame_number", c.first_frame_number, {0, phy::FrameNumber::kLast}, "", "number of the first frame");
    v("dl_share", c.dl_share, {0.1, 0.9}, "",
      "with one carrier (TDD): share of the frame for the downlink, TTG included. Raise it if most traffic is "
      "downlink");
    v("dl_symbols", c.dl_symbols, {0, phy::kMaxFrameSymbols}, "symbols",
      "downlink part of the frame in symbols, in place of bs.dl_share; 0: bs.dl_share counts");
    v("ttg_us", c.ttg_us, {0, 10'000}, "us",
      "transmit/receive transition gap. It must cover the round trip and the radios' switching time; 0: one symbol");
    v("rtg_us", c.rtg_us, {0, 10'000}, "us", "receive/transmit transition gap; 0: one symbol");
    v("uplink_start_us", c.uplink_start_us, {0, 20'000}, "us",
      "with two carriers (FDD): start of the uplink frame after that of the downlink frame whose maps describe it; 0: "
      "a "
      "quarter of the frame, or more if the maps need it. Lower it for less delay, raise it for maps of many stations");
    v("half_duplex_stations", c.half_duplex_stations,
      "with two carriers (FDD): serve half-duplex stations. The uplink frame then begins after the maps, which "
      "describe "
      "the one of the next frame; this adds to the delay of all stations");
    v("start_silence_ms", c.start_silence_ms, {0, 10'000}, "ms",
      "silence after a start, in which stations lose a previous base station and enter again");
    visit_common_rates(v, c);
    v("eirp_dbm", c.eirp_dbm, {-128, 127}, "dBm",
      "EIRP announced in the DCD; stations compute their first ranging power from it; null: as the PHY reports");
    v("target_rssi_dbm", c.target_rssi_dbm, {-120, 0}, "dBm",
      "level at which each station is to be received at the antenna; power control aims at it");
    v("power_control", c.power_control, "correct the transmit power of the stations");
    v("power_tolerance_db", c.power_tolerance_db, {0.25, 10}, "dB", "power errors up to this are not corrected");
    v("fast_power_stations", c.fast_power_stations, {0, kMostBasicCids}, "",
      "number of power commands in a frame from which one fast power control message (FPC) replaces the RNG-RSPs; 0: "
      "never. Stations of other makers may not know FPC; one that ignores it gets RNG-RSPs again");
    v("frequency_tolerance", c.frequency_tolerance, {0.001, 0.1}, "",
      "frequency errors up to this share of the carrier spacing are not corrected");
    v("timing_tolerance_cp", c.timing_tolerance_cp, {0.01, 0.5}, "",
      "timing errors up to this share of the cyclic prefix are not corrected");
    v("max_stations", c.max_stations, {1, kMostBasicCids}, "",
      "largest number of registered stations; at most bs.basic_cids");
    v("least_awake_stations", c.least_awake_stations, {0, kMostBasicCids}, "",
      "number of idle stations considered per frame (round robin) for unsolicited spare symbols");
    v("basic_cids", c.basic_cids, {kFewestBasicCids, kMostBasicCids}, "",
      "number of basic CIDs, from 1 on; the same number of primary management CIDs follows. Protocol analysers assume "
      "320");
    v("admission_control", c.admission_control,
      "refuse service flows whose reserved rates do not fit in addition to the admitted flows");
    v("check_source_addresses", c.check_source_addresses,
      "drop uplink packets whose source address is another station's, the base station's own, or not one of the "
      "station's ip_addresses");
    v("source_address_silence_s", c.source_address_silence_s, {1, 86'400}, "s",
      "an address that is in no station's ip_addresses belongs to the first station that uses it, until that station "
      "has not sent from it for this time");
    v("sdu_buffers", c.sdu_buffers, kBufferLimits, "packets", kBuffersHelp);
    visit_queues(v, c);
    v("t27_idle_ms", c.t27_idle_ms, kTimerMs, "ms", "T27: interval between unicast grants to an idle station");
    v("t27_active_ms", c.t27_active_ms, kTimerMs, "ms",
      "T27: interval between unicast grants while the station has traffic");
    v("station_lost_ms", c.station_lost_ms, {100, 600'000}, "ms", "a station that is silent for this time is deleted");
    visit_transactions(v, c);
    v("t9_ms", c.t9_ms, kTimerMs, "ms", "T9: wait for an SBC-REQ after ranging");
    v("t17_ms", c.t17_ms, kLongTimerMs, "ms", "T17: wait for authorization and registration");
}

/// Of keys below "managed.".
template <class V> void visit(V& v, Is<ManagedSubscriber> auto& m) {
    v("offered", m.offered,
      "subscriber station: offer a secondary management connection. The station then gets an address, the time and a "
      "configuration file over it before it has service flows");
    v("arq", m.arq, "subscriber station: offer ARQ on that connection");
    v("needs_address", m.needs_address,
      "subscriber station: enter only with an address by DHCP; false: without one, too");
    v("needs_time", m.needs_time, "subscriber station: enter only with the time of day");
    v("needs_file", m.needs_file, "subscriber station: enter only with a valid configuration file");
    v("first_wait_ms", m.first_wait_ms, kTimerMs, "ms",
      "subscriber station: wait for a server's first response; each further wait is twice as long");
    v("longest_wait_ms", m.longest_wait_ms, kTimerMs, "ms", "subscriber station: longest wait for a response");
    v("address_tries", m.address_tries, {1, 100}, "", "subscriber station: DHCP requests until the set-up fails");
    v("time_tries", m.time_tries, {1, 100}, "", "subscriber station: requests for the time until this step fails");
    v("file_request_tries", m.file_request_tries, {1, 100}, "",
      "subscriber station: requests for each block of the file until the download fails");
    v("file_download_tries", m.file_download_tries, {1, 100}, "",
      "subscriber station: downloads of the file until the set-up fails");
    v("file_pause_ms", m.file_pause_ms, kLongTimerMs, "ms", "subscriber station: pause between two downloads");
    v("t26_ms", m.t26_ms, {10, 10'000}, "ms", "subscriber station: T26, wait for a TFTP-RSP");
}

template <class V> void visit(V& v, Is<ManagedNetwork> auto& m) {
    v("t13_ms", m.t13_ms, {1000, 3'600'000}, "ms",
      "base station: T13, wait for TFTP-CPLT after registration; 15 minutes in the standard");
}

template <class V> void visit(V& v, Is<SubscriberConfig> auto& c) {
    v("half_duplex", c.half_duplex,
      "with two carriers (FDD): the station does not receive while it transmits, and announces this");
    v("ssttg_us", c.ssttg_us, {0, 100}, "us", "of a half-duplex station: time from its transmission to its reception");
    v("ssrtg_us", c.ssrtg_us, {0, 100}, "us", "of a half-duplex station: time from its reception to its transmission");
    v("max_power_dbm", c.max_power_dbm, {-100, 60}, "dBm",
      "highest mean power of a data symbol; null: as the PHY reports");
    v("min_power_dbm", c.min_power_dbm, {-150, 60}, "dBm", "lowest transmit power");
    v("first_power_backoff_db", c.first_power_backoff_db, {0, 40}, "dB",
      "the first ranging attempt is sent this far below the computed power");
    v("ranging_power_step_db", c.ranging_power_step_db, {0, 10}, "dB",
      "power step after each ranging attempt without a response");
    v("sdu_buffers", c.sdu_buffers, kBufferLimits, "packets", kBuffersHelp);
    v("queue_limit_bytes", c.queue_limit_bytes, kQueueLimits, "bytes",
      "longest queue of an uplink flow in bytes. Lower it for less delay, raise it for bursts");
    v("queue_limit_packets", c.queue_limit_packets, kAnyNumber, "packets", "longest queue in packets; 0: no limit");
    visit_queues(v, c);
    v("random_seed", c.random_seed, kAnyNumber, "", "seed of random backoff; 0: from the MAC address");
    v("lost_dl_map_ms", c.lost_dl_map_ms, kTimerMs, "ms", "without a DL-MAP for this time, synchronization is lost");
    v("lost_ul_map_ms", c.lost_ul_map_ms, kTimerMs, "ms",
      "without a UL-MAP for this time, uplink synchronization is lost");
    v("t1_ms", c.t1_ms, kLongTimerMs, "ms", "T1: wait for a DCD");
    v("t2_ms", c.t2_ms, kLongTimerMs, "ms", "T2: wait for a broadcast ranging region");
    v("t3_ms", c.t3_ms, {0, 100'000}, "ms", "T3: wait for an RNG-RSP; 0: eight frames, at least 60 and at most 200 ms");
    v("t4_ms", c.t4_ms, kLongTimerMs, "ms", "T4: without a unicast grant for this time, range again");
    v("t6_ms", c.t6_ms, kTimerMs, "ms", "T6: wait for a REG-RSP");
    visit_transactions(v, c);
    v("t14_ms", c.t14_ms, kTimerMs, "ms", "T14: wait for a DSX-RVD");
    v("t12_ms", c.t12_ms, kLongTimerMs, "ms", "T12: wait for a UCD");
    v("t16_ms", c.t16_ms, {10, 100'000}, "ms", "T16: wait for a grant before the request is repeated");
    v("t18_ms", c.t18_ms, kTimerMs, "ms", "T18: wait for an SBC-RSP");
    v("t20_ms", c.t20_ms, {40, 100'000}, "ms",
      "T20: time to search for a preamble on a channel, if there are other channels");
    v("t21_ms", c.t21_ms, {1, 10'000}, "ms", "T21: time to search for a DL-MAP on a channel");
    v("operational_ms", c.operational_ms, kLongTimerMs, "ms",
      "if the station is registered but has no service flows for this time, it enters again");
}

}  // namespace wimax::mac
