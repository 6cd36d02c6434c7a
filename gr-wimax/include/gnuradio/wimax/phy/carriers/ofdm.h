/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OFDM symbol transform, clause 8.3.2: x[n] = 1/sqrt(200) * sum over k of c_k * exp(+j 2 pi k n / 256). A symbol of
 * unit-power carriers has mean sample power 1. demodulate() is the exact inverse.
 */
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <memory>
#include <span>

namespace gr::wimax::phy {

/// What a plain forward transform's bins are multiplied with to be carriers: sqrt(200) / 256.
inline constexpr float kDemodulateScale = 0.055242717F;

/// Forward and inverse 256-point transform with workspaces of its own: one object per thread.
class WIMAX_API OfdmTransform {
public:
    OfdmTransform();
    ~OfdmTransform();
    OfdmTransform(OfdmTransform&&) noexcept;

    /// Carriers in FFT bin order, to be filled before modulate(). Aligned for SIMD.
    std::span<Complex, kFftSize> carriers();

    /// Body of carriers(), preceded by its own last `cp_samples`. `out` holds cp_samples + 256.
    void modulate(int cp_samples, std::span<Complex> out);

    /// 256 samples of a body (cyclic prefix removed) to carriers in bin order.
    void demodulate(std::span<const Complex, kFftSize> body, std::span<Complex, kFftSize> carriers);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// FFTW's planner is not thread-safe: whoever plans in this process through this library holds this lock.
class WIMAX_API FftwPlannerLock {
public:
    FftwPlannerLock();
    ~FftwPlannerLock();
    FftwPlannerLock(const FftwPlannerLock&) = delete;
    FftwPlannerLock& operator=(const FftwPlannerLock&) = delete;
};

}  // namespace gr::wimax::phy
