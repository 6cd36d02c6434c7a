// SPDX-License-Identifier: GPL-3.0-or-later
// Acquisition of one downlink frame: the receiver knows the bandwidth and nothing else. A frame of preamble, FCH and
// one burst arrives at a random moment in noise, off in carrier and sampling clock; it counts as acquired if its frame
// prefix was decoded at the right place. And false alarms: frames that a receiver reports where there are none.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include "channel/channel_profile.h"
#include "channel/draw.h"
#include "channel/noise_source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wimax::acquisition {

namespace phy = gr::wimax::phy;

struct Setup {
    int64_t bandwidth_hz = 5'000'000;
    phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8;
    bool cp_known = false;  ///< false: the receiver searches it
    double carrier_hz = 5.8e9;
    double max_offset_ppm = 20;  ///< carrier and clock are each uniform within +- this
    channel::ChannelProfile profile;
};

struct Outcome {
    bool acquired = false;           ///< FCH decoded, equal to what was sent, start within the cyclic prefix
    bool detected = false;           ///< preamble found there
    double start_error_samples = 0;  ///< of the reported start, against the first path; valid if acquired
    double frequency_error_hz = 0;
};

/// What a receiver hears of one frame, and what it should find there.
struct HeardFrame {
    std::span<const phy::Complex> samples;  ///< sample 0 on; until the next one is made
    double start_sample = 0;                ///< of the frame, by the first path
    double carrier_offset_hz = 0;
    phy::FramePrefix prefix;
};

/// Transmitter, channel and receiver with their workspaces: one object per thread.
class AcquisitionRunner {
public:
    explicit AcquisitionRunner(const Setup& setup);
    ~AcquisitionRunner();

    /// `snr_db`: Es/N0 per data carrier. The result depends on setup and arguments alone.
    Outcome run(double snr_db, uint64_t seed);
    /// The same frame, for another receiver.
    HeardFrame hear(double snr_db, uint64_t seed);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What a receiver hears while no frame is sent.
enum class Idle : uint8_t {
    noise,     ///< white, -20 dBFS
    steps,     ///< white, its level jumping between -80 and +10 dBFS every 500 samples
    tone,      ///< a carrier 10 dB above the noise
    impulses,  ///< bursts of 1 to 40 samples, 30 dB above the noise, about one per symbol
    data,      ///< 64-QAM symbols without any preamble at 20 dB
};

/// Makes stretches of it, in the order of time.
class IdleSource {
public:
    IdleSource(Idle idle, uint64_t seed);

    void fill(int64_t first, std::span<phy::Complex> out);

private:
    void steps(std::span<phy::Complex> out);
    void tone(int64_t first, std::span<phy::Complex> out);
    void impulses(std::span<phy::Complex> out);
    void data(std::span<phy::Complex> out);

    Idle idle_;
    channel::Draw draw_;
    channel::NoiseSource noise_;
    phy::OfdmTransform transform_;
};

struct FalseAlarms {
    int64_t symbols = 0;    ///< 5 MHz, CP 1/8
    int64_t preambles = 0;  ///< events without a right frame prefix
    int64_t prefixes = 0;   ///< events with one
};

/// The receiver searches all cyclic prefixes and offsets of Setup's defaults.
/// `go_on` is called now and then with the number of finished symbols; false ends the count.
FalseAlarms count_false_alarms(
    Idle idle, int64_t symbols, uint64_t seed,
    const std::function<bool(int64_t)>& go_on = [](int64_t) { return true; });

}  // namespace wimax::acquisition
