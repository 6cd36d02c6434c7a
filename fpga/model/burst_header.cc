// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/burst_header.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <vector>

namespace wimax::fpga {
namespace {

constexpr int kPilotStages = 11;
constexpr int kPilotPeriod = (1 << kPilotStages) - 1;

/// Both directions use the same sequence; the register gives the position.
int downlink_index(uint32_t pilots) {
    static const auto indices = [] {
        std::vector<int> all(kPilotPeriod + 1, 0);
        for (int k = 0; k < kPilotPeriod; ++k) all[pilot_register(phy::Direction::downlink, k)] = k;
        return all;
    }();
    return indices[pilots];
}

}  // namespace

uint32_t pilot_register(phy::Direction direction, int k) {
    uint32_t bits = 0;
    for (int i = 0; i < kPilotStages; ++i) bits = bits << 1 | static_cast<uint32_t>(phy::pilot_bit(direction, k + i));
    return bits;
}

std::array<uint32_t, BurstHeader::kWords> pack(const BurstHeader& h) {
    const auto symbols = static_cast<uint32_t>(h.data_symbols), bytes = static_cast<uint32_t>(h.payload_bytes);
    const uint32_t uplink = h.direction == phy::Direction::uplink ? 1 : 0;
    return {uint32_t{h.rate_id} << 29 | uplink << 28 | (h.midamble_interval & 3U) << 26 |
                (h.midamble_interval >> 2U & 1U) << 25 | (symbols & 0x7FFU),
            uint32_t{h.randomizer.state()} << 16 | pilot_register(h.direction, h.pilot_k), bytes & 0x3FFFFU};
}

std::optional<BurstHeader> unpack(const std::array<uint32_t, BurstHeader::kWords>& words) {
    BurstHeader h;
    h.rate_id = static_cast<uint8_t>(words[0] >> 29);
    h.direction = words[0] >> 28 & 1U ? phy::Direction::uplink : phy::Direction::downlink;
    h.midamble_interval = static_cast<uint8_t>((words[0] >> 26 & 3U) | (words[0] >> 25 & 1U) << 2);
    h.data_symbols = static_cast<int>(words[0] & 0x7FFU);
    h.randomizer = phy::Randomizer::at(static_cast<uint16_t>(words[1] >> 16));
    const int k = downlink_index(words[1] & 0x7FFU);
    h.pilot_k = h.direction == phy::Direction::downlink ? k : 0;
    if (h.direction == phy::Direction::uplink) {
        // The uplink's sequence is the downlink's with another start.
        static const int start = downlink_index(pilot_register(phy::Direction::uplink, 0));
        h.pilot_k = (k - start + kPilotPeriod) % kPilotPeriod;
    }
    h.payload_bytes = static_cast<int>(words[2] & 0x3FFFFU);
    if (h.rate_id >= phy::kRates || h.data_symbols == 0) return std::nullopt;
    return h;
}

}  // namespace wimax::fpga
