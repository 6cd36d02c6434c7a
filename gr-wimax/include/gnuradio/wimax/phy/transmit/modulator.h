/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples of whole downlink subframes and uplink bursts, clause 8.3.3 and 8.3.5: randomizer, RS-CC, interleaver,
 * mapping, pilots, IFFT, cyclic prefix, preambles. Workspaces belong to the object; nothing is allocated after
 * construction (bursts longer than `max_symbols` are refused).
 */
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <memory>

namespace gr::wimax::phy {

class WIMAX_API Modulator {
public:
    explicit Modulator(const Numerology& numerology, int max_symbols = kMaxFrameSymbols,
                       const TransmitShape& shape = {});
    ~Modulator();
    Modulator(Modulator&&) noexcept;

    const Numerology& numerology() const;
    /// Samples written behind the last symbol: the slope of TransmitShape::window_samples.
    size_t tail_samples() const;

    /// One downlink subframe from the frame's first preamble symbol on: long preamble, FCH holding `prefix`, then the
    /// bursts in rising start order, silence between them. Writes whole symbols up to the end of the last burst and
    /// tail_samples() more, and returns how many samples that is; 0 if `out` is too short, bursts overlap or a payload
    /// exceeds its capacity.
    size_t downlink(const FramePrefix& prefix, std::span<const DownlinkBurst> bursts, std::span<Complex> out);

    /// One uplink burst with its preamble and midambles. Returns samples written, 0 on a fault as above.
    size_t uplink(const UplinkBurst& burst, std::span<Complex> out);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy
