// SPDX-License-Identifier: GPL-3.0-or-later
// Frames that follow each other without a pause (FDD) as one burst: a radio needs time between the end of a burst and
// the start of the next. The end of each piece is held back until the next one is known. Edges of both are added where
// they overlap, as filters and windows need it. No thread, no device calls. Times are ticks: samples at the device's
// rate.
#pragma once

#include "radio/piece_maker.h"

namespace gr::wimax {

class PieceJoiner {
public:
    /// `held`: ticks held back, which is the longest overlap and the longest gap of pieces of one burst.
    PieceJoiner(size_t channels, size_t held) : channels_(channels), held_(held) {}

    bool open() const { return open_; }
    /// End of the open burst, held samples included; without them.
    int64_t end_tick() const { return rest_.end_tick(); }
    int64_t sent_tick() const { return rest_.tick; }
    /// Whether the piece, whose first `front` samples are zeros, continues the open burst.
    bool joins(const DevicePiece& piece, size_t front) const;
    /// Removes these zeros and puts the held samples in front, where both overlap their sum. Pre: joins().
    void join(DevicePiece& piece, size_t front);
    /// Opens a burst, or continues it: moves the end of the piece here.
    void hold(DevicePiece& piece);
    /// Ends the burst: the held samples, followed by `zeros`.
    DevicePiece& finish(size_t zeros);

private:
    const size_t channels_, held_;
    DevicePiece rest_, joined_;  ///< they keep their memory
    bool open_ = false;
};

}  // namespace gr::wimax
