// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/clean_path.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <cstring>

namespace gr::wimax::phy {
namespace {

constexpr size_t kStates = 64, kMostBits = 6;

/// Steps that are followed at once: whole puncturing periods with at most kMostBits sent bits.
struct Stride {
    size_t steps, bits;
};
constexpr Stride stride(CodeRate rate) {
    const auto& p = puncture_pattern(rate);
    const auto bits = static_cast<size_t>(p.output_bits), periods = kMostBits / bits;
    return {periods * static_cast<size_t>(p.input_bits), periods * bits};
}

/// For each state and sent bits (the first most significant), the row of the next state; kNone: no path. A state has
/// the last six inputs, the newest in bit 0, which therefore include those of the step to it.
constexpr uint16_t kNone = 0xFFFF;
constexpr size_t kRow = 1U << kMostBits;
using Moves = std::array<uint16_t, kStates * kRow>;
constexpr uint16_t row_of(unsigned state) { return static_cast<uint16_t>(state * kRow); }

constexpr unsigned output_x(unsigned state, unsigned input) {
    return (input ^ state ^ state >> 1 ^ state >> 2 ^ state >> 5) & 1U;
}
constexpr unsigned output_y(unsigned state, unsigned input) {
    return (input ^ state >> 1 ^ state >> 2 ^ state >> 4 ^ state >> 5) & 1U;
}

constexpr Moves make_moves(CodeRate rate) {
    Moves moves{};
    moves.fill(kNone);
    const auto& pattern = puncture_pattern(rate);
    const auto [steps, bits] = stride(rate);
    for (unsigned state = 0; state < kStates; ++state)
        for (unsigned inputs = 0; inputs < 1U << steps; ++inputs) {
            unsigned now = state, sent = 0;
            for (size_t step = 0; step < steps; ++step) {
                const unsigned input = inputs >> (steps - 1 - step) & 1U;
                const size_t at = 2 * (step % static_cast<size_t>(pattern.input_bits));
                if (pattern.sent[at]) sent = sent << 1 | output_x(now, input);
                if (pattern.sent[at + 1]) sent = sent << 1 | output_y(now, input);
                now = (now << 1 | input) & (kStates - 1);
            }
            moves[row_of(state) + sent] = row_of(now);
        }
    return moves;
}
constexpr std::array<Moves, 4> kMoves{make_moves(CodeRate::r1_2), make_moves(CodeRate::r2_3),
                                      make_moves(CodeRate::r3_4), make_moves(CodeRate::r5_6)};

/// 0xFF for the first `turn` rows of each group.
template <size_t Group, size_t Turn>
constexpr auto kWraps = [] {
    CleanPath::Rows wraps{};
    for (size_t row = 0; row < wraps.size(); ++row) wraps[row] = row % Group < Turn ? 0xFF : 0;
    return wraps;
}();

/// Appends the signs of one part of the block to the bits of its rows. If `Turn` is not 0, other parts are before it.
template <size_t Group, size_t Turn>
WIMAX_SIMD_BODY void append(const SoftBit* part, size_t rows, bool last, uint8_t* signs) {
    const auto add = [signs](size_t row, int soft) {
        signs[row] = static_cast<uint8_t>(signs[row] << 1 | static_cast<uint8_t>(soft) >> 7);
    };
    const SoftBit* turned = part - Turn;
    const SoftBit* wrapped = part + (Group - Turn);
    size_t row = 0;
    if constexpr (Turn > 0) {
        const size_t end = last ? rows - Group : rows;  // nothing is read behind the block
        for (const auto& wraps = kWraps<Group, Turn>; row < end; ++row)
            add(row, (turned[row] & ~wraps[row]) | (wrapped[row] & wraps[row]));
    }
    for (; row < rows; ++row) add(row, row % Group < Turn ? wrapped[row] : turned[row]);
}

template <size_t Group>
WIMAX_SIMD_BODY void append_turned(const SoftBit* part, size_t rows, size_t turn, bool last, uint8_t* signs) {
    if (turn == 0) return append<Group, 0>(part, rows, last, signs);
    if constexpr (Group > 1)
        if (turn == 1) return append<Group, 1>(part, rows, last, signs);
    if constexpr (Group > 2) append<Group, 2>(part, rows, last, signs);
}

template <size_t Group>
WIMAX_SIMD_BODY void append_all(const SoftBit* soft, size_t rows, size_t bits, CleanPath::Rows* signs) {
    constexpr size_t kParts = Interleaver::kParts;
    for (size_t part = 0; part < kParts; ++part) {
        uint8_t* to = signs[part / bits].data();
        if (part % bits == 0)
            for (size_t row = 0; row < rows; ++row) to[row] = 0;
        append_turned<Group>(soft + part * rows, rows, part % Group, part + 1 == kParts, to);
    }
}

/// Signs of `bits` parts each, in the order of the coder's output; the first is most significant.
WIMAX_SIMD_BODY void signs_body(const SoftBit* soft, size_t rows, size_t group, size_t bits, CleanPath::Rows* signs) {
    if (group == 1) append_all<1>(soft, rows, bits, signs);
    else if (group == 2 && rows == 64) append_all<2>(soft, 64, bits, signs);  // the whole band, unrolled
    else if (group == 2) append_all<2>(soft, rows, bits, signs);
    else if (rows == CleanPath::kMostRows) append_all<3>(soft, CleanPath::kMostRows, bits, signs);
    else append_all<3>(soft, rows, bits, signs);
}
constexpr simd::Dispatched<signs_body> take_signs;

/// From one state's row to another's, or kNone.
template <CodeRate Rate, class Signs> uint16_t walk(uint16_t state, const Signs& signs, size_t rows, uint8_t* out) {
    constexpr Stride kStride = stride(Rate);
    constexpr size_t kInputs = (1U << kStride.steps) - 1;
    const Moves& moves = kMoves[static_cast<size_t>(Rate)];
    uint64_t bits = 0;
    size_t waiting = 0;
    const auto flush = [&](size_t least) {
        while (waiting >= least) *out++ = static_cast<uint8_t>(bits >> (waiting -= 8));
    };
    for (size_t row = 0; row < rows; ++row) {
        for (size_t part = 0; part < Interleaver::kParts / kStride.bits; ++part) {
            state = moves[state + signs[part][row]];
            if (state == kNone) return kNone;
            bits = bits << kStride.steps | (state / kRow & kInputs);
            waiting += kStride.steps;
        }
        if (waiting >= 32) flush(8);
    }
    flush(8);
    return state;
}

}  // namespace

void CleanPath::start(CodeRate rate, const Interleaver& interleaver) {
    rate_ = rate;
    const auto bits = static_cast<size_t>(interleaver.block_bits());
    rows_ = bits / Interleaver::kParts;
    group_bits_ = static_cast<size_t>(interleaver.group_bits());
    usable_ = bits % static_cast<size_t>(puncture_pattern(rate).output_bits) == 0 && trellis_steps(rate, bits) % 8 == 0;
    state_ = 0;
}

bool CleanPath::find_state() {
    struct Candidate {
        uint16_t first, now;
    };
    std::array<Candidate, kStates> candidates;
    for (unsigned i = 0; i < kStates; ++i) candidates[i] = {row_of(i), row_of(i)};
    const Moves& moves = kMoves[static_cast<size_t>(rate_)];
    const size_t strides = Interleaver::kParts / stride(rate_).bits;
    size_t count = kStates;
    for (size_t at = 0; at < rows_ * strides && count > 1; ++at) {
        const uint8_t bits = signs_[at % strides][at / strides];
        size_t left = 0;
        for (size_t i = 0; i < count; ++i)
            if (const uint16_t next = moves[candidates[i].now + bits]; next != kNone)
                candidates[left++] = {candidates[i].first, next};
        count = left;
    }
    if (count == 1) state_ = candidates[0].first;
    return count == 1;
}

bool CleanPath::follow(std::span<const SoftBit> soft, uint8_t* out) {
    const int begin = state_;
    state_ = kUnknown;
    if (std::memchr(soft.data(), 0, soft.size()) != nullptr) return false;
    take_signs(soft.data(), rows_, group_bits_, stride(rate_).bits, signs_.data());
    if (begin != kUnknown) state_ = begin;
    else if (!find_state()) return false;
    const auto from = static_cast<uint16_t>(state_);
    const uint16_t end = [&] {
        switch (rate_) {
            case CodeRate::r1_2: return walk<CodeRate::r1_2>(from, signs_, rows_, out);
            case CodeRate::r2_3: return walk<CodeRate::r2_3>(from, signs_, rows_, out);
            case CodeRate::r3_4: return walk<CodeRate::r3_4>(from, signs_, rows_, out);
            case CodeRate::r5_6: return walk<CodeRate::r5_6>(from, signs_, rows_, out);
        }
        return kNone;
    }();
    state_ = end == kNone ? kUnknown : end;
    return end != kNone;
}

void CleanRun::start(CodeRate rate, const Interleaver& interleaver) {
    const auto bits = static_cast<size_t>(interleaver.block_bits());
    path_.start(rate, interleaver);
    symbol_bytes_ = trellis_steps(rate, bits) / 8;
    kept_ = bytes_.size() * 8 / bits;
    from_ = to_ = 0;
    next_ = on_ && path_.usable() ? 0 : SIZE_MAX;
}

bool CleanRun::follow(size_t symbol, std::span<const SoftBit> soft, bool last) {
    if (to_ != symbol) from_ = symbol;
    if (!path_.follow(soft, bytes_.data() + place(symbol)) || (last && !path_.at_zero())) return false;
    to_ = symbol + 1;
    return true;
}

size_t CleanRun::copy(size_t from, size_t to, uint8_t* out) const {
    for (size_t i = from; i < to; ++i, out += symbol_bytes_) std::memcpy(out, bytes_.data() + place(i), symbol_bytes_);
    return (to - from) * symbol_bytes_;
}

}  // namespace gr::wimax::phy
