// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/ofdm.h>

#include "phy/carriers/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace gr::wimax::phy {
namespace {

std::mutex& planner_mutex() {
    static std::mutex mutex;
    return mutex;
}

const float kModulateScale = 1.0F / std::sqrt(static_cast<float>(kUsedCarriers));

void scale_copy(const Complex* from, size_t count, float scale, Complex* to) {
    const auto* f = reinterpret_cast<const float*>(from);
    auto* t = reinterpret_cast<float*>(to);
    for (size_t i = 0; i < 2 * count; ++i) t[i] = f[i] * scale;
}

}  // namespace

FftwPlannerLock::FftwPlannerLock() { planner_mutex().lock(); }
FftwPlannerLock::~FftwPlannerLock() { planner_mutex().unlock(); }

struct OfdmTransform::Impl {
    FftPlan forward{kFftSize, FftPlan::Sign::forward}, inverse{kFftSize, FftPlan::Sign::inverse};
};

OfdmTransform::OfdmTransform() : impl_(std::make_unique<Impl>()) {}
OfdmTransform::~OfdmTransform() = default;
OfdmTransform::OfdmTransform(OfdmTransform&&) noexcept = default;

std::span<Complex, kFftSize> OfdmTransform::carriers() { return impl_->inverse.in().first<kFftSize>(); }

void OfdmTransform::modulate(int cp_samples, std::span<Complex> out) {
    impl_->inverse.execute();
    const auto cp = static_cast<size_t>(cp_samples);
    scale_copy(impl_->inverse.out().data(), kFftSize, kModulateScale, out.data() + cp);
    std::copy_n(out.data() + kFftSize, cp, out.data());
}

void OfdmTransform::demodulate(std::span<const Complex, kFftSize> body, std::span<Complex, kFftSize> carriers) {
    std::copy(body.begin(), body.end(), impl_->forward.in().begin());
    impl_->forward.execute();
    scale_copy(impl_->forward.out().data(), kFftSize, kDemodulateScale, carriers.data());
}

}  // namespace gr::wimax::phy
