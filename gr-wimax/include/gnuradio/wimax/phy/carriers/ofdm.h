// SPDX-License-Identifier: GPL-3.0-or-later
// OFDM symbol transform, clause 8.3.2: x[n] = 1/sqrt(200) * sum over k of c_k * exp(+j 2 pi k n / 256). A symbol of
// unit-power carriers has mean sample power 1. demodulate() is the exact inverse.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <memory>
#include <span>

namespace gr::wimax::phy {

/// Factor from the bins of a plain forward transform to carriers: sqrt(200) / 256.
inline constexpr float kDemodulateScale = 0.055242717F;

/// Forward and inverse 256-point transform with its own workspaces: one object per thread.
class WIMAX_API OfdmTransform {
public:
    OfdmTransform();
    ~OfdmTransform();
    OfdmTransform(OfdmTransform&&) noexcept;

    /// Carriers in FFT bin order; fill them before modulate(). Aligned for SIMD.
    std::span<Complex, kFftSize> carriers();

    /// Writes the body of carriers(), preceded by its last `cp_samples`. `out` has cp_samples + 256 samples.
    void modulate(int cp_samples, std::span<Complex> out);

    /// Transforms 256 samples of a body (without cyclic prefix) to carriers in bin order.
    void demodulate(std::span<const Complex, kFftSize> body, std::span<Complex, kFftSize> carriers);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Lock for FFTW's planner, which is not thread-safe. All planning of this library in a process holds it.
class WIMAX_API FftwPlannerLock {
public:
    FftwPlannerLock();
    ~FftwPlannerLock();
    FftwPlannerLock(const FftwPlannerLock&) = delete;
    FftwPlannerLock& operator=(const FftwPlannerLock&) = delete;
};

}  // namespace gr::wimax::phy
