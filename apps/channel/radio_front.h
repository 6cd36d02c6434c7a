// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of a radio's analog part on its samples, for a transmitter or a receiver.
//
// Levels are relative to a mean sample power of 1 (0 dBFS), not to the signal's power; for a signal of mean power 1
// they are dBc. In this order:
//
//     transmitter   converter; IQ imbalance, LO leakage; phase noise; amplifier
//     receiver      amplifier; phase noise; IQ imbalance, DC offset; converter
//
// (A transmitter's leakage has the phase noise of its oscillator, a receiver's DC offset does not.) Noise is not
// included: it is added before a receiver. The result is a function of (configuration, sample rate, seed, sample index,
// samples); chunks of any size give the same bits, on any processor.
#pragma once

#include "channel/converter.h"
#include "channel/phase_noise.h"

#include <array>
#include <optional>

namespace wimax::channel {

struct FrontConfig {
    std::optional<double> dc_dbc{};     ///< power of DC offset or LO leakage
    std::optional<double> image_dbc{};  ///< power of the mirrored signal over the signal; not with the next two
    double iq_gain_db = 0;              ///< gain of Q over that of I
    double iq_phase_deg = 0;            ///< deviation of Q from 90 degrees to I
    double lo_offset_hz = 0;            ///< oscillator minus centre of the band: position of leakage and centre of the
                                        ///< image
    std::optional<double> phase_noise_deg{};  ///< integrated, PhaseNoise; none: by the mask, if there is one
    PhaseMask phase_noise_mask{};             ///< empty: default_phase_mask(), if phase_noise_deg is given
    int bits = 0;                             ///< of the converter; 0: no converter
    double full_scale_db = 0;                 ///< of the converter
    std::optional<double> saturation_db{};    ///< of the amplifier, none: linear
    double smoothness = 2;                    ///< of the amplifier

    bool ideal() const;
    bool operator==(const FrontConfig&) const = default;
};

/// Checks that the front can be built; the ranges are in radio_front_fields.h.
tl::expected<void, gr::wimax::phy::Fault> check(const FrontConfig& config);

/// Converts to a signal of another level: values relative to mean power 1 are then relative to this one.
FrontConfig at_level(FrontConfig config, double level_db);

/// Image and leakage. The image of a signal in the middle of its band is centred at twice lo_offset_hz. If that is out
/// of the band, a filter removes it, and the leakage if that is also out. An image beyond the band's edge wraps.
class Quadrature {
public:
    Quadrature(const FrontConfig& config, double sample_rate_hz, uint64_t seed);
    void apply(int64_t index, std::span<std::complex<float>> samples) const;

private:
    static constexpr size_t kBlock = 64;
    std::complex<float> oscillator(int64_t index) const;

    std::complex<float> direct_, mirrored_, leakage_;
    uint64_t step_ = 0;                                                          ///< turns per sample in 2^-64
    bool beside_ = false;                                                        ///< oscillator with an offset
    std::array<float, kBlock> turn_re_{}, turn_im_{}, twice_re_{}, twice_im_{};  ///< within a block, and its square
};

class RadioFront {
public:
    enum class End : uint8_t { transmitter, receiver };

    RadioFront() = default;  ///< ideal
    RadioFront(End end, const FrontConfig& config, double sample_rate_hz, uint64_t seed);

    bool ideal() const { return config_.ideal(); }
    const FrontConfig& config() const { return config_; }
    void pass(int64_t index, std::span<std::complex<float>> samples);
    /// Settings that change while a radio runs. Allocates nothing; settings of parts without configuration are ignored.
    /// `bits` 2 to 20.
    void tune_beside(double lo_offset_hz);
    void set_saturation_db(double db);
    void set_bits(int bits);
    /// Samples beyond the converter's full scale since construction.
    uint64_t clipped() const { return clipped_; }

private:
    End end_ = End::receiver;
    FrontConfig config_;
    double rate_hz_ = 0;
    uint64_t seed_ = 0;
    std::optional<Converter> converter_;
    std::optional<Amplifier> amplifier_;
    std::optional<PhaseNoise> phase_noise_;
    std::optional<Quadrature> quadrature_;
    uint64_t clipped_ = 0;
};

}  // namespace wimax::channel
