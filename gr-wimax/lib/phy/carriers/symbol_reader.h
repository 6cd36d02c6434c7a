// SPDX-License-Identifier: GPL-3.0-or-later
// From samples at absolute positions to the carriers of one OFDM symbol (internal to the receivers).
#pragma once

#include "phy/carriers/fft_plan.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>

#include <array>
#include <span>

namespace gr::wimax::phy {

/// Samples with absolute numbers; samples outside are zero.
struct SampleView {
    const Complex* data = nullptr;
    int64_t first = 0;
    int64_t count = 0;

    int64_t end() const { return first + count; }
    bool covers(int64_t from, int64_t to) const { return from >= first && to <= end(); }
    /// Valid only if covers().
    const Complex* at(int64_t sample) const { return data + (sample - first); }
    /// Copies [from, from + out.size()); samples outside are zero.
    void copy(int64_t from, std::span<Complex> out) const;
};

/// Offsets -100..100 in rising order, the unused carrier 0 in the middle; padded for SIMD.
inline constexpr int kCarrierSpan = 2 * kEdgeCarrier + 1;
template <typename T> struct alignas(64) PerCarrier {
    std::array<T, 208> values{};

    T& operator[](int offset) { return values[static_cast<size_t>(offset + kEdgeCarrier)]; }
    const T& operator[](int offset) const { return values[static_cast<size_t>(offset + kEdgeCarrier)]; }
    T* data() { return values.data(); }
    const T* data() const { return values.data(); }
};
using Carriers = PerCarrier<Complex>;

/// out[n] = in[n] * exp(-j 2 pi (cycles + n * cycles_per_sample)).
void derotate(const Complex* in, Complex* out, int count, double cycles, double cycles_per_sample);

/// out[k] = exp(j (phase + k * slope)) for offsets k = -100..100.
void carrier_ramp(double phase, double slope, Carriers& out);

/// Errors that a receiver's mixer and converters add to samples x: y = x + image * conj(x) + dc.
struct FrontEnd {
    Complex dc{};     ///< of a sample
    Complex image{};  ///< ratio of amplitudes

    bool operator==(const FrontEnd&) const = default;
};

class SymbolReader {
public:
    /// Compensated in all samples from now on.
    void set_front_end(const FrontEnd& front_end);

    /// Carriers of the body that starts at `body_start`, its frequency lowered by `cycles_per_sample`; the phase of the
    /// correction is zero at `phase_reference`.
    void read(const SampleView& samples, int64_t body_start, double cycles_per_sample, int64_t phase_reference,
              Carriers& out);

private:
    void set_frequency(double cycles_per_sample);

    FftPlan transform_{kFftSize, FftPlan::Sign::forward};
    double cycles_per_sample_ = 0;
    FrontEnd front_end_;
    // Correction of a body, phase zero at its first sample, image included: factors of each coordinate for its own
    // place and for its partner's.
    alignas(64) std::array<float, 2 * kFftSize> same_{}, other_{};
    alignas(64) std::array<Complex, kFftSize> body_{};  // a body that is not completely available
    bool ready_ = false;
};

}  // namespace gr::wimax::phy
