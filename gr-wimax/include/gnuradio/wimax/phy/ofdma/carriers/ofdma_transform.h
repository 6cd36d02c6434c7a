// SPDX-License-Identifier: GPL-3.0-or-later
// OFDMA symbol transform, IEEE 802.16-2009 clause 8.4.2: x[n] = 1/sqrt(840) * sum over c of a_c * exp(j 2 pi (c - 512)
// n / 1024). A symbol of unit power on all loaded carriers has mean sample power 1.
#pragma once

#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_numerology.h>

#include <memory>
#include <span>

namespace gr::wimax::phy::ofdma {

/// Inverse and forward transform with its own workspaces: one object per thread.
class WIMAX_API OfdmaTransform {
public:
    OfdmaTransform();
    ~OfdmaTransform();
    OfdmaTransform(OfdmaTransform&&) noexcept;

    /// Writes the body of 1024 `carriers`, preceded by its last `cp_samples`. `out` has cp_samples + 1024 samples.
    void modulate(std::span<const Complex, kFft> carriers, int cp_samples, std::span<Complex> out);
    /// Transforms a body (without cyclic prefix) to carriers; the inverse of modulate().
    void demodulate(std::span<const Complex, kFft> body, std::span<Complex, kFft> carriers);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gr::wimax::phy::ofdma
