/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A downlink frame put together: its bursts and those of its STC zone, the frame prefixes that announce them, and the
 * samples of both antennas (clauses 8.3.5.1 and 8.3.8). frame_reader.h is the other side.
 */
#pragma once

#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <tl/expected.hpp>

#include <string_view>
#include <vector>

namespace gr::wimax::phy {

/// Keeps its memory from one frame to the next.
class WIMAX_API DownlinkFrame {
public:
    /// What frame prefixes say of the frame, 4 bits each.
    struct Identity {
        uint8_t bsid_lsb = 0, frame_lsb = 0, change_count_lsb = 0;
    };

    /// A frame without bursts.
    void begin(const Identity& identity);
    /// A burst that begins `start_symbol` symbols after the frame, by rising start. Those with format.stc are the STC
    /// zone's, which ends the frame and whose preamble and prefix lie right before the first of them. The payload has
    /// to live until the samples are made.
    void add(const BurstFormat& format, int start_symbol, std::span<const uint8_t> payload);
    /// A burst right behind the one before: the first behind the FCH, the first of a zone behind the zone's prefix.
    void append(const BurstFormat& format, std::span<const uint8_t> payload);

    std::span<const DownlinkBurst> bursts() const { return std::span(bursts_).first(plain_); }  ///< outside the zone
    std::span<const DownlinkBurst> zone_bursts() const { return std::span(bursts_).subspan(plain_); }
    bool has_zone() const { return plain_ < bursts_.size(); }
    /// Of the zone's preamble; only if has_zone(). Not above 0: there is no room for it.
    int zone_start() const { return bursts_[plain_].start_symbol - kStcFirstBurstSymbol; }
    /// First symbol behind everything added.
    int end_symbol() const { return end_; }

    /// Announces bursts up to the first gap, as its entries hold no start times, and the zone if an entry is left.
    FramePrefix prefix() const;
    /// What the zone's own prefix says; only if has_zone().
    FramePrefix zone_prefix() const { return announce(zone_bursts()); }

private:
    FramePrefix announce(std::span<const DownlinkBurst> bursts) const;

    Identity identity_;
    std::vector<DownlinkBurst> bursts_;
    size_t plain_ = 0;  ///< those before the zone
    int end_ = kFirstBurstSymbol;
};

struct FrameFault {
    bool zone = false;  ///< of the STC zone, else of the bursts before it
    ModulatorFault what{};
    bool operator==(const FrameFault&) const = default;
};
WIMAX_API std::string to_string(FrameFault fault);

struct FrameSamples {
    size_t antenna_0 = 0;  ///< from the frame's start, tail included
    size_t zone_from = 0;  ///< sample from the frame's start at which antenna 1 begins
    size_t antenna_1 = 0;  ///< none without a zone
};

/// Antenna 0's samples of the frame, and antenna 1's from the zone's preamble on. `stc` and `antenna_1` are of no use
/// without a zone; with one `plain` goes without shaping of symbols.
WIMAX_API tl::expected<FrameSamples, FrameFault> modulate(const DownlinkFrame& frame, Modulator& plain,
                                                          StcModulator* stc, std::span<Complex> antenna_0,
                                                          std::span<Complex> antenna_1);

}  // namespace gr::wimax::phy
