// SPDX-License-Identifier: GPL-3.0-or-later
// A radio's own count of samples, which continues after restarts of the channel, and the channel's count, which is sent
// with each RX chunk and restarts with each channel. Impossible counts are refused.
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
        bool gap;                      ///< samples were omitted before it
        bool lost_tx;                  ///< since the previous chunk a chunk with a signal was too late for the channel
        std::optional<int64_t> pulse;  ///< own count of the second's pulse (PPS) in this chunk
    };
    /// Nothing for a chunk that is before the last one, is off the grid of chunks, or is beyond the largest count.
    std::optional<Arrival> take(const RxHeader& header);

    /// The channel's count of the radio's sample `own`.
    int64_t index_of(int64_t own) const { return own - base_; }

private:
    int64_t base_ = 0;  ///< own count minus the channel's
    int64_t next_ = 0;  ///< of the channel
    int64_t chunk_ = 1, second_ = 1;
    std::optional<uint64_t> lost_tx_chunks_;  ///< until now, unknown before the first chunk
};

}  // namespace wimax::vrf
