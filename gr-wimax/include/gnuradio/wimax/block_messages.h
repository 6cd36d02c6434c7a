// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between the WiMAX blocks, in two forms: plain structures, and PDUs (dict . u8vector) on message ports,
// which any GNU Radio user can read and write. Keys of bursts, codes and frame prefixes are in phy/base/burst_types.h
// and burst_requests.h, all others here. C++ programs may also send the structures themselves, see to_any(); every
// block accepts both forms.
//
// parse_*() rejects a PDU and names the key that is missing or out of range. Unknown keys are ignored, because other
// blocks may add keys.
// Times are samples of the receive clock or physical slots (4 samples) from the frame start. Levels are dBFS, 0 dBFS =
// mean sample power 1.
#pragma once

#include <gnuradio/wimax/phy/base/burst_requests.h>
#include <gnuradio/wimax/phy/base/fault.h>
#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/base/slot.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <pmt/pmt.h>

#include <array>
#include <boost/any.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gr::wimax {

namespace port {
inline constexpr const char* tick = "tick";    ///< output of receivers: Tick
inline constexpr const char* burst = "burst";  ///< output of receivers: BurstReport
/// Output of receivers, for displays: (keys of the BurstReport . c32vector), one frame in `display_interval_frames`.
/// Equalised data carriers of the burst (the first 16384), reference constellation of mean power 1.
inline constexpr const char* constellation = "constellation";
/// Channel at the burst's last symbol, carrier offsets -100 .. 100; 1 is 0 dBFS per carrier, 0 an unused carrier. In an
/// STC zone: the channel of antenna 0, then that of antenna 1.
inline constexpr const char* response = "response";
inline constexpr const char* contention = "contention";  ///< output of bs_receiver: ContentionReport
inline constexpr const char* error = "error";            ///< output of all blocks: ErrorReport
inline constexpr const char* expect = "expect";          ///< input of receivers: Expectation
inline constexpr const char* control = "control";        ///< input of receivers: Control
inline constexpr const char* done = "done";              ///< output of the transmitter, input of receivers: Done
inline constexpr const char* tx = "tx";                  ///< input of the transmitter: TransmitFrame
inline constexpr const char* samples = "samples";        ///< from the transmitter to radio_sink: (dict . c32vector)
}  // namespace port

namespace key {
inline constexpr const char* message = "message";                        // symbol: kind of the PDU, see message_name()
inline constexpr const char* direction = "direction";                    // symbol "downlink" or "uplink"
inline constexpr const char* frame_number = "frame_number";              // 0 .. 2^24-1
inline constexpr const char* frame_start_sample = "frame_start_sample";  // 64-bit sample count
inline constexpr const char* deadline_sample = "deadline_sample";
inline constexpr const char* start_sample = "start_sample";      // of a "samples" PDU: first sample on air
inline constexpr const char* cp_denominator = "cp_denominator";  // 4, 8, 16, 32
inline constexpr const char* bsid_lsb = "bsid_lsb";              // 0 .. 15
inline constexpr const char* change_count_lsb = "change_count_lsb";
inline constexpr const char* timing_advance_samples = "timing_advance_samples";
inline constexpr const char* frequency_hz = "frequency_hz";  // frequency shift of the transmitted signal
inline constexpr const char* power_dbfs = "power_dbfs";      // mean power of a data symbol
inline constexpr const char* bursts = "bursts";              // vector of dicts
inline constexpr const char* start_slot = "start_slot";
inline constexpr const char* stc_zone_slots = "stc_zone_slots";
inline constexpr const char* antenna = "antenna";    // of a "samples" PDU: 0, or 1 in an STC zone
inline constexpr const char* antennas = "antennas";  // 2: antenna 1's "samples" PDU follows; absent: 1
inline constexpr const char* payload_bytes = "payload_bytes";
inline constexpr const char* contention_slots = "contention_slots";  // u32vector, may be absent
inline constexpr const char* codes = "codes";                        // vector of dicts; of "tx" may be absent
inline constexpr const char* snr_db = "snr_db";
inline constexpr const char* certainty = "certainty";
inline constexpr const char* cid = "cid";  // 16 bits, returned to the caller; likewise an expected burst's kind, 0 .. 2
inline constexpr const char* index = "index";
inline constexpr const char* first_uplink_slot = "first_uplink_slot";
inline constexpr const char* next_uplink_slot = "next_uplink_slot";
inline constexpr const char* want_prefix_bursts = "want_prefix_bursts";
inline constexpr const char* detected = "detected";
inline constexpr const char* fec_ok = "fec_ok";
inline constexpr const char* failed_blocks = "failed_blocks";
inline constexpr const char* corrected_bytes = "corrected_bytes";
inline constexpr const char* rssi_dbfs = "rssi_dbfs";
inline constexpr const char* cinr_db = "cinr_db";
inline constexpr const char* evm_db = "evm_db";
inline constexpr const char* timing_offset_samples = "timing_offset_samples";
inline constexpr const char* frequency_offset_hz = "frequency_offset_hz";
inline constexpr const char* clock_offset_ppm = "clock_offset_ppm";
inline constexpr const char* frame_samples = "frame_samples";
inline constexpr const char* sample_rate_hz = "sample_rate_hz";
inline constexpr const char* synchronised = "synchronised";
inline constexpr const char* kind = "kind";
inline constexpr const char* microseconds = "microseconds";
inline constexpr const char* detail = "detail";
inline constexpr const char* attached = "attached";
inline constexpr const char* first_frame_number = "first_frame_number";
inline constexpr const char* forget_front_end = "forget_front_end";
inline constexpr const char* diuc_rates = "diuc_rates";  // s32vector of 16, -1 unknown
/// Stream tag of radio_source: sample count of the tagged item, at the start and after each jump of time.
inline constexpr const char* rx_sample = "rx_sample";
}  // namespace key

