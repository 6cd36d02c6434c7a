// SPDX-License-Identifier: GPL-3.0-or-later
// Phase noise of a local oscillator, by a mask: single-sideband power density in dBc/Hz over the offset from the
// carrier. Between points the mask is a straight line over the logarithm of the offset. Beyond the last one it is
// constant. Below the first one there is no noise: that is a carrier offset, which is modelled elsewhere.
//
// The phase is a function of (mask, sample rate, seed, sample index) alone: two sums of cosines of fixed amplitude and
// random phase, of coprime lengths, which repeat together after 13 hours at 1 MS/s. Seeds share the sums and begin at
// different positions. The integrated power is exact, a density is that of the mask to 0.1 dB from about 300 Hz on.
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wimax::channel {

struct PhasePoint {
    double offset_hz = 0;   ///< kMinPhaseOffsetHz .. kMaxPhaseOffsetHz, ascending
    double dbc_per_hz = 0;  ///< -250 .. 0
    bool operator==(const PhasePoint&) const = default;
};
using PhaseMask = std::vector<PhasePoint>;

inline constexpr double kMinPhaseOffsetHz = 10, kMaxPhaseOffsetHz = 1e9;
inline constexpr size_t kMaxPhasePoints = 32;
inline constexpr double kMaxPhaseNoiseDeg = 90;

/// A synthesizer whose loop is 100 kHz wide: -85 dBc/Hz at 1 kHz, -95 at 100 kHz, -118 at 1 MHz. An estimate for
/// integrated radios; 0.5 degrees at 5.76 MS/s.
const PhaseMask& default_phase_mask();

/// "1e3:-85,1e5:-95": offset in Hz, colon, dBc/Hz. A fault names the allowed format.
tl::expected<PhaseMask, gr::wimax::phy::Fault> parse_phase_mask(const std::string& text);
std::string print_phase_mask(const PhaseMask& mask);

class PhaseNoise {
public:
    /// `degrees`: integrated phase noise (rms, both sidebands, up to half the sample rate) to which the mask is
    /// shifted; none: the mask as given. An empty mask is the default one.
    PhaseNoise(const PhaseMask& mask, std::optional<double> degrees, double sample_rate_hz, uint64_t seed);

    /// Rotates samples [index, index + samples.size()) by the phase.
    void turn(int64_t index, std::span<std::complex<float>> samples) const;
    double rms_degrees() const;

private:
    struct Sums;
    std::shared_ptr<const Sums> sums_;
    uint64_t begin_;
};

}  // namespace wimax::channel
