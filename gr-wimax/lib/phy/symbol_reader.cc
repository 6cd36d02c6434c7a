/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol_reader.h"

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {

namespace {

/// exp(-j 2 pi cycles).
Complex correction_phase(double cycles) {
    const double angle = -2 * std::numbers::pi * (cycles - std::round(cycles));
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

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
    volk_32fc_s32fc_x2_rotator_32fc(out, in, correction_phase(cycles_per_sample), &phase, static_cast<unsigned>(count));
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
    correction_[0] = 1;
    for (size_t known = 1; known < kFftSize; known *= 2) {
        const Complex step = correction_phase(cycles_per_sample * static_cast<double>(known));
        volk_32fc_s32fc_multiply_32fc(&correction_[known], correction_.data(), step, static_cast<unsigned>(known));
    }
}

void SymbolReader::read(const SampleView& samples, int64_t body_start, double cycles_per_sample,
                        int64_t phase_reference, Carriers& out) {
    set_frequency(cycles_per_sample);
    const Complex* body = body_.data();
    if (samples.covers(body_start, body_start + kFftSize))
        body = samples.at(body_start);
    else
        samples.copy(body_start, body_);
    volk_32fc_x2_multiply_32fc(transform_.in().data(), body, correction_.data(), kFftSize);
    transform_.execute();
    // The phase of the body's first sample is the same for all carriers.
    const Complex scale =
        kDemodulateScale * correction_phase(cycles_per_sample * static_cast<double>(body_start - phase_reference));
    const Complex* bins = transform_.out().data();
    volk_32fc_s32fc_multiply_32fc(out.data(), bins + kFftSize - kEdgeCarrier, scale, kEdgeCarrier);
    volk_32fc_s32fc_multiply_32fc(out.data() + kEdgeCarrier, bins, scale, kEdgeCarrier + 1);
}

}  // namespace gr::wimax::phy
