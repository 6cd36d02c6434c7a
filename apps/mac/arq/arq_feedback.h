// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion between feedback elements (clause 6.3.4.2) and the status of blocks: cumulative if no block is missing,
// with block sequences if they are shortest, else with a selective map; selective elements for later blocks.
#pragma once

#include "mac/arq/arq_parameters.h"
#include "mac/pdu/map_ie.h"

#include <algorithm>
#include <array>

namespace wimax::mac {

// Doubtful interpretation: the block of a map's and a sequence's first bit, counted from the element's BSN.
inline constexpr uint16_t kFirstMapBlock = 0, kFirstSequenceBlock = 1;

inline constexpr size_t kMapBits = 16, kMaxMaps = 4, kBlocksPerElement = kMapBits * kMaxMaps;
/// Elements for a full window: the first one has a bit for the blocks before it.
inline constexpr size_t kMaxFeedbackElements = 1 + kMaxArqWindow / kBlocksPerElement;

/// Consecutive blocks with the same status in an element.
struct AckRun {
    uint16_t first = 0;  ///< counted from the element's BSN
    uint16_t count = 0;
    bool received = false;
    bool operator==(const AckRun&) const = default;
};
struct AckRuns {
    std::array<AckRun, kBlocksPerElement> runs;
    size_t count = 0;
    void add(uint16_t first, uint16_t blocks, bool received);
    bool full() const { return count == runs.size(); }
    const AckRun* begin() const { return runs.data(); }
    const AckRun* end() const { return runs.data() + count; }
};

/// The element's BSN and all before it are received.
constexpr bool is_cumulative(AckType type) { return type != AckType::selective; }
/// Contents of its maps.
AckRuns ack_runs(const FeedbackIe& ie);

/// Octets of an element.
constexpr size_t feedback_octets(const FeedbackIe& ie) {
    return 4 + (ie.ack_type == AckType::cumulative ? 0 : 2 * size_t{ie.map_count});
}

/// Encodes the runs as one element of sequences after a cumulative BSN. False: they need more than four maps.
bool put_sequences(const AckRuns& runs, FeedbackIe& ie);

/// Elements for a connection that has received all blocks before `start`. Of the `blocks` ones from there on it has
/// those with `received(i)`, i counted from `start`. Returns their number; 0: no block was ever received.
template <class Received>
size_t make_feedback(uint16_t cid, BlockIndex start, size_t blocks, const Received& received, FeedbackTypes types,
                     std::array<FeedbackIe, kMaxFeedbackElements>& out) {
    if (start == 0 && blocks == 0) return 0;
    FeedbackIe ie;
    ie.cid = cid;
    ie.bsn = bsn_of(start - 1);
    if (blocks == 0) {
        out[0] = ie;
        return 1;
    }
    if (types == FeedbackTypes::all && start > 0) {
        AckRuns runs;
        for (size_t i = 0; i < blocks && !runs.full(); ++i) runs.add(static_cast<uint16_t>(i), 1, received(i));
        if (put_sequences(runs, ie) && ie.map_count < (blocks + kMapBits) / kMapBits) {
            out[0] = ie;
            return 1;
        }
        ie.maps = {};
    }
    // Without anything before `start` there is no BSN that could be acknowledged cumulatively.
    ie.ack_type = start == 0 ? AckType::selective : AckType::cumulative_selective;
    size_t elements = 0, bit = start == 0 ? 0 : 1;
    if (bit == 0) ie.bsn = bsn_of(start);
    if (bit == 1) ie.maps[0] = 1U << (kMapBits - 1);
    for (size_t i = 0; i < blocks && elements < out.size();) {
        for (; bit < kBlocksPerElement && i < blocks; ++bit, ++i)
            if (received(i)) ie.maps[bit / kMapBits] |= static_cast<uint16_t>(1U << (kMapBits - 1 - bit % kMapBits));
        ie.map_count = static_cast<uint8_t>((bit + kMapBits - 1) / kMapBits);
        out[elements++] = ie;
        ie = {cid, false, AckType::selective, bsn_of(start + i), 0, {}};
        bit = 0;
    }
    return elements;
}

}  // namespace wimax::mac
