// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the delays of a channel's paths in the observation of a preamble (internal to channel_estimator).
#pragma once

#include "phy/carriers/fft_plan.h"
#include "phy/channel/preamble_observation.h"

namespace gr::wimax::phy {

/// Largest delay of an FFT window's end after the symbol by the strongest path: paths are distinct within half a body.
inline constexpr int kMostOverhang = 128;

class PathSearch {
public:
    /// Fills paths and window shift of `observation`; clears `present` if its grid is not that of a channel. `doubled`:
    /// carriers of the observed symbol of two equal halves, or none.
    void find(int cp_samples, const Carriers* doubled, PreambleObservation& observation);

private:
    struct Extent {
        int first, early, last;  // delays: first certain path, earliest and latest path
    };
    enum class Place : uint8_t { early, late, nowhere };
    void transform(const PreambleObservation& observation);
    float noise_floor() const;
    void take_off_ghosts(const PreambleObservation& observation, const Carriers& second);
    void transform_difference(const Carriers& doubled, PreambleObservation& observation);
    void see_motion(int cp_samples, Extent paths, PreambleObservation& observation) const;
    bool is_path(int t, float over_noise) const;
    static void leave_phase_and_delay(PreambleObservation& observation);
    Extent extent(int cp_samples, bool compared) const;
    Place place_of(int t, int cp_samples) const;
    float concentration() const;
    bool is_gathered(int cp_samples, int first) const;
    int quietest_window(int cp_samples, Extent paths) const;
    float refined(int t) const;
    float power_at(int t) const { return power_[static_cast<size_t>(t & 127)]; }

    FftPlan inverse_{128, FftPlan::Sign::inverse}, forward_{128, FftPlan::Sign::forward};
    // By delay modulo 128 after the start of the FFT window, Hann-windowed: the response, its power, and the difference
    // between the second and the first half of the symbol.
    std::array<Complex, 128> response_{}, difference_{};
    std::array<float, 128> power_{};
    float noise_ = 0;  // power of a delay without path, from the empty carriers
    float floor_ = 0;  // the same plus interferers on the preamble's carriers
    int peak_ = 0;
};

}  // namespace gr::wimax::phy
