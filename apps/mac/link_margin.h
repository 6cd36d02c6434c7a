// SPDX-License-Identifier: GPL-3.0-or-later
// How much more CINR a link needs than the receivers do in white noise (rate_thresholds.h), in dB: for fading, notches,
// interference, another maker's transmitter. The fate of blocks changes it in both directions.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/rate_thresholds.h"

#include <optional>

namespace wimax::mac {

/// Blocks of a received burst (one symbol's data each).
struct BurstFate {
    int blocks = 1;  ///< 1 or more
    int failed = 0;  ///< blocks with errors
};
/// Fate of a burst of `octets`. `failed_blocks`: by the decoder; not `whole`: at least one is lost.
inline BurstFate burst_fate(ProfileId profile, size_t octets, int failed_blocks, bool whole) {
    const int blocks = static_cast<int>(static_cast<float>(octets) / kBlockOctets[row_of(profile)]);
    return {blocks < 1 ? 1 : blocks, whole ? 0 : failed_blocks < 1 ? 1 : failed_blocks};
}

class LinkMargin {
public:
    explicit LinkMargin(float most_db) : most_db_(most_db) {}

    void clear();
    /// On a link of constant CINR: maximum likelihood, with a gain that follows from what is known already. The margin
    /// rises with more failures than `level_db` explains, and falls with fewer.
    void weigh(ProfileId profile, const BurstFate& burst, float level_db);
    /// On a fading link: one step up for a failure.
    void failed() { set(db_ + kStepDb); }
    /// A margin above 0 falls by as much as balances failed() at this share of failures.
    void delivered(float target_loss);
    /// The link fades: what was learned counts less.
    void forget();
    /// Sets it to `db` if it is larger.
    void limit(float db) { set(db < db_ ? db : db_); }

    float db() const { return db_; }

    static constexpr float kLeastDb = -1;

private:
    static constexpr float kStepDb = 0.5F;  ///< the most that one burst adds
    static constexpr float kPriorDb = 0.1F, kLearnedDb = 0.03F, kChangingDb = 0.5F, kForgottenDb = 0.05F;  // deviations

    void set(float db);

    const float most_db_;
    float db_ = 0;
    float variance_ = kPriorDb * kPriorDb;
    // The last block_error(), since most bursts of a link have the same.
    std::optional<ProfileId> weighed_;
    float above_db_ = 0, error_ = 0;
};

}  // namespace wimax::mac
