/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/air_digest.h"

#include <fmt/format.h>

namespace wimax::sim {

void AirDigest::add(size_t node, const sap::TxFrame& frame) {
    if (frame.bursts.empty() && frame.codes.empty()) return;
    for (const uint64_t number : {uint64_t{node}, uint64_t{frame.frame_number.value()}, uint64_t{frame.dcd_count},
                                  static_cast<uint64_t>(frame.timing_advance_samples)})
        add(number);
    for (const auto& burst : frame.bursts) {
        const auto& f = burst.format;
        add(burst.start_slot.value());
        for (const int number : {int{f.rate_id}, int{f.iuc}, int{f.frame_lsb}, static_cast<int>(f.preamble),
                                 f.data_symbols, int{f.midamble_interval}, int{f.subchannel_index}, int{f.stc}})
            add(static_cast<uint64_t>(number));
        add(burst.payload.size());
        for (const uint8_t octet : burst.payload) add_octet(octet);
    }
    for (const auto& code : frame.codes) {
        add(code.start_slot.value());
        add_octet(code.what.channel);
        add_octet(code.what.code);
    }
}

void AirDigest::add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_octet(static_cast<uint8_t>(number >> shift));
}

std::string AirDigest::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace wimax::sim
