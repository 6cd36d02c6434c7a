// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshot of the received signal for occasional readers: the newest burst of each sender with its constellation
// and channel, and the spectrum. While it is not watched, it costs the receiver one atomic read per burst. While
// watched, the receiver copies into preallocated memory and never waits: data that a reader blocks is skipped.
#pragma once

#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <gnuradio/wimax/block_messages.h>

#include <memory>
#include <span>
#include <vector>

namespace gr::wimax {

/// A received burst, without its payload.
struct BurstPicture {
    phy::Direction direction = phy::Direction::downlink;
    phy::FrameNumber frame_number;
    BurstKind kind = BurstKind::data;
    uint16_t cid = 0;  ///< as in the BurstReport, like the kind
    int index = 0;     ///< as in the BurstReport; downlink 1: broadcast
    phy::BurstFormat format;
    bool fec_ok = false;
    phy::BurstMeasurement measured;
    std::vector<phy::Complex> points;    ///< spread over the burst and its carriers; mean power 1
    std::vector<phy::Complex> response;  ///< at the last symbol, offsets -100..100; 1 is 0 dBFS per carrier
};

class WIMAX_API SignalTap final : public phy::SymbolObserver {
public:
    static constexpr size_t kMostSources = 16;  ///< the newest are kept
    static constexpr size_t kMostPoints = 384;  ///< of a burst
    static constexpr size_t kBlocks = 64;       ///< of samples per spectrum
    static constexpr int kLooksPerSecond = 5;   ///< per second of air time

    explicit SignalTap(int64_t sample_rate_hz);
    ~SignalTap() override;

    /// Any thread. Switching on discards old data.
    void watch(bool on);
    bool watched() const;
    /// Any thread: the newest burst of each sender and kind.
    std::vector<BurstPicture> bursts() const;
    /// Any thread: mean power in each of 256 bins from -1/2 to below 1/2 of the sample rate, in dBFS; their sum is
    /// the total mean power. Empty before the first spectrum is complete.
    std::vector<float> spectrum_dbfs() const;

    // The receiver's thread.
    void on_symbol(const phy::SymbolObservation& seen) override;
    void begin_frame();
    void end_burst(const BurstReport& report);
    void on_samples(std::span<const phy::Complex> samples);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

using SignalTapPtr = std::shared_ptr<SignalTap>;

}  // namespace gr::wimax
