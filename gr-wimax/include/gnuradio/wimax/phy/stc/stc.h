// SPDX-License-Identifier: GPL-3.0-or-later
// Space-time coding (STC) of clause 8.3.8: downlink zones sent from two antennas with Alamouti's code over pairs of
// OFDM symbols. On each carrier antenna 0 sends s0 then -conj(s1), antenna 1 sends s1 then conj(s0).
//
// A zone has one preamble symbol (antenna 0 P_EVEN, antenna 1 P_ODD), a frame prefix (FCH-STC), then bursts of even
// length. It ends with the subframe or at the next zone. Frame prefix or DL-MAP announce it with DIUC 0.
//
// Uncertain readings, each in a constant: the length of the FCH-STC (kStcPrefixSymbols), the pilots (kStcPilots),
// the power of the two antennas (kStcAntennaAmplitude). The randomizer restarts with the zone as with a frame (2005
// corrigendum), and so does the pilots' sequence: the preamble is its symbol 0.
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <memory>

namespace gr::wimax::phy {

inline constexpr int kStcAntennas = 2;
/// The code uses pairs of symbols. The FCH-STC, one block of BPSK 1/2, is sent as s0 and as s1 of a pair.
inline constexpr int kStcPrefixSymbols = 2;
/// First burst symbol after the zone's start: preamble and FCH-STC lie before it.
inline constexpr int kStcFirstBurstSymbol = 1 + kStcPrefixSymbols;
/// Both antennas together have the power of one antenna outside the zone.
inline constexpr float kStcAntennaAmplitude = 0.70710678F;
/// Bursts of the n-th zone's prefix have the indices kStcZoneIndex * n + 1, + 2 ...
inline constexpr int kStcZoneIndex = 100;

/// Signal of an antenna on a pilot carrier in one symbol of a pair: the pilot value of the pair's symbol `of`, times
/// `sign`. Pilots are coded like data.
struct StcPilot {
    int of;
    float sign;
};
inline constexpr StcPilot kStcPilots[kStcAntennas][2] = {{{0, 1.0F}, {1, -1.0F}}, {{1, 1.0F}, {0, 1.0F}}};

/// True for: full band, an even number of data symbols, no preamble and no midambles, valid_burst_format().
WIMAX_API bool valid_stc_format(const BurstFormat& format);

struct StcZone {
    int start_symbol = 0;  ///< start of the zone's preamble, from the frame's first preamble symbol
    FramePrefix prefix;    ///< sent in the FCH-STC: describes the zone's first four bursts
    /// Rising start symbols (from the frame's first preamble symbol), format.stc set; `first` for the burst of entry 1.
    std::span<const DownlinkBurst> bursts;
};

/// The entry that announces a zone in a frame prefix.
WIMAX_API FramePrefixEntry stc_zone_entry(int start_symbol);

class WIMAX_API StcModulator {
public:
    explicit StcModulator(const Numerology& numerology, int max_symbols = kMaxFrameSymbols);
    ~StcModulator();
    StcModulator(StcModulator&&) noexcept;

    /// Writes the zone's samples for each antenna, from its preamble to the end of its last burst, silence between
    /// bursts. Before the zone, antenna 0 has the samples of Modulator::downlink() and antenna 1 is silent. Returns the
    /// samples written to each.
    tl::expected<size_t, ModulatorFault> zone(const StcZone& zone, std::span<Complex> antenna_0,
                                              std::span<Complex> antenna_1);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
