// SPDX-License-Identifier: GPL-3.0-or-later
// Power delay profiles: Stanford University Interim models (fixed wireless, IEEE 802.16.3c), ITU-R M.1225 outdoor to
// indoor, pedestrian and vehicular, and tap files.
//
// A tap file is YAML:
//
//     taps:
//       - {delay_us: 0.0, power_db: 0, k_factor: 4, doppler_hz: 0.4, spectrum: rounded}
//       - {delay_us: 0.4, power_db: -15, doppler_hz: 0.3}
//
// Only `delay_us` and `power_db` are needed. `k_factor` (linear, default 0) is the power of the constant part over that
// of the Gaussian part; `spectrum` is `rounded` (default), `jakes` or `constant` (the tap does not fade).
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wimax::channel {

namespace phy = gr::wimax::phy;

enum class DopplerSpectrum : unsigned char {
    constant,  ///< no Gaussian part: amplitude 1, phase 0
    rounded,   ///< S(x) = 1 - 1.72 x^2 + 0.785 x^4, |x| = |f| / f_max <= 1
    jakes,     ///< S(x) = 1 / sqrt(1 - x^2)
};

struct Tap {
    double delay_s = 0.0;
    double power = 1.0;       ///< mean power, linear; a profile's powers sum to 1
    double k_factor = 0.0;    ///< linear; 0: Rayleigh
    double doppler_hz = 0.0;  ///< largest Doppler shift; 0: a random but constant tap
    DopplerSpectrum spectrum = DopplerSpectrum::rounded;
};

struct ChannelProfile {
    std::string name = "awgn";
    std::vector<Tap> taps{Tap{.spectrum = DopplerSpectrum::constant}};

    double spread_s() const;  ///< latest delay
    double max_doppler_hz() const;
    bool constant() const;  ///< one tap, not fading: only delays and scales
};

/// Longest tap delay, largest Doppler and most taps accepted in a tap file.
inline constexpr double kMaxTapDelayS = 200e-6;
inline constexpr double kMaxDopplerHz = 10'000.0;
inline constexpr size_t kMaxTaps = 64;

/// Built-in names: awgn, sui1..sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b.
const std::vector<std::string>& profile_names();

/// Largest Doppler shift at a speed in km/h with a carrier of 3.5 GHz.
constexpr double doppler_at_3500_mhz(double km_per_h) { return km_per_h / 3.6 * 3.5e9 / 299'792'458.0; }

/// A built-in profile. Doppler of the ITU models: 3 km/h (pedestrian) and 60 km/h (vehicular) at 3.5 GHz.
std::optional<ChannelProfile> named_profile(std::string_view name);

/// Built-in name or path of a tap file. `doppler_hz` replaces the Doppler of every fading tap.
tl::expected<ChannelProfile, phy::Fault> load_profile(const std::string& name_or_path,
                                                      std::optional<double> doppler_hz = {});

}  // namespace wimax::channel
