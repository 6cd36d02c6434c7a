// SPDX-License-Identifier: GPL-3.0-or-later
// One end of an ARQ connection: its machine, and the reset that it requests when out of step, or answers.
#pragma once

#include "mac/arq/arq_reset.h"

#include <utility>

namespace wimax::mac {

template <class Machine> class ArqConnection {
public:
    template <class... Arguments>
    explicit ArqConnection(Samples t22, Arguments&&... of_machine)
        : machine(std::forward<Arguments>(of_machine)...), dialog_(t22) {}

    uint64_t resets() const { return resets_; }
    /// While a reset runs no block is sent and none is taken.
    bool stopped() const { return dialog_.running(); }
    ArqResetDialog::Step reset(Samples now) { return act(dialog_.begin(now)); }
    ArqResetDialog::Step on_reset(ArqResetType type, Samples now) { return act(dialog_.on_message(type, now)); }
    /// Once a frame, after the machine's own tick.
    ArqResetDialog::Step on_time(Samples now) {
        if (!stopped() && machine.out_of_sync(now)) return reset(now);
        return act(dialog_.on_time(now));
    }

    Machine machine;

private:
    ArqResetDialog::Step act(const ArqResetDialog::Step& step) {
        if (step.begin_anew) {
            machine.reset();
            ++resets_;
        }
        return step;
    }
    ArqResetDialog dialog_;
    uint64_t resets_ = 0;
};

}  // namespace wimax::mac
