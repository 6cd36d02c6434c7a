// SPDX-License-Identifier: GPL-3.0-or-later
// Bounded queue of preallocated pieces between the caller of transmit() and the sender's thread, and commits that wait
// for the pieces queued before them.
#pragma once

#include "radio/piece_maker.h"
#include "radio/radio_tally.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

namespace gr::wimax {

class PieceQueue {
public:
    /// Both outlive the object. `now`: one past the newest sample received, at the channel's rate.
    PieceQueue(const RadioDevice& device, const std::atomic<int64_t>& now) : device_(device), now_(now) {}

    /// Place for the next piece; nullptr: the queue is full. Only the one caller of push() uses it.
    DevicePiece* free_place();
    /// Queues the piece in the free place.
    void push();
    /// Lock-step: no further piece starts before this channel sample. Written to the device after the queued pieces.
    void commit(int64_t sample);

    struct Next {
        DevicePiece* piece;  ///< null: none came in time, the open burst is to be ended
        int64_t promised;    ///< tick, as last reported to the device
    };
    /// Sender's thread: waits for a piece; nullopt: the queue ends. done() follows. With a burst that is open and has
    /// samples up to the tick `open_until`, it waits until these are due, in lock-step until time may go beyond.
    std::optional<Next> wait(const std::optional<int64_t>& open_until = {});
    struct Sent {
        uint64_t bursts_ended = 0;            ///< that the device received
        std::optional<int64_t> open_until{};  ///< tick up to which an open burst has samples
    };
    /// What wait() asked for is finished.
    void done(const Sent& sent);

    void end();
    bool ended() const { return ended_; }

private:
    static constexpr size_t kPieces = 16;

    static constexpr double kCloseLeadS = 0.5e-3;  // from the end of an open burst to that of its samples

    void write_commit();
    bool close_due() const;
    std::chrono::duration<double> until_close() const;

    const RadioDevice& device_;
    const std::atomic<int64_t>& now_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::array<DevicePiece, kPieces> pieces_;
    size_t head_ = 0, queued_ = 0;
    bool sending_ = false, closing_ = false;
    std::optional<int64_t> open_until_;
    std::atomic<bool> ended_{false};
    int64_t committed_ = std::numeric_limits<int64_t>::min();  // channel sample
    int64_t promised_ = kNothingReceived;
    bool commit_due_ = false;
    uint64_t bursts_sent_ = 0;
};

}  // namespace gr::wimax
