// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of wimax-phyd's log: the daemon with its MAC, and the radio.
#pragma once

#include "common/log.h"

namespace wimax::phyd {

inline log::Layer& phyd_log() {
    static auto& layer = log::layer("phyd");
    return layer;
}
inline log::Layer& radio_log() {
    static auto& layer = log::layer("radio");
    return layer;
}

}  // namespace wimax::phyd
