// SPDX-License-Identifier: GPL-3.0-or-later
// When a half-duplex station in FDD receives nothing because it transmits: around its own bursts and codes, by its
// gaps.
#pragma once

#include "mac/duplex/duplex.h"
#include "mac/sample_time.h"

#include "sap/messages.h"

#include <optional>
#include <vector>

namespace wimax::mac {

inline constexpr int kCodeSymbols = 2;  ///< of a code in a region of focused contention

class OwnBursts {
public:
    /// nullopt: the station receives while it transmits.
    explicit OwnBursts(std::optional<HalfDuplexGaps> gaps) : gaps_(gaps) {}

    /// Forgets all bursts, since the PHY's time starts again.
    void restart() { deaf_.clear(); }
    /// The frame of `tick` has these bursts.
    void sent(const sap::FrameTick& tick, const sap::TxFrame& tx);
    /// The station transmitted in part of this time, or changed between its directions.
    bool cover(Samples from, Samples until) const;

private:
    const std::optional<HalfDuplexGaps> gaps_;
    struct Time {
        Samples from = 0, until = 0;
    };
    std::vector<Time> deaf_;  ///< of this frame and the one before
};

}  // namespace wimax::mac
