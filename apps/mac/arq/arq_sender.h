// SPDX-License-Identifier: GPL-3.0-or-later
// Sending machine of an ARQ connection (clause 6.3.4.6.1): which blocks of which SDU are sent next, repeated, given up,
// done. It knows SDUs by a handle and their length, and holds each until its last block is acknowledged or given up.
// Blocks get their numbers as they are first sent; repeats are sent first, the lowest number foremost, in runs cut to
// the space available. Memory is allocated only at construction.
#pragma once

#include "mac/arq/arq_feedback.h"
#include "mac/arq/ring.h"

#include <functional>
#include <optional>

namespace wimax::mac {

/// Consecutive blocks of one SDU.
struct ArqFragment {
    uint32_t sdu = 0;  ///< handle
    size_t offset = 0, octets = 0;
    FragmentControl fc = FragmentControl::unfragmented;
    BlockIndex first = 0;
    size_t blocks = 0;
    bool repeat = false;
};

struct ArqSenderCounters {
    uint64_t blocks = 0, repeats = 0;  ///< first transmissions, others
    uint64_t timeouts = 0;             ///< blocks repeated for lack of feedback
    uint64_t discarded_sdus = 0;       ///< lifetime over
    uint64_t reset_sdus = 0;           ///< begun when the machines were reset
    uint64_t bad_feedback = 0;         ///< invalid elements
};

class ArqSender {
public:
    /// The SDU is needed no more. `delivered`: all of it was acknowledged.
    using Release = std::function<void(uint32_t sdu, bool delivered)>;

    ArqSender(const ArqParameters& parameters, Release release);
    /// Releases the held SDUs.
    ~ArqSender();
    ArqSender(const ArqSender&) = delete;
    ArqSender& operator=(const ArqSender&) = delete;

    /// True if one more SDU could be begun: the window is open and no other SDU waits to be begun.
    bool wants_sdu() const;
    /// Pre: wants_sdu(), octets > 0. It is the machine's until released.
    void add(uint32_t sdu, size_t octets);

    /// The next fragment for `room` octets of payload; sent() confirms its transmission.
    std::optional<ArqFragment> next(size_t room);
    void sent(const ArqFragment& fragment, Samples now);

    /// Octets of waiting repeats, and of added SDUs that may be sent.
    size_t sendable_octets() const { return waiting_octets_ + unsent_octets(); }
    /// Octets of SDUs not added yet that the window has room for.
    size_t window_room_octets() const;
    /// Octets of added SDUs that have never been sent.
    size_t unsent_octets_of_sdus() const;
    size_t held_sdus() const { return static_cast<size_t>(sdu_end_ - sdu_start_) - released_; }
    size_t blocks_in_flight() const { return static_cast<size_t>(next_ - start_); }

    /// Feedback of one PDU: first the acknowledgements of all its elements, then their missing blocks.
    void acknowledge(const FeedbackIe& ie, Samples now);
    void repeat_missing(const FeedbackIe& ie, Samples now);

    /// Retry timeouts and lifetimes; once a frame.
    void tick(Samples now);
    /// BSN of an ARQ-Discard that is due; it is repeated until acknowledged.
    std::optional<uint16_t> discard_due(Samples now);
    /// The window has not moved for too long.
    bool out_of_sync(Samples now) const;
    /// Restarts at block 0; SDUs that were begun are lost.
    void reset();

    const ArqSenderCounters& counters() const { return counters_; }

private:
    enum class State : uint8_t { outstanding, waiting, discarded, done };
    struct Block {
        Samples sent = 0, born = 0;
        uint64_t order = 0;  ///< of transmissions
        uint64_t sdu = 0;
        State state = State::done;
    };
    struct Sdu {
        uint32_t handle = 0;
        uint16_t octets = 0, blocks = 0;
        uint16_t numbered = 0, done = 0;  ///< blocks
        bool held = false;                ///< not released yet
        BlockIndex first = 0;

        bool begun() const { return numbered == blocks || !held; }
    };

    BlockIndex window_end() const { return start_ + parameters_.window_blocks; }
    size_t octets_of(const Sdu& of, size_t from, size_t blocks) const;
    size_t octets_of(BlockIndex index) const;
    size_t unsent_octets() const;
    ArqFragment fragment(const Sdu& of, size_t from, size_t blocks) const;
    std::optional<ArqFragment> next_repeat(size_t room);
    std::optional<ArqFragment> next_new(size_t room) const;
    void done(BlockIndex index);
    void wait(BlockIndex index);
    void release(Sdu& of, bool delivered);
    void discard(uint64_t index);
    void advance(Samples now);
    bool in_window(BlockIndex index) const { return index >= start_ && index < next_; }

    const ArqParameters parameters_;
    const Release release_;
    Ring<Block> blocks_;
    Ring<Sdu> sdus_;
    BlockIndex start_ = 0, next_ = 0;
    uint64_t sdu_start_ = 0, sdu_end_ = 0;
    size_t released_ = 0;  ///< SDUs in the ring that are held no more
    size_t waiting_ = 0, waiting_octets_ = 0;
    BlockIndex first_waiting_ = 0;                 ///< none waits before it
    uint64_t order_ = 0, acknowledged_order_ = 0;  ///< of the latest transmission, and of those acknowledged
    Samples check_at_ = INT64_MAX;                 ///< no timer expires before
    BlockIndex discard_end_ = 0;
    std::optional<Samples> discard_sent_;
    Samples moved_ = 0;  ///< when the window last moved, or was first used
    ArqSenderCounters counters_;
};

}  // namespace wimax::mac
