// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_transform.h>

#include "phy/carriers/fft_plan.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy::ofdma {
namespace {

const float kRootLoaded = std::sqrt(static_cast<float>(kLoaded));

/// Carriers to FFT bins or back: the halves change places.
void swap_halves(std::span<const Complex> from, float scale, std::span<Complex> to) {
    constexpr size_t kHalf = kFft / 2;
    for (size_t i = 0; i < kHalf; ++i) {
        to[i] = from[i + kHalf] * scale;
        to[i + kHalf] = from[i] * scale;
    }
}

}  // namespace

struct OfdmaTransform::Impl {
    FftPlan forward{kFft, FftPlan::Sign::forward}, inverse{kFft, FftPlan::Sign::inverse};
};

OfdmaTransform::OfdmaTransform() : impl_(std::make_unique<Impl>()) {}
OfdmaTransform::~OfdmaTransform() = default;
OfdmaTransform::OfdmaTransform(OfdmaTransform&&) noexcept = default;

void OfdmaTransform::modulate(std::span<const Complex, kFft> carriers, int cp_samples, std::span<Complex> out) {
    swap_halves(carriers, 1.0F / kRootLoaded, impl_->inverse.in());
    impl_->inverse.execute();
    const auto cp = static_cast<size_t>(cp_samples);
    std::ranges::copy(impl_->inverse.out(), out.begin() + static_cast<std::ptrdiff_t>(cp));
    std::copy_n(out.begin() + kFft, cp, out.begin());
}

void OfdmaTransform::demodulate(std::span<const Complex, kFft> body, std::span<Complex, kFft> carriers) {
    std::ranges::copy(body, impl_->forward.in().begin());
    impl_->forward.execute();
    swap_halves(impl_->forward.out(), kRootLoaded / kFft, carriers);
}

}  // namespace gr::wimax::phy::ofdma
