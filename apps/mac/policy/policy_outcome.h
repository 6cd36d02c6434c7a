// SPDX-License-Identifier: GPL-3.0-or-later
// How a call of a policy ended.
#pragma once

#include <cstdint>

namespace wimax::mac {

enum class PolicyResult : uint8_t {
    done,
    late,      ///< the time limit passed before the policy was done
    failed,    ///< the policy reported an error
    nonsense,  ///< the result is not usable, for instance more units than the frame has
    busy,      ///< the policy still works on an earlier call
};

struct PolicyOutcome {
    PolicyResult result = PolicyResult::done;
    // Of the call; built-in policies do not measure them.
    uint32_t spent_us = 0;   ///< processor time
    uint32_t waited_us = 0;  ///< wall-clock time
};

}  // namespace wimax::mac
