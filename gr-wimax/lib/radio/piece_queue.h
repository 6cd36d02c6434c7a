// SPDX-License-Identifier: GPL-3.0-or-later
// Bounded queue of preallocated pieces between the caller of transmit() and the sender's thread, and commits that wait
// for the pieces queued before them.
#pragma once

#include "radio/piece_maker.h"
#include "radio/radio_tally.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

namespace gr::wimax {

class PieceQueue {
public:
    /// `device` must outlive the object.
    explicit PieceQueue(const RadioDevice& device) : device_(device) {}

    /// Place for the next piece; nullptr: the queue is full. Only the one caller of push() uses it.
    DevicePiece* free_place();
    /// Queues the piece in the free place.
    void push();
    /// Lock-step: no further piece starts before this channel sample. Written to the device after the queued pieces.
    void commit(int64_t sample);

    struct Next {
        DevicePiece& piece;
        int64_t promised;  ///< tick, as last reported to the device
    };
    /// Sender's thread: waits for a piece; nullopt: the queue ends. done() follows.
    std::optional<Next> wait();
    /// The piece from wait() is finished; `sent`: the device received a burst.
    void done(bool sent);

    void end();
    bool ended() const { return ended_; }

private:
    static constexpr size_t kPieces = 16;

    void write_commit();

    const RadioDevice& device_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::array<DevicePiece, kPieces> pieces_;
    size_t head_ = 0, queued_ = 0;
    bool sending_ = false;
    std::atomic<bool> ended_{false};
    int64_t committed_ = std::numeric_limits<int64_t>::min();  // channel sample
    int64_t promised_ = kNothingReceived;
    bool commit_due_ = false;
    uint64_t bursts_sent_ = 0;
};

}  // namespace gr::wimax
