// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/piece_joiner.h"

#include <algorithm>
#include <utility>

namespace gr::wimax {

bool PieceJoiner::joins(const DevicePiece& piece, size_t front) const {
    const int64_t first = piece.tick + static_cast<int64_t>(front);
    return open_ && first >= rest_.tick && first <= rest_.end_tick() + static_cast<int64_t>(held_);
}

void PieceJoiner::join(DevicePiece& piece, size_t front) {
    const auto at = static_cast<size_t>(piece.tick + static_cast<int64_t>(front) - rest_.tick);
    for (size_t c = 0; c < channels_; ++c) {
        const auto &before = rest_.samples[c], &next = piece.samples[c];
        auto& all = joined_.samples[c];
        all.assign(std::max(before.size(), at + next.size() - front), {});
        std::copy(before.begin(), before.end(), all.begin());
        for (size_t i = front; i < next.size(); ++i) all[at + i - front] += next[i];
        std::swap(all, piece.samples[c]);
    }
    piece.tick = rest_.tick;
}

void PieceJoiner::hold(DevicePiece& piece) {
    const size_t kept = piece.length() - std::min(held_, piece.length() / 2);
    rest_.tick = piece.tick + static_cast<int64_t>(kept);
    for (size_t c = 0; c < channels_; ++c) {
        auto& samples = piece.samples[c];
        rest_.samples[c].assign(samples.begin() + static_cast<std::ptrdiff_t>(kept), samples.end());
        samples.resize(kept);
    }
    open_ = true;
}

DevicePiece& PieceJoiner::finish(size_t zeros) {
    for (size_t c = 0; c < channels_; ++c) rest_.samples[c].resize(rest_.samples[c].size() + zeros);
    open_ = false;
    return rest_;
}

}  // namespace gr::wimax
