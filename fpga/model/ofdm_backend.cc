// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/ofdm_backend.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>

namespace wimax::fpga {
namespace {

using namespace ofdm_backend;
using gr::wimax::phy::kEdgeCarrier;
using gr::wimax::phy::kUsedCarriers;

constexpr int kGuardBits = 2;  // below the carriers' last one

/// Bin of the n-th used carrier.
size_t bin_of_place(size_t n) {
    const int offset = static_cast<int>(n) - kEdgeCarrier;
    return static_cast<size_t>((offset < 0 ? offset : offset + 1) & 255);
}

}  // namespace

void OfdmBackend::write(uint32_t address, uint32_t value) {
    if (address == kRegisterPrefix) prefix_ = value & 3;
    if (address == kRegisterGain) gain_ = std::min(value, kLargestGain);
}

uint32_t OfdmBackend::read(uint32_t address) const {
    switch (address) {
        case kRegisterId: return kId;
        case kRegisterVersion: return kVersion;
        case kRegisterPrefix: return prefix_;
        case kRegisterGain: return gain_;
        case kRegisterSymbols: return symbols_;
        case kRegisterSaturated: return saturated_;
        case kRegisterBadLengths: return bad_lengths_;
        default: return 0;
    }
}

void OfdmBackend::process(std::span<const AxisWord> carriers, std::vector<AxisWord>& out) {
    for (const auto& word : carriers) take(word, out);
}

void OfdmBackend::take(const AxisWord& word, std::vector<AxisWord>& out) {
    if (place_ == 0) {
        first_ = word;
        block_.fill({});
        symbol_prefix_ = prefix_;
    }
    if (place_ < kUsedCarriers) {
        const auto carrier = unpack(word.data);
        const auto scaled = [&](int64_t x) { return static_cast<int32_t>(rounded_shift(x * gain_, 16 - kGuardBits)); };
        block_[bin_of_place(place_)] = {scaled(carrier.real()), scaled(carrier.imag())};
    }
    ++place_;
    if (word.last ? place_ < kUsedCarriers : place_ == kUsedCarriers) ++bad_lengths_;
    if (!word.last) return;
    send(word.end_of_burst, out);
    place_ = 0;
}

FixedSample OfdmBackend::shortened(FixedComplex sum) {
    const auto shift = [](int32_t x) { return rounded_shift(x, kSumShift + kGuardBits); };
    const auto saturated = [](int64_t x) { return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767)); };
    const int64_t re = shift(sum.re), im = shift(sum.im);
    const FixedSample sample(saturated(re), saturated(im));
    if (sample.real() != re || sample.imag() != im) ++saturated_;
    return sample;
}

void OfdmBackend::send(bool end_of_burst, std::vector<AxisWord>& out) {
    fixed_inverse_fft256(block_);
    std::array<uint32_t, 256> body;
    std::transform(block_.begin(), block_.end(), body.begin(), [&](FixedComplex x) { return pack(shortened(x)); });
    const size_t prefix = size_t{8} << symbol_prefix_, begin = out.size();
    for (size_t n = 0; n < prefix + body.size(); ++n)
        out.push_back({body[(n + body.size() - prefix) % body.size()], 0, false, false, false});
    if (first_.has_time) out[begin].time = first_.time;
    out[begin].has_time = first_.has_time;
    out.back().last = true;
    out.back().end_of_burst = end_of_burst;
    ++symbols_;
}

}  // namespace wimax::fpga
