// SPDX-License-Identifier: GPL-3.0-or-later
// What a queue policy sets in one queue, and what the queue remembers for the policy's next call (queue_policy.h).
#pragma once

#include "mac/sample_time.h"

#include <cstdint>

namespace wimax::mac {

/// The default leaves the queue to the built-in discipline.
struct QueueDirective {
    double drop_probability = 0;  ///< 0..1, of arriving packets
    double mark_probability = 0;  ///< 0..1, of arriving packets whose ends support ECN: marked, and not dropped
    uint32_t drop_head = 0;       ///< packets to drop once, each from the head of the longest sub-queue
    bool codel = true;            ///< CoDel continues to drop and mark packets
};

/// State of a queue at the last call of a policy.
struct QueueMeter {
    uint64_t arrived_octets = 0, sent_octets = 0, dropped = 0, marked = 0;
    Samples at = 0;
    bool waited = false;    ///< packets waited then
    double served_bps = 0;  ///< mean while packets waited
    bool directed = false;  ///< a probability is in force
};

/// Uniform numbers of [0, 1) that follow from a seed (SplitMix64).
class UniformDraws {
public:
    explicit UniformDraws(uint64_t seed) : state_(seed) {}
    double next() {
        uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
        return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
    }

private:
    uint64_t state_;
};

/// Decides which arriving packets are dropped or marked, by the directive in force.
class DirectedArrivals {
public:
    enum class Fate : uint8_t { queued, marked, dropped };

    explicit DirectedArrivals(uint64_t seed) : draws_(seed) {}
    void direct(const QueueDirective& directive) { directive_ = directive; }
    const QueueDirective& directive() const { return directive_; }

    /// `markable`: the packet can be marked. One draw decides on both: a marked packet is not dropped.
    Fate fate(bool markable) {
        if (directive_.drop_probability <= 0 && directive_.mark_probability <= 0) return Fate::queued;
        const double draw = draws_.next();
        if (markable && draw < directive_.mark_probability) return Fate::marked;
        return draw < directive_.drop_probability ? Fate::dropped : Fate::queued;
    }

private:
    QueueDirective directive_;
    UniformDraws draws_;
};

}  // namespace wimax::mac
