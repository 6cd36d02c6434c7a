// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of whole downlink subframes and uplink bursts, clause 8.3.3 and 8.3.5: randomizer, RS-CC, interleaver,
// mapping, pilots, IFFT, cyclic prefix, preambles. Workspaces belong to the object; nothing is allocated after
// construction (bursts longer than `max_symbols` are rejected).
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <tl/expected.hpp>

#include <memory>
#include <string_view>

namespace gr::wimax::phy {

/// Reason why nothing was modulated.
enum class ModulatorFault : uint8_t {
    format,   ///< burst format invalid, or not for this direction or zone
    payload,  ///< exceeds its burst
    order,    ///< bursts overlap, are not in rising order, or begin too early
    length,   ///< more symbols than max_symbols
    room,     ///< an output is too short
};
WIMAX_API std::string_view to_string(ModulatorFault fault);

class WIMAX_API Modulator {
public:
    explicit Modulator(const Numerology& numerology, int max_symbols = kMaxFrameSymbols,
                       const TransmitShape& shape = {});
    ~Modulator();
    Modulator(Modulator&&) noexcept;

    const Numerology& numerology() const;
    /// Samples written after the last symbol: the slope of TransmitShape::window_samples.
    size_t tail_samples() const;

    /// Writes a downlink subframe from the frame's first preamble symbol on: long preamble, FCH with `prefix`, then the
    /// bursts in rising start order, silence between them. Writes whole symbols up to the end of the last burst and
    /// tail_samples() more, and returns the number of samples.
    tl::expected<size_t, ModulatorFault> downlink(const FramePrefix& prefix, std::span<const DownlinkBurst> bursts,
                                                  std::span<Complex> out);

    /// Writes one uplink burst with its preamble and midambles. Returns the number of samples.
    tl::expected<size_t, ModulatorFault> uplink(const UplinkBurst& burst, std::span<Complex> out);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
