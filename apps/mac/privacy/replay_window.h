// SPDX-License-Identifier: GPL-3.0-or-later
// Packet numbers received of one SA, direction and TEK (7.5.1.2): each is accepted once, and none far below the newest.
#pragma once

#include <cstdint>

namespace wimax::mac::privacy {

/// Maximum distance of a packet number below the newest. 1 is the strict interpretation: always above the last. Bursts
/// of one frame may be decoded in another order than they were sent in, and PDUs of one SA are in several of them.
inline constexpr uint32_t kReplayWindow = 64;
static_assert(kReplayWindow >= 1 && kReplayWindow <= 64);

class ReplayWindow {
public:
    /// Call it only for genuine PDUs: others must not move the window. False: seen before, or too old.
    [[nodiscard]] bool take(uint32_t pn) {
        if (pn == 0) return false;
        if (pn > newest_) {
            const uint32_t ahead = pn - newest_;
            seen_ = ahead < 64 ? seen_ << ahead : 0;
            seen_ |= 1;
            newest_ = pn;
            return true;
        }
        const uint32_t behind = newest_ - pn;
        if (behind >= kReplayWindow) return false;
        const uint64_t mark = uint64_t{1} << behind;
        if (seen_ & mark) return false;
        seen_ |= mark;
        return true;
    }
    uint32_t newest() const { return newest_; }

private:
    uint32_t newest_ = 0;  ///< 0: none; numbers begin with 1
    uint64_t seen_ = 0;    ///< bit i: newest - i
};

}  // namespace wimax::mac::privacy
