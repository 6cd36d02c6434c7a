/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A look at what a receiver hears, for who asks now and then: the newest burst of each sender with its constellation
 * and channel, and the spectrum. Unless it is watched a receiver spends one atomic read a burst on it. Watched, it
 * copies into memory that is there already, and waits for nobody: what it cannot hand over at once is left out.
 */
#pragma once

#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <gnuradio/wimax/block_messages.h>

#include <memory>
#include <span>
#include <vector>

namespace gr::wimax {

/// A burst that was received, without its payload.
struct BurstPicture {
    phy::Direction direction = phy::Direction::downlink;
    phy::FrameNumber frame_number;
    BurstKind kind = BurstKind::data;
    uint16_t cid = 0;  ///< this and the kind as in the BurstReport
    int index = 0;     ///< likewise; downlink 1: broadcast
    phy::BurstFormat format;
    bool fec_ok = false;
    phy::BurstMeasurement measured;
    std::vector<phy::Complex> points;    ///< spread over the burst and its carriers; mean power 1
    std::vector<phy::Complex> response;  ///< at the last symbol, offsets -100..100; 1 is 0 dBFS per carrier
};

class WIMAX_API SignalTap final : public phy::SymbolObserver {
public:
    static constexpr size_t kMostSources = 16;  ///< the newest
    static constexpr size_t kMostPoints = 384;  ///< of a burst
    static constexpr size_t kBlocks = 64;       ///< of samples in a look at the spectrum
    static constexpr int kLooksPerSecond = 5;   ///< of air time

    explicit SignalTap(int64_t sample_rate_hz);
    ~SignalTap() override;

    /// Any thread. Switched on it begins with nothing.
    void watch(bool on);
    bool watched() const;
    /// Any thread: the newest burst of each sender and kind.
    std::vector<BurstPicture> bursts() const;
    /// Any thread: mean power in each of 256 bins from -1/2 to below 1/2 of the sample rate, in dBFS; together they are
    /// the mean power of all. Empty before the first look is complete.
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
