// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/convolutional.h>

#include "phy/base/simd.h"
#include "phy/coding/viterbi_kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gr::wimax::phy {

// ---- encoder ----

namespace {

constexpr size_t kMemory = 6;         // K - 1
constexpr size_t kEncodeBlock = 960;  // whole periods of every rate; the longest RS block

/// Both outputs of the code for each input bit; `in`: the newest bits, after the previous ones.
WIMAX_SIMD_BODY void encode_steps(const uint8_t* in, size_t steps, uint8_t* x, uint8_t* y) {
    for (size_t i = 0; i < steps; ++i) {
        const uint8_t* now = in + i;
        x[i] = now[0] ^ now[-1] ^ now[-2] ^ now[-3] ^ now[-6];
        y[i] = now[0] ^ now[-2] ^ now[-3] ^ now[-5] ^ now[-6];
    }
}

/// Sends whole periods: `sent` is the pattern's own table, unrolled by the compiler for each rate.
template <CodeRate Rate>
WIMAX_SIMD_BODY uint8_t* puncture(const uint8_t* x, const uint8_t* y, size_t steps, uint8_t* out) {
    constexpr const auto& pattern = puncture_pattern(Rate);
    constexpr auto period = static_cast<size_t>(pattern.input_bits);
    for (size_t i = 0; i + period <= steps; i += period)
        for (size_t j = 0; j < period; ++j) {
            if (pattern.sent[2 * j]) *out++ = x[i + j];
            if (pattern.sent[2 * j + 1]) *out++ = y[i + j];
        }
    return out;
}

/// The same by shuffles of vectors: twelve sent bits are whole periods at every rate.
constexpr size_t kRowBits = 12, kLanes = 16;
template <CodeRate Rate>
constexpr size_t kRowSteps = kRowBits / size_t(puncture_pattern(Rate).output_bits) *
                             size_t(puncture_pattern(Rate).input_bits);

/// For each sent bit its place in a vector of x followed by one of y.
template <CodeRate Rate>
constexpr auto kSentFrom = [] {
    constexpr const auto& pattern = puncture_pattern(Rate);
    std::array<int, kLanes> from{};
    size_t sent = 0;
    for (size_t step = 0; step < kRowSteps<Rate>; ++step)
        for (size_t output = 0; output < 2; ++output)
            if (pattern.sent[2 * (step % size_t(pattern.input_bits)) + output])
                from[sent++] = int(step + output * kLanes);
    return from;
}();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within inlined functions
template <CodeRate Rate, size_t... I>
WIMAX_SIMD_BODY uint8_t* puncture_rows(const uint8_t* x, const uint8_t* y, size_t steps, uint8_t* out,
                                       std::index_sequence<I...>) {
    using V = simd::Vector<uint8_t, kLanes>;
    size_t i = 0;
    for (; i + kRowSteps<Rate> <= steps; i += kRowSteps<Rate>, out += kRowBits) {
        const V row = __builtin_shufflevector(simd::load<V>(x + i), simd::load<V>(y + i), kSentFrom<Rate>[I]...);
        std::memcpy(out, &row, kRowBits);
    }
    return puncture<Rate>(x + i, y + i, steps - i, out);
}
#pragma GCC diagnostic pop

/// Up to kEncodeBlock steps, whole periods. `in` as above; returns the end of the output.
template <CodeRate Rate> WIMAX_SIMD_BODY uint8_t* block_body(const uint8_t* in, size_t steps, uint8_t* out) {
    std::array<uint8_t, kEncodeBlock> x, y;
    encode_steps(in, steps, x.data(), y.data());
    return puncture<Rate>(x.data(), y.data(), steps, out);
}
template <CodeRate Rate>
WIMAX_SIMD_BODY uint8_t* block_body_by_shuffles(const uint8_t* in, size_t steps, uint8_t* out) {
    std::array<uint8_t, kEncodeBlock + kLanes> x, y;  // the last row is loaded whole
    encode_steps(in, steps, x.data(), y.data());
    return puncture_rows<Rate>(x.data(), y.data(), steps, out, std::make_index_sequence<kLanes>());
}
template <CodeRate Rate> constexpr simd::Dispatched<block_body<Rate>, block_body_by_shuffles<Rate>> encode_block;

uint8_t* encode_at(CodeRate rate, const uint8_t* in, size_t steps, uint8_t* out) {
    switch (rate) {
        case CodeRate::r1_2: return encode_block<CodeRate::r1_2>(in, steps, out);
        case CodeRate::r2_3: return encode_block<CodeRate::r2_3>(in, steps, out);
        case CodeRate::r3_4: return encode_block<CodeRate::r3_4>(in, steps, out);
        case CodeRate::r5_6: return encode_block<CodeRate::r5_6>(in, steps, out);
    }
    return out;
}

}  // namespace

void ConvolutionalEncoder::start(CodeRate rate) {
    rate_ = rate;
    memory_.fill(0);
}

void ConvolutionalEncoder::start(CodeRate rate, std::span<const uint8_t, 6> before) {
    rate_ = rate;
    std::reverse_copy(before.begin(), before.end(), memory_.begin());
}

