// SPDX-License-Identifier: GPL-3.0-or-later
// Transmission of a radio front end: the thread that makes a UHD burst of each queued piece (radio_frontend.h has the
// state machine).
#pragma once

#include "radio/device_gains.h"
#include "radio/piece_joiner.h"
#include "radio/piece_maker.h"
#include "radio/piece_queue.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/receive_peak.h"
#include "radio/transmit_gain.h"
#include "radio/transmit_guard.h"

#include <gnuradio/wimax/transmit_path.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace gr::wimax {

class BurstSender {
public:
    /// `now`: one past the newest sample received, at the channel's rate.
    BurstSender(const RadioDevice& device, const RadioConfig& config, const std::atomic<int64_t>& now,
                DeviceGains& gains, ReceivePeak& heard, RadioTally& tally);
    ~BurstSender();

    /// As described in TransmitPath; one caller.
    [[nodiscard]] tl::expected<void, PieceFault> transmit(int64_t start_sample, const TransmitPiece& piece);
    void commit(int64_t sample);
    /// Sets the level of 0 dBFS at the antenna after a change of gain. Any thread.
    void set_reference(double tx_dbm) { guard_.set_reference(tx_dbm); }
    TransmitRefusals refusals() const { return guard_.refusals(); }
    /// As PieceMaker.
    int64_t lead_samples() const { return maker_.lead_samples(); }

private:
    void queue(DevicePiece& place, int64_t start_sample, const TransmitPiece& from);
    void send_loop();
    /// Part of a burst: the samples of a piece from one on.
    struct Part {
        size_t from;
        bool begins, ends;  ///< the burst
    };
    bool in_time(const DevicePiece& piece);
    void send(DevicePiece& piece, int64_t promised);
    void finish_burst();
    void stream(const DevicePiece& piece, const Part& part);
    void note_answer(const DevicePiece& piece);
    bool may_change_gain(const DevicePiece& piece) const;
    void stream(const DevicePiece& piece, uhd::tx_metadata_t& md, size_t& sent);
    void collect_async();

    const RadioDevice& device_;
    const size_t max_piece_samples_;
    const int64_t answer_lead_samples_;  // 0: no responses are measured
    const std::atomic<int64_t>& now_;
    RadioTally& tally_;
    TransmitGuard guard_;
    TransmitGain gain_;
    ReceivePeak& heard_;
    const bool receives_itself_;
    PieceMaker maker_;
    std::optional<PieceJoiner> joiner_;      // with two carriers
    std::vector<const void*> buffers_;       // next sample of a piece, by channel
    uint64_t bursts_ended_ = 0;              // that the device received
    int64_t sent_until_ = kNothingReceived;  // end of the newest burst and its edge, in ticks
    PieceQueue queue_;
    std::thread thread_;
};

}  // namespace gr::wimax
