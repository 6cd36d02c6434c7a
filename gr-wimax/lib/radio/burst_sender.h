/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transmission of a radio front end: a bounded queue of preallocated pieces and the thread that makes a UHD burst of
 * each (radio_frontend.h has the state machine), and commits that wait for the pieces queued before them.
 */
#pragma once

#include "radio/device_gains.h"
#include "radio/power_plan.h"
#include "radio/radio_device.h"
#include "radio/radio_tally.h"
#include "radio/receive_peak.h"
#include "radio/resampler.h"
#include "radio/transmit_guard.h"

#include <gnuradio/wimax/transmit_path.h>

#include <array>
#include <atomic>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
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
    bool transmit(int64_t start_sample, const TransmitPiece& piece, int64_t& deficit_samples);
    void commit(int64_t sample);
    /// Sets the level of 0 dBFS at the antenna after a change of gain. Any thread.
    void set_reference(double tx_dbm) { guard_.set_reference(tx_dbm); }
    TransmitRefusals refusals() const { return guard_.refusals(); }
    /// Time from an amplifier line's start, which is also the start of the transmitted zeros, to that of the piece.
    int64_t lead_samples() const { return lead_samples_; }

private:
    static constexpr size_t kPieces = 16;

    struct Piece {
        int64_t start = 0;
        int64_t tick = 0;  // of samples[0]; before `start` by edge and ringing
        double level_dbfs = 0;
        // One vector per channel, equally long; they keep their capacity: no allocation in the steady state.
        std::array<std::vector<std::complex<float>>, kMaxTxChannels> samples;
    };

    void queue(size_t slot, int64_t start_sample, const TransmitPiece& from);
    void fill(Piece& piece, const TransmitPiece& from);
    void send_loop();
    void send(Piece& piece, int64_t promised);
    void note_answer(const Piece& piece);
    bool may_change_gain(const Piece& piece) const;
    void choose_gain(const Piece& piece);
    void scale(Piece& piece);
    void stream(const Piece& piece, uhd::tx_metadata_t& md, size_t& sent);
    size_t overlap(const Piece& piece, int64_t promised) const;
    size_t tail_of(int64_t start, const TransmitPiece& piece);
    int64_t append(int64_t start, TransmitPiece::Samples samples, std::vector<std::complex<float>>& to);
    void collect_async();
    void write_commit();

    const RadioDevice& device_;
    const size_t max_piece_samples_, edge_;
    const int64_t answer_lead_samples_;  // 0: no responses are measured
    const int64_t lead_samples_;         // lead of an amplifier's line, at the channel's rate
    const size_t front_, behind_;        // zeros around a piece: for its edge and an amplifier's line
    const std::atomic<int64_t>& now_;
    RadioTally& tally_;
    TransmitGuard guard_;
    DeviceGains& gains_;
    ReceivePeak& heard_;
    const std::optional<double> digital_range_db_;
    std::optional<PowerPlan> plan_;  // with digital_range_db_
    uint64_t asked_ = 0;             // version of the gains used by the plan
    double more_db_ = 0;             // increase of samples for the lowered gain
    std::optional<TransmitResampler> to_device_;
    std::vector<const void*> buffers_;                         // next sample of a piece, by channel
    std::vector<std::complex<float>> resampled_, second_;      // of a piece; the second channel's part of one
    int64_t last_end_ = 0;                                     // end of the previous piece, in samples
    int64_t usual_gap_ = std::numeric_limits<int64_t>::max();  // gap after pieces whose successor was unknown
    bool last_unknown_ = false;
    int64_t sent_until_ = kNothingReceived;  // end of the newest burst and its edge, in ticks

    std::mutex mutex_;
    std::condition_variable wake_;
    std::array<Piece, kPieces> pieces_;
    size_t head_ = 0, queued_ = 0;
    bool sending_ = false;
    std::atomic<bool> quit_{false};
    int64_t committed_ = std::numeric_limits<int64_t>::min();  // channel sample, lead_samples_ before the requested one
    int64_t promised_ = kNothingReceived;                      // tick, as reported to the device
    bool commit_due_ = false;
    uint64_t bursts_sent_ = 0;
    std::thread thread_;
};

}  // namespace gr::wimax