size_t ConvolutionalEncoder::encode(std::span<const uint8_t> bits, std::span<uint8_t> out) {
    std::array<uint8_t, kMemory + kEncodeBlock> in;
    uint8_t* end = out.data();
    while (!bits.empty()) {
        const size_t n = std::min(bits.size(), kEncodeBlock);
        std::reverse_copy(memory_.begin(), memory_.end(), in.begin());
        std::copy_n(bits.begin(), n, in.begin() + kMemory);
        end = encode_at(rate_, in.data() + kMemory, n, end);
        std::reverse_copy(in.begin() + static_cast<std::ptrdiff_t>(n),
                          in.begin() + static_cast<std::ptrdiff_t>(n + kMemory), memory_.begin());
        bits = bits.subspan(n);
    }
    return static_cast<size_t>(end - out.data());
}

// ---- decoder ----

struct ViterbiDecoder::Impl {
    // New steps are collected and run in groups of kEmitSteps; the last kTracebackSteps stay undecided.
    static constexpr size_t kEmit = kEmitSteps, kEmitRounds = kEmit / viterbi::kPhases;
    static constexpr size_t kUndecidedRounds = kTracebackSteps / viterbi::kPhases;
    static_assert(kEmitSteps % 24 == 0 && kTracebackSteps % 24 == 0, "whole bytes and whole rounds of states");

    const viterbi::Kernel& kernel = viterbi::kernel(best_instruction_set());
    CodeRate rate = CodeRate::r1_2;
    size_t pending = 0;    // branches collected
    size_t undecided = 0;  // rounds of survivors kept
    viterbi::PathMetrics metrics;
    std::array<viterbi::BranchMetrics, kEmit + 2 * viterbi::kPhases> branches;
    std::array<viterbi::Survivors, kUndecidedRounds + kEmitRounds + 1> survivors;

    /// Runs the collected steps and outputs all but the last kTracebackSteps.
    size_t run(uint8_t* out) {
        kernel.add_compare_select(metrics, branches.data(), survivors.data() + undecided, kEmitRounds);
        const size_t rounds = undecided + kEmitRounds;
        const size_t decided = rounds - kUndecidedRounds;
        const size_t bytes = decided * viterbi::kPhases / 8;
        kernel.traceback(survivors.data(), rounds, kernel.best_end(metrics), bytes, out);
        std::copy_n(survivors.begin() + static_cast<std::ptrdiff_t>(decided), kUndecidedRounds, survivors.begin());
        undecided = kUndecidedRounds;
        pending = 0;
        return bytes;
    }

    /// `fill(first, count, branches)` makes branch metrics of that part of the `total` soft bits.
    template <class Fill> size_t feed(size_t total, uint8_t* out, Fill fill) {
        const auto& pattern = puncture_pattern(rate);
        const auto period_in = static_cast<size_t>(pattern.input_bits),
                   period_out = static_cast<size_t>(pattern.output_bits);
        size_t written = 0;
        for (size_t first = 0; first + period_out <= total;) {
            // kEmitSteps is no multiple of 5: a period may overhang; the next run begins with its remainder.
            const size_t room = (kEmit - pending + period_in - 1) / period_in;
            const size_t count = std::min(room, (total - first) / period_out) * period_out;
            pending += fill(first, count, branches.data() + pending);
            first += count;
            if (pending < kEmit) continue;
            const size_t overhang = pending - kEmit;
            written += run(out + written);
            std::copy_n(branches.begin() + kEmit, overhang, branches.begin());
            pending = overhang;
        }
        return written;
    }
};

ViterbiDecoder::ViterbiDecoder() : impl_(std::make_unique<Impl>()) { start(CodeRate::r1_2); }
ViterbiDecoder::~ViterbiDecoder() = default;
ViterbiDecoder::ViterbiDecoder(ViterbiDecoder&&) noexcept = default;

void ViterbiDecoder::start(CodeRate rate) {
    impl_->rate = rate;
    impl_->pending = impl_->undecided = 0;
    impl_->metrics.value.fill(viterbi::kImpossible);
    impl_->metrics.value[0] = 0;
}

void ViterbiDecoder::start_inside(CodeRate rate) {
    start(rate);
    impl_->metrics.value.fill(0);
}

size_t ViterbiDecoder::feed(std::span<const SoftBit> soft, std::span<uint8_t> out) {
    return impl_->feed(soft.size(), out.data(), [&](size_t first, size_t count, viterbi::BranchMetrics* branches) {
        return viterbi::fill_branches(impl_->rate, soft.data() + first, count, branches);
    });
}

size_t ViterbiDecoder::feed(std::span<const SoftBit> received, std::span<const uint16_t> position,
                            std::span<uint8_t> out) {
    return impl_->feed(position.size(), out.data(), [&](size_t first, size_t count, viterbi::BranchMetrics* branches) {
        return viterbi::fill_branches(impl_->rate, received.data(), position.subspan(first, count), branches);
    });
}

size_t ViterbiDecoder::finish(std::span<uint8_t> out) {
    auto& s = *impl_;
    const size_t steps = s.undecided * viterbi::kPhases + s.pending;
    const size_t rounds = (s.pending + viterbi::kPhases - 1) / viterbi::kPhases;
    std::fill(s.branches.begin() + static_cast<std::ptrdiff_t>(s.pending),
              s.branches.begin() + static_cast<std::ptrdiff_t>(rounds * viterbi::kPhases), viterbi::kStayInStateZero);
    s.kernel.add_compare_select(s.metrics, s.branches.data(), s.survivors.data() + s.undecided, rounds);
    const size_t bytes = (steps + 7) / 8;
    s.kernel.traceback(s.survivors.data(), s.undecided + rounds, 0, bytes, out.data());
    start(s.rate);
    return bytes;
}

}  // namespace gr::wimax::phy
