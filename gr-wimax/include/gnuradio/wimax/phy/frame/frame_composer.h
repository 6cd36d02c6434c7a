// SPDX-License-Identifier: GPL-3.0-or-later
// Composes a downlink frame: its bursts and those of its STC zone, the frame prefixes that announce them, and the
// samples of both antennas (clauses 8.3.5.1 and 8.3.8). frame_reader.h is the receiving side.
#pragma once

#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <tl/expected.hpp>

#include <string_view>
#include <vector>

namespace gr::wimax::phy {

/// A downlink frame; it reuses its memory from frame to frame.
class WIMAX_API FrameComposer {
public:
    /// Identification of the frame in frame prefixes, 4 bits each.
    struct Identity {
        uint8_t bsid_lsb = 0, frame_lsb = 0, change_count_lsb = 0;
    };

    /// Begins a frame without bursts.
    void begin(const Identity& identity);
    /// Adds a burst that begins `start_symbol` symbols after the frame's start, in rising order. Bursts with format.stc
    /// form the STC zone, which ends the frame; its preamble and prefix lie directly before the first of them. The
    /// payload must live until the samples are made.
    void add(const BurstFormat& format, int start_symbol, std::span<const uint8_t> payload);
    /// Adds a burst directly after the previous one, the FCH or the zone's prefix.
    void append(const BurstFormat& format, std::span<const uint8_t> payload);

    std::span<const DownlinkBurst> bursts() const { return std::span(bursts_).first(plain_); }  ///< outside the zone
    std::span<const DownlinkBurst> zone_bursts() const { return std::span(bursts_).subspan(plain_); }
    bool has_zone() const { return plain_ < bursts_.size(); }
    /// Start of the zone's preamble; only if has_zone(). Not above 0: the zone does not fit.
    int zone_start() const { return bursts_[plain_].start_symbol - kStcFirstBurstSymbol; }
    /// First symbol after all added bursts.
    int end_symbol() const { return end_; }

    /// Announces bursts up to the first gap, because entries have no start times, and the zone if an entry is left.
    FramePrefix prefix() const;
    /// Prefix of the zone; only if has_zone().
    FramePrefix zone_prefix() const { return announce(zone_bursts()); }

private:
    FramePrefix announce(std::span<const DownlinkBurst> bursts) const;

    Identity identity_;
    std::vector<DownlinkBurst> bursts_;
    size_t plain_ = 0;  ///< those before the zone
    int end_ = kFirstBurstSymbol;
};

struct FrameFault {
    bool zone = false;  ///< fault of the STC zone, else of the bursts before it
    ModulatorFault what{};
    bool operator==(const FrameFault&) const = default;
};
WIMAX_API std::string to_string(FrameFault fault);

struct FrameSamples {
    size_t antenna_0 = 0;  ///< from the frame's start, tail included
    size_t zone_from = 0;  ///< sample from the frame's start at which antenna 1 begins
    size_t antenna_1 = 0;  ///< none without a zone
};

/// Writes antenna 0's samples of the frame, and antenna 1's from the zone's preamble on. Without a zone `stc` and
/// `antenna_1` are not used; with a zone `plain` must have no shaping.
WIMAX_API tl::expected<FrameSamples, FrameFault> modulate(const FrameComposer& frame, Modulator& plain,
                                                          StcModulator* stc, std::span<Complex> antenna_0,
                                                          std::span<Complex> antenna_1);

}  // namespace gr::wimax::phy
