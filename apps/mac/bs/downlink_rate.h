// SPDX-License-Identifier: GPL-3.0-or-later
// The rate of one station's downlink bursts (clause 6.3.17). The station asks for changes. A lower rate is used at
// once, a higher one is announced and used later, since the station must know it first.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/sample_time.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace wimax::mac {

class DownlinkRate {
public:
    /// Pre: lowest <= highest. Equal: the rate is fixed.
    DownlinkRate(ProfileId lowest, ProfileId highest) : lowest_(lowest), highest_(highest), profile_(highest) {}

    ProfileId profile() const { return profile_; }
    /// A higher rate that was announced and is not in use yet.
    const std::optional<ProfileId>& next() const { return next_; }
    /// The rate that the station is to know: the announced one, otherwise the one in use.
    ProfileId announced() const { return next_.value_or(profile_); }
    bool adapts() const { return lowest_ < highest_; }
    uint64_t falls() const { return falls_; }
    uint64_t rises() const { return rises_; }

    /// The allowed rate closest to `asked`. A higher one only if `may_rise`, from `rise_at` on.
    void change(ProfileId asked, bool may_rise, Samples rise_at) {
        const ProfileId profile = allowed(asked);
        if (profile > profile_) {
            if (may_rise && next_ != profile) announce(profile, rise_at);
            return;
        }
        next_.reset();
        falls_ += profile < profile_ ? 1 : 0;
        profile_ = profile;
    }
    /// Pre: lowest <= highest. False: the announced rate is not allowed any more and must be changed.
    bool set_limits(ProfileId lowest, ProfileId highest) {
        lowest_ = lowest;
        highest_ = highest;
        return announced() == allowed(announced());
    }
    void begin_frame(Samples now) {
        if (!next_ || now < next_at_) return;
        use_announced();
        ++rises_;
    }
    /// Network entry, where no rate is in use yet.
    void use_announced() { profile_ = std::exchange(next_, std::nullopt).value_or(profile_); }

private:
    ProfileId allowed(ProfileId profile) const { return std::clamp(profile, lowest_, highest_); }
    void announce(ProfileId profile, Samples at) {
        next_ = profile;
        next_at_ = at;
    }

    ProfileId lowest_, highest_, profile_;
    std::optional<ProfileId> next_;
    Samples next_at_ = 0;
    uint64_t falls_ = 0, rises_ = 0;
};

}  // namespace wimax::mac
