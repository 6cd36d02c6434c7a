/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/phy/acquire/preamble_detector.h>
#include <gnuradio/wimax/phy/frame/symbol_transformer.h>
#include <gnuradio/wimax/signal_tap.h>
#include <gnuradio/wimax/transmit_path.h>

#include <optional>

namespace gr::wimax {

/// Subscriber station receiver. Sink of samples; finds the base station by itself.
///
/// Port `burst` (out): each burst decoded, the broadcast burst (index 1) first. Port `expect` (in): answer to it,
/// further bursts of the frame and the first uplink slot of one's own. Port `tick` (out): once a frame, `turnaround_us`
/// before that slot, or after the expectation if there is none; if a map of the frame before has described the slot, so
/// early even if the frame's own maps are still to come. Every 10 ms of samples while unsynchronised. Ports
/// `done` and `control` (in): the transmitter has dealt with a frame; somebody answers (or no longer does), DIUC ->
/// rate.
///
/// With a radio in lock-step the receiver stops consuming exactly at the broadcast burst's end until the expectation,
/// and at the tick until the transmitter is done; samples wait in the block. Otherwise it goes on and uses answers as
/// they come.
///
/// Ports `constellation` and `response` (out) are for displays and cost nothing unless connected: see messages.h.
class WIMAX_API ss_receiver : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<ss_receiver>;
    struct Config {
        int64_t bandwidth_hz = 5'000'000;
        int cp_denominator = 0;       ///< 0: found by search
        int turnaround_us = 2000;     ///< tick to first uplink sample
        int deadline_lead_us = 1000;  ///< answers are due that long before the first uplink sample
        int response_us = 1000;  ///< lock-step: shortest time from a received sample to one sent in answer (T_proc)
        bool wait_for_answers = false;    ///< as in lock-step also without a radio (files)
        int display_interval_frames = 5;  ///< display ports show one frame in so many, 1 .. kMostDisplayInterval
        bool typed_messages = false;      ///< what goes out is to_any(message) and no PDU: for programs in C++
        /// The radio's gain follows the level of what is received, between frames; absent: it stays.
        std::optional<ReceiveGainRange> gains = std::nullopt;
        SignalTapPtr signal = nullptr;  ///< shown what is heard, while it is watched
        /// What a radio does of the receiver's work: see phy::DownlinkReceiverConfig.
        std::shared_ptr<phy::PreambleDetector> detector = nullptr;
        std::shared_ptr<phy::SymbolTransformer> transformer = nullptr;
    };
    /// Throws std::invalid_argument naming the faulty setting.
    static sptr make(const Config& config, TransmitPathPtr radio = nullptr);

    struct Status {
        uint64_t frames = 0, fch_failures = 0, bursts = 0, fec_failures = 0, sync_losses = 0;
        bool synchronised = false;
        float rssi_dbfs = -200, snr_db = -100, frequency_offset_hz = 0, clock_offset_ppm = 0;
        uint64_t detected_preambles = 0, transformed_symbols = 0;  ///< that the radio gave, and were used
        phy::FrontEndLevels front_end;                             ///< in use after the last frame's prefix
        int64_t position = 0;                                      ///< next sample to be processed
    };
    virtual Status status() const = 0;
};

}  // namespace gr::wimax
