// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/rate_error.h"

#include "phy/base/decibels.h"
#include "radio/resampler.h"
#include "tools/radio/burst_analysis.h"

#include <cmath>

namespace wimax::radio {
namespace {

constexpr int kSymbols = 12;
constexpr int64_t kStart = 1000;  // samples of silence on either side
constexpr double kHeadroomDb = 12;

void round_to_wire(std::vector<Complex>& samples) {
    const auto scale = static_cast<float>(32767 * phy::amplitude_of_db(-kHeadroomDb));
    const auto rounded = [&](float v) { return std::round(v * scale) / scale; };
    for (auto& s : samples) s = {rounded(s.real()), rounded(s.imag())};
}

}  // namespace

double rate_error_db(const gr::wimax::RatePlan& plan, const phy::Numerology& numerology) {
    const auto burst = KnownBurst::make(numerology, kSymbols);
    std::vector<Complex> device = burst.samples, heard(burst.samples.size() + 2 * kStart);
    if (plan.exact()) {
        round_to_wire(device);
        std::copy(device.begin(), device.end(), heard.begin() + kStart);
    } else {
        const int64_t tick = gr::wimax::TransmitResampler(plan).convert(kStart, burst.samples, device);
        round_to_wire(device);
        const gr::wimax::Resampler back(plan, gr::wimax::Resampler::Direction::to_channel);
        back.render(device, tick, 0, heard);
    }
    const auto found = find_burst(burst, heard, 0, 2 * kStart);
    const auto analysis = analyse_burst(burst, heard, found);
    return analysis ? evm_db(*analysis) : 0;
}

}  // namespace wimax::radio
