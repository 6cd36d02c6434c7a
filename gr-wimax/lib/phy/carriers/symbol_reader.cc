// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/carriers/symbol_reader.h"

#include "phy/base/simd.h"

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// Wide vectors stay within inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gr::wimax::phy {

namespace {

/// exp(-j 2 pi cycles).
Complex correction_phase(double cycles) {
    const auto angle = static_cast<float>(-2 * std::numbers::pi * (cycles - std::round(cycles)));
    return {std::cos(angle), std::sin(angle)};
}

template <size_t Bytes> using Floats = simd::Vector<float, Bytes>;

/// Products of complex numbers, interleaved as in memory: each coordinate times `same`, plus its partner times `other`,
/// which has the sign of the product's coordinate there.
template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY void multiply(const Floats<Bytes>& x, const Floats<Bytes>& same, const Floats<Bytes>& other,
                              std::index_sequence<I...>, float* out) {
    simd::store(x * same + __builtin_shufflevector(x, x, (I ^ 1U)...) * other, out);
}

/// The same number in all places.
template <size_t Bytes> WIMAX_SIMD_BODY Floats<Bytes> spread(const Complex& number) {
    Floats<Bytes> all;
    for (size_t lane = 0; lane < Bytes / sizeof(float); ++lane)
        all[lane] = lane % 2 == 0 ? number.real() : number.imag();
    return all;
}

/// `dc` is subtracted; `same` and `other` are for each coordinate.
template <size_t Bytes>
WIMAX_SIMD_BODY void turn_each_body(const float* in, const Complex& dc, const float* same, const float* other,
                                    size_t coordinates, float* out) {
    constexpr size_t kStep = Bytes / sizeof(float);
    const Floats<Bytes> off = spread<Bytes>(dc);
    for (size_t i = 0; i + kStep <= coordinates; i += kStep)
        multiply<Bytes>(simd::load<Floats<Bytes>>(in + i) - off, simd::load<Floats<Bytes>>(same + i),
                        simd::load<Floats<Bytes>>(other + i), std::make_index_sequence<kStep>(), out + i);
}
constexpr simd::Dispatched<turn_each_body<16>, turn_each_body<32>, turn_each_body<64>> turn_each;

/// One factor for all.
template <size_t Bytes>
WIMAX_SIMD_BODY void turn_all_body(const float* in, const Complex& factor, size_t coordinates, float* out) {
    constexpr size_t kStep = Bytes / sizeof(float);
    Floats<Bytes> same, other;
    for (size_t lane = 0; lane < kStep; ++lane) {
        same[lane] = factor.real();
        other[lane] = lane % 2 == 0 ? -factor.imag() : factor.imag();
    }
    size_t i = 0;
    for (; i + kStep <= coordinates; i += kStep)
        multiply<Bytes>(simd::load<Floats<Bytes>>(in + i), same, other, std::make_index_sequence<kStep>(), out + i);
    for (; i < coordinates; i += 2) {
        const float re = in[i], im = in[i + 1];
        out[i] = re * same[0] + im * other[0];
        out[i + 1] = im * same[0] - re * other[0];
    }
}
constexpr simd::Dispatched<turn_all_body<16>, turn_all_body<32>, turn_all_body<64>> turn_all;

const float* floats(const Complex* values) { return reinterpret_cast<const float*>(values); }
float* floats(Complex* values) { return reinterpret_cast<float*>(values); }

}  // namespace

void SampleView::copy(int64_t from, std::span<Complex> out) const {
    const auto size = static_cast<int64_t>(out.size());
    const int64_t lead = std::clamp<int64_t>(first - from, 0, size);
    const int64_t stop = std::clamp<int64_t>(end() - from, lead, size);
    std::fill(out.begin(), out.begin() + lead, Complex{});
    if (stop > lead) std::copy(at(from + lead), at(from + lead) + (stop - lead), out.begin() + lead);
    std::fill(out.begin() + stop, out.end(), Complex{});
}

