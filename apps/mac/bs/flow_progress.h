// SPDX-License-Identifier: GPL-3.0-or-later
// How far a service flow's set-up has come (clause 6.3.14.7), and when the flow was last used.
#pragma once

#include "mac/sample_time.h"

#include <cstdint>

namespace wimax::mac {

class FlowSetUp {
public:
    bool waiting() const { return state_ == State::waiting; }
    /// Waits to be set up, or the station was asked.
    bool open() const { return state_ == State::waiting || state_ == State::asked; }
    bool done() const { return state_ == State::done; }
    bool refused() const { return state_ == State::refused; }

    void ask() {
        state_ = State::asked;
        ++tries_;
    }
    void finish() { state_ = State::done; }
    void give_up() { state_ = State::refused; }
    /// The station deleted the flow during set-up. False: it was asked too often, and is given up.
    bool try_again() {
        const bool again = tries_ < kTries;
        state_ = again ? State::waiting : State::refused;
        return again;
    }
    /// Until then the station has to know the flow's own SA.
    void wait_for_key(Samples until) { known_by_ = until; }
    bool key_overdue(Samples now) const { return waiting() && now >= known_by_; }

private:
    enum class State : uint8_t { waiting, asked, done, refused };
    static constexpr uint8_t kTries = 4;

    State state_ = State::waiting;
    uint8_t tries_ = 0;
    Samples known_by_ = INT64_MAX;
};

class FlowUse {
public:
    /// `packets`: sent or arrived so far. `waits`: some wait to be sent.
    void watch(uint64_t packets, bool waits, Samples now) {
        if (waits || packets != packets_ || !watched_) at_ = now;
        packets_ = packets;
        watched_ = true;
    }
    /// Nothing depends on its use. The next watch() counts as a use.
    void ignore() {
        if (watched_) watched_ = false;
    }
    void begin(Samples now) { at_ = now; }
    /// Last time a packet waited, was sent or arrived.
    Samples last() const { return at_; }

private:
    Samples at_ = 0;
    uint64_t packets_ = 0;  ///< until then
    bool watched_ = true;
};

}  // namespace wimax::mac
