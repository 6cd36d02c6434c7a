// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/clean_path.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within inlined functions

namespace gr::wimax::phy {
namespace {

constexpr size_t kRowBits = Interleaver::kParts, kHalfBits = kRowBits / 2;
/// Inputs of the encoder for the sent bits of a row, which are whole puncturing periods.
constexpr size_t row_inputs(CodeRate rate) { return trellis_steps(rate, kRowBits); }
constexpr size_t kMemory = 6, kStates = 1U << kMemory;  // a state has the last inputs, the newest in bit 0
/// The filter's output for a row, as many bits as were sent: the inputs, the last in bit 0, and above them the checks.
constexpr uint64_t kRowMask = (1U << kRowBits) - 1;
constexpr uint64_t inputs_mask(CodeRate rate) { return (1U << row_inputs(rate)) - 1; }
constexpr uint64_t checks_mask(CodeRate rate) { return kRowMask & ~inputs_mask(rate); }
/// It depends on the sent bits of this row and of three before.
constexpr size_t kWindowRows = 4, kWindowBits = kWindowRows * kRowBits;

/// Sent bits of a row whose inputs are the last of `inputs`.
constexpr uint64_t encode_row(CodeRate rate, uint64_t inputs) {
    constexpr uint64_t kX = 0b1001111, kY = 0b1101101;  // 171 and 133 octal, the newest input in bit 0
    const auto& pattern = puncture_pattern(rate);
    uint64_t sent = 0;
    for (size_t step = 0; step < row_inputs(rate); ++step) {
        const uint64_t now = inputs >> (row_inputs(rate) - 1 - step);
        const size_t at = 2 * (step % static_cast<size_t>(pattern.input_bits));
        if (pattern.sent[at]) sent = sent << 1 | (std::popcount(now & kX) & 1U);
        if (pattern.sent[at + 1]) sent = sent << 1 | (std::popcount(now & kY) & 1U);
    }
    return sent;
}

/// Sent bits of a window, the last in bit 0, and the inputs of its last row.
struct Window {
    uint64_t sent = 0, inputs = 0;
    constexpr size_t first() const { return static_cast<size_t>(std::bit_width(sent)) - 1; }
    constexpr bool has(size_t bit) const { return (sent >> bit & 1U) != 0; }
    constexpr void add(const Window& other) {
        sent ^= other.sent;
        inputs ^= other.inputs;
    }
};
constexpr Window window(CodeRate rate, uint64_t inputs) {
    Window made{0, inputs & inputs_mask(rate)};
    for (size_t row = kWindowRows; row-- > 0;)
        made.sent = made.sent << kRowBits | encode_row(rate, inputs >> (row * row_inputs(rate)));
    return made;
}

/// A basis of all windows of code words, in which each one's first bit is zero in all others. Any window is therefore
/// the sum of those whose first bits are one in it. A bit that is first in none is a sum of earlier bits: a check.
constexpr auto reduced_windows(CodeRate rate) {
    std::array<Window, kWindowBits> windows{};
    for (size_t i = 0; i < kMemory + kWindowRows * row_inputs(rate); ++i) windows[i] = window(rate, uint64_t{1} << i);
    size_t done = 0;
    for (size_t bit = kWindowBits; bit-- > 0;) {
        size_t found = done;
        while (found < windows.size() && !windows[found].has(bit)) ++found;
        if (found == windows.size()) continue;
        std::swap(windows[done], windows[found]);
        for (size_t i = 0; i < windows.size(); ++i)
            if (i != done && windows[i].has(bit)) windows[i].add(windows[done]);
        ++done;
    }
    return windows;
}

/// What each sent bit of a window adds to the output for its last row.
constexpr auto make_responses(CodeRate rate) {
    const auto windows = reduced_windows(rate);
    std::array<uint64_t, kWindowBits> responses{};
    uint64_t first_bits = 0;
    for (const Window& one : windows) {
        if (one.sent == 0) continue;
        responses[one.first()] = one.inputs;
        first_bits |= uint64_t{1} << one.first();
    }
    uint64_t check = uint64_t{1} << row_inputs(rate);
    for (size_t bit = 0; bit < kRowBits; ++bit) {
        if ((first_bits >> bit & 1U) != 0) continue;
        responses[bit] = check;
        for (const Window& one : windows)
            if (one.has(bit)) responses[one.first()] |= check;
        check <<= 1;
    }
    return responses;
}

/// Outputs for a row and those after it, kRowBits each, the first least significant.
struct Filter {
    /// What half a row's sent bits add.
    using Half = std::array<uint64_t, 1U << kHalfBits>;
    Half first{}, second{};
    /// What all bits before a row add to its output and to those after it, if they lead to this state.
    std::array<uint64_t, kStates> states{};
};

constexpr Filter make_filter(CodeRate rate) {
    const auto responses = make_responses(rate);
    const auto add = [&](uint64_t sent) {
        uint64_t sum = 0;
        for (size_t bit = 0; bit < kRowBits; ++bit)
            for (size_t later = 0; (sent >> bit & 1U) != 0 && later < kWindowRows; ++later)
                sum ^= responses[later * kRowBits + bit] << (later * kRowBits);
        return sum;
    };
    Filter filter;
    for (uint64_t half = 0; half < filter.first.size(); ++half) {
        filter.first[half] = add(half << kHalfBits);
        filter.second[half] = add(half);
    }
    for (uint64_t state = 0; state < kStates; ++state) filter.states[state] = add(encode_row(rate, state)) >> kRowBits;
    return filter;
}
constexpr std::array<Filter, 4> kFilters{make_filter(CodeRate::r1_2), make_filter(CodeRate::r2_3),
                                         make_filter(CodeRate::r3_4), make_filter(CodeRate::r5_6)};
constexpr bool distinguishes_zero(const Filter& filter) {
    return std::count(filter.states.begin(), filter.states.end(), uint64_t{0}) == 1;
}
static_assert(std::all_of(kFilters.begin(), kFilters.end(), distinguishes_zero));

/// -1 for the first `Turn` rows of each group.
template <size_t Group, size_t Turn>
constexpr auto kWraps = [] {
    std::array<int8_t, CleanPath::kMostRows> wraps{};
    for (size_t row = 0; row < wraps.size(); ++row) wraps[row] = row % Group < Turn ? -1 : 0;
    return wraps;
}();

/// Soft bits of one part in the order of the rows, from `row` on; those around the part are read, too.
template <size_t Width, size_t Group, size_t Turn>
WIMAX_SIMD_BODY simd::Vector<int8_t, Width> turned(const SoftBit* part, size_t row) {
    using V = simd::Vector<int8_t, Width>;
    if constexpr (Turn == 0) return simd::load<V>(part + row);
    const V wraps = simd::load<V>(kWraps<Group, Turn>.data() + row);
    return (simd::load<V>(part + row - Turn) & ~wraps) | (simd::load<V>(part + row + Group - Turn) & wraps);
}

/// Soft bits of a symbol, and its last part with room after it.
struct Parts {
    const SoftBit *soft, *last;
    size_t rows;
    const SoftBit* operator[](size_t part) const { return part + 1 < Interleaver::kParts ? soft + part * rows : last; }
};

template <size_t Width, size_t Group, size_t... Part>
WIMAX_SIMD_BODY simd::Vector<int8_t, Width> take_half(const Parts& parts, size_t row, std::index_sequence<Part...>) {
    simd::Vector<int8_t, Width> bits{};
    ((bits = bits + bits - (turned<Width, Group, Part % Group>(parts[Part], row) < 0)), ...);
    return bits;
}

template <size_t Width, size_t Group> WIMAX_SIMD_BODY void take_rows(const Parts& parts, CleanPath::Signs& signs) {
    for (size_t row = 0; row < parts.rows; row += Width) {
        simd::store(take_half<Width, Group>(parts, row, std::index_sequence<0, 1, 2, 3, 4, 5>()), &signs[0][row]);
        simd::store(take_half<Width, Group>(parts, row, std::index_sequence<6, 7, 8, 9, 10, 11>()), &signs[1][row]);
    }
}

/// Symbols with more rows are read in place, but for their end, since up to kMostAfter soft bits after a part are read
/// as well: the rest of a vector and of a group.
constexpr size_t kMostCopiedRows = 16, kEnd = 128, kMostAfter = 34;

/// Signs in the order of the coder's output. False: a soft bit is zero.
template <size_t Width>
WIMAX_SIMD_BODY bool signs_body(const SoftBit* soft, size_t rows, size_t group, CleanPath::Signs& signs) {
    const size_t bits = rows * kRowBits;
    uint8_t least = 0xFF;
    for (size_t i = 0; i < bits; ++i) least = std::min(least, static_cast<uint8_t>(soft[i]));
    std::array<SoftBit, kMostCopiedRows * kRowBits + kMostAfter> copy{};
    const bool short_symbol = rows <= kMostCopiedRows;
    if (short_symbol) std::copy_n(soft, bits, copy.data());
    else std::memcpy(copy.data(), soft + bits - kEnd, kEnd);
    const SoftBit* end = copy.data() + (short_symbol ? bits : kEnd);
    const Parts parts{short_symbol ? copy.data() : soft, end - rows, rows};
    if (group == 1) take_rows<Width, 1>(parts, signs);
    else if (group == 2) take_rows<Width, 2>(parts, signs);
    else take_rows<Width, 3>(parts, signs);
    return least != 0;
}
constexpr simd::Dispatched<signs_body<16>, signs_body<32>> take_signs;

/// The output for a row and what is known of those after it; `ahead`: what was known before.
uint64_t filtered(const Filter& filter, uint64_t ahead, const CleanPath::Signs& signs, size_t row) {
    return ahead ^ (filter.first[signs[0][row]] ^ filter.second[signs[1][row]]);
}

/// Rows with whole octets of data.
constexpr size_t whole_rows(CodeRate rate) { return std::lcm(row_inputs(rate), size_t{8}) / row_inputs(rate); }

/// From one symbol to the next; nothing: the signs are not on the path.
template <CodeRate Rate>
std::optional<uint64_t> walk(uint64_t ahead, const CleanPath::Signs& signs, size_t rows, uint8_t* out) {
    constexpr size_t kInputs = row_inputs(Rate), kRows = whole_rows(Rate);
    const Filter& filter = kFilters[static_cast<size_t>(Rate)];
    for (size_t row = 0; row < rows; row += kRows) {
        uint64_t bits = 0, all = 0;
        size_t waiting = 0;
        for (size_t i = 0; i < kRows; ++i) {
            const uint64_t now = filtered(filter, ahead, signs, row + i);
            ahead = now >> kRowBits;
            all |= now;
            bits = bits << kInputs | (now & inputs_mask(Rate));
            for (waiting += kInputs; waiting >= 8;) *out++ = static_cast<uint8_t>(bits >> (waiting -= 8));
        }
        if ((all & checks_mask(Rate)) != 0) return std::nullopt;
    }
    return ahead;
}

}  // namespace

void CleanPath::start(CodeRate rate, const Interleaver& interleaver) {
    rate_ = rate;
    const auto bits = static_cast<size_t>(interleaver.block_bits());
    rows_ = bits / Interleaver::kParts;
    group_bits_ = static_cast<size_t>(interleaver.group_bits());
    usable_ = bits % static_cast<size_t>(puncture_pattern(rate).output_bits) == 0 && trellis_steps(rate, bits) % 8 == 0;
    known_ = true;
    ahead_ = 0;
}

/// The checks of the first rows show the state: they are zero after adding what it adds.
bool CleanPath::find_state() {
    const Filter& filter = kFilters[static_cast<size_t>(rate_)];
    const uint64_t checks = checks_mask(rate_);
    uint64_t mask = 0, seen = 0, ahead = 0;
    for (size_t row = 0; row < std::min(rows_, kWindowRows - 1); ++row) {
        const uint64_t now = filtered(filter, ahead, signs_, row);
        ahead = now >> kRowBits;
        mask |= checks << (row * kRowBits);
        seen |= (now & checks) << (row * kRowBits);
    }
    size_t count = 0;
    for (const uint64_t state : filter.states) {
        const bool fits = (state & mask) == seen;
        count += fits ? 1 : 0;
        ahead_ = fits ? state : ahead_;
    }
    return count == 1;
}

bool CleanPath::follow(std::span<const SoftBit> soft, uint8_t* out) {
    const bool known = std::exchange(known_, false);
    if (!take_signs(soft.data(), rows_, group_bits_, signs_) || (!known && !find_state())) return false;
    const auto end = [&] {
        switch (rate_) {
            case CodeRate::r1_2: return walk<CodeRate::r1_2>(ahead_, signs_, rows_, out);
            case CodeRate::r2_3: return walk<CodeRate::r2_3>(ahead_, signs_, rows_, out);
            case CodeRate::r3_4: return walk<CodeRate::r3_4>(ahead_, signs_, rows_, out);
            default: return walk<CodeRate::r5_6>(ahead_, signs_, rows_, out);
        }
    }();
    known_ = end.has_value();
    ahead_ = end.value_or(0);
    return known_;
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
