// SPDX-License-Identifier: GPL-3.0-or-later
// ARQ of a service flow as provisioned and as agreed on (clause 6.3.4, service flow TLVs 18 to 26). Times are encoded
// in units of 10 us.
#pragma once

#include <cstdint>

namespace wimax::mac {

/// Types of feedback elements that a receiver sends. One source documents sequences; other makers may not know them.
enum class FeedbackTypes : uint8_t { all, without_sequences };

struct ArqConfig {
    bool enable = false;
    uint16_t window_blocks = 1024;      ///< 1..1024
    uint16_t block_octets = 128;        ///< 1..2040
    double retry_timeout_ms = 0;        ///< until an unacknowledged block is sent again; 0: six frames
    double block_lifetime_ms = 500;     ///< 0: for ever
    double sync_loss_timeout_ms = 600;  ///< 0: never
    double rx_purge_timeout_ms = 600;   ///< 0: never
    bool deliver_in_order = true;
    bool operator==(const ArqConfig&) const = default;
};

inline constexpr double kMaxArqTimeMs = 655.35;
inline constexpr double kArqRetryFrames = 6;

}  // namespace wimax::mac
