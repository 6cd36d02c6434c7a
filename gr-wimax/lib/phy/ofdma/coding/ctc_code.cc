// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/coding/ctc_code.h>

#include "phy/ofdma/coding/ctc_trellis.h"

#include <algorithm>
#include <iterator>

namespace gr::wimax::phy::ofdma {
namespace {

struct CtcSize {
    int pairs, p0, p1, p2, p3, m, j;
};
constexpr CtcSize kSizes[] = {
    {24, 5, 0, 0, 0, 3, 3},       {36, 11, 18, 0, 18, 4, 3},     {48, 13, 24, 0, 24, 4, 3},
    {72, 11, 6, 0, 6, 5, 3},      {96, 7, 48, 24, 72, 5, 3},     {108, 11, 54, 56, 2, 5, 4},
    {120, 13, 60, 0, 60, 6, 2},   {144, 17, 74, 72, 2, 6, 3},    {180, 11, 90, 0, 90, 6, 3},
    {192, 11, 96, 48, 144, 6, 3}, {216, 13, 108, 0, 108, 6, 4},  {240, 13, 120, 60, 180, 7, 2},
    {480, 53, 62, 12, 2, 8, 2},   {960, 43, 64, 300, 824, 9, 2}, {1440, 43, 720, 360, 540, 9, 3},
    {1920, 31, 8, 24, 16, 10, 2}, {2400, 53, 66, 24, 2, 10, 3},
};
static_assert(std::end(kSizes)[-1].pairs == kMaxCtcPairs);

/// Start state that is also the end state, by the number of pairs mod 7 and the end state of a run from state 0.
constexpr uint8_t kCirculation[7][kCtcStates] = {
    {},
    {0, 6, 4, 2, 7, 1, 3, 5},
    {0, 3, 7, 4, 5, 6, 2, 1},
    {0, 5, 3, 6, 2, 7, 1, 4},
    {0, 4, 1, 5, 6, 2, 7, 3},
    {0, 2, 5, 7, 1, 3, 4, 6},
    {0, 7, 6, 1, 3, 4, 5, 2},
};

constexpr unsigned reversed(unsigned value, int bits) {
    unsigned result = 0;
    for (int i = 0; i < bits; ++i) result |= (value >> i & 1U) << (bits - 1 - i);
    return result;
}

/// One constituent encoder over a circular block. `input(j)` is 2 A + B of pair j; returns the start state.
template <class Input> int encode_circular(size_t pairs, Input input, uint8_t* y, uint8_t* w) {
    size_t state = 0;
    for (size_t j = 0; j < pairs; ++j) state = kCtcTrellis.next[state][input(j)];
    const int start = kCirculation[pairs % 7][state];
    state = static_cast<size_t>(start);
    for (size_t j = 0; j < pairs; ++j) {
        const unsigned u = input(j);
        y[j] = kCtcTrellis.y[state][u];
        w[j] = kCtcTrellis.w[state][u];
        state = kCtcTrellis.next[state][u];
    }
    return start;
}

}  // namespace

CtcCode::CtcCode(int pairs, int p0, int p1, int p2, int p3, int m, int j) : pairs_(pairs) {
    const auto n = static_cast<size_t>(pairs);
    const int offsets[] = {0, pairs / 2 + p1, p2, pairs / 2 + p3};
    for (int i = 0; i < pairs; ++i)
        interleaver_.push_back(static_cast<uint16_t>((p0 * i + 1 + offsets[i % 4]) % pairs));
    for (unsigned k = 0; subblock_.size() < n; ++k) {
        const unsigned rows = static_cast<unsigned>(j);
        const unsigned place = (1U << m) * (k % rows) + reversed(k / rows, m);
        if (place < n) subblock_.push_back(static_cast<uint16_t>(place));
    }
    const auto send = [&](size_t block, size_t k) {
        order_.push_back(static_cast<uint16_t>(block * n + subblock_[k]));
    };
    for (size_t block : {0U, 1U})
        for (size_t k = 0; k < n; ++k) send(block, k);
    for (size_t block : {2U, 4U})
        for (size_t k = 0; k < n; ++k) {
            send(block, k);
            send(block + 1, k);
        }
}

const CtcCode* CtcCode::find(int pairs) {
    static const auto all = [] {
        std::vector<CtcCode> codes;
        for (const auto& s : kSizes) codes.push_back(CtcCode(s.pairs, s.p0, s.p1, s.p2, s.p3, s.m, s.j));
        return codes;
    }();
    const auto found = std::ranges::find(all, pairs, &CtcCode::pairs);
    return found == all.end() ? nullptr : &*found;
}

CtcStates ctc_encode(const CtcCode& code, std::span<const uint8_t> octets, std::span<uint8_t> bits) {
    const auto n = static_cast<size_t>(code.pairs());
    std::array<uint8_t, size_t{6} * kMaxCtcPairs> blocks;
    const auto block = [&](size_t number) { return blocks.data() + number * n; };
    const auto pair = [&](size_t i) { return octets[i / 4] >> (6 - 2 * (i % 4)) & 3U; };
    for (size_t i = 0; i < n; ++i) {
        block(0)[i] = static_cast<uint8_t>(pair(i) >> 1);
        block(1)[i] = static_cast<uint8_t>(pair(i) & 1U);
    }
    const auto interleaved = [&](size_t j) {
        const size_t i = code.interleaver()[j];
        const unsigned u = pair(i);
        return i % 2 == 0 ? u : (u >> 1 | (u & 1U) << 1);
    };
    CtcStates states;
    states.first = encode_circular(n, pair, block(2), block(4));
    states.second = encode_circular(n, interleaved, block(3), block(5));
    for (size_t k = 0; k < bits.size(); ++k) bits[k] = blocks[code.order()[k]];
    return states;
}

}  // namespace gr::wimax::phy::ofdma
