// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/ofdm256/block_errors.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace wimax::sim {
namespace {

namespace phy = gr::wimax::phy;

void spoil_octets(std::span<uint8_t> octets, Random& random) {
    for (auto& octet : octets) octet = static_cast<uint8_t>(octet ^ (1 + random() % 255));
}

}  // namespace

int decode_blocks(sap::RxBurst& burst, double block_error, Random& random) {
    burst.fec_ok = true;
    burst.failed_blocks = 0;
    if (block_error <= 0) return 0;
    const auto block_octets = static_cast<size_t>(phy::kRateTable[burst.rate_id].uncoded_bytes);
    const size_t blocks = (burst.payload.size() + block_octets) / block_octets;  // one octet is the code's tail
    // Number of good blocks before the next wrong one.
    const double log_good = block_error >= 1 ? -1e300 : std::log1p(-block_error);
    int failed = 0;
    for (double next = 0;;) {
        next += std::floor(std::log1p(-uniform(random)) / log_good);
        if (next >= static_cast<double>(blocks)) break;
        const size_t from = static_cast<size_t>(next) * block_octets;
        const size_t to = std::min(from + block_octets, burst.payload.size());
        if (from < to) spoil_octets(std::span(burst.payload).subspan(from, to - from), random);
        ++failed;
        next += 1;
    }
    const bool noticed = burst.rate_id != 0 && failed > 0;
    burst.fec_ok = !noticed;
    if (noticed) burst.failed_blocks = static_cast<uint16_t>(failed);
    return failed;
}

void spoil(sap::RxBurst& burst, Random& random) {
    burst.fec_ok = burst.rate_id == 0;
    for (auto& octet : burst.payload) octet = static_cast<uint8_t>(random());
}

}  // namespace wimax::sim
