// SPDX-License-Identifier: GPL-3.0-or-later
// Observation of the channel before a base station sends: power, and whether another cell is there. Its MAC sends
// nothing for 700 ms after each start; this takes the first 600 ms. Input: samples; output: one result.
#pragma once

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace wimax::phyd {

struct HeardCell {
    uint64_t bsid = 0;  ///< of its DL-MAP; with `whole` false the last four bits, of a frame prefix
    bool whole = false;
    float rssi_dbfs = -200, snr_db = 0, frequency_offset_hz = 0;
};

struct Heard {
    float mean_dbfs = -200;     ///< over all samples
    float highest_dbfs = -200;  ///< of the loudest 256 samples in a row
    std::optional<HeardCell> cell;
};

class Listening final : private gr::wimax::phy::DownlinkListener {
public:
    static constexpr int64_t kListenMs = 600;

    Listening(int64_t bandwidth_hz, int64_t sample_rate_hz);

    /// The receiver's thread. Samples without a gap, until heard() has its result; later ones cost nothing.
    void take(std::span<const std::complex<float>> samples);
    /// Any thread: restarts with the next samples.
    void restart();
    /// Any thread: nullopt before the time is over.
    std::optional<Heard> heard() const;

private:
    gr::wimax::phy::SampleFlow on_frame(const gr::wimax::phy::FrameSync& sync) override;
    gr::wimax::phy::SampleFlow on_burst(const gr::wimax::phy::FrameSync& sync,
                                        gr::wimax::phy::ReceivedBurst& burst) override;
    void on_sync_lost(int64_t) override {}
    void measure(std::span<const std::complex<float>> samples);
    void finish();

    const int64_t wanted_;
    gr::wimax::phy::DownlinkReceiver receiver_;
    std::atomic<bool> restart_{false};
    int64_t taken_ = 0, position_ = 0;
    double sum_ = 0, block_ = 0, loudest_ = 0;
    int in_block_ = 0;
    std::optional<HeardCell> cell_;
    mutable std::mutex mutex_;
    std::optional<Heard> heard_;
};

/// In hexadecimal; "...2" of four bits.
std::string bsid_text(const HeardCell& cell);
/// "-101.2 dBm, at most -99.8 dBm; no other cell". `reference_dbm`: of 0 dBFS.
std::string words_of(const Heard& heard, double reference_dbm);

}  // namespace wimax::phyd
