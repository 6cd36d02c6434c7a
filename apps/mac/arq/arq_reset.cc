// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/arq/arq_reset.h"

namespace wimax::mac {

ArqResetDialog::Step ArqResetDialog::wait(State state, ArqResetType type, Samples now) {
    if (state_ != state) sent_ = 0;
    state_ = state;
    ++sent_;
    timer_.start(now, t22_);
    return {type, false, false};
}

ArqResetDialog::Step ArqResetDialog::finish(std::optional<ArqResetType> send) {
    state_ = State::idle;
    timer_.stop();
    return {send, true, false};
}

ArqResetDialog::Step ArqResetDialog::on_message(ArqResetType type, Samples now) {
    switch (type) {
        case ArqResetType::request:
            // Both have sent requests at once: each answers, and each acts on the other's answer.
            if (state_ == State::asked) return {ArqResetType::acknowledge, false, false};
            return wait(State::acknowledged, ArqResetType::acknowledge, now);
        case ArqResetType::acknowledge:
            // Not expected: the confirmation was lost, this end has restarted already.
            return state_ == State::asked ? finish(ArqResetType::confirm) : Step{ArqResetType::confirm, false, false};
        case ArqResetType::confirm: return state_ == State::acknowledged ? finish({}) : Step{};
    }
    return {};
}

ArqResetDialog::Step ArqResetDialog::on_time(Samples now) {
    if (!timer_.expired(now)) return {};
    if (sent_ <= kRetries)
        return wait(state_, state_ == State::asked ? ArqResetType::request : ArqResetType::acknowledge, now);
    state_ = State::idle;
    return {{}, true, true};
}

}  // namespace wimax::mac
