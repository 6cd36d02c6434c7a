// SPDX-License-Identifier: GPL-3.0-or-later
// One trial of a link (receiver SNR, clause 8.3.11): a random burst through modulator, channel and receiver, compared
// with what was sent. Carrier offset, phase and delay (fractions included) are random.
//
// Downlink: long preamble, FCH, then the burst, which the FCH does not announce. Uplink: short preamble and burst.
// A block is one OFDM symbol's worth of data; the last one has a byte less, for the tail.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include "channel/channel_profile.h"
#include "channel/radio_front.h"

#include <cstdint>
#include <memory>

namespace wimax::link {

namespace phy = gr::wimax::phy;

enum class Estimation : uint8_t {
    real,   ///< the receiver finds timing, frequency and channel itself; it knows the burst's format and position
    genie,  ///< timing, frequency, channel (of each symbol) and noise level are known; noise and interference remain
};

/// A downlink frame of 20 ms holds 400 symbols at 5 MHz and CP 1/8, three of them preamble and FCH.
inline constexpr int kMaxDataSymbols = 397;

struct LinkSetup {
    phy::Direction direction = phy::Direction::downlink;
    int data_symbols = 1;  ///< 1..kMaxDataSymbols
    channel::ChannelProfile profile;
    Estimation estimation = Estimation::real;
    int64_t bandwidth_hz = 5'000'000;  ///< one that Numerology::make() accepts
    phy::CyclicPrefix cp = phy::CyclicPrefix::g1_8;
    double max_offset_hz = 10e3;                      ///< carrier offset is uniform within +- this
    uint8_t midamble_interval = 0;                    ///< code of kMidambleInterval, uplink only
    uint8_t subchannel_index = phy::kFullSubchannel;  ///< uplink only
    bool second_chance = true;                        ///< the real receiver decodes failed blocks again
    channel::FrontConfig transmitter{}, receiver{};   ///< what their radios do to the signal, of mean power 1
};

/// The burst of a trial. A setup suits a rate if valid_burst_format() accepts this burst.
phy::BurstFormat trial_format(const LinkSetup& setup, int rate_id);

struct TrialResult {
    int blocks = 0, block_errors = 0;
    int64_t bits = 0, bit_errors = 0;
    bool missed = false;  ///< preamble not found where it was: all blocks wrong, and half of their bits
    int failed = 0;       ///< blocks that the receiver reported as failed
    int undetected = 0;   ///< wrong blocks in excess of the failed ones: at least this number was reported as right
};

/// Transmitter, channel and receiver with their workspaces: one object per thread.
class TrialRunner {
public:
    /// Throws std::invalid_argument if the bandwidth is impossible.
    explicit TrialRunner(const LinkSetup& setup);
    ~TrialRunner();

    /// `rate_id` 0..6 that suits the setup, `snr_db` Es/N0 per data carrier. The result depends on setup and arguments
    /// alone.
    TrialResult run(int rate_id, double snr_db, uint64_t seed);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wimax::link
