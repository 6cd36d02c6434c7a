// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/symbol_decisions.h"

#include "phy/coding/octet_bits.h"

#include <algorithm>
#include <numeric>

namespace gr::wimax::phy {
namespace {

/// Steps after which a decoder knows its state, at least.
constexpr size_t kLeastRunIn = 64;
/// Erased bits after a symbol that does not end the code word: whole periods of at least six steps at every rate, in
/// which each state can reach zero.
constexpr std::array<SoftBit, 12> kErased{};

size_t sent_bits(CodeRate rate, size_t steps) {
    const auto& pattern = puncture_pattern(rate);
    return steps / static_cast<size_t>(pattern.input_bits) * static_cast<size_t>(pattern.output_bits);
}

}  // namespace

void SymbolDecisions::start(CodeRate rate, const Interleaver& interleaver, const ReedSolomon& outer) {
    rate_ = rate;
    interleaver_ = &interleaver;
    outer_ = &outer;
    // Whole octets and whole periods.
    const size_t unit = std::lcm(size_t{8}, static_cast<size_t>(puncture_pattern(rate).input_bits));
    run_in_ = (kLeastRunIn + unit - 1) / unit * unit;
}

std::span<uint8_t> SymbolDecisions::decode(std::span<const SoftBit> before, std::span<const SoftBit> soft, bool last) {
    const auto position = interleaver_->position();
    size_t count = 0;
    const auto rest = [&] { return std::span(octets_).subspan(count); };
    if (before.empty()) {
        inner_.start(rate_);
    } else {
        inner_.start_inside(rate_);
        count += inner_.feed(before, position.last(sent_bits(rate_, run_in_)), rest());
    }
    count += inner_.feed(soft, position, rest());
    if (!last) count += inner_.feed(kErased, rest());
    inner_.finish(rest());
    return std::span(octets_).first((before.empty() ? 0 : run_in_ / 8) + static_cast<size_t>(outer_->n()));
}

bool SymbolDecisions::decide(std::span<const SoftBit> before, std::span<const SoftBit> soft, bool last,
                             std::span<uint8_t> labels) {
    const auto octets = decode(before, soft, last);
    const bool corrected = outer_->decode(octets.last(static_cast<size_t>(outer_->n()))).ok;
    const auto bits = std::span(bits_).first(8 * octets.size());
    unpack_octets(octets, bits.data());
    encoder_.start(rate_);
    const size_t sent = encoder_.encode(bits, coded_);
    const size_t own = interleaver_->position().size();
    interleaver_->interleave(std::span(coded_).subspan(sent - own, own), labels);
    return corrected;
}

}  // namespace gr::wimax::phy
