// SPDX-License-Identifier: GPL-3.0-or-later
// One station's ranging requests, and the unicast ranging opportunities to which the base station invites it.
#pragma once

#include "mac/sample_time.h"

namespace wimax::mac {

class RangingInvitations {
public:
    /// A RNG-REQ of the station was received.
    void asked(Samples now) { asked_at_ = now; }
    /// Time of the last one.
    Samples asked_at() const { return asked_at_; }
    /// A RNG-REQ in its own grant. True if it is to be answered: once within `pause`.
    bool answers(Samples now, Samples pause) {
        if (now < next_answer_) return false;
        next_answer_ = now + pause;
        return true;
    }

    /// The first invitation, at once or after `wait`, in which the station is to respond.
    void begin(Samples now, Samples wait, bool at_once) {
        timer_.start(now, wait);
        owed_ = at_once;
        count_ = 0;
    }
    /// The next one will be the first.
    void restart() { count_ = -1; }
    /// Number of the next invitation.
    int next() const { return count_ + 1; }
    void again(Samples now, Samples wait) {
        ++count_;
        owed_ = true;
        timer_.start(now, wait);
    }
    /// The opportunity is in a frame's UL-MAP.
    void sent() { owed_ = false; }
    void stop() {
        owed_ = false;
        timer_.stop();
    }
    /// True once: the station has not responded in time.
    bool expired(Samples now) { return timer_.expired(now); }
    /// An opportunity is owed.
    bool owed() const { return owed_; }
    bool running() const { return owed_ || timer_.running(); }
    int count() const { return count_; }

private:
    Samples asked_at_ = 0, next_answer_ = INT64_MIN;
    bool owed_ = false;
    Timer timer_;
    int count_ = 0;
};

}  // namespace wimax::mac
