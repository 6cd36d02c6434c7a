/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A radio's own count of samples, which goes on across restarts of the channel, beside the channel's, which comes with
 * each RX chunk and begins anew with each channel. What no channel counts is refused.
 */
#pragma once

#include <optional>

#include "vrf/link.h"

namespace wimax::vrf {

class RxCount {
public:
    /// The channel's first index is sample `own` of the radio.
    void join(const Welcome& welcome, int64_t own);

    struct Arrival {
        int64_t first;                 ///< own count of the chunk's first sample
        bool gap;                      ///< samples were left out before it
        bool lost_tx;                  ///< a chunk with a signal was too late for the channel, since the chunk before
        std::optional<int64_t> pulse;  ///< own count of the second's pulse (PPS) in this chunk
    };
    /// Nothing for a chunk that goes back, is off the grid of chunks, or lies beyond all time.
    std::optional<Arrival> take(const RxHeader& header);

    /// The channel's count of the radio's sample `own`.
    int64_t index_of(int64_t own) const { return own - base_; }

private:
    int64_t base_ = 0;  ///< own count minus the channel's
    int64_t next_ = 0;  ///< of the channel
    int64_t chunk_ = 1, second_ = 1;
    std::optional<uint64_t> lost_tx_chunks_;  ///< so far, unknown before the first chunk
};

}  // namespace wimax::vrf
