// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/pdu/tree.h"

namespace wimax::pdu {

void Node::fail(const std::string& value, const std::string& allowed) const {
    if (!missing_) faults_->add(path_.empty() ? "/" : path_, value, allowed);
}

std::string Node::shown() const { return json_->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40); }

Node Node::at(const char* key) const {
    if (has(key)) return {(*json_)[key], path_ + "/" + key, *faults_};
    fail(json_->is_object() ? "key '" + std::string(key) + "' is missing" : "an object is needed");
    static const Json kNothing;
    Node nothing(kNothing, path_ + "/" + key, *faults_);
    nothing.missing_ = true;
    return nothing;
}

std::vector<Node> Node::elements() const {
    std::vector<Node> out;
    if (!json_->is_array()) {
        fail("a list is needed");
        return out;
    }
    for (size_t i = 0; i < json_->size(); ++i) out.emplace_back((*json_)[i], path_ + "/" + std::to_string(i), *faults_);
    return out;
}

uint64_t Node::integer(uint64_t max) const {
    if (json_->is_number_unsigned()) {
        if (const auto value = json_->get<uint64_t>(); value <= max) return value;
    } else if (json_->is_number_integer()) {
        if (const auto value = json_->get<int64_t>(); value >= 0 && static_cast<uint64_t>(value) <= max)
            return static_cast<uint64_t>(value);
    }
    fail(shown(), "0.." + std::to_string(max));
    return 0;
}

int64_t Node::signed_integer(int64_t min, int64_t max) const {
    if (json_->is_number_integer()) {
        const bool huge = json_->is_number_unsigned() && json_->get<uint64_t>() > static_cast<uint64_t>(max);
        const auto value = huge ? max : json_->get<int64_t>();
        if (!huge && value >= min && value <= max) return value;
    }
    fail(shown(), std::to_string(min) + ".." + std::to_string(max));
    return 0;
}

std::string Node::text() const {
    if (json_->is_string()) return json_->get<std::string>();
    fail("a string is needed");
    return {};
}

Buffer Node::octets() const {
    auto octets = from_hex(text());
    if (octets) return std::move(*octets);
    fail(octets.error().allowed);
    return {};
}

}  // namespace wimax::pdu