inline constexpr int kMostDisplayInterval = 1000;  ///< frames
inline constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

using phy::BurstKind;
using phy::ExpectedBurst;
using phy::TransmitBurst;
using phy::TransmitCode;

/// All bursts of one frame. Downlink: bursts[0] is burst #1; the first four are announced in the frame prefix. Bursts
/// with format.stc come last and form one STC zone (phy/stc/stc.h). It begins kStcFirstBurstSymbol symbols before the
/// first of them and is announced in the frame prefix if that has a free entry.
struct TransmitFrame {
    phy::Direction direction = phy::Direction::downlink;
    phy::FrameNumber frame_number;
    int64_t frame_start_sample = 0;
    int64_t deadline_sample = kNoDeadline;  ///< after this sample of the receive clock the frame is discarded
    phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8;
    uint8_t bsid_lsb = 0, change_count_lsb = 0;
    int32_t timing_advance_samples = 0;  ///< samples by which the frame is sent earlier
    float frequency_hz = 0;              ///< positive: spectrum moved up
    float power_dbfs = 0;  ///< mean power of a data symbol on all subchannels, at most 0; n of 16 have 10 lg(16/n) more
    std::vector<TransmitBurst> bursts;  ///< in a PDU the octets are all payloads in this order
    std::vector<TransmitCode> codes;    ///< uplink only
};

/// Base station: the uplink of a frame. Subscriber station: bursts beyond the frame prefix.
struct Expectation {
    phy::FrameNumber frame_number;
    phy::Slot first_uplink_slot;  ///< subscriber station: start of its first burst to send; 0: none
    /// First uplink slot of any station in the next frame, if a map already describes it; 0: none.
    phy::Slot next_uplink_slot;
    bool want_prefix_bursts = true;           ///< also bursts of STC zones' prefixes
    std::vector<phy::Slot> contention_slots;  ///< base station: starts of focused contention opportunities
    std::vector<phy::Slot>
        stc_zone_slots;  ///< subscriber station: STC zones that only a DL-MAP announces; may be absent
    std::vector<ExpectedBurst> bursts;
};

struct BurstReport {
    phy::Direction direction = phy::Direction::downlink;
    phy::FrameNumber frame_number;
    BurstKind kind = BurstKind::data;  ///< kind and CID are those of the ExpectedBurst
    uint16_t cid = 0;
    phy::Slot start_slot;
    phy::ReceivedBurst burst;  ///< index: downlink 1-based, uplink position in the expectation
    bool attached = false;     ///< as in Tick
    // Subscriber station only: from the frame prefix and the synchronizer.
    int64_t frame_start_sample = 0;
    phy::FramePrefix prefix;
    phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8;
    int64_t frame_samples = 0;
};

/// Codes received in a focused contention opportunity, possibly none.
struct ContentionReport {
    phy::FrameNumber frame_number;
    phy::Slot start_slot;
    bool attached = false;  ///< as in Tick
    std::vector<phy::ContentionDetection> codes;
};

struct Tick {
    phy::FrameNumber frame_number;
    int64_t frame_start_sample = 0;
    int64_t deadline_sample = 0;
    int64_t sample_rate_hz = 0;
    bool attached = false;  ///< a response is awaited (lock-step) or used; false: no MAC is attached
    bool synchronised = true;
    phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8;
    int64_t frame_samples = 0;  ///< 0: not known yet
    uint8_t bsid_lsb = 0;
    float rssi_dbfs = -200, cinr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
};

