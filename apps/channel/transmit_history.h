// SPDX-License-Identifier: GPL-3.0-or-later
// The latest samples of one transmitter, contiguous, with known silences, for which paths compute nothing. Silence uses
// no memory until samples follow it.
#pragma once

#include "channel/propagation_path.h"

#include <deque>

namespace wimax::channel {

class TransmitHistory {
public:
    /// Keeps at least the last `keep` samples.
    explicit TransmitHistory(size_t keep);

    /// Appends samples from absolute index `first` on. A gap is silence; an index before end() (a restarted radio)
    /// discards everything.
    void append(int64_t first, std::span<const Complex> samples);
    void append_silence(int64_t first, size_t count);

    int64_t end() const { return end_; }
    /// Samples in [first, end) from the first to the last that are not silent; empty if all are. Forgotten samples are
    /// silent. Valid until append().
    TxWindow window(int64_t first, int64_t end) const;

private:
    void make_room(int64_t first, size_t count);
    void restart(int64_t first);

    size_t keep_;
    std::vector<Complex> buffer_;
    int64_t buffer_first_ = 0;                        ///< absolute index of buffer_[0]
    int64_t stored_ = 0;                              ///< one past the last in buffer_
    int64_t end_ = 0;                                 ///< known up to here: silence after the stored samples
    std::deque<std::pair<int64_t, int64_t>> active_;  ///< [first, end) that are not silent
};

}  // namespace wimax::channel
