// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/tree.h"

namespace wimax::pdu {

void Node::fail(const std::string& what) const { throw FormatError((path_.empty() ? "/" : path_) + ": " + what); }

Node Node::at(const char* key) const {
    if (!json_.is_object()) fail("an object is needed");
    const auto found = json_.find(key);
    if (found == json_.end()) fail(std::string("key '") + key + "' is missing");
    return {*found, path_ + "/" + key};
}

std::vector<Node> Node::elements() const {
    if (!json_.is_array()) fail("a list is needed");
    std::vector<Node> out;
    for (size_t i = 0; i < json_.size(); ++i) out.emplace_back(json_[i], path_ + "/" + std::to_string(i));
    return out;
}

uint64_t Node::integer(uint64_t max) const {
    if (json_.is_number_unsigned()) {
        if (const auto value = json_.get<uint64_t>(); value <= max) return value;
    } else if (json_.is_number_integer()) {
        if (const auto value = json_.get<int64_t>(); value >= 0 && static_cast<uint64_t>(value) <= max)
            return static_cast<uint64_t>(value);
    }
    fail(json_.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40) + ", allowed 0.." +
         std::to_string(max));
}

int64_t Node::signed_integer(int64_t min, int64_t max) const {
    if (json_.is_number_integer()) {
        const bool huge = json_.is_number_unsigned() && json_.get<uint64_t>() > static_cast<uint64_t>(max);
        const auto value = huge ? max : json_.get<int64_t>();
        if (!huge && value >= min && value <= max) return value;
    }
    fail(json_.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40) + ", allowed " + std::to_string(min) +
         ".." + std::to_string(max));
}

std::string Node::text() const {
    if (!json_.is_string()) fail("a string is needed");
    return json_.get<std::string>();
}

Buffer Node::octets() const {
    const std::string digits = text();
    try {
        return from_hex(digits);
    } catch (const FormatError& error) {
        fail(error.what());
    }
}

}  // namespace wimax::pdu
