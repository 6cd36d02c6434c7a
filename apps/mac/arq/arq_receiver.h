// SPDX-License-Identifier: GPL-3.0-or-later
// Receiving machine of an ARQ connection (clause 6.3.4.6.3): accepts blocks in any order and delivers SDUs once each,
// in order if negotiated; it also generates feedback. Memory for the window's blocks is allocated at construction.
// Blocks without a gap before them are assembled at once, so an SDU may be longer than the window.
#pragma once

#include "mac/arq/arq_feedback.h"

#include <functional>
#include <memory>
#include <vector>

namespace wimax::mac {

struct ArqReceiverCounters {
    uint64_t blocks = 0, repeated = 0;  ///< new ones, and those received or given up before
    uint64_t outside = 0;               ///< blocks beyond the window
    uint64_t given_up = 0;              ///< missing blocks that were purged or discarded
    uint64_t dropped_sdus = 0;          ///< with missing blocks; consecutive ones may count as one
    uint64_t malformed = 0;             ///< fragments that cannot be cut into blocks
};

class ArqReceiver {
public:
    using Sink = std::function<void(Octets sdu)>;

    ArqReceiver(const ArqParameters& parameters, size_t max_sdu_octets);

    /// A fragment whose first block is `bsn`. Complete SDUs are passed to `sink`, valid during the call.
    void receive(FragmentControl fc, uint16_t bsn, Octets data, Samples now, const Sink& sink);
    /// ARQ-Discard: the sender has given up all blocks to this one.
    void discard(uint16_t bsn, const Sink& sink);
    /// Purge timeouts; once a frame.
    void tick(Samples now, const Sink& sink);

    bool feedback_due() const { return feedback_due_; }
    void feedback_sent() { feedback_due_ = false; }
    /// Maximum octets of the elements that feedback() makes.
    size_t feedback_octets() const {
        const size_t blocks = static_cast<size_t>(end_ - start_);
        return 4 * (1 + blocks / kBlocksPerElement) + (blocks == 0 ? 0 : 2 * (1 + blocks / kMapBits));
    }
    size_t feedback(uint16_t cid, std::array<FeedbackIe, kMaxFeedbackElements>& out) const;

    /// Blocks arrive, and the window has not moved for too long.
    bool out_of_sync(Samples now) const;
    /// Restarts at block 0; blocks not delivered are lost.
    void reset();

    const ArqReceiverCounters& counters() const { return counters_; }

private:
    struct Slot {
        Samples at = 0;
        uint16_t octets = 0;
        bool received = false, first = false, last = false;
        bool delivered = false;  ///< before its turn
    };

    size_t place(BlockIndex index) const { return index % parameters_.window_blocks; }
    Slot& slot(BlockIndex index) { return slots_[place(index)]; }
    const Slot& slot(BlockIndex index) const { return slots_[place(index)]; }
    Octets data(BlockIndex index) const {
        return {memory_.get() + place(index) * parameters_.block_octets, slot(index).octets};
    }
    bool received(BlockIndex index) const { return index >= start_ && index < end_ && slot(index).received; }
    bool fits_blocks(FragmentControl fc, Octets data) const;
    void store(BlockIndex index, Octets octets, bool first, bool last, Samples now);
    void pass_received(const Sink& sink);
    void pass(BlockIndex index, const Sink& sink);
    void give_up(BlockIndex last, const Sink& sink);
    void deliver_complete(BlockIndex index, const Sink& sink);
    void append(const Slot& of, Octets octets);
    void deliver(const Sink& sink);
    void lose();
    void break_off();

    const ArqParameters parameters_;
    const size_t limit_;
    std::vector<Slot> slots_;
    std::unique_ptr<uint8_t[]> memory_;
    BlockIndex start_ = 0;  ///< all before it are received or given up
    BlockIndex end_ = 0;    ///< one more than the highest received, at least start_
    /// State of the SDU at start_: no block yet, its blocks so far (in sdu_), or some are missing.
    enum class Progress : uint8_t { none, building, broken } progress_ = Progress::none;
    std::vector<uint8_t> sdu_;
    std::vector<uint8_t> early_;  ///< an SDU delivered before its turn
    bool feedback_due_ = false;
    Samples stalled_ = INT64_MAX;  ///< since when blocks arrive and the window does not move
    ArqReceiverCounters counters_;
};

}  // namespace wimax::mac
