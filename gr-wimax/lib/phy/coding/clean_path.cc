// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/clean_path.h"

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

/// For each state and sent bits (the first most significant) the steps' inputs and the next state; kNone: no path.
struct Move {
    uint8_t inputs, state;
};
constexpr uint8_t kNone = 0xFF;
using Moves = std::array<std::array<Move, 1U << kMostBits>, kStates>;

/// Bit i of a state is the input i + 1 steps ago.
constexpr unsigned output_x(unsigned state, unsigned input) {
    return (input ^ state ^ state >> 1 ^ state >> 2 ^ state >> 5) & 1U;
}
constexpr unsigned output_y(unsigned state, unsigned input) {
    return (input ^ state >> 1 ^ state >> 2 ^ state >> 4 ^ state >> 5) & 1U;
}

constexpr Moves make_moves(CodeRate rate) {
    Moves moves{};
    for (auto& of_state : moves) of_state.fill({kNone, kNone});
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
            moves[state][sent] = {static_cast<uint8_t>(inputs), static_cast<uint8_t>(now)};
        }
    return moves;
}
constexpr std::array<Moves, 4> kMoves{make_moves(CodeRate::r1_2), make_moves(CodeRate::r2_3),
                                      make_moves(CodeRate::r3_4), make_moves(CodeRate::r5_6)};

/// The signs of `Bits` soft bits; the first is most significant.
template <size_t Bits> unsigned signs(const SoftBit* soft, const uint16_t* position) {
    unsigned all = 0;
    for (size_t i = 0; i < Bits; ++i) all = all << 1 | static_cast<uint8_t>(soft[position[i]]) >> 7;
    return all;
}

/// Returns the state after the symbol, or kNone.
template <CodeRate Rate>
uint8_t walk(uint8_t state, const SoftBit* soft, std::span<const uint16_t> position, uint8_t* out) {
    constexpr Stride kStride = stride(Rate);
    const Moves& moves = kMoves[static_cast<size_t>(Rate)];
    uint64_t bits = 0;
    size_t waiting = 0;
    for (size_t at = 0; at < position.size(); at += kStride.bits) {
        const Move move = moves[state][signs<kStride.bits>(soft, position.data() + at)];
        if (move.state == kNone) return kNone;
        state = move.state;
        bits = bits << kStride.steps | move.inputs;
        for (waiting += kStride.steps; waiting >= 8; waiting -= 8) *out++ = static_cast<uint8_t>(bits >> (waiting - 8));
    }
    return state;
}

}  // namespace

void CleanPath::start(CodeRate rate, std::span<const uint16_t> position) {
    rate_ = rate;
    position_ = position;
    usable_ = position.size() % stride(rate).bits == 0 && trellis_steps(rate, position.size()) % 8 == 0;
    state_ = 0;
}

unsigned CleanPath::bits_at(std::span<const SoftBit> soft, size_t first) const {
    const uint16_t* position = position_.data() + first;
    return stride(rate_).bits == kMostBits ? signs<kMostBits>(soft.data(), position) : signs<4>(soft.data(), position);
}

bool CleanPath::find_state(std::span<const SoftBit> soft) {
    struct Candidate {
        uint8_t first, now;
    };
    std::array<Candidate, kStates> candidates;
    for (size_t i = 0; i < kStates; ++i) candidates[i] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i)};
    const Moves& moves = kMoves[static_cast<size_t>(rate_)];
    size_t count = kStates;
    for (size_t at = 0; at < position_.size() && count > 1; at += stride(rate_).bits) {
        const unsigned bits = bits_at(soft, at);
        size_t left = 0;
        for (size_t i = 0; i < count; ++i)
            if (const uint8_t next = moves[candidates[i].now][bits].state; next != kNone)
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
    if (begin != kUnknown) state_ = begin;
    else if (!find_state(soft)) return false;
    const auto from = static_cast<uint8_t>(state_);
    const uint8_t end = [&] {
        switch (rate_) {
            case CodeRate::r1_2: return walk<CodeRate::r1_2>(from, soft.data(), position_, out);
            case CodeRate::r2_3: return walk<CodeRate::r2_3>(from, soft.data(), position_, out);
            case CodeRate::r3_4: return walk<CodeRate::r3_4>(from, soft.data(), position_, out);
            case CodeRate::r5_6: return walk<CodeRate::r5_6>(from, soft.data(), position_, out);
        }
        return kNone;
    }();
    state_ = end == kNone ? kUnknown : end;
    return end != kNone;
}

}  // namespace gr::wimax::phy
