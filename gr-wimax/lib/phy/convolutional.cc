/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/convolutional.h>

#include "viterbi_kernels.h"

#include <algorithm>
#include <cstring>

namespace gr::wimax::phy {

// ---- encoder ----

namespace {

constexpr size_t kMemory = 6;        // K - 1
constexpr size_t kEncodeBlock = 960;  // whole periods of every rate; the longest RS block

/// Sends one period: `Sent` is the pattern's own table, unrolled by the compiler for each rate.
template <CodeRate Rate>
uint8_t* puncture(const uint8_t* x, const uint8_t* y, size_t steps, uint8_t* out) {
    constexpr const auto& pattern = puncture_pattern(Rate);
    constexpr auto period = static_cast<size_t>(pattern.input_bits);
    for (size_t i = 0; i + period <= steps; i += period)
        for (size_t j = 0; j < period; ++j) {
            if (pattern.sent[2 * j]) *out++ = x[i + j];
            if (pattern.sent[2 * j + 1]) *out++ = y[i + j];
        }
    return out;
}

uint8_t* puncture(CodeRate rate, const uint8_t* x, const uint8_t* y, size_t steps, uint8_t* out) {
    switch (rate) {
        case CodeRate::r1_2: return puncture<CodeRate::r1_2>(x, y, steps, out);
        case CodeRate::r2_3: return puncture<CodeRate::r2_3>(x, y, steps, out);
        case CodeRate::r3_4: return puncture<CodeRate::r3_4>(x, y, steps, out);
        case CodeRate::r5_6: return puncture<CodeRate::r5_6>(x, y, steps, out);
    }
    return out;
}

}  // namespace

void ConvolutionalEncoder::start(CodeRate rate) {
    rate_ = rate;
    memory_.fill(0);
}

size_t ConvolutionalEncoder::encode(std::span<const uint8_t> bits, std::span<uint8_t> out) {
    std::array<uint8_t, kMemory + kEncodeBlock> in;
    std::array<uint8_t, kEncodeBlock> x, y;
    uint8_t* end = out.data();
    while (!bits.empty()) {
        const size_t n = std::min(bits.size(), kEncodeBlock);
        std::reverse_copy(memory_.begin(), memory_.end(), in.begin());
        std::copy_n(bits.begin(), n, in.begin() + kMemory);
        const uint8_t* now = in.data() + kMemory;
        for (size_t i = 0; i < n; ++i, ++now) {
            x[i] = now[0] ^ now[-1] ^ now[-2] ^ now[-3] ^ now[-6];
            y[i] = now[0] ^ now[-2] ^ now[-3] ^ now[-5] ^ now[-6];
        }
        end = puncture(rate_, x.data(), y.data(), n, end);
        std::reverse_copy(in.begin() + static_cast<std::ptrdiff_t>(n), in.begin() + static_cast<std::ptrdiff_t>(n + kMemory),
                          memory_.begin());
        bits = bits.subspan(n);
    }
    return static_cast<size_t>(end - out.data());
}

// ---- decoder ----

bool viterbi_kernel_available(ViterbiKernel kernel) {
#if defined(__x86_64__)
    switch (kernel) {
        case ViterbiKernel::portable: return true;
        case ViterbiKernel::sse41: return __builtin_cpu_supports("sse4.1") != 0;
        case ViterbiKernel::avx2: return __builtin_cpu_supports("avx2") != 0;
        case ViterbiKernel::avx512: return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    }
    return false;
#else
    return kernel == ViterbiKernel::portable;
#endif
}

ViterbiKernel best_viterbi_kernel() {
    static const ViterbiKernel best = [] {
        for (auto k : {ViterbiKernel::avx512, ViterbiKernel::avx2, ViterbiKernel::sse41})
            if (viterbi_kernel_available(k)) return k;
        return ViterbiKernel::portable;
    }();
    return best;
}

struct ViterbiDecoder::Impl {
    // New steps gather until kEmitSteps are there, then run at once; the last kTracebackSteps of decisions stay undecided.
    static constexpr size_t kTraceback = kTracebackSteps, kEmit = kEmitSteps, kWindow = kWindowSteps;
    static_assert(kEmitSteps % 24 == 0 && kTracebackSteps % 24 == 0, "whole bytes and whole rounds of states");