void derotate(const Complex* in, Complex* out, int count, double cycles, double cycles_per_sample) {
    Complex phase = correction_phase(cycles);
    const Complex step = correction_phase(cycles_per_sample);
#if VOLK_VERSION >= 30100  // deprecates the other form
    volk_32fc_s32fc_x2_rotator2_32fc(out, in, &step, &phase, static_cast<unsigned>(count));
#else
    volk_32fc_s32fc_x2_rotator_32fc(out, in, step, &phase, static_cast<unsigned>(count));
#endif
}

void carrier_ramp(double phase, double slope, Carriers& out) {
    // Eight interleaved recurrences: each step is one multiplication by the eighth power.
    constexpr int kLanes = 8;
    alignas(64) std::array<float, kLanes> re, im;
    for (int lane = 0; lane < kLanes; ++lane) {
        const double angle = phase + slope * (lane - kEdgeCarrier);
        re[static_cast<size_t>(lane)] = static_cast<float>(std::cos(angle));
        im[static_cast<size_t>(lane)] = static_cast<float>(std::sin(angle));
    }
    const auto step_re = static_cast<float>(std::cos(slope * kLanes));
    const auto step_im = static_cast<float>(std::sin(slope * kLanes));
    auto* values = reinterpret_cast<float*>(out.data());
    for (int block = 0; block < kCarrierSpan; block += kLanes) {
        for (size_t lane = 0; lane < kLanes; ++lane) {
            values[2 * lane] = re[lane];
            values[2 * lane + 1] = im[lane];
            const float next = re[lane] * step_re - im[lane] * step_im;
            im[lane] = re[lane] * step_im + im[lane] * step_re;
            re[lane] = next;
        }
        values += 2 * kLanes;
    }
}

void SymbolReader::set_frequency(double cycles_per_sample) {
    if (ready_ && cycles_per_sample == cycles_per_sample_) return;
    cycles_per_sample_ = cycles_per_sample;
    ready_ = true;
    std::array<Complex, kFftSize> correction{1};
    for (size_t known = 1; known < kFftSize; known *= 2)
        turn_all(floats(correction.data()), correction_phase(cycles_per_sample * static_cast<double>(known)), 2 * known,
                 floats(&correction[known]));
    // The image is removed first: x - image * conj(x), then the turn.
    const float along = front_end_.image.real(), across = front_end_.image.imag();
    for (size_t i = 0; i < kFftSize; ++i) {
        const float re = correction[i].real(), im = correction[i].imag();
        same_[2 * i] = re * (1 - along) + im * across;
        other_[2 * i] = -im * (1 + along) - re * across;
        same_[2 * i + 1] = re * (1 + along) - im * across;
        other_[2 * i + 1] = im * (1 - along) - re * across;
    }
}

void SymbolReader::set_front_end(const FrontEnd& front_end) {
    if (front_end.image != front_end_.image) ready_ = false;
    front_end_ = front_end;
}

void SymbolReader::read(const SampleView& samples, int64_t body_start, double cycles_per_sample,
                        int64_t phase_reference, Carriers& out) {
    set_frequency(cycles_per_sample);
    const Complex* body = body_.data();
    if (samples.covers(body_start, body_start + kFftSize)) body = samples.at(body_start);
    else samples.copy(body_start, body_);
    turn_each(floats(body), front_end_.dc, same_.data(), other_.data(), 2 * kFftSize, floats(transform_.in().data()));
    transform_.execute();
    // The phase of the body's first sample is the same for all carriers.
    const Complex scale =
        kDemodulateScale * correction_phase(cycles_per_sample * static_cast<double>(body_start - phase_reference));
    const Complex* bins = transform_.out().data();
    turn_all(floats(bins + kFftSize - kEdgeCarrier), scale, 2 * kEdgeCarrier, floats(out.data()));
    turn_all(floats(bins), scale, 2 * (kEdgeCarrier + 1), floats(out.data() + kEdgeCarrier));
}

}  // namespace gr::wimax::phy
