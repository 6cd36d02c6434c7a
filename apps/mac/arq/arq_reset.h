// SPDX-License-Identifier: GPL-3.0-or-later
// The handshake that brings the two machines of a connection back to block 0 (ARQ-Reset, clause 6.3.4.6.2): request by
// either end, acknowledgement, confirmation. While it runs no block is sent and none is taken. Each end restarts when
// it learns that the other has stopped.
#pragma once

#include "mac/sample_time.h"

#include <cstdint>
#include <optional>

namespace wimax::mac {

enum class ArqResetType : uint8_t { request = 0, acknowledge = 1, confirm = 2 };

class ArqResetDialog {
public:
    static constexpr int kRetries = 4;
    static constexpr int64_t kT22Ms = 500;

    struct Step {
        std::optional<ArqResetType> send;
        bool begin_anew = false;  ///< now
        bool failed = false;      ///< the other end does not answer: the station has to enter again
    };

    explicit ArqResetDialog(Samples t22) : t22_(t22) {}

    bool running() const { return state_ != State::idle; }
    /// This end requests the reset.
    Step begin(Samples now) { return running() ? Step{} : wait(State::asked, ArqResetType::request, now); }
    Step on_message(ArqResetType type, Samples now);
    /// T22; once a frame.
    Step on_time(Samples now);

private:
    enum class State : uint8_t { idle, asked, acknowledged };
    Step wait(State state, ArqResetType type, Samples now);
    Step finish(std::optional<ArqResetType> send);

    Samples t22_;
    State state_ = State::idle;
    int sent_ = 0;
    Timer timer_;
};

}  // namespace wimax::mac
