/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <channel/fir.h>

#include <cstring>

namespace wimax::channel {
namespace {

// Compiled once per instruction set by inlining into functions with a target attribute.
typedef float Vector __attribute__((vector_size(32)));

__attribute__((always_inline)) inline void load(Vector& v, const float* from) { std::memcpy(&v, from, sizeof v); }
__attribute__((always_inline)) inline void store(float* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }

__attribute__((always_inline)) inline void fir_body(const float* x_re, const float* x_im, const float* h_re,
                                                    const float* h_im, int taps, float* y_re, float* y_im) {
    Vector re0, re1, im0, im1;
    load(re0, y_re);
    load(re1, y_re + 8);
    load(im0, y_im);
    load(im1, y_im + 8);
    for (int k = 0; k < taps; ++k) {
        Vector a0, a1, b0, b1;
        load(a0, x_re - k);
        load(a1, x_re - k + 8);
        load(b0, x_im - k);
        load(b1, x_im - k + 8);
        const float hr = h_re[k], hi = h_im[k];
        re0 += a0 * hr - b0 * hi;
        re1 += a1 * hr - b1 * hi;
        im0 += a0 * hi + b0 * hr;
        im1 += a1 * hi + b1 * hr;
    }
    store(y_re, re0);
    store(y_re + 8, re1);
    store(y_im, im0);
    store(y_im + 8, im1);
}

void fir_portable(const float* x_re, const float* x_im, const float* h_re, const float* h_im, int taps, float* y_re,
                  float* y_im) {
    fir_body(x_re, x_im, h_re, h_im, taps, y_re, y_im);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void fir_avx2(const float* x_re, const float* x_im, const float* h_re,
                                              const float* h_im, int taps, float* y_re, float* y_im) {
    fir_body(x_re, x_im, h_re, h_im, taps, y_re, y_im);
}
#endif

}  // namespace

FirForms fir_forms() {
    FirForms forms;
    forms.portable = fir_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) forms.avx2 = fir_avx2;
#endif
    return forms;
}

FirFunction fir_function() {
    static const FirForms forms = fir_forms();
    return forms.avx2 != nullptr ? forms.avx2 : forms.portable;
}

}  // namespace wimax::channel
