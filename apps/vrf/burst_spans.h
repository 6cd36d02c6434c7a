// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a chunk that belong to bursts, zeros included: the transmitter is switched on for them.
#pragma once

#include <array>
#include <cstddef>

namespace wimax::vrf {

class BurstSpans {
public:
    struct Span {
        size_t from, to;
        bool operator==(const Span&) const = default;
    };

    void clear() { count_ = 0; }
    /// In ascending order. If there are too many, the gaps between the last ones count as burst.
    void add(size_t from, size_t to) {
        if (count_ > 0 && (spans_[count_ - 1].to == from || count_ == spans_.size())) spans_[count_ - 1].to = to;
        else spans_[count_++] = {from, to};
    }
    bool empty() const { return count_ == 0; }
    const Span* begin() const { return spans_.data(); }
    const Span* end() const { return spans_.data() + count_; }

private:
    std::array<Span, 16> spans_{};
    size_t count_ = 0;
};

}  // namespace wimax::vrf
