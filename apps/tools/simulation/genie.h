// SPDX-License-Identifier: GPL-3.0-or-later
// Reference for other receivers: it knows when the burst arrives, its phase and carrier offset, the channel during
// each symbol and the noise level. It decodes with the same demapper and decoder as the real one. What remains is
// noise, and neighbouring symbols where echoes reach beyond the cyclic prefix.
#pragma once

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include "channel/propagation_path.h"

namespace wimax::link {

namespace phy = gr::wimax::phy;

class Genie {
public:
    /// `spread_s`: latest echo of the channels to come. Bursts of up to `max_symbols` data symbols.
    Genie(const phy::Numerology& numerology, double spread_s, int max_symbols);

    struct Truth {
        channel::PropagationPath& path;  ///< that the signal took, from sample 0 to sample 0
        phy::Complex phase;              ///< of the transmitted signal, magnitude 1
        double noise;                    ///< power per carrier, where a data carrier was sent with power 1
        int first_symbol;                ///< of the data, counted from the first one sent; its preamble is before it
    };
    /// `rx` is sample 0 on. The payload is valid until the next call.
    std::span<const uint8_t> receive(std::span<const phy::Complex> rx, const phy::BurstFormat& format,
                                     const Truth& truth);
    /// Of the last burst.
    int failed_blocks() const { return decoder_.failed_blocks(); }

private:
    int64_t observe_response(const Truth& truth, int64_t begin);
    int64_t best_window() const;
    float set_gain(int64_t at);

    phy::Numerology numerology_;
    phy::BurstDecoder decoder_;
    phy::OfdmTransform transform_;
    std::vector<phy::Complex> response_;
    std::array<phy::Complex, phy::kFftSize> body_{}, carriers_{}, gain_{};
    std::array<phy::Complex, phy::kDataCarriers> equalized_{};
    std::array<float, phy::kDataCarriers> snr_{};
    std::vector<phy::SoftBit> soft_;
};

}  // namespace wimax::link
