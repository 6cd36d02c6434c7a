// SPDX-License-Identifier: GPL-3.0-or-later
// Where in a message a visitor is, as text only when there is a fault to report: "TxFrame.bursts[2].rate_id".
#pragma once

#include <string>
#include <string_view>

namespace wimax::sap {

struct FieldPath {
    std::string_view name;  ///< of the message, or of a list in it
    const FieldPath* above = nullptr;
    size_t index = 0;  ///< of the element, if there is something above

    std::string of(std::string_view key) const { return text() + "." + std::string(key); }

private:
    std::string text() const {
        if (above == nullptr) return std::string(name);
        return above->of(name) + "[" + std::to_string(index) + "]";
    }
};

}  // namespace wimax::sap