/// The transmitter has finished a frame: sent, empty or discarded.
struct Done {
    phy::FrameNumber frame_number;
};

enum class ErrorKind : uint8_t { late, underflow, overflow, sync_lost, invalid, time_jump };
/// The names in the order of the enumeration. In a PDU a kind is one of these symbols.
inline constexpr std::array<const char*, 6> kErrorKindNames{"late",      "underflow", "overflow",
                                                            "sync_lost", "invalid",   "time_jump"};
inline const char* to_string(ErrorKind kind) { return kErrorKindNames[static_cast<size_t>(kind)]; }

struct ErrorReport {
    ErrorKind kind = ErrorKind::invalid;
    phy::FrameNumber frame_number;
    int64_t microseconds = 0;
    std::string detail;
};

/// Attaches a receiver to a MAC that responds to its ticks, or detaches it. Absent keys change nothing.
struct Control {
    std::optional<bool> attached;  ///< false: continue alone, without waiting
    std::optional<phy::FrameNumber>
        first_frame_number;  ///< base station: number of the next tick; also discards allocations
    std::optional<std::array<int8_t, 16>> diuc_rates;  ///< subscriber station
    std::optional<bool> forget_front_end;  ///< true: the gain has changed; discard estimates of DC offset and images
};

/// "tick", "burst", "contention", "error", "expect", "done", "tx" or "control"; empty if it is none of these, or no
/// PDU. Ports may be merged: the order of messages is only kept within one port.
WIMAX_API std::string message_name(const pmt::pmt_t& pdu);

template <typename T> using Parsed = tl::expected<T, phy::Fault>;

WIMAX_API pmt::pmt_t to_pdu(const TransmitFrame& m);
WIMAX_API pmt::pmt_t to_pdu(const Expectation& m);
WIMAX_API pmt::pmt_t to_pdu(const BurstReport& m);
WIMAX_API pmt::pmt_t to_pdu(const ContentionReport& m);
WIMAX_API pmt::pmt_t to_pdu(const Tick& m);
WIMAX_API pmt::pmt_t to_pdu(const Done& m);
WIMAX_API pmt::pmt_t to_pdu(const ErrorReport& m);
WIMAX_API pmt::pmt_t to_pdu(const Control& m);

/// What receivers and transmitter report to a program in C++.
using Report = std::variant<Tick, BurstReport, ContentionReport, ErrorReport>;
/// Gets the reports in the block's thread, in place of the message ports. It must return quickly and not throw.
using ReportHandler = std::function<void(Report&&)>;

/// Wraps a structure as a message without conversion or check. Only for blocks in C++.
template <typename M> pmt::pmt_t to_any(M message) { return pmt::make_any(std::make_shared<M>(std::move(message))); }
/// The structure passed to to_any(); nullptr if the message has another type.
template <typename M> std::shared_ptr<const M> from_any(const pmt::pmt_t& message) {
    if (!pmt::is_any(message)) return nullptr;
    const boost::any any = pmt::any_ref(message);
    const auto* structure = boost::any_cast<std::shared_ptr<M>>(&any);
    return structure ? *structure : nullptr;
}

/// Reads a message of either form without a copy: the structure itself, or the result of `parse` on a PDU.
template <typename M>
Parsed<std::shared_ptr<const M>> received(const pmt::pmt_t& message, Parsed<M> (&parse)(const pmt::pmt_t&)) {
    if (auto typed = from_any<M>(message)) return typed;
    auto parsed = parse(message);
    if (!parsed) return tl::unexpected(std::move(parsed.error()));
    return std::make_shared<const M>(std::move(*parsed));
}

WIMAX_API Parsed<TransmitFrame> parse_transmit_frame(const pmt::pmt_t& pdu);
WIMAX_API Parsed<Expectation> parse_expectation(const pmt::pmt_t& pdu);
WIMAX_API Parsed<BurstReport> parse_burst_report(const pmt::pmt_t& pdu);
WIMAX_API Parsed<Tick> parse_tick(const pmt::pmt_t& pdu);
WIMAX_API Parsed<Done> parse_done(const pmt::pmt_t& pdu);
WIMAX_API Parsed<ErrorReport> parse_error_report(const pmt::pmt_t& pdu);
WIMAX_API Parsed<Control> parse_control(const pmt::pmt_t& pdu);

}  // namespace gr::wimax
