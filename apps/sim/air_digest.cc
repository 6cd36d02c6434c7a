// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/air_digest.h"

#include <fmt/format.h>

#include <cstring>

namespace wimax::sim {

void AirDigest::add_contents(size_t node, const sap::TxFrame& frame) {
    for (const uint64_t number : {uint64_t{node}, uint64_t{frame.frame_number.value()}, uint64_t{frame.dcd_count},
                                  static_cast<uint64_t>(frame.timing_advance_samples)})
        add(number);
    for (const auto& burst : frame.bursts) {
        const auto& f = burst.format;
        add(burst.start_slot.value());
        for (const int number : {int{f.rate_id}, int{f.iuc}, int{f.frame_lsb}, static_cast<int>(f.preamble),
                                 f.data_symbols, int{f.midamble_interval}, int{f.subchannel_index}, int{f.stc}})
            add(static_cast<uint64_t>(number));
        add_octets(burst.payload);
    }
    for (const auto& code : frame.codes) {
        add(code.start_slot.value());
        add(code.what.channel);
        add(code.what.code);
    }
}

/// Eight at a time: saturated cells send a lot.
void AirDigest::add_octets(std::span<const uint8_t> octets) {
    add(octets.size());
    uint64_t number = 0;
    for (; octets.size() >= sizeof number; octets = octets.subspan(sizeof number)) {
        std::memcpy(&number, octets.data(), sizeof number);
        add(number);
    }
    if (octets.empty()) return;
    number = 0;
    std::memcpy(&number, octets.data(), octets.size());
    add(number);
}

std::string AirDigest::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace wimax::sim
