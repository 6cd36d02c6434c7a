// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/pilots.h>

namespace gr::wimax::phy {
namespace {

constexpr int kPeriod = 2047;
using Values = std::array<float, kPilotCarriers>;

constexpr unsigned kDownlinkStart = 0x7FF;  // all ones
constexpr unsigned kUplinkStart = 0x555;    // 10101010101, the same read from both ends

/// Pilots that carry A = 1 - 2 w_k; the others carry -A.
constexpr std::array<bool, kPilotCarriers> kDownlinkA{true, false, true, false, false, false, true, true};
constexpr std::array<bool, kPilotCarriers> kUplinkA{true, false, true, false, true, true, true, true};

struct Sequence {
    std::array<uint8_t, kPeriod> bits;
    Values by_bit[2];
};

Sequence make_sequence(unsigned stages, const std::array<bool, kPilotCarriers>& is_a) {
    Sequence s{};
    for (auto& bit : s.bits) {  // stage i is bit i - 1
        const unsigned output = (stages >> 10) & 1U;
        bit = static_cast<uint8_t>(output);
        stages = (stages << 1 | (((stages >> 8) & 1U) ^ output)) & 0x7FFU;
    }
    for (size_t w = 0; w < 2; ++w)
        for (size_t i = 0; i < is_a.size(); ++i) s.by_bit[w][i] = (w == 0) == is_a[i] ? 1.0F : -1.0F;
    return s;
}

const Sequence& sequence(Direction direction) {
    static const Sequence downlink = make_sequence(kDownlinkStart, kDownlinkA);
    static const Sequence uplink = make_sequence(kUplinkStart, kUplinkA);
    return direction == Direction::downlink ? downlink : uplink;
}

}  // namespace

int pilot_bit(Direction direction, int k) {
    return sequence(direction).bits[static_cast<size_t>(((k % kPeriod) + kPeriod) % kPeriod)];
}

const Values& pilot_values(Direction direction, int k) { return sequence(direction).by_bit[pilot_bit(direction, k)]; }

}  // namespace gr::wimax::phy
