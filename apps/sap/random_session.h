// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>

namespace wimax::sap {

/// Number of a session, new at each start of a program; never 0.
inline uint64_t random_session() {
    std::random_device device;
    uint64_t session = 0;
    while (session == 0) session = (static_cast<uint64_t>(device()) << 32) | device();
    return session;
}

}  // namespace wimax::sap
