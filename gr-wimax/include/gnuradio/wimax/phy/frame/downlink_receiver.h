// SPDX-License-Identifier: GPL-3.0-or-later
// Subscriber station receiver: from a continuous sample stream of unknown timing, frequency and cyclic prefix to FCHs
// and bursts. It finds the long preamble, corrects integer and fractional frequency offset, and estimates the channel.
// It tracks phase and sampling clock with the pilots, and the base station's clock from frame to frame.
//
// Uses no GNU Radio and no threads: the caller passes samples and gets events in the order of air time.
#pragma once

#include <gnuradio/wimax/phy/acquire/preamble_detector.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>
#include <gnuradio/wimax/phy/frame/symbol_transformer.h>
#include <gnuradio/wimax/phy/receive/symbol_observer.h>

#include <memory>

namespace gr::wimax::phy {

struct DownlinkReceiverConfig {
    int64_t bandwidth_hz = 5'000'000;
    std::optional<CyclicPrefix> cp = std::nullopt;  ///< absent: found by search
    /// DIUC -> rate_id for frame prefix entries 2..4; -1: unknown, such bursts are not decoded. Replaced by
    /// set_profiles().
    DiucRates diuc_rates{-1, 0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1};
    /// Decode bursts 2..4 of the frame prefix (false: only the broadcast burst).
    bool decode_prefix_bursts = true;
    /// External search for long preambles; absent: the receiver's search.
    std::shared_ptr<PreambleDetector> detector = nullptr;
    /// External transform for symbols of tracked frames. Missing symbols, and those that need samples (compensation of
    /// DC offset or image, STC zones, moved windows), are read from samples.
    std::shared_ptr<SymbolTransformer> transformer = nullptr;
};

/// State of synchronisation at the start of a received frame.
struct FrameSync {
    int64_t start_sample = 0;     ///< first sample of the first preamble symbol's cyclic prefix
    double start_fraction = 0.0;  ///< sub-sample part, -0.5..0.5
    CyclicPrefix cp = CyclicPrefix::g1_8;
    float frequency_offset_hz = 0;  ///< carrier offset of the base station as seen by this receiver
    /// Sampling clock of this receiver relative to the base station's (positive: fast). From earlier frames, 0 in the
    /// first; each burst improves it by the drift of its symbols.
    float clock_offset_ppm = 0;
    float snr_db = 0;  ///< per data carrier, from the preamble
    float rssi_dbfs = -200;
    bool fch_ok = false;        ///< HCS of the DLFP correct
    FramePrefix prefix;         ///< valid if fch_ok
    int64_t frame_samples = 0;  ///< distance to the previous frame start, nearest legal duration; 0: not yet known

    void set_clock_offset(double ppm) { clock_offset_ppm = static_cast<float>(ppm); }
};

/// An STC zone (clause 8.3.8, stc.h) of the frame being received.
struct StcZoneSync {
    int start_symbol = 0;              ///< start of its preamble, from the frame's first preamble symbol
    int index = 0;                     ///< kStcZoneIndex times its number in the frame, 1, 2 ...
    bool prefix_ok = false;            ///< HCS of the FCH-STC correct
    FramePrefix prefix;                ///< valid if prefix_ok
    std::array<float, 2> rssi_dbfs{};  ///< of each antenna's signal
};

/// After an event the receiver continues or stops consuming. The caller can thus wait for a response (expected bursts
/// beyond the frame prefix, a transmit vector) at an exact sample.
enum class SampleFlow : uint8_t { go_on, pause };

struct DownlinkListener {
    virtual ~DownlinkListener() = default;
    /// FCH decoded, or failed (fch_ok false) on a detected preamble.
    virtual SampleFlow on_frame(const FrameSync& sync) = 0;
    /// Burst decoded, in the order of their ends. `burst.index` 1 is the broadcast burst. The listener may move the
    /// payload out.
    virtual SampleFlow on_burst(const FrameSync& sync, ReceivedBurst& burst) = 0;
    /// Prefix of an STC zone decoded, or failed. on_burst() reports its bursts.
    virtual SampleFlow on_stc_zone(const FrameSync&, const StcZoneSync&) { return SampleFlow::go_on; }
    /// Preamble not found at its expected place for several frames: the search restarts.
    virtual void on_sync_lost(int64_t sample) = 0;
};

class WIMAX_API DownlinkReceiver {
public:
    /// The bandwidth must be one that Numerology::make() accepts; check values from users before, as the blocks
    /// do.
    explicit DownlinkReceiver(const DownlinkReceiverConfig& config);
    ~DownlinkReceiver();
    DownlinkReceiver(DownlinkReceiver&&) noexcept;

    /// Consumes `samples` (the first of which is absolute sample `first_sample`; calls must be gapless, a gap resets
    /// the search) and returns the number consumed: all of them unless a listener requested a pause.
    size_t process(std::span<const Complex> samples, int64_t first_sample, DownlinkListener& listener);

    /// Bursts beyond the frame prefix in the frame now being received (start_symbol from the frame start). Those with
    /// format.stc belong to the last STC zone before them, announced or expected. Symbols of the
    /// current frame are kept, so the call may be late, but before the next frame.
    using Expected = AnnouncedBurst;
    void expect(std::span<const Expected> bursts);
    /// No further burst of this frame is wanted: samples between the last one and the next frame are not kept, which
    /// spares an idle receiver most of its copying. Valid until the next frame.
    void expect_no_more();
    /// Samples [from, until) that process() will not look at, whatever they are: those after the last wanted burst, up
    /// to the next frame. Known after expect_no_more().
    struct UnusedSamples {
        int64_t from = 0, until = 0;
    };
    std::optional<UnusedSamples> unused() const;
    /// Announces an STC zone that only the DL-MAP has; call it before expect() of its bursts.
    void expect_stc_zone(int start_symbol);
    void set_profiles(const DiucRates& diuc_rates);
    /// See BurstDecoder::set_second_chance().
    void set_second_chance(bool on);
    /// Discards the estimates of both front ends (DC offset, images) after a change of frequency or gain.
    void forget_front_end();
    /// Values in use now.
    FrontEndLevels front_end() const;
    /// Sets the observer of every further data symbol; nullptr: none. It must outlive the receiver or be removed.
    void set_observer(SymbolObserver* observer);

    bool synchronised() const;
    /// Results of detector and transformer that were used, monotone.
    struct Given {
        uint64_t preambles = 0;  ///< found by the detector, and evaluated
        uint64_t symbols = 0;    ///< from the transformer, and used
    };
    Given given() const;
    /// Discards all knowledge of base station and front end.
    void reset();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
