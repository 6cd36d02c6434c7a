// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/phy/acquire/preamble_detector.h>
#include <gnuradio/wimax/phy/frame/symbol_transformer.h>
#include <gnuradio/wimax/signal_tap.h>
#include <gnuradio/wimax/transmit_path.h>

#include <optional>

namespace gr::wimax {

/// Subscriber station receiver. Sink of samples; it searches for the base station.
///
/// Port `burst` (out): each decoded burst, the broadcast burst (index 1) first. Port `expect` (in): the response to it,
/// with further bursts of the frame and the station's first uplink slot. Port `tick` (out): once per frame,
/// `turnaround_us` before that slot, or after the expectation if there is no slot. If a map of the previous frame has
/// described the slot, the tick may precede the frame's maps. Every 10 ms of samples while unsynchronised. Port
/// `done` (in): the transmitter has finished a frame. Port `control` (in): attaches or detaches a MAC, sets the rates
/// of DIUCs.
///
/// With a radio in lock-step the receiver stops consuming exactly at the broadcast burst's end until the expectation,
/// and at the tick until the transmitter is done; samples wait in the block. Otherwise it continues and uses responses
/// when they arrive.
///
/// Ports `constellation` and `response` (out) are for displays and cost nothing unless connected: block_messages.h.
class WIMAX_API ss_receiver : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<ss_receiver>;
    struct Config {
        int64_t bandwidth_hz = 5'000'000;
        int cp_denominator = 0;           ///< 0: found by search
        int turnaround_us = 2000;         ///< tick to first uplink sample
        int deadline_lead_us = 1000;      ///< responses are due this time before the first uplink sample
        int response_us = 1000;           ///< lock-step: least time from a received sample to its response (T_proc)
        bool wait_for_answers = false;    ///< wait as in lock-step, also without a radio (files)
        bool one_carrier = true;          ///< of downlink and uplink (TDD)
        bool skip_unused = false;         ///< a radio in lock-step need not receive between the last burst and the next
                                          ///< frame; for programs without other users of the samples
        int display_interval_frames = 5;  ///< display ports show one frame in N, 1 .. kMostDisplayInterval
        ReportHandler reports = nullptr;  ///< for programs in C++
        /// Automatic gain control: the radio's gain follows the received level, between frames; absent: fixed.
        std::optional<ReceiveGainRange> gains = std::nullopt;
        SignalTapPtr signal = nullptr;  ///< gets the received signal while it is watched
        /// Parts of the receiver in the radio: see phy::DownlinkReceiverConfig.
        std::shared_ptr<phy::PreambleDetector> detector = nullptr;
        std::shared_ptr<phy::SymbolTransformer> transformer = nullptr;
    };
    /// Throws std::invalid_argument naming the faulty setting.
    static sptr make(const Config& config, TransmitPathPtr radio = nullptr);

    struct Status {
        uint64_t frames = 0, fch_failures = 0, bursts = 0, fec_failures = 0, sync_losses = 0;
        phy::RetriedBlocks retried;
        bool synchronised = false;
        float rssi_dbfs = -200, snr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
        uint64_t detected_preambles = 0, transformed_symbols = 0;  ///< from the radio, and used
        phy::FrontEndLevels front_end;                             ///< in use after the last frame's prefix
        int64_t position = 0;                                      ///< next sample to be processed
    };
    virtual Status status() const = 0;
};

}  // namespace gr::wimax
