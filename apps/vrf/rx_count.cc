// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/rx_count.h"

#include <cmath>
#include <utility>

namespace wimax::vrf {

void RxCount::join(const Welcome& welcome, int64_t own) {
    base_ = own - welcome.first_index;
    next_ = welcome.first_index;
    chunk_ = welcome.chunk_samples;
    second_ = std::llround(welcome.rate_hz);
    lost_tx_chunks_.reset();
}

std::optional<RxCount::Arrival> RxCount::take(const RxHeader& header) {
    const int64_t index = header.index;
    if (index < next_ || index % chunk_ != 0 || index > kMaxIndex || index > kMaxIndex - base_) return {};
    Arrival arrival{.first = index + base_, .gap = index != next_, .lost_tx = false, .pulse = {}};
    next_ = index + chunk_;
    const uint64_t lost = header.lost_tx_chunks;
    const auto before = std::exchange(lost_tx_chunks_, lost);
    arrival.lost_tx = before && lost > *before;
    // All radios of a channel share its pulses, at counts that are whole seconds.
    const int64_t pulse = (index + second_ - 1) / second_ * second_;
    if (pulse < next_) arrival.pulse = pulse + base_;
    return arrival;
}

}  // namespace wimax::vrf
