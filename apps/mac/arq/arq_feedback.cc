// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/arq/arq_feedback.h"

namespace wimax::mac {
namespace {

/// A map of sequences: a format bit, then a flag for each sequence, then their lengths.
struct SequenceFormat {
    unsigned sequences, length_bits, spare_bits;
    constexpr uint16_t longest() const { return static_cast<uint16_t>((1U << length_bits) - 1); }
};
constexpr SequenceFormat kTwoLong{2, 6, 1}, kThreeShort{3, 4, 0};

constexpr const SequenceFormat& format_of(uint16_t map) { return map >> 15 ? kThreeShort : kTwoLong; }

}  // namespace

void AckRuns::add(uint16_t first, uint16_t blocks, bool received) {
    if (count > 0) {
        AckRun& last = runs[count - 1];
        if (last.received == received && last.first + last.count == first) {
            last.count = static_cast<uint16_t>(last.count + blocks);
            return;
        }
    }
    if (!full()) runs[count++] = {first, blocks, received};
}

AckRuns ack_runs(const FeedbackIe& ie) {
    AckRuns runs;
    const size_t maps = std::min<size_t>(ie.map_count, ie.maps.size());
    if (ie.ack_type == AckType::cumulative) return runs;
    if (ie.ack_type != AckType::cumulative_sequences) {
        for (size_t bit = 0; bit < maps * kMapBits; ++bit)
            runs.add(static_cast<uint16_t>(kFirstMapBlock + bit), 1,
                     ie.maps[bit / kMapBits] >> (kMapBits - 1 - bit % kMapBits) & 1);
        return runs;
    }
    uint16_t at = kFirstSequenceBlock;
    for (size_t i = 0; i < maps; ++i) {
        const SequenceFormat& format = format_of(ie.maps[i]);
        for (unsigned s = 0; s < format.sequences; ++s) {
            const unsigned shift = format.spare_bits + format.length_bits * (format.sequences - 1 - s);
            const auto length = static_cast<uint16_t>(ie.maps[i] >> shift & format.longest());
            if (length == 0) return runs;
            runs.add(at, length, ie.maps[i] >> (14 - s) & 1);
            at = static_cast<uint16_t>(at + length);
        }
    }
    return runs;
}

/// Greedy: uses three short sequences if they cover more blocks than two long ones.
bool put_sequences(const AckRuns& runs, FeedbackIe& ie) {
    ie.ack_type = AckType::cumulative_sequences;
    ie.map_count = 0;
    ie.maps = {};
    size_t run = 0;
    uint16_t done = 0;  // blocks of that run
    // Fills a map from the current run; returns the blocks that fit.
    const auto fill = [&](const SequenceFormat& format, uint16_t& map, size_t& r, uint16_t& d) {
        uint16_t blocks = 0;
        map = format.sequences == kThreeShort.sequences ? 1U << 15 : 0;
        for (unsigned s = 0; s < format.sequences && r < runs.count; ++s) {
            const uint16_t length = std::min<uint16_t>(static_cast<uint16_t>(runs.runs[r].count - d), format.longest());
            const unsigned shift = format.spare_bits + format.length_bits * (format.sequences - 1 - s);
            map = static_cast<uint16_t>(map | runs.runs[r].received << (14 - s) | length << shift);
            blocks = static_cast<uint16_t>(blocks + length);
            d = static_cast<uint16_t>(d + length);
            if (d < runs.runs[r].count) continue;
            ++r;
            d = 0;
        }
        return blocks;
    };
    while (run < runs.count) {
        if (ie.map_count == kMaxMaps) return false;
        uint16_t map_long = 0, map_short = 0, done_long = done, done_short = done;
        size_t run_long = run, run_short = run;
        const uint16_t in_long = fill(kTwoLong, map_long, run_long, done_long);
        const uint16_t in_short = fill(kThreeShort, map_short, run_short, done_short);
        const bool use_short = in_short > in_long;
        ie.maps[ie.map_count++] = use_short ? map_short : map_long;
        run = use_short ? run_short : run_long;
        done = use_short ? done_short : done_long;
    }
    return true;
}

}  // namespace wimax::mac
