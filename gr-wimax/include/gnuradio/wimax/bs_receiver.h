// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/signal_tap.h>
#include <gnuradio/wimax/transmit_path.h>

namespace gr::wimax {

/// Base station receiver and clock. Sink of samples; counts frames from 0.3 s after the first sample on.
///
/// Port `tick` (out): for each frame, `tick_lead_us` before it starts. Port `expect` (in): the uplink bursts of a
/// frame. Port `burst` (out): each expected burst, detected or not, as soon as its samples are complete. Port
/// `contention` (out): the codes received in each expected focused contention opportunity. Port `done` (in): the
/// transmitter has finished a frame. Port `control` (in): attaches or detaches a MAC. With a radio in lock-step the
/// receiver commits up to the next frame: when the transmitter is done, or at once without a MAC.
///
/// Ports `constellation` and `response` (out) are for displays and cost nothing unless connected: block_messages.h.
class WIMAX_API bs_receiver : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<bs_receiver>;
    struct Config {
        int64_t bandwidth_hz = 5'000'000;
        int cp_denominator = 8;
        int frame_duration_code = 4;
        int tick_lead_us = 2000;      ///< time before the frame; at least deadline_lead_us
        int deadline_lead_us = 1000;  ///< responses are due this time before the frame
        uint32_t first_frame_number = 0;
        int display_interval_frames = 5;  ///< display ports show one frame in N, 1 .. kMostDisplayInterval
        ReportHandler reports = nullptr;  ///< for programs in C++
        SignalTapPtr signal = nullptr;    ///< gets the received signal while it is watched
        bool one_carrier = true;          ///< of downlink and uplink (TDD)
    };
    /// Throws std::invalid_argument naming the faulty setting.
    static sptr make(const Config& config, TransmitPathPtr radio = nullptr);

    struct Status {
        uint64_t frames = 0, bursts = 0, detected = 0, fec_failures = 0;
        phy::RetriedBlocks retried;
        float rssi_dbfs = -200, cinr_db = -100, frequency_offset_hz = 0;  ///< of the last burst detected
        phy::FrontEndLevels front_end;                                    ///< in use after it
        int64_t position = 0;                                             ///< newest sample seen
    };
    virtual Status status() const = 0;
};

}  // namespace gr::wimax
