/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/carriers/ofdm.h>

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace gr::wimax::phy {
namespace {

std::mutex& planner_mutex() {
    static std::mutex mutex;
    return mutex;
}

fftwf_complex* raw(Complex* p) { return reinterpret_cast<fftwf_complex*>(p); }

/// Plans for aligned buffers, made once and never freed: executing them is thread-safe. Estimated, not measured: a plan
/// picked by the clock may round differently in each process, and two runs in lock-step would part ways.
struct Plans {
    fftwf_plan forward, inverse;

    static const Plans& get() {
        static const Plans plans;
        return plans;
    }

private:
    Plans() {
        const FftwPlannerLock lock;
        alignas(64) std::array<Complex, kFftSize> in{}, out{};
        forward = fftwf_plan_dft_1d(kFftSize, raw(in.data()), raw(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
        inverse = fftwf_plan_dft_1d(kFftSize, raw(in.data()), raw(out.data()), FFTW_BACKWARD, FFTW_ESTIMATE);
    }
};

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
    alignas(64) std::array<Complex, kFftSize> in{};
    alignas(64) std::array<Complex, kFftSize> out{};
    const Plans& plans = Plans::get();
};

OfdmTransform::OfdmTransform() : impl_(std::make_unique<Impl>()) {}
OfdmTransform::~OfdmTransform() = default;
OfdmTransform::OfdmTransform(OfdmTransform&&) noexcept = default;

std::span<Complex, kFftSize> OfdmTransform::carriers() { return impl_->in; }

void OfdmTransform::modulate(int cp_samples, std::span<Complex> out) {
    fftwf_execute_dft(impl_->plans.inverse, raw(impl_->in.data()), raw(impl_->out.data()));
    const auto cp = static_cast<size_t>(cp_samples);
    scale_copy(impl_->out.data(), kFftSize, kModulateScale, out.data() + cp);
    std::copy_n(out.data() + kFftSize, cp, out.data());
}

void OfdmTransform::demodulate(std::span<const Complex, kFftSize> body, std::span<Complex, kFftSize> carriers) {
    std::copy(body.begin(), body.end(), impl_->in.begin());
    fftwf_execute_dft(impl_->plans.forward, raw(impl_->in.data()), raw(impl_->out.data()));
    scale_copy(impl_->out.data(), kFftSize, kDemodulateScale, carriers.data());
}

}  // namespace gr::wimax::phy
