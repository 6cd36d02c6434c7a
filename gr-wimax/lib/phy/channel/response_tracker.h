// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the channel from symbol to symbol (internal). Pilots and decisions show the error of the estimate on all
// carriers; in the delay domain it is noise except for the taps within the prefix. Each of these has a Kalman filter of
// two states, amplitude and its change per symbol. The speed of the channel is learned from the errors. Taps outside
// the prefix give the noise, so that an impulse or interference is not mistaken for motion.
//
// If the channel is constant, the gain falls, and errors are summed over more and more symbols before they are used.
#pragma once

#include "phy/carriers/symbol_planes.h"
#include "phy/channel/channel_estimator.h"
#include "phy/channel/tracking.h"

namespace gr::wimax::phy {

/// State of the motion, with the channel estimate that it belongs to.
struct ResponseState {
    static constexpr size_t kMaxTaps = 144;
    template <typename T> using Taps = std::array<T, kMaxTaps>;

    bool active = false;
    double position = 0;  ///< symbol for which the response is predicted
    double interval = 1;  ///< symbols since the last observation
    float speed = 0;      ///< mean square change of a path per symbol over its power
    int looks = 0;        ///< at the errors since the speed was a guess
    float least_speed = 0, most_speed = 0;
    int first_tap = 0;  ///< delay of tap 0 after the start of the FFT window, samples
    int taps = 0;       ///< number of taps in use, a multiple of kLanes
    alignas(64) Taps<float> value_re{}, value_im{}, rate_re{}, rate_im{};
    alignas(64) Taps<float> power{};  ///< mean power of the paths
    alignas(64) Taps<float> variance{}, covariance{}, rate_variance{};

    static constexpr int kLanes = 16;

    /// Speed of a path with this Doppler shift.
    static float speed_of(double doppler_hz, const SymbolPace& pace);
};

/// Energy of the preambles over that of a data carrier.
inline constexpr float kShortPreambleLooks = 400, kLongPreambleLooks = 800;

class ResponseTracker {
public:
    ResponseTracker();

    /// A new estimate, valid at symbol `position`, from a preamble of `looks` times the energy of a data carrier.
    void start(const ChannelEstimate& channel, int cp_samples, const SymbolPace& pace, double position, float looks,
               ResponseState& state);
    /// Merges `fresh`, the same channel seen by another preamble, into `channel`.
    void merge(const ChannelEstimate& fresh, double position, float looks, ResponseState& state,
               ChannelEstimate& channel);

    /// Call before the first symbol of a burst; moves the estimate to that symbol.
    void begin_burst(double position, ResponseState& state, ChannelEstimate& channel);
    /// Call after each symbol. If the channel moves, uses the sums in `planes` at once, so that `channel` is valid for
    /// this symbol. False if the channel is constant.
    bool see(SymbolPlanes& planes, ResponseState& state, ChannelEstimate& channel);
    /// Undoes see() of this symbol. False if it has done nothing.
    bool take_back(ResponseState& state, ChannelEstimate& channel);
    /// True if the sums of one symbol are used.
    bool follows_each() const { return planned_ == 1; }
    /// Call after each symbol. True if the sums in `planes` were used and cleared: `channel` is now the prediction for
    /// the next symbols.
    bool follow(SymbolPlanes& planes, ResponseState& state, ChannelEstimate& channel);

private:
    void transform(const Carriers& carriers);
    void start_rates(const ChannelEstimate& channel, ResponseState& state);
    /// Transforms the waiting carriers to taps.
    void see_taps(const ResponseState& state);
    float noise_per_tap(const ResponseState& state);
    void learn_speed(float noise, ResponseState& state) const;
    /// Ignores the estimate's expected error if a preamble contradicts it.
    void believe_if_lost(float noise, ResponseState& state) const;
    void correct(float noise, ResponseState& state);
    void predict(double symbols, ResponseState& state);
    void apply(ResponseState& state, ChannelEstimate& channel);
    static int block_symbols(float noise, const ResponseState& state);

    FftPlan to_delay_{kFftSize, FftPlan::Sign::inverse};
    FftPlan to_carriers_{kFftSize, FftPlan::Sign::forward};
    /// Corrects the state by the sums and clears them; returns the noise of a tap.
    float use_sums(SymbolPlanes& planes, ResponseState& state, const ChannelEstimate& channel);

    int summed_ = 0, planned_ = 1;
    bool seen_ = false;  // this symbol has been used
    ResponseState state_before_;
    Carriers response_before_;
    float tap_noise_ = 0;
    alignas(64) ResponseState::Taps<float> seen_re_{}, seen_im_{};      ///< innovation
    alignas(64) ResponseState::Taps<float> change_re_{}, change_im_{};  ///< not yet in the response
};

}  // namespace gr::wimax::phy
