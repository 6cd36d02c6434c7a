/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol_reader.h"

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {

void SampleView::copy(int64_t from, std::span<Complex> out) const {
    const auto size = static_cast<int64_t>(out.size());
    const int64_t lead = std::clamp<int64_t>(first - from, 0, size);
    const int64_t stop = std::clamp<int64_t>(end() - from, lead, size);
    std::fill(out.begin(), out.begin() + lead, Complex{});
    if (stop > lead) std::copy(at(from + lead), at(from + lead) + (stop - lead), out.begin() + lead);
    std::fill(out.begin() + stop, out.end(), Complex{});
}

void derotate(const Complex* in, Complex* out, int count, double cycles, double cycles_per_sample) {
    const double turn = -2 * std::numbers::pi;
    const double start = turn * (cycles - std::floor(cycles));
    Complex phase(static_cast<float>(std::cos(start)), static_cast<float>(std::sin(start)));
    const Complex step(static_cast<float>(std::cos(turn * cycles_per_sample)),
                       static_cast<float>(std::sin(turn * cycles_per_sample)));
    volk_32fc_s32fc_x2_rotator_32fc(out, in, step, &phase, static_cast<unsigned>(count));
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

void SymbolReader::read(const SampleView& samples, int64_t body_start, double cycles_per_sample,
                        int64_t phase_reference, Carriers& out) {
    const Complex* body = body_.data();
    if (samples.covers(body_start, body_start + kFftSize))
        body = samples.at(body_start);
    else
        samples.copy(body_start, body_);
    derotate(body, rotated_.data(), kFftSize, cycles_per_sample * static_cast<double>(body_start - phase_reference),
             cycles_per_sample);
    transform_.demodulate(rotated_, bins_);
    std::copy(bins_.end() - kEdgeCarrier, bins_.end(), out.data());
    std::copy(bins_.begin(), bins_.begin() + kEdgeCarrier + 1, out.data() + kEdgeCarrier);
}

}  // namespace gr::wimax::phy
