// SPDX-License-Identifier: GPL-3.0-or-later
// Management messages of the golden vectors.
#pragma once

#include "mac/privacy/test_privacy.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace wimax::mac::privacy::test {

/// Without header and CRC; empty: there is none of that name.
inline Buffer vector_message(const std::string& name) {
    for (const auto& v : nlohmann::json::parse(std::ifstream(WIMAX_VECTORS "/mac_pdus.json"))) {
        if (v["name"] != name) continue;
        const Buffer pdu = hex(v["hex"].get<std::string>());
        return {pdu.begin() + 6, pdu.end() - 4};
    }
    return {};
}

}  // namespace wimax::mac::privacy::test
