// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/known_burst.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <algorithm>
#include <random>

namespace wimax::radio {

KnownBurst KnownBurst::make(const phy::Numerology& numerology, int symbols, uint64_t seed) {
    phy::UplinkBurst burst;
    burst.format.rate_id = 6;
    burst.format.preamble = phy::Preamble::short_;
    burst.format.data_symbols = symbols;
    std::vector<uint8_t> payload(static_cast<size_t>(phy::burst_payload_bytes(burst.format)));
    std::mt19937_64 random(seed);
    std::generate(payload.begin(), payload.end(), [&] { return static_cast<uint8_t>(random()); });
    burst.payload = payload;
    phy::Modulator modulator(numerology, burst.format.total_symbols());
    const auto symbol = static_cast<std::ptrdiff_t>(numerology.symbol_samples());
    KnownBurst known{numerology, symbols, {}};
    known.samples.resize(static_cast<size_t>(symbol * burst.format.total_symbols()) + modulator.tail_samples());
    modulator.uplink(burst, known.samples).value();
    known.samples.erase(known.samples.begin(), known.samples.begin() + symbol);  // the preamble
    known.samples.resize(static_cast<size_t>(symbol * symbols));
    return known;
}

}  // namespace wimax::radio
