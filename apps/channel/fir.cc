// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/fir.h"

#include "phy/base/simd.h"

namespace wimax::channel {
namespace {

namespace simd = gr::wimax::phy::simd;
constexpr size_t kVectorBytes = 32, kLanes = kVectorBytes / sizeof(float);
static_assert(kFirBlock == 2 * kLanes);

// The vectors never leave inlined code, so that how they would be passed does not matter.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
WIMAX_SIMD_BODY void fir_body(const float* x_re, const float* x_im, const float* h_re, const float* h_im, int taps,
                              float* y_re, float* y_im) {
    using V = simd::Vector<float, kVectorBytes>;
    V re0 = simd::load<V>(y_re), re1 = simd::load<V>(y_re + kLanes);
    V im0 = simd::load<V>(y_im), im1 = simd::load<V>(y_im + kLanes);
    for (int k = 0; k < taps; ++k) {
        const V a0 = simd::load<V>(x_re - k), a1 = simd::load<V>(x_re - k + kLanes);
        const V b0 = simd::load<V>(x_im - k), b1 = simd::load<V>(x_im - k + kLanes);
        const float hr = h_re[k], hi = h_im[k];
        re0 += a0 * hr - b0 * hi;
        re1 += a1 * hr - b1 * hi;
        im0 += a0 * hi + b0 * hr;
        im1 += a1 * hi + b1 * hr;
    }
    simd::store(re0, y_re);
    simd::store(re1, y_re + kLanes);
    simd::store(im0, y_im);
    simd::store(im1, y_im + kLanes);
}
#pragma GCC diagnostic pop

}  // namespace

void fir(const float* x_re, const float* x_im, const float* h_re, const float* h_im, int taps, float* y_re,
         float* y_im) {
    static constexpr simd::Dispatched<fir_body> kFir;
    kFir(x_re, x_im, h_re, h_im, taps, y_re, y_im);
}

}  // namespace wimax::channel
