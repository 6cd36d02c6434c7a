// SPDX-License-Identifier: GPL-3.0-or-later
// Negotiated parameters of an ARQ connection (clause 6.3.4, TLVs 18 to 26 of 11.13). Times are samples.
#pragma once

#include "mac/arq_config.h"
#include "mac/sample_time.h"

#include <cstddef>
#include <cstdint>

namespace wimax::mac {

inline constexpr unsigned kBsnBits = 11;
inline constexpr uint16_t kBsnMask = (1U << kBsnBits) - 1;
inline constexpr uint16_t kMaxArqWindow = 1024;  ///< half of the numbers
inline constexpr uint16_t kMaxArqBlockOctets = 2040;

struct ArqParameters {
    uint16_t window_blocks = kMaxArqWindow;  ///< 1..kMaxArqWindow
    uint16_t block_octets = 128;             ///< 1..kMaxArqBlockOctets
    Samples retry_timeout = 0;               ///< until an unacknowledged block is sent again
    Samples block_lifetime = 0;              ///< 0: for ever
    Samples sync_loss_timeout = 0;           ///< 0: never
    Samples rx_purge_timeout = 0;            ///< 0: never
    bool deliver_in_order = true;
    Samples t22 = 0;  ///< wait for the other end's part in a reset
    FeedbackTypes feedback = FeedbackTypes::all;
};

/// A block by its number without modulus; its low bits are transmitted.
using BlockIndex = uint64_t;
constexpr uint16_t bsn_of(BlockIndex block) { return static_cast<uint16_t>(block & kBsnMask); }
/// Distance of a BSN from `from`, negative before it: -1024..1023 blocks.
constexpr int bsn_distance(uint16_t bsn, BlockIndex from) {
    const int ahead = (bsn - bsn_of(from)) & kBsnMask;
    return ahead <= kBsnMask / 2 ? ahead : ahead - kBsnMask - 1;
}

}  // namespace wimax::mac
