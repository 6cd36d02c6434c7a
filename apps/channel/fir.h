// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loop of the channel: a complex FIR over planar samples, compiled for each instruction set. All give the
// same bits.
#pragma once

namespace wimax::channel {

inline constexpr int kFirBlock = 16;

/// y[j] += sum over k < taps of h[k] * x[j - k], j = 0..15, x and y complex in two planes.
/// Reads x[-(taps - 1) .. 15].
void fir(const float* x_re, const float* x_im, const float* h_re, const float* h_im, int taps, float* y_re,
         float* y_im);

}  // namespace wimax::channel