    const viterbi::Kernel& kernel;
    ViterbiKernel which;
    CodeRate rate = CodeRate::r1_2;
    size_t pending = 0;    // branches gathered
    size_t undecided = 0;  // decisions kept
    viterbi::PathMetrics metrics;
    std::array<viterbi::BranchMetrics, kEmit + 2 * viterbi::kPhases> branches;
    std::array<uint64_t, kWindow + 2 * viterbi::kPhases> decisions;

    explicit Impl(ViterbiKernel k)
        : kernel(viterbi::kernel(viterbi_kernel_available(k) ? k : ViterbiKernel::portable)),
          which(viterbi_kernel_available(k) ? k : ViterbiKernel::portable) {}

    /// Runs the gathered steps and gives out all but the last kTracebackSteps.
    size_t run(uint8_t* out) {
        kernel.add_compare_select(metrics, branches.data(), decisions.data() + undecided, pending);
        const size_t steps = undecided + pending;
        const size_t emit = steps - kTraceback;
        kernel.traceback(decisions.data(), steps, kernel.best_end(metrics), emit, out);
        std::memmove(decisions.data(), decisions.data() + emit, kTraceback * sizeof(uint64_t));
        undecided = kTraceback;
        pending = 0;
        return emit / 8;
    }
};

ViterbiDecoder::ViterbiDecoder(ViterbiKernel kernel) : impl_(std::make_unique<Impl>(kernel)) { start(CodeRate::r1_2); }
ViterbiDecoder::~ViterbiDecoder() = default;
ViterbiDecoder::ViterbiDecoder(ViterbiDecoder&&) noexcept = default;

ViterbiKernel ViterbiDecoder::kernel() const { return impl_->which; }

void ViterbiDecoder::start(CodeRate rate) {
    impl_->rate = rate;
    impl_->pending = impl_->undecided = 0;
    impl_->metrics.value.fill(viterbi::kImpossible);
    impl_->metrics.value[0] = 0;
}

size_t ViterbiDecoder::feed(std::span<const SoftBit> soft, std::span<uint8_t> out) {
    const auto& pattern = puncture_pattern(impl_->rate);
    const auto period_in = static_cast<size_t>(pattern.input_bits), period_out = static_cast<size_t>(pattern.output_bits);
    size_t written = 0;
    while (soft.size() >= period_out) {
        // kEmitSteps is no multiple of 5: a period may overhang, the next run begins with the rest of it.
        const size_t room = (Impl::kEmit - impl_->pending + period_in - 1) / period_in;
        const size_t periods = std::min(room, soft.size() / period_out);
        impl_->pending += viterbi::fill_branches(impl_->rate, soft.data(), periods * period_out,
                                                 impl_->branches.data() + impl_->pending);
        soft = soft.subspan(periods * period_out);
        if (impl_->pending < Impl::kEmit) continue;
        const size_t overhang = impl_->pending - Impl::kEmit;
        impl_->pending = Impl::kEmit;
        written += impl_->run(out.data() + written);
        std::copy_n(impl_->branches.begin() + Impl::kEmit, overhang, impl_->branches.begin());
        impl_->pending = overhang;
    }
    return written;
}

size_t ViterbiDecoder::finish(std::span<uint8_t> out) {
    // Steps that fill the last round are idle: the path is followed from before them.
    const size_t steps = impl_->undecided + impl_->pending;
    const size_t padded = (impl_->pending + viterbi::kPhases - 1) / viterbi::kPhases * viterbi::kPhases;
    std::fill(impl_->branches.begin() + static_cast<std::ptrdiff_t>(impl_->pending),
              impl_->branches.begin() + static_cast<std::ptrdiff_t>(padded), viterbi::BranchMetrics{});
    impl_->kernel.add_compare_select(impl_->metrics, impl_->branches.data(), impl_->decisions.data() + impl_->undecided,
                                     padded);
    impl_->kernel.traceback(impl_->decisions.data(), steps, 0, steps, out.data());
    start(impl_->rate);
    return (steps + 7) / 8;
}

}  // namespace gr::wimax::phy
