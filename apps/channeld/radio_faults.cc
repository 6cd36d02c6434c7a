// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/radio_faults.h"

#include <algorithm>

namespace wimax::channeld {
namespace {
constexpr size_t kMostWaiting = 64;
}

bool RadioFaults::add(vrf::RadioFault fault, uint32_t samples) {
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.emplace_back(fault, samples);
    return true;
}

std::pair<vrf::RadioFault, uint32_t> RadioFaults::next(double chunk_s) {
    for (size_t kind = 1; kind < rates_hz_.size(); ++kind)
        if (rates_hz_[kind] > 0 && std::bernoulli_distribution(std::min(1.0, rates_hz_[kind] * chunk_s))(random_))
            add(vrf::RadioFault(kind), 0);
    if (waiting_.empty()) return {vrf::RadioFault::none, 0};
    const auto fault = waiting_.front();
    waiting_.pop_front();
    ++counts_[size_t(fault.first)];
    return fault;
}

}  // namespace wimax::channeld
